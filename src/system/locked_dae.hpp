/// The narrow interface between the towers (DESIGN 3): what a model offers to algorithms in time.
///
/// HybridSystem is the model, immutable and shared by threads. Locking a configuration gives a LockedDae, which is
/// smooth and immutable too. Everything that changes while it is evaluated (registers, the last solution of an
/// implicit block) belongs to an Evaluator, one per thread of use.
///
/// A LockedDae belongs to a mode. All configurations of the mode share it: the latched guards and the discrete values
/// are inputs of its evaluators (Evaluator::set_configuration), so N switches do not make 2^N systems.
///
/// A LockedDae is reduced in one of two ways (Reduction). By structure: the states are all derivatives of a variable below
/// the highest one that the differentiated equations contain, rhs() gives ẋ with algebraic variables solved inside, and
/// constraints() says which of all states are consistent; the structure of the highest derivatives is never singular, so
/// no states need to be selected. By ranks: the states are all unknowns as they stand, and what moves them is found from
/// derivative_array() (reduce/ranks/array_evaluator.hpp); rhs() of its evaluators is not available.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "saltus/result.hpp"
#include "system/configuration.hpp"
#include "system/equation_set.hpp"
#include "system/evaluation.hpp"
#include "system/guards.hpp"
#include "system/written_equations.hpp"

namespace saltus::system {

/// One state of the explicit form: a variable or one of its derivatives (second-order equations have two).
struct StateInfo {
  std::string name;  ///< "x", or "der(x)" for the derivative of a second-order variable
  double nominal = 1.0;
  /// Other variables, or derivatives of some, that are this state or its negative for all times (v1 = v2).
  struct Alias {
    std::string name;
    double sign = 1.0;
    Quantity quantity = {};
  };
  std::vector<Alias> aliases = {};
  /// The equations as they stand in the model contain its derivative, or that of an alias. Others are states because an equation was
  /// differentiated, or because ranks take every unknown for one.
  bool is_written = true;
  Quantity quantity = {};
};

/// How a mode becomes something that can be stepped; decided when the system is built.
enum class Reduction : std::uint8_t { structural, ranks };

/// When a method must call Evaluator::project().
enum class Projection : std::uint8_t {
  none,
  results,  ///< for the result of every step: the states have invariants (hidden constraints)
  stages,   ///< for the argument of every stage too: off the surfaces the field means nothing (sliding)
};

/// A point of the residual form, y = (x, z) and ẏ of the states, as somebody found it. Empty: nobody knows it.
struct ResidualPoint {
  std::span<const double> y;
  std::span<const double> ydot;
};

/// Evaluates one LockedDae at given parameter values; owns all scratch memory; never allocates after construction.
/// A number that unknowns are divided by.
struct DivisorInfo {
  std::string text;         ///< for a person, "what der(x) is divided by in '…'"; empty: nothing is known
  bool gives_rates = true;  ///< derivatives of states are among these unknowns
};

class Evaluator : public GuardFunctions {
 public:
  /// Takes over latched guards and discrete values; the mode is that of the LockedDae. Real-valued choices over a guard
  /// whose side lies strictly between -1 and +1 are blended: α·a + (1 - α)·b, propositions by their multilinear
  /// extension (DESIGN 2).
  virtual void set_configuration(const Configuration& /*configuration*/) {}
  /// Changes one latched value, cheaply: sliding asks for many weights at one point.
  virtual void set_latched(Index /*guard*/, double /*value*/) {}

  /// Whether states must be moved onto surfaces or constraints (reduce/slide/sliding_field.hpp, reduce/projected_evaluator.hpp).
  [[nodiscard]] virtual Projection projection() const { return Projection::none; }
  virtual Evaluation project(double /*t*/, std::span<double> /*x*/) { return {}; }

  /// ẋ = f(t, x); spans of n_states.
  virtual Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) = 0;
  /// The point of the residual form that belongs to the state x: y = (x, z) and ẏ of the states, consistent with each other.
  /// Spans of the residual form's n_y and n_states; only where residual_form() exists.
  virtual Evaluation residual_point(double /*t*/, std::span<const double> /*x*/, std::span<double> /*y*/,
                                    std::span<double> /*ydot*/) {
    return {Evaluation::Status::no_convergence, -1};
  }
  /// The runner of the residual form in the present configuration; nullptr where the evaluator offers rhs() only (black boxes,
  /// slides between two modes): an implicit method then takes r = ẋ - f(t, x) with differences. Where there is a runner but no
  /// residual_form(), y = x, with a row for every state and all entries in the pattern (reduce/ranks/reduced_equations.hpp).
  [[nodiscard]] virtual EquationRunner* residual_runner() { return nullptr; }
  /// The equations of that runner and of residual_point() where they are not those of LockedDae::residual_form(): while sliding the
  /// weights are further unknowns (reduce/slide/sliding_form.hpp). Null: they are.
  [[nodiscard]] virtual std::shared_ptr<const EquationSet> own_residual_form() { return nullptr; }
  /// Numbers by which rates are divided at (t, x), as many as n_divisors(), continuous along a solution: coefficients, or scaled
  /// determinants of implicit blocks. Where one changes its sign the equations are singular.
  [[nodiscard]] virtual Index n_divisors() { return 0; }
  virtual Evaluation divisors(double /*t*/, std::span<const double> /*x*/, std::span<double> /*values*/) {
    return {};
  }
  [[nodiscard]] virtual DivisorInfo divisor_info(Index /*divisor*/) const { return {}; }
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

  /// The iterations of rhs(), outputs() and divisors() begin at this point of the residual form next, which an implicit method has
  /// found. False: outputs() iterates for unknowns that the point does not contain, or the point is not known; those begin where they did.
  virtual bool begin_at(const ResidualPoint& /*point*/) { return false; }

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
  /// Whether outputs may have no value where the rates have one: then they are looked at after every step.
  [[nodiscard]] virtual bool outputs_may_be_missing() const { return false; }
  /// `guess`: where the iterations of implicit blocks begin (InitialPoint::guess), so that a run stays on the solution
  /// that the initial problem chose; empty: at the start values of the model.
  [[nodiscard]] virtual std::unique_ptr<Evaluator> make_evaluator(std::span<const double> guess) const = 0;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const { return make_evaluator({}); }

  [[nodiscard]] virtual Reduction reduction() const { return Reduction::structural; }
  /// r(t, y, ẏ) = 0 for implicit methods. Slots: y = (states, then algebraic unknowns), then ẏ of the states; as many rows as
  /// y has entries; regular with index at most 1. Null: there is none.
  [[nodiscard]] virtual std::shared_ptr<const EquationSet> residual_form() const { return nullptr; }
  /// What the states must satisfy; slots: the states. Null: nothing.
  [[nodiscard]] virtual std::shared_ptr<const EquationSet> constraints() const { return nullptr; }
  /// The equations as the model has them. Null: it has none in this form (callbacks).
  [[nodiscard]] virtual std::shared_ptr<const WrittenEquations> written_equations() const { return nullptr; }
  /// F and its total derivatives up to dˡF/dtˡ in the unknowns as written, level l ≥ 0. Slots by order, then by variable: every
  /// continuous unknown of this mode with orders 0 … (its highest order as written, at least 1) + l — the first n_unknowns
  /// slots are the unknowns themselves. Rows by level, then by equation. Built on demand; may be called by several threads.
  [[nodiscard]] virtual Result<std::shared_ptr<const EquationSet>> derivative_array(int level) const;

  /// Whether guard i can be evaluated in this mode and something in this mode depends on it.
  [[nodiscard]] virtual bool watches(Index /*guard*/) const { return false; }
};

}  // namespace saltus::system
