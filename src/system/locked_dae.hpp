/// The narrow interface between the towers (DESIGN 3): what a model offers to algorithms in time.
///
/// HybridSystem is the model, immutable and shared by threads. Locking a configuration gives a LockedDae, which is
/// smooth and immutable too. Everything that changes while it is evaluated (registers, the last solution of an
/// implicit block) belongs to an Evaluator, one per thread of use.
///
/// A LockedDae belongs to a mode. All configurations of the mode share it: the latched guards and the discrete values
/// are inputs of its evaluators (Evaluator::set_configuration), so N switches do not make 2^N systems.
///
/// So far a LockedDae offers the explicit form ẋ = f(t, x) with algebraic variables z(t, x) solved inside. Residuals,
/// Jacobian blocks and derivative arrays (DESIGN 3) join as further functions of Evaluator and facts of LockedDae when
/// the algorithms that call them exist.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "system/configuration.hpp"
#include "system/evaluation.hpp"
#include "system/guards.hpp"

namespace saltus::system {

/// One state of the explicit form: a variable or one of its derivatives (second-order equations have two).
struct StateInfo {
  std::string name;  ///< "x", or "der(x)" for the derivative of a second-order variable
  double nominal = 1.0;
};

/// Evaluates one LockedDae at given parameter values; owns all scratch memory; never allocates after construction.
class Evaluator : public GuardFunctions {
 public:
  /// Takes over latched guards and discrete values; the mode is that of the LockedDae. Real-valued choices over a guard
  /// whose side lies strictly between -1 and +1 are blended: α·a + (1 - α)·b, propositions by their multilinear
  /// extension (DESIGN 2).
  virtual void set_configuration(const Configuration& /*configuration*/) {}
  /// Changes one latched value, cheaply: sliding asks for many weights at one point.
  virtual void set_latched(Index /*guard*/, double /*value*/) {}

  /// Whether states must be moved onto surfaces: then a method calls project() for the argument of every stage and for
  /// the result of the step (reduce/sliding_field.hpp).
  [[nodiscard]] virtual bool projects() const { return false; }
  virtual Evaluation project(double /*t*/, std::span<double> /*x*/) { return {}; }

  /// ẋ = f(t, x); spans of n_states.
  virtual Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) = 0;
  /// Values of all variables of the model (continuous and discrete, in the model's order) at (t, x).
  virtual Evaluation outputs(double t, std::span<const double> x, std::span<double> values) = 0;
  /// Values of all variables at `width` points at once: x is [state][point], values is [variable][point].
  virtual Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) = 0;

  /// Iterations inside rhs() begin at its last solution. keep_solutions() keeps the last ones as those of an accepted
  /// point, restore_solutions() goes back to the kept ones: attempts that come to nothing then leave no trace.
  virtual void keep_solutions() {}
  virtual void restore_solutions() {}

  /// Iterations inside outputs() and outputs_block() begin at their last solution too. These are read and set in the
  /// order and number of InitialPoint::guess, for whoever evaluates at times that are not in order.
  virtual void copy_output_solutions(std::span<double> /*guess*/) const {}
  virtual void set_output_solutions(std::span<const double> /*guess*/) {}

  /// A sentence about a failure: names, the source line of the first cause, numbers, the time. Exact right after the
  /// rhs() or outputs() that failed; later, or for a value that became not finite outside of evaluations, it falls
  /// back to the name and `t`. Allocates.
  [[nodiscard]] virtual std::string describe(const Evaluation& evaluation, double t) const = 0;
};

class LockedDae {
 public:
  LockedDae() = default;
  LockedDae(const LockedDae&) = delete;
  LockedDae& operator=(const LockedDae&) = delete;
  virtual ~LockedDae() = default;

  [[nodiscard]] virtual const std::vector<StateInfo>& states() const = 0;
  /// Number of points that Evaluator::outputs_block takes at once.
  [[nodiscard]] virtual Index block_width() const = 0;
  /// Whether outputs are found by iterations, which may end at another solution when they begin far away: then the
  /// outputs must be followed from step to step.
  [[nodiscard]] virtual bool iterates_for_outputs() const { return false; }
  /// `guess`: where the iterations of implicit blocks begin (InitialPoint::guess), so that a run stays on the solution
  /// that the initial problem chose; empty: at the start values of the model.
  [[nodiscard]] virtual std::unique_ptr<Evaluator> make_evaluator(std::span<const double> guess) const = 0;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const { return make_evaluator({}); }

  /// Whether guard i can be evaluated in this mode and something in this mode depends on it.
  [[nodiscard]] virtual bool watches(Index /*guard*/) const { return false; }
};

}  // namespace saltus::system
