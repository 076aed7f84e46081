/// Pleiades: seven stars in the plane with masses 1..7; states x₁..x₇, y₁..y₇, ẋ₁..ẋ₇, ẏ₁..ẏ₇.
/// Source: Hairer, Nørsett, Wanner I, 2nd ed., II.10 (10.3); valid on [0, 3] (close encounters, no collision).
/// End values: scipy 1.10.1, ode('dop853'), rtol = atol = 2e-14; they agree with the digits of the Test Set for IVP
/// Solvers (x₁(3) = 0.3706139143970502) to 1e-12.
#pragma once

#include <cmath>

#include "support/problems/problem.hpp"

namespace saltus::test {

inline Problem pleiades() {
  Problem problem;
  problem.name = "pleiades";
  problem.t_end = 3.0;
  problem.x_start = {3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                     0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    constexpr std::size_t kStars = 7;
    for (std::size_t i = 0; i < 2 * kStars; ++i) {
      xdot[i] = x[2 * kStars + i];
    }
    for (std::size_t i = 0; i < kStars; ++i) {
      double ax = 0.0;
      double ay = 0.0;
      for (std::size_t j = 0; j < kStars; ++j) {
        if (j == i) {
          continue;
        }
        const double dx = x[j] - x[i];
        const double dy = x[kStars + j] - x[kStars + i];
        const double r2 = dx * dx + dy * dy;
        const double factor = static_cast<double>(j + 1) / (r2 * std::sqrt(r2));
        ax += factor * dx;
        ay += factor * dy;
      }
      xdot[2 * kStars + i] = ax;
      xdot[3 * kStars + i] = ay;
    }
  };
  problem.x_end = {0.37061391439616487,  3.2372840920572683,   -3.2225590324185704, 0.6597091455777027,
                   0.3425581707162255,   1.5621721014006713,   -0.7003092922215693, -3.943437585516779,
                   -3.2713809739724895,  5.225081843453894,    -2.5906124349775137, 1.1982136933926584,
                   -0.24296823449362975, 1.0914492404298015,   3.4170038063130352,  1.354584501625544,
                   -2.5900655978102733,  2.0250537347145814,   -1.1558151001578354, -0.8072988170221087,
                   0.5952396354185971,   -3.7412449612344827,  0.3773459685751325,  0.9386858869526927,
                   0.36679222272016465,  -0.34740463537965166, 2.3449154481808674,  -1.9470204342630641};
  problem.x_end_error = 1e-11;
  return problem;
}

}  // namespace saltus::test
