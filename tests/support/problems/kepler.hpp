/// Kepler's problem in the plane, eccentricity 0.3, semi-major axis 1, unit mass; states x, y, ẋ, ẏ.
/// Solution: x = cos E - e, y = √(1 - e²) sin E with Kepler's equation E - e sin E = t (Newton to the last bits).
/// Source: any textbook; started at the pericentre. Valid for all t; errors grow linearly with t.
#pragma once

#include <cmath>

#include "support/problems/problem.hpp"

namespace saltus::test {

inline Problem kepler() {
  constexpr double kEccentricity = 0.3;
  Problem problem;
  problem.name = "kepler";
  problem.t_end = 6.0;
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    const double r2 = x[0] * x[0] + x[1] * x[1];
    const double r3 = r2 * std::sqrt(r2);
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = -x[0] / r3;
    xdot[3] = -x[1] / r3;
  };
  problem.exact = [](double t) {
    double anomaly = t;
    for (int i = 0; i < 50; ++i) {
      anomaly -=
          (anomaly - kEccentricity * std::sin(anomaly) - t) / (1.0 - kEccentricity * std::cos(anomaly));
    }
    const double rate = 1.0 / (1.0 - kEccentricity * std::cos(anomaly));
    const double minor = std::sqrt(1.0 - kEccentricity * kEccentricity);
    return std::vector<double>{std::cos(anomaly) - kEccentricity, minor * std::sin(anomaly),
                               -std::sin(anomaly) * rate, minor * std::cos(anomaly) * rate};
  };
  problem.x_start = problem.exact(0.0);
  problem.x_end = problem.exact(problem.t_end);
  problem.x_end_error = 1e-14;
  return problem;
}

}  // namespace saltus::test
