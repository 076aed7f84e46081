// A system given by C++ functions instead of a model text: equations of any index, modes, guards, resets, outputs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "saltus/analysis.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus {

/// Where a function is asked.
struct CallbackPoint {
  double time = 0.0;
  std::span<const double> x;  ///< the states: all unknowns
  /// By guard: +1 where g > 0, -1 where g < 0, 0 for a guard that stays zero. Between two events they are constant:
  /// what the equations choose must be chosen by these, never by the sign of a number computed from x. So each side is
  /// smooth, and the switch is located. (CallbackModel::rhs_chooses_sides is the way out.)
  std::span<const double> sides;
  std::span<const double> discrete;    ///< numbers that only resets and jumps change
  std::span<const double> parameters;  ///< as `set` has them
};

/// A state, a number that only resets change, or (its `start`) a parameter.
struct CallbackVariable {
  /// Of a state in residuals: whether its derivative occurs in an equation.
  enum class Role {
    found,  ///< the functions are asked: it does where they change with it, at some points and on both sides of all guards
    differential,  ///< it does
    algebraic,     ///< it does not
  };
  std::string name{};
  double start =
      0.0;  ///< of an algebraic state a guess; of a differential one kept as far as the equations allow
  double nominal = 1.0;  ///< its usual size, > 0; enters the absolute tolerance and the steps of differences
  std::string unit{};
  std::string description{};
  bool is_fixed = false;  ///< in residuals: the start value is held, or the run does not begin
  Role role = Role::found;
};

/// States and discrete numbers after an event; they hold those before when it is called. `at.x` is x before. In a mode with a residual
/// what is changed is asked for, and what is left is held as far as the equations allow.
using CallbackReset =
    std::function<void(const CallbackPoint& at, std::span<double> x, std::span<double> discrete)>;

/// A scalar g(t, x) whose sign changes are events.
struct CallbackGuard {
  enum class Type {
    bilateral,  ///< the solution goes through the surface
    unilateral,  ///< the solution must not be evaluated beyond the surface: the reset acts on the side it came from
  };
  /// g = Σ coefficients·x + time_coefficient·t + constant. Roots of such a guard are found with certainty and cheaply.
  struct Affine {
    std::vector<double> coefficients{};  ///< one per state
    double time_coefficient = 0.0;
    double constant = 0.0;
  };
  using Reset = CallbackReset;

  std::string name{};  ///< for messages and events: "h" or "v1 - v2"
  Type type = Type::bilateral;
  std::optional<Affine> affine{};  ///< then CallbackModel::guard_values is not asked for this guard
  bool in_equations = true;        ///< the equations or an output read its side
  bool can_slide = true;           ///< sliding on its surface makes sense
  double reset_side = 0.0;         ///< the reset happens on arrival at this side (+1 or -1); 0: at either
  Reset reset{};                   ///< optional
};

/// Where CallbackResidual::jacobian writes. By rows: the entry of equation i and state j is at [i · states + j]. All are zero before.
struct CallbackJacobian {
  std::span<double> x;     ///< ∂F/∂x
  std::span<double> xdot;  ///< ∂F/∂ẋ
  std::span<double> time;  ///< ∂F/∂t, one per equation
};

/// F(t, x, ẋ) = 0, of any index; as many equations as states, or more, or fewer.
struct CallbackResidual {
  std::function<void(const CallbackPoint& at, std::span<const double> xdot, std::span<double> values)>
      values{};
  std::size_t n_equations = 0;       ///< 0: as many as states
  std::vector<std::string> names{};  ///< of the equations, for messages; optional
  bool is_linear =
      false;  ///< F is affine in x and ẋ together: then equations that contradict each other are met by least squares
  /// Optional; differences are taken without it.
  std::function<void(const CallbackPoint& at, std::span<const double> xdot, const CallbackJacobian& into)>
      jacobian{};
  /// F and its total time derivatives up to `order`, one block of equations after the other; `derivatives` are ẋ, ẍ, … up to order + 1,
  /// one block of states after the other. Optional, for orders up to array_order; differences are taken without it. A DAE
  /// of (differentiation) index ν needs order ν.
  std::function<void(const CallbackPoint& at, int order, std::span<const double> derivatives,
                     std::span<double> values)>
      array{};
  int array_order = 0;
  /// By rows: its derivatives by x, ẋ, … up to order + 1. All are zero before. Optional.
  std::function<void(const CallbackPoint& at, int order, std::span<const double> derivatives,
                     std::span<double> entries)>
      array_jacobian{};
};

using CallbackRhs = std::function<void(const CallbackPoint& at, std::span<double> xdot)>;

/// A mode has a right-hand side or a residual.
struct CallbackMode {
  std::string name{};
  CallbackRhs rhs{};
  CallbackResidual residual{};
  /// Names of two modes with transitions to each other on one guard: where both lead to its surface, this mode is entered.
  std::optional<std::pair<std::string, std::string>> sliding_between{};
};

/// From one mode to another, as soon as its condition holds, also on entry. Of several the first is taken.
struct CallbackTransition {
  std::string from{};
  std::string to{};
  std::string guard{};  ///< the name of one guard …
  double side = 0.0;    ///< … that has this side; or
  /// any combination of sides (0: the guard is zero); it reads nothing else of the point.
  std::function<bool(const CallbackPoint& at)> condition{};
  std::string name{};    ///< of a condition, for messages and events
  CallbackReset jump{};  ///< optional
};

/// For designated initialisers. The functions are called with spans of the declared sizes, keep no references, and give
/// the same numbers for the same arguments. One that throws ends the run: reason `function_failed`, with its message; what was computed
/// before stays. (A trajectory that is asked later hands on what outputs throw, as std::runtime_error.)
struct CallbackModel {
  std::string name = "callbacks";
  std::string description{};
  std::vector<CallbackVariable> states{};
  std::vector<CallbackVariable> discrete{};
  std::vector<CallbackVariable> parameters{};
  std::vector<CallbackGuard> guards{};

  /// The equations of a model without modes: ẋ = f(t, x), or
  CallbackRhs rhs{};
  CallbackResidual residual{};
  /// f is affine in each side and may be asked between -1 and +1, as sliding does. Otherwise sliding on k surfaces takes
  /// 2^k calls.
  bool rhs_takes_weights = false;
  /// f chooses its side by x itself and does not read `at.sides`; the surfaces are those of the guards with in_equations. It is never
  /// asked on another side than the solution is on: events are found from the side before them, and on a surface f is asked
  /// beside it, some roundings away on either side.
  bool rhs_chooses_sides = false;

  std::vector<CallbackMode> modes{};
  std::vector<CallbackTransition> transitions{};
  std::string initial_mode{};  ///< empty: the first

  /// All guards at once; does not read the sides. Not needed if every guard is affine.
  std::function<void(const CallbackPoint& at, std::span<double> values)> guard_values{};
  /// ∂g/∂x and ∂g/∂t of one guard; differences are taken without it.
  std::function<void(std::size_t guard, const CallbackPoint& at, std::span<double> gradient,
                     double& time_derivative)>
      guard_gradient{};
  /// Further columns of the result, after the states.
  std::vector<std::string> output_names{};
  std::function<void(const CallbackPoint& at, std::span<double> outputs)> outputs{};
};

/// What is wrong with the model and, for it, with the options; empty if nothing is. No function is called.
[[nodiscard]] Diagnostics validate(const CallbackModel& model, const SimulationOptions& options = {});

/// As for a Model. The variables of the result are the states, the outputs and the discrete numbers; `set` takes names of
/// states, discrete numbers and parameters. Jacobians and arrays that are given are compared with differences at the start
/// (`jacobian-mismatch`); what is taken by differences is said (`taken-by-differences`).
[[nodiscard]] Result<SimulationResult> simulate(const CallbackModel& model,
                                                const SimulationOptions& options = {});

/// As for a Model, of every mode: a right-hand side has index 0 and its states; of a residual ranks decide, with the derivatives that are given or
/// taken by differences.
[[nodiscard]] Result<Analysis> analyze(const CallbackModel& model, const AnalysisOptions& options = {});

}  // namespace saltus
