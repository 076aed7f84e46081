/// Compound pendulum as an ODE: θ̈ = -3 g sin θ / (2 l), states θ, θ̇; l = 1 m, g = 9.81, m = 36 kg.
/// Source: M. D. Compere, dissertation, UT Austin 2001, section 3.5.1 and Table 3.1.
/// End values at t = 5 s from a computation at tolerance 1e-14 (error below 1e-12).
#pragma once

#include <cmath>
#include <numbers>

#include "support/problems/problem.hpp"

namespace saltus::test {

inline constexpr double kPendulumMass = 36.0;
inline constexpr double kPendulumLength = 1.0;
inline constexpr double kPendulumGravity = 9.81;

inline Problem pendulum() {
  Problem problem;
  problem.name = "pendulum";
  problem.t_end = 5.0;
  problem.x_start = {20.0 * std::numbers::pi / 180.0, 1.0};
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -3.0 * kPendulumGravity * std::sin(x[0]) / (2.0 * kPendulumLength);
  };
  problem.x_end = {0.37389421866627, 0.8611552694957};
  problem.x_end_error = 1e-12;
  return problem;
}

/// E = ½ (m l²/3) θ̇² - m g (l/2) cos θ.
inline double pendulum_energy(std::span<const double> x) {
  return 0.5 * (kPendulumMass * kPendulumLength * kPendulumLength / 3.0) * x[1] * x[1] -
         kPendulumMass * kPendulumGravity * (kPendulumLength / 2.0) * std::cos(x[0]);
}

}  // namespace saltus::test
