/// Sliding on a bent circle with a known solution.
///
/// In the coordinates x = u - 0.3 v², y = v (the states are u and v; on the round circle itself the leading error of a
/// method of odd order is radial, and projection would remove it):
/// g = (x² + y² - 1)/2. The side g > 0 has radial speed -(2 + 3y)/4 and angular speed 2, the side g < 0 has (2 - 3y)/4 and 1. On the
/// circle α = (2 - 3y)/4, the angle obeys φ̇ = 1 + α = (6 - 3 sin φ)/4, and the motion leaves towards g < 0 where α = 0: y = 2/3.
/// With φ(0) = 0:  t = (4/√27)·[2 atan((2 tan(φ/2) - 1)/√3) - 2 atan(-1/√3)]  (the integral of 4/(6 - 3 sin φ)).
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "support/switched_evaluator.hpp"

namespace saltus::test {

inline constexpr double kBend = 0.3;

inline SwitchedSystem sliding_circle() {
  SwitchedSystem system;
  system.n_states = 2;
  SwitchedSystem::Guard guard;
  guard.value = [](double, SwitchedSystem::Point u, SwitchedSystem::Sides) {
    const double x = u[0] - kBend * u[1] * u[1];
    return 0.5 * (x * x + u[1] * u[1] - 1.0);
  };
  guard.gradient = [](double, SwitchedSystem::Point u, std::span<double> gradient) {
    const double x = u[0] - kBend * u[1] * u[1];
    gradient[0] = x;
    gradient[1] = u[1] - 2.0 * kBend * u[1] * x;
    return 0.0;
  };
  system.guards = {guard};
  system.rhs = [](double, SwitchedSystem::Point u, SwitchedSystem::Sides s, std::span<double> udot) {
    const double y = u[1];
    const double x = u[0] - kBend * y * y;
    const double share = 0.5 * (1.0 + s[0]);
    const double radial = share * -(2.0 + 3.0 * y) / 4.0 + (1.0 - share) * (2.0 - 3.0 * y) / 4.0;
    const double angular = share * 2.0 + (1.0 - share) * 1.0;
    udot[1] = radial * y + angular * x;
    udot[0] = radial * x - angular * y + 2.0 * kBend * y * udot[1];
  };
  return system;
}

inline double sliding_circle_time(double angle) {
  const double root = std::sqrt(3.0);
  const double part = std::atan((2.0 * std::tan(0.5 * angle) - 1.0) / root) + std::atan(1.0 / root);
  return 8.0 / std::sqrt(27.0) * part;
}

/// Inverse of the above.
inline double sliding_circle_angle(double t) {
  const double root = std::sqrt(3.0);
  const double part = std::tan(t * std::sqrt(27.0) / 8.0 - std::atan(1.0 / root));
  return 2.0 * std::atan(0.5 * (root * part + 1.0));
}

/// The state at an angle.
inline std::vector<double> sliding_circle_point(double angle) {
  const double y = std::sin(angle);
  return {std::cos(angle) + kBend * y * y, y};
}

inline double sliding_circle_exit() {
  return sliding_circle_time(std::asin(2.0 / 3.0));
}

}  // namespace saltus::test
