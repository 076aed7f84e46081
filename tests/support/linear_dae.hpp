/// Linear DAEs Σ C_i(t)·x⁽ⁱ⁾ = f(t) with polynomial coefficients, as JetDae: E·ẋ = A·x + b and M·ẍ + C·ẋ + K·x = f.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "support/jet_dae.hpp"

namespace saltus::test {

/// c₀ + c₁·t + …
struct Polynomial {
  std::vector<double> coefficients;
  Polynomial() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): matrices are written as numbers
  Polynomial(double constant) : coefficients{constant} {}
  explicit Polynomial(std::vector<double> all) : coefficients(std::move(all)) {}

  [[nodiscard]] Series at(const Series& t) const {
    Series result = t.zero();
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) {
      result = result * t + *c;
    }
    return result;
  }
};

/// The polynomial t.
inline const Polynomial kTime{std::vector<double>{0.0, 1.0}};

using PolynomialMatrix = std::vector<std::vector<Polynomial>>;
using Forcing = std::function<std::vector<Series>(const Series& t)>;

inline PolynomialMatrix negated(PolynomialMatrix a) {
  for (auto& row : a) {
    for (Polynomial& entry : row) {
      for (double& c : entry.coefficients) {
        c = -c;
      }
    }
  }
  return a;
}

/// Σ C_i·x⁽ⁱ⁾ = f; without f: zero. `orders`: highest order of each variable as written; empty: that of its last
/// coefficient that is not zero, at least 1.
inline JetModel linear_model(std::vector<PolynomialMatrix> coefficients, Forcing f = {},
                             std::vector<int> orders = {}) {
  JetModel model;
  model.n_equations = coefficients[0].size();
  const std::size_t n = coefficients[0].empty() ? 0 : coefficients[0][0].size();
  if (orders.empty()) {
    orders.assign(n, 1);
    for (std::size_t order = 2; order < coefficients.size(); ++order) {
      for (const auto& row : coefficients[order]) {
        for (std::size_t j = 0; j < n; ++j) {
          for (const double c : row[j].coefficients) {
            orders[j] = c != 0.0 ? static_cast<int>(order) : orders[j];
          }
        }
      }
    }
  }
  model.orders = orders;
  model.is_linear = true;
  model.equations = [all = std::move(coefficients), f = std::move(f), orders](const JetPoint& point) {
    std::vector<Series> rows(all[0].size(), point.t.zero());
    const std::vector<Series> right = f ? f(point.t) : rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t order = 0; order < all.size(); ++order) {
        for (std::size_t j = 0; j < orders.size(); ++j) {
          if (static_cast<int>(order) <= orders[j]) {
            rows[i] = rows[i] + all[order][i][j].at(point.t) * point.x(j, order);
          }
        }
      }
      rows[i] = rows[i] - right[i];
    }
    return rows;
  };
  return model;
}

/// E·ẋ = A·x + b.
inline JetModel first_order_model(PolynomialMatrix e, PolynomialMatrix a, Forcing b = {}) {
  return linear_model({negated(std::move(a)), std::move(e)}, std::move(b));
}

/// M·ẍ + C·ẋ + K·x = f.
inline JetModel second_order_model(PolynomialMatrix m, PolynomialMatrix c, PolynomialMatrix k,
                                   Forcing f = {}) {
  return linear_model({std::move(k), std::move(c), std::move(m)}, std::move(f));
}

}  // namespace saltus::test
