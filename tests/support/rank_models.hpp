/// DAEs of index 2 and 3 with known solutions, for what runs by ranks.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "support/linear_dae.hpp"

namespace saltus::test {

/// The family of index 2 with the parameter η of [KM06] and [Wun08] 2.4, whose kernel turns with time, coupled to a differential
/// equation:
///   x₁ + ηt·x₂ + x₃ = f₁,  ẋ₁ + ηt·ẋ₂ + (1 + η)·x₂ = f₂,  ẋ₃ = -2x₃ + ½x₂ + f₃
/// with solution x₁ = sin t, x₂ = cos t, x₃ = sin t; μ = 1, d = 1, a = 2. `redundant`: the sum of the first two equations and
/// the derivative of the first follow as equations four and five.
inline JetModel turning_model(double eta, bool redundant = false) {
  JetModel model;
  model.orders = {1, 1, 1};
  model.n_equations = redundant ? 5 : 3;
  model.is_linear = true;
  model.equations = [eta, redundant](const JetPoint& p) {
    const auto [s, c] = sin_cos(p.t);
    const Series slope = eta * p.t;
    std::vector<Series> rows = {
        p.x(0) + slope * p.x(1) + p.x(2) - (2.0 * s + slope * c),
        p.x(0, 1) + slope * p.x(1, 1) + (1.0 + eta) * p.x(1) - ((2.0 + eta) * c - slope * s),
        p.x(2, 1) + 2.0 * p.x(2) - 0.5 * p.x(1) - (2.0 * s + 0.5 * c)};
    if (redundant) {
      rows.push_back(rows[0] + rows[1]);
      rows.push_back(p.x(0, 1) + slope * p.x(1, 1) + eta * p.x(1) + p.x(2, 1) -
                     (2.0 * c + eta * c - slope * s));
    }
    return rows;
  };
  return model;
}

inline std::vector<double> turning_solution(double t) {
  return {std::sin(t), std::cos(t), std::sin(t)};
}
inline std::vector<double> turning_rates(double t) {
  return {std::cos(t), -std::sin(t), std::cos(t)};
}

/// A point on the unit circle, by its multiplier: index 3. States x, y, λ, x', y'.
inline JetModel pendulum_model() {
  JetModel model;
  model.orders = {2, 2, 1};
  model.n_equations = 3;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0, 2) + p.x(0) * p.x(2), p.x(1, 2) + p.x(1) * p.x(2) + 9.81,
                               p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0};
  };
  return model;
}

/// … at an angle from the lowest point.
inline std::vector<double> pendulum_states(double angle, double speed) {
  return {std::sin(angle), -std::cos(angle), speed * speed + 9.81 * std::cos(angle), speed * std::cos(angle),
          speed * std::sin(angle)};
}

/// A motion on the unit circle by a multiplier in the first equation (index 2, nonlinear):
///   ẋ₁ = -x₁ + x₃·(x₂ + 2),  ẋ₂ = x₁·cos t,  x₁² + x₂² = 1
/// with solution x₁ = cos φ, x₂ = sin φ, φ = sin t, x₃ from the first equation.
inline JetModel circle_model() {
  JetModel model;
  model.orders = {1, 1, 1};
  model.n_equations = 3;
  model.equations = [](const JetPoint& p) {
    const auto [s, c] = sin_cos(p.t);
    return std::vector<Series>{p.x(0, 1) + p.x(0) - p.x(2) * (p.x(1) + 2.0), p.x(1, 1) - p.x(0) * c,
                               p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0};
  };
  return model;
}
inline std::vector<double> circle_solution(double t) {
  const double angle = std::sin(t);
  const double rate = -std::sin(angle) * std::cos(t);
  return {std::cos(angle), std::sin(angle), (rate + std::cos(angle)) / (std::sin(angle) + 2.0)};
}

}  // namespace saltus::test
