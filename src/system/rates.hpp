/// What is stepped: ẋ = f(t, x), and the surfaces and constraints on which its states must lie.
#pragma once

#include <cstdint>
#include <span>

#include "base/interface.hpp"
#include "system/evaluation.hpp"

namespace saltus::system {

class Rates : public Interface {
 public:
  /// ẋ = f(t, x); spans of n_states.
  virtual Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) = 0;
  /// Iterations inside rhs() begin at its last solution. keep_solutions() keeps the last ones as those of an accepted
  /// point, restore_solutions() goes back to the kept ones: attempts that come to nothing then leave no trace.
  virtual void keep_solutions() {}
  virtual void restore_solutions() {}
  /// f has kinks or jumps that no guard knows of (`noEvent`, choices in functions): steps go over them.
  [[nodiscard]] virtual bool has_unwatched_kinks() const { return false; }
};

/// When states must be projected, ascending.
enum class Projection : std::uint8_t {
  none,
  instants,  ///< where something happens and where a method begins: steps may leave the constraints
  results,   ///< for the result of every step: the states have invariants (hidden constraints)
  stages,    ///< for the argument of every stage too: off the surfaces the field means nothing (sliding)
};

class Projections : public Interface {
 public:
  /// Whether states must be moved onto surfaces or constraints (slide/field/sliding_field.hpp, reduce/projected_evaluator.hpp).
  [[nodiscard]] virtual Projection projection() const { return Projection::none; }
  virtual Evaluation project(double /*t*/, std::span<double> /*x*/) { return {}; }
  /// The same at an instant, to rounding, whatever steps do.
  virtual Evaluation project_instant(double t, std::span<double> x) { return project(t, x); }
  /// Leaves of the gradient of a function of the states at x what acts along the set projected onto: what changes it across, projections take
  /// back, and so it is no error of projected states. As it is where that is not known.
  virtual void keep_along(double /*t*/, std::span<const double> /*x*/, std::span<double> /*gradient*/) {}
};

}  // namespace saltus::system
