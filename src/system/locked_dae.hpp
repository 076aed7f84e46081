/// The narrow interface between the towers (DESIGN 3): what a model offers to algorithms in time.
///
/// HybridSystem is the model, immutable and shared by threads. Locking a configuration gives a LockedDae, which is
/// smooth and immutable too. Everything that changes while it is evaluated (registers, the last solution of an
/// implicit block) belongs to an Evaluator, one per thread of use.
///
/// So far a LockedDae offers the explicit form ẋ = f(t, x) with algebraic variables z(t, x) solved inside. Residuals,
/// Jacobian blocks, derivative arrays and guards (DESIGN 3) join as further functions of Evaluator and facts of
/// LockedDae when the algorithms that call them exist.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "saltus/result.hpp"

namespace saltus::system {

/// What holds between two events: the mode and the value of every condition (DESIGN 2).
struct Configuration {
  ModeId mode;
  std::vector<double> conditions;  ///< truth 0 or 1 (strictly between: blended), or a held whole number
  std::vector<double> discrete;    ///< values of the discrete variables
};

/// The outcome of an evaluation. Expected in a step loop, hence no exception and no text: describe() of the
/// evaluator turns the culprit into names.
struct [[nodiscard]] Evaluation {
  enum class Status : std::uint8_t {
    ok,
    not_finite,  ///< culprit: index of the state whose derivative is not finite, or n_states + index of the variable
                 ///< whose value is not
    singular_block,  ///< culprit: index of the implicit block whose matrix is singular
    no_convergence,  ///< culprit: index of the implicit block whose Newton iteration failed
  };
  Status status = Status::ok;
  Index culprit = -1;

  [[nodiscard]] bool ok() const { return status == Status::ok; }
};

/// One state of the explicit form: a variable or one of its derivatives (second-order equations have two).
struct StateInfo {
  std::string name;  ///< "x", or "der(x)" for the derivative of a second-order variable
  double nominal = 1.0;
};

/// Evaluates one LockedDae at given parameter values; owns all scratch memory; never allocates after construction.
class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;

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
};

struct VariableInfo {
  std::string name;
  bool is_discrete = false;
  bool is_boolean = false;
  bool is_integer = false;
  std::string unit;
  std::string description;
};

/// Consistent values at the start, with what had to be decided to find them.
struct InitialPoint {
  std::vector<double> x;
  std::vector<double> guess;  ///< values of what implicit blocks determine, for LockedDae::make_evaluator
  Configuration configuration;
  Diagnostics warnings;  ///< starts that were moved or were missing
};

class HybridSystem {
 public:
  HybridSystem() = default;
  HybridSystem(const HybridSystem&) = delete;
  HybridSystem& operator=(const HybridSystem&) = delete;
  virtual ~HybridSystem() = default;

  /// The columns of a trajectory.
  [[nodiscard]] virtual const std::vector<VariableInfo>& variables() const = 0;
  [[nodiscard]] virtual Result<InitialPoint> initial(double t) const = 0;
  [[nodiscard]] virtual Result<std::shared_ptr<const LockedDae>> lock(
      const Configuration& configuration) const = 0;
};

}  // namespace saltus::system
