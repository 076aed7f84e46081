/// The pendulum of length 1 in Cartesian coordinates: x'' = -λx, y'' = -λy - g, x² + y² = 1. Index 3; with states
/// (x, y, x', y') the multiplier is known from the second derivative of the constraint.
///
/// Exact: (x, y) = (sin φ, -cos φ), φ'' = -g sin φ; the energy (x'² + y'²)/2 + g y does not change.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "support/function_equations.hpp"

namespace saltus::test {

inline constexpr double kGravity = 9.81;

/// Slots of the start: x, y, x', y', x'', y'', λ.
enum PendulumSlot : Index { kX, kY, kVx, kVy, kAx, kAy, kLambda };

inline std::vector<system::SlotInfo> pendulum_slots(bool with_highest) {
  std::vector<system::SlotInfo> slots{
      {"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}, {"der(x)", 0, 1, 1.0}, {"der(y)", 1, 1, 1.0}};
  if (with_highest) {
    slots.push_back({"der(der(x))", 0, 2, 1.0});
    slots.push_back({"der(der(y))", 1, 2, 1.0});
    slots.push_back({"lambda", 2, 0, 1.0});
  }
  return slots;
}

inline std::vector<FunctionRow> pendulum_constraint_rows() {
  return {{"x^2 + y^2 = 1", 0, {kX, kY}, [](double, auto s) { return s[kX] * s[kX] + s[kY] * s[kY] - 1.0; }},
          {"2*x*der(x) + 2*y*der(y) = 0",
           1,
           {kX, kY, kVx, kVy},
           [](double, auto s) { return 2.0 * (s[kX] * s[kVx] + s[kY] * s[kVy]); },
           0}};
}

/// What states must satisfy.
inline std::shared_ptr<const FunctionEquations> pendulum_constraints() {
  return std::make_shared<const FunctionEquations>(pendulum_slots(false), pendulum_constraint_rows());
}

/// What values at the start must satisfy.
inline std::vector<FunctionRow> pendulum_start_rows() {
  std::vector<FunctionRow> rows = pendulum_constraint_rows();
  rows.push_back({"2*x*der(der(x)) + 2*der(x)^2 + 2*y*der(der(y)) + 2*der(y)^2 = 0",
                  2,
                  {kX, kY, kVx, kVy, kAx, kAy},
                  [](double, auto s) {
                    return 2.0 * (s[kX] * s[kAx] + s[kVx] * s[kVx] + s[kY] * s[kAy] + s[kVy] * s[kVy]);
                  },
                  0});
  rows.push_back({"der(der(x)) = -lambda*x", 0, {kX, kAx, kLambda}, [](double, auto s) {
                    return s[kAx] + s[kLambda] * s[kX];
                  }});
  rows.push_back({"der(der(y)) = -lambda*y - g", 0, {kY, kAy, kLambda}, [](double, auto s) {
                    return s[kAy] + s[kLambda] * s[kY] + kGravity;
                  }});
  return rows;
}

inline std::shared_ptr<const FunctionEquations> pendulum_start_equations() {
  return std::make_shared<const FunctionEquations>(pendulum_slots(true), pendulum_start_rows());
}

/// ẋ of the states, defined off the constraints too: λ from the second derivative of the constraint.
inline void pendulum_field(double /*t*/, std::span<const double> x, std::span<double> xdot) {
  const double lambda = (x[2] * x[2] + x[3] * x[3] - kGravity * x[1]) / (x[0] * x[0] + x[1] * x[1]);
  xdot[0] = x[2];
  xdot[1] = x[3];
  xdot[2] = -lambda * x[0];
  xdot[3] = -lambda * x[1] - kGravity;
}

inline double pendulum_energy(std::span<const double> x) {
  return 0.5 * (x[2] * x[2] + x[3] * x[3]) + kGravity * x[1];
}

}  // namespace saltus::test
