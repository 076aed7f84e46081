/// A nonlinear, non-autonomous problem with a closed form, for observed orders: with s = sin t + t/2,
///   ẋ₁ = cos t + ½ + x₂² - e^(-2s),   ẋ₂ = -x₂ (cos t + ½) (1 + x₁ - s),
/// whose solution is x₁ = s, x₂ = e^(-s). Made for this purpose: every elementary differential up to order 8 is present.
/// Valid for all t; conditioning is mild on [0, 4].
#pragma once

#include <cmath>

#include "support/problems/problem.hpp"

namespace saltus::test {

inline Problem rotating_decay() {
  Problem problem;
  problem.name = "rotating_decay";
  problem.t_end = 2.0;
  problem.x_start = {0.0, 1.0};
  problem.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    const double s = std::sin(t) + 0.5 * t;
    const double rate = std::cos(t) + 0.5;
    xdot[0] = rate + x[1] * x[1] - std::exp(-2.0 * s);
    xdot[1] = -x[1] * rate * (1.0 + x[0] - s);
  };
  problem.exact = [](double t) {
    const double s = std::sin(t) + 0.5 * t;
    return std::vector<double>{s, std::exp(-s)};
  };
  problem.x_end = problem.exact(problem.t_end);
  problem.x_end_error = 1e-15;
  return problem;
}

}  // namespace saltus::test
