/// What an instant did, done again beside the run: its derivative where it has no closed one.
///
/// Problem    states of another structure, jump equations solved together with constraints, values moved by the least change, impulses of
///            the integrated equations: X⁺ of what has no tangents
/// Method     from values before the instant that lie beside those of the run, in states of a run that nothing else uses, all factors are applied
///            again: states are entered (settle/enter/mode_entry.hpp), rounds and transfers solved (settle/enter/transfer.hpp), with what
///            fired and the sides as they were. X⁺ = Σ weight·F(t* + o·σ, x⁻ + o·X⁻, p + o) over the twins (setup.hpp), o their offsets: time,
///            values and the parameter move together, so that constraints hold before the instant up to o², which a projection takes away.
///            What is differentiated is what is solved, curvature of constraints included.
/// Contract   without a change it gives what the run has found, or the instant is not differentiated. Where a mode is entered and left again, a column beside which a
///            guard of that mode is no longer zero is undefined: the mode lasts for one direction.
/// Fails when a value beside the run cannot be found, or is found in another way
/// Cost       one instant for each twin
/// Checked by tests/sensitivity/forward_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"
#include "sensitivity/instant/event_time.hpp"
#include "settle/state/move.hpp"

namespace saltus::sensitivity {

class InstantReplay {
 public:
  explicit InstantReplay(const FieldSource& source);
  ~InstantReplay();
  InstantReplay(const InstantReplay&) = delete;
  InstantReplay& operator=(const InstantReplay&) = delete;

  /// How values before the instant move along it, [quantity][column].
  struct Motion {
    std::span<const double> sigma;
    std::span<const double> x;
    std::span<const double>
        values;  ///< read where the field is held on surfaces: else they follow from the states
    std::span<const double> discrete;
    bool is_held = false;  ///< on surfaces
  };
  /// Of states, variables and discrete values after it; 0 for columns that are undefined, because their values beside the run cannot be found, which
  /// are marked. False: nothing is known.
  [[nodiscard]] bool differentiate(const settle::InstantMove& move, const Motion& motion,
                                   system::RoundTangentsFound& found, std::vector<bool>& undefined);

 private:
  struct Shadow;
  struct Values;
  [[nodiscard]] Shadow& shadow_of(const system::HybridSystem& system);
  [[nodiscard]] bool begin(Shadow& shadow, const settle::InstantMove& move, const Motion& motion,
                           std::size_t column, double offset, Values& values) const;
  [[nodiscard]] bool apply(Shadow& shadow, const settle::MoveStep& step, Values& values) const;
  [[nodiscard]] bool apply_all(Shadow& shadow, const settle::InstantMove& move, Values& values) const;

  [[nodiscard]] bool note_guards(Shadow& shadow, Values& values) const;
  [[nodiscard]] static bool leaves_zero(const Values& here, const Values& beside);

  const FieldSource& source_;
  std::vector<std::unique_ptr<Shadow>> shadows_;
};

}  // namespace saltus::sensitivity
