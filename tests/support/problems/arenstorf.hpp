/// Arenstorf orbit: the restricted three-body problem, a periodic orbit of a small body near Earth and Moon.
/// Source: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.0 (0.1), (0.2).
/// Solution: periodic, so the start is the end. The orbit is unstable: computed by DOP853 at tolerance 2e-14 (scipy 1.10.1)
/// it returns to the start within 4e-10.
#pragma once

#include <cmath>

#include "support/problems/problem.hpp"

namespace saltus::test {

inline Problem arenstorf() {
  Problem problem;
  problem.name = "arenstorf";
  problem.t_end = 17.0652165601579625588917206249;
  problem.x_start = {0.994, 0.0, 0.0, -2.00158510637908252240537862224};
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    constexpr double kMu = 0.012277471;
    constexpr double kRest = 1.0 - kMu;
    const double a = (x[0] + kMu) * (x[0] + kMu) + x[1] * x[1];
    const double b = (x[0] - kRest) * (x[0] - kRest) + x[1] * x[1];
    const double d1 = a * std::sqrt(a);
    const double d2 = b * std::sqrt(b);
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = x[0] + 2.0 * x[3] - kRest * (x[0] + kMu) / d1 - kMu * (x[0] - kRest) / d2;
    xdot[3] = x[1] - 2.0 * x[2] - kRest * x[1] / d1 - kMu * x[1] / d2;
  };
  problem.x_end = problem.x_start;
  problem.x_end_error = 1e-9;
  return problem;
}

}  // namespace saltus::test
