// A system given by C++ functions instead of a model text: right-hand side, guards, resets, outputs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus {

/// Where a function is asked.
struct CallbackPoint {
  double time = 0.0;
  std::span<const double> x;  ///< the states
  /// By guard: +1 where g > 0, -1 where g < 0, 0 for a guard that stays zero. Between two events they are constant:
  /// what the equations choose must be chosen by these, never by the sign of a number computed from x. So each side is
  /// smooth, and the switch is located.
  std::span<const double> sides;
  std::span<const double> discrete;  ///< numbers that only resets change
};

/// A state, or a number that only resets change.
struct CallbackVariable {
  std::string name{};
  double start = 0.0;
  double nominal = 1.0;  ///< its usual size, > 0; enters the absolute tolerance
  std::string unit{};
  std::string description{};
};

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
  using Reset = std::function<void(const CallbackPoint& at, std::span<double> x, std::span<double> discrete)>;

  std::string name{};  ///< for messages and events: "h" or "v1 - v2"
  Type type = Type::bilateral;
  std::optional<Affine> affine{};  ///< then CallbackModel::guard_values is not asked for this guard
  bool in_equations = true;        ///< the right-hand side or an output reads its side
  bool can_slide = true;           ///< sliding on its surface makes sense
  double reset_side = 0.0;         ///< the reset happens on arrival at this side (+1 or -1); 0: at either
  /// States and discrete numbers after the event; they hold those before when it is called. Optional.
  Reset reset{};
};

/// For designated initialisers. The functions are called with spans of the declared sizes, keep no references, and give
/// the same numbers for the same arguments. What they throw passes through simulate().
struct CallbackModel {
  std::string name = "callbacks";
  std::string description{};
  std::vector<CallbackVariable> states{};
  std::vector<CallbackVariable> discrete{};
  std::vector<CallbackGuard> guards{};

  /// ẋ = f(t, x)
  std::function<void(const CallbackPoint& at, std::span<double> xdot)> rhs{};
  /// f is affine in each side and may be asked between -1 and +1, as sliding does. Otherwise sliding on k surfaces takes
  /// 2^k calls.
  bool rhs_takes_weights = false;
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

/// What is wrong with the model and, for it, with the options; empty if nothing is.
[[nodiscard]] Diagnostics validate(const CallbackModel& model, const SimulationOptions& options = {});

/// As for a Model. The variables of the result are the states, the outputs and the discrete numbers; `set` takes names of
/// states and discrete numbers.
[[nodiscard]] Result<SimulationResult> simulate(const CallbackModel& model,
                                                const SimulationOptions& options = {});

}  // namespace saltus
