/// Problem      the scalars of a multistep method on points that are not equally spaced: predictor, divided differences, dense
///              output
/// Method       Lagrange's form of the interpolating polynomial [HNW93] III.5. Values and not differences are what the method
///              keeps: a step taken back, a projected newest value and starting values from elsewhere need no conversion, and
///              every quantity is one weighted sum of past values, whose weights cost O(k²) scalars.
/// Notation     t_n the newest point, s_j = t_n - t_(n-j) the offsets (s_0 = 0), h the step from t_n to t_(n+1); all of one sign
/// Contract     All weights belong to differences y_j - y_n: constants are reproduced to the last bit, and y_n itself has none.
/// Checked by   tests/unit/integrate/bdf_weights_test.cpp
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace saltus::integrate::bdf {

inline constexpr int kHighestOrder = 6;  ///< beyond it no BDF is zero-stable [HNW93] III.3
inline constexpr std::size_t kMostPoints = kHighestOrder + 2;  // of a step of that order and its error

using Offsets = std::array<double, kMostPoints>;
/// Of y_(n-j), j ≥ 1; entry 0 is not used.
using Weights = std::array<double, kMostPoints>;

/// y and ẏ at t_n + h of the polynomial of degree `order` through y_n, …, y_(n-order).
struct Predictor {
  Weights value{};
  Weights slope{};
};
[[nodiscard]] Predictor predictor(int order, double h, const Offsets& offsets);

/// γ_k = 1 + 1/2 + … + 1/k: the leading coefficient times h.
[[nodiscard]] double leading_coefficient(int order);

/// What multiplies y_(n+1) - predicted in the error of order `order`: the larger of interpolation and truncation error.
[[nodiscard]] double error_constant(int order, double h, const Offsets& offsets);

/// h^(m+1) y^(m+1) for m = `order`, as (m+1)! h^(m+1) times the divided difference over t_(n+1), t_n, …, t_(n-m).
struct Difference {
  double newest = 0.0;  ///< of y_(n+1) - y_n
  Weights past{};       ///< of y_(n-j) - y_n, j ≤ m
};
[[nodiscard]] Difference scaled_difference(int order, double h, const Offsets& offsets);
/// … for m equal to the order of the predictor: a multiple of y_(n+1) - predicted.
[[nodiscard]] double scaled_difference_factor(int order, double h, const Offsets& offsets);

/// The polynomial of degree `order` through y_(n+1), y_n, …, y_(n-order+1) in θ = (t - t_n)/h: row p holds the weights of the
/// coefficient of θᵖ, p = 1 … order; column 0 belongs to y_(n+1), column j to y_(n-j).
using PowerTable = std::array<Weights, kHighestOrder + 1>;
[[nodiscard]] PowerTable dense_powers(int order, double h, const Offsets& offsets);

}  // namespace saltus::integrate::bdf
