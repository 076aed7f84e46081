/// A hybrid system given by C++ functions: what black boxes offer through the same interface as compiled models, with
/// fewer promises.
///
/// Contract     The functions are called with spans of the declared sizes, keep no references, and give the same numbers
///              for the same arguments; systems that are shared by threads need functions that may be.
/// Choices      Guards are opaque unless declared affine. Gradients that are not given are differenced; so are the rates
///              of a guard, of which two orders are known.
///              While sliding the right-hand side is the multilinear blend of its values on the sides, 2^k calls for k
///              surfaces, unless the function says that it takes weights itself.
/// Checked by   tests/unit/system/callback_system_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/hybrid_system.hpp"

namespace saltus::system {

/// Where a function is asked.
struct CallbackPoint {
  double t = 0.0;
  std::span<const double> x;
  /// By guard: +1 for g > 0, -1 for g < 0, 0 for a guard that stays zero. What is locked between two events must be
  /// chosen by these, never by the sign of the guard's own value.
  std::span<const double> sides;
  std::span<const double> parameters;  ///< numbers that only resets change
};

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
  bool in_equations = true;      ///< the right-hand side or an output depends on its side
  int continuity = -1;           ///< GuardInfo::continuity
  bool can_slide = true;         ///< a blend of both sides makes sense
  double reset_side = 0.0;       ///< a reset happens on arrival at this side (±1); 0: at either
  /// x and the parameters after the event; they hold the values before when it is called. `at.x` is x⁻.
  std::function<void(const CallbackPoint& at, std::span<double> x, std::span<double> parameters)> reset;
};

struct CallbackModel {
  std::vector<std::string> states;
  std::vector<double> initial;     ///< x at the start
  std::vector<double> nominals;    ///< one per state; empty: 1
  std::vector<std::string> names;  ///< of the parameters
  std::vector<double> parameters;  ///< their values at the start
  std::vector<CallbackGuard> guards;

  std::function<void(const CallbackPoint& at, std::span<double> xdot)> rhs;
  /// The right-hand side is affine in sides between ±1 and may be asked there.
  bool rhs_takes_weights = false;
  /// All guards at once; `at.sides` is not to be read. May be empty if every guard is affine.
  std::function<void(const CallbackPoint& at, std::span<double> values)> guard_values;
  /// ∂g/∂x and ∂g/∂t of one guard; optional.
  std::function<void(Index guard, const CallbackPoint& at, std::span<double> gradient,
                     double& time_derivative)>
      guard_gradient;
  std::vector<std::string> output_names;
  /// Further columns after the states; optional.
  std::function<void(const CallbackPoint& at, std::span<double> outputs)> outputs;
};

/// Precondition: the sizes agree, every guard has a value (affine or guard_values) and `rhs` is given unless there are
/// no states.
[[nodiscard]] std::shared_ptr<const HybridSystem> make_callback_system(CallbackModel model);

}  // namespace saltus::system
