/// A factor of a move computed again beside the run, and its derivative by that.
///
/// Problem    states of another structure, jump equations solved together with constraints, values moved by the least change, impulses of
///            the integrated equations: X⁺ of what has no closed derivative
/// Method     what the instant did is done again with other values before it: the states are entered (settle/enter/mode_entry.hpp) and the
///            transfer is solved (settle/enter/transfer.hpp) in states of a run that nothing else uses, of the system itself for the
///            directions of values and of the twins for parameters (stencil.hpp, setup.hpp). So what is differentiated is what is solved,
///            curvature of constraints included.
/// Contract   without a change it gives what the run has found, or the factor is not differentiated.
/// Fails when a value beside the run cannot be found
/// Cost       four transfers for each column, and one for each twin
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/stretch_field.hpp"
#include "settle/state/move.hpp"

namespace saltus::sensitivity {

class StepReplay {
 public:
  explicit StepReplay(const FieldSource& source);
  ~StepReplay();
  StepReplay(const StepReplay&) = delete;
  StepReplay& operator=(const StepReplay&) = delete;

  /// Before the factor.
  struct Arguments {
    double t = 0.0;
    system::StructureId structure;
    const system::Configuration* configuration = nullptr;
    std::span<const double> x;
    std::span<const double> values;  ///< of all variables
    std::span<const double> reinits;
  };
  /// How they move, [quantity][column].
  struct Seeds {
    std::span<const double> time;
    std::span<const double> x;
    std::span<const double> values;
    std::span<const double> reinits;
  };
  /// False: it has no value beside the run, or another one at it.
  [[nodiscard]] bool differentiate(const Arguments& at, const Seeds& seeds, const settle::MoveStep& step,
                                   system::RoundTangentsFound& found);

 private:
  struct Shadow;
  struct Values;
  [[nodiscard]] Shadow& shadow_of(const system::HybridSystem& system);
  [[nodiscard]] bool replay(Shadow& shadow, const Arguments& at, const settle::MoveStep& step,
                            Values& values) const;

  const FieldSource& source_;
  std::vector<std::unique_ptr<Shadow>> shadows_;
};

}  // namespace saltus::sensitivity
