/// What a hybrid system given by C++ functions consists of (callback_system.hpp makes a system of it).
///
/// Contract     The functions are called with spans of the declared sizes, keep no references, and give the same numbers
///              for the same arguments; systems that are shared by threads need functions that may be. What they throw is
///              system::FunctionFailed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace saltus::callback {

/// Where a function is asked.
struct CallbackPoint {
  double t = 0.0;
  std::span<const double> x;
  /// By guard: +1 for g > 0, -1 for g < 0, 0 for a guard that stays zero. What is locked between two events must be
  /// chosen by these, never by the sign of the guard's own value.
  std::span<const double> sides;
  std::span<const double> parameters;  ///< numbers that only resets change
};

/// x and the parameters after an event; they hold the values before when it is called. `at.x` is x⁻.
using CallbackReset =
    std::function<void(const CallbackPoint& at, std::span<double> x, std::span<double> parameters)>;

struct CallbackGuard {
  enum class Type : std::uint8_t {
    bilateral,  ///< the solution goes through the surface
    unilateral,  ///< the solution turns back at the surface: the reset acts on the side it came from [Com01] 5.1.3
  };
  /// Zero of Σ coefficients·x + time_coefficient·t + constant.
  struct Affine {
    std::vector<double> coefficients;  ///< one per state
    double time_coefficient = 0.0;
    double constant = 0.0;
  };

  std::string name;
  Type type = Type::bilateral;
  std::optional<Affine> affine;  ///< then CallbackModel::guards is not asked for this guard
  bool in_equations = true;      ///< the equations or an output depend on its side
  int continuity = -1;           ///< GuardInfo::continuity
  bool can_slide = true;         ///< a blend of both sides makes sense
  double reset_side = 0.0;       ///< a reset happens on arrival at this side (±1); 0: at either
  CallbackReset reset;
};

/// F(t, x, ẋ) = 0 with any number of equations. Matrices are stored by rows.
struct CallbackResidual {
  std::vector<std::string> names;  ///< of the equations; as many as there are
  bool is_linear = false;          ///< F is affine in x and ẋ together
  std::function<void(const CallbackPoint& at, std::span<const double> xdot, std::span<double> values)> values;
  /// ∂F/∂x, ∂F/∂ẋ and ∂F/∂t; optional.
  std::function<void(const CallbackPoint& at, std::span<const double> xdot, std::span<double> by_x,
                     std::span<double> by_xdot, std::span<double> by_time)>
      jacobian;
  /// F and its total derivatives up to `order`, by order; `derivatives` are ẋ, …, x⁽ᵒʳᵈᵉʳ⁺¹⁾. Optional, for orders up to array_order.
  std::function<void(const CallbackPoint& at, int order, std::span<const double> derivatives,
                     std::span<double> values)>
      array;
  int array_order = 0;
  /// Its derivatives by x, ẋ, …, x⁽ᵒʳᵈᵉʳ⁺¹⁾; optional.
  std::function<void(const CallbackPoint& at, int order, std::span<const double> derivatives,
                     std::span<double> entries)>
      array_jacobian;

  /// Without an array: up to which order differences are good enough for ranks (residual_check.hpp), and what the next would be.
  int differenced_order = 3;
  double error_beyond = 0.0;

  [[nodiscard]] std::size_t n_equations() const { return names.size(); }
};

using CallbackRhs = std::function<void(const CallbackPoint& at, std::span<double> xdot)>;

/// Equations of a mode: a right-hand side, or a residual.
struct CallbackMode {
  std::string name;
  CallbackRhs rhs;
  CallbackResidual residual;
  std::optional<std::pair<Index, Index>>
      sliding_between;  ///< modes between which this one is the sliding mode

  [[nodiscard]] bool has_residual() const { return static_cast<bool>(residual.values); }
};

/// Fires while its condition holds: the guard has this side, or, without a guard, `condition` is true.
struct CallbackTransition {
  Index from = 0;
  Index to = 0;
  std::string text;
  Index guard = -1;
  double side = 0.0;
  std::function<bool(const CallbackPoint& at)> condition;  ///< of the sides: 0 for a guard that is zero
  CallbackReset jump;
};

struct CallbackModel {
  std::vector<std::string> states;
  std::vector<double> initial;     ///< x at the start
  std::vector<double> nominals;    ///< one per state; empty: 1
  std::vector<std::string> names;  ///< of the parameters
  std::vector<double> parameters;  ///< their values at the start
  std::vector<CallbackGuard> guards;

  /// The equations of a model without modes.
  CallbackRhs rhs;
  std::vector<CallbackMode> modes;
  std::vector<CallbackTransition> transitions;
  Index initial_mode = 0;
  /// The right-hand sides are affine in sides between ±1 and may be asked there.
  bool rhs_takes_weights = false;
  /// They choose their sides by x, not by `at.sides` (own_side.hpp).
  bool rhs_chooses_sides = false;
  /// By state, where there are residuals: start values that are held, and whether ẋ occurs in an equation.
  std::vector<std::uint8_t> is_fixed;
  std::vector<std::uint8_t> is_differential;

  /// All guards at once; `at.sides` is not to be read. May be empty if every guard is affine.
  std::function<void(const CallbackPoint& at, std::span<double> values)> guard_values;
  /// ∂g/∂x and ∂g/∂t of one guard; optional.
  std::function<void(Index guard, const CallbackPoint& at, std::span<double> gradient,
                     double& time_derivative)>
      guard_gradient;
  std::vector<std::string> output_names;
  /// Further columns after the states; optional.
  std::function<void(const CallbackPoint& at, std::span<double> outputs)> outputs;

  [[nodiscard]] double nominal(std::size_t state) const { return nominals.empty() ? 1.0 : nominals[state]; }
};

}  // namespace saltus::callback
