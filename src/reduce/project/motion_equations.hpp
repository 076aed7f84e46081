/// The equations of motion at a point, with rows beside them: how accelerations answer to the forces of constraints.
///
/// Problem      M·c = B·μ under conditions on c or on μ, for models of any form: M and B are not written down anywhere, forces may go through
///              unknowns of their own
/// Method       The equations as written that are not differentiated, linearised at a point with respect to all that is no state (rates and
///              algebraic unknowns): [∂F/∂(ẋ, z)]·δ = 0 has the solutions δ = (c, μ, …) with M·c = B·μ. As many rows are missing as there
///              are constraints; `beside` are these:
///                J·c = s         makes c = M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹·s, the change of least kinetic energy (post-stabilisation, [Com01] 3.4.1
///                                in the metric of the mass matrix);
///                μ = given       makes c = M⁻¹B·μ, what the forces of constraints do when they are not those of the point (u frozen).
/// Contract     make() is null where the rows and unknowns do not fit together. factorize() takes the values of the unknowns from `of`, which stands
///              in the present configuration; solve() as often as wanted afterwards. The evaluator is left where it was, but for its solutions.
/// Fails when   a value is not finite, or the matrix is singular (redundant constraints)
/// Cost         an evaluation of rates and outputs, a Jacobian and a sparse factorisation
/// Checked by   tests/mechanics/formulations_test.cpp, tests/mechanics/frozen_control_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/sparse_lu.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

class MotionEquations {
 public:
  /// An entry of a row beside them: of the rate of a state, or of an algebraic unknown.
  struct Entry {
    Index row = 0;
    Index state = -1;
    Index variable = -1;  ///< of the system; where state is -1
  };

  /// `n_beside` rows with these entries. `locked` outlives this object.
  [[nodiscard]] static std::unique_ptr<MotionEquations> make(const system::LockedDae& locked, Index n_beside,
                                                             std::span<const Entry> beside);

  void set_configuration(const system::Configuration& configuration) {
    runner_->set_configuration(configuration);
  }
  void set_latched(Index guard, double value) { runner_->set_latched(guard, value); }

  /// `beside`: the values of the entries, in their order.
  [[nodiscard]] bool factorize(double t, std::span<const double> x, system::Evaluator& of,
                               std::span<const double> beside);
  /// Right sides of the rows beside; rates := the answer of the rates of the states.
  void solve(std::span<const double> right_sides, std::span<double> rates);
  /// The value of a variable at the point of the last factorize().
  [[nodiscard]] double value_of(Index variable) const { return outputs_[static_cast<std::size_t>(variable)]; }

  /// The equations as written, and their Jacobian at that point, in the order of its pattern.
  [[nodiscard]] const system::EquationSet& equations() const { return *array_; }
  [[nodiscard]] std::span<const double> jacobian() const { return entries_; }

  void fields(Archive& a) {
    // Not saved, of the system: array_, slots_, unknown_of_state_, entry_of_, sign_of_, symbolic_, n_rows_, n_unknowns_; made at every
    // point: point_, rates_, entries_, values_, right_side_.
    a(runner_, lu_, outputs_);
  }

 private:
  // Where the value of a slot comes from.
  struct Slot {
    enum class From : std::uint8_t { state, rate, variable, nowhere };
    From from = From::nowhere;
    std::size_t place = 0;
    double sign = 1.0;
    Index unknown = -1;
  };

  MotionEquations() = default;
  void name_slots(const system::LockedDae& locked);
  bool lay_out(const system::LockedDae& locked, Index n_beside, std::span<const Entry> beside);

  std::shared_ptr<const system::EquationSet> array_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<Slot> slots_;
  std::vector<Index> unknown_of_state_;   // its rate; -1: it is a state too
  std::vector<std::ptrdiff_t> entry_of_;  // by place of the matrix: entry of the array, or -1 - entry beside
  std::vector<double> sign_of_;           // by place
  std::shared_ptr<const linalg::SparseLuSymbolic> symbolic_;
  std::optional<linalg::SparseLuNumeric> lu_;
  Index n_rows_ = 0;  // of the equations of motion
  Index n_unknowns_ = 0;
  std::vector<double> point_;  // by slot
  std::vector<double> rates_;
  std::vector<double> outputs_;
  std::vector<double> entries_;
  std::vector<double> values_;
  std::vector<double> right_side_;
};

}  // namespace saltus::reduce
