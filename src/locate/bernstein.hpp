/// Polynomials on [0, 1] in Bernstein form: the coefficients enclose the values, and the number of their sign changes bounds
/// the number of roots.
///
/// Notation     p(u) = Σ_j b_j C(d,j) uʲ (1-u)^(d-j)
/// Method       powers to Bernstein by binomial sums, halving by de Casteljau, values at Chebyshev points to Bernstein through
///              Chebyshev coefficients [Far12]
/// Contract     spans of d + 1 numbers, d ≤ kMaxBernsteinDegree
/// Checked by   tests/unit/locate/bernstein_test.cpp
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace saltus::locate {

/// Guards of degree 4 on an extension of degree 5.
inline constexpr std::size_t kMaxBernsteinDegree = 20;
using BernsteinArray = std::array<double, kMaxBernsteinDegree + 1>;

/// Coefficients of u⁰, u¹, … become Bernstein coefficients, in place.
void power_to_bernstein(std::span<double> coefficients);

/// p on [0, ½] and on [½, 1]; `right` may be the same memory as `whole`.
void halve(std::span<const double> whole, std::span<double> left, std::span<double> right);

/// Degree of the interpolants of what is no polynomial: guards, and variables that equations give.
inline constexpr std::size_t kSampledDegree = 8;

/// Chebyshev points of the second kind on [0, 1], ends included: u_j = (1 - cos(πj/d))/2.
[[nodiscard]] double chebyshev_point(std::size_t j, std::size_t degree);

/// Values at the d + 1 Chebyshev points become Chebyshev coefficients of T_k(2u - 1).
void chebyshev_coefficients(std::span<const double> values, std::span<double> coefficients);
void chebyshev_to_bernstein(std::span<const double> chebyshev, std::span<double> bernstein);
/// How much larger than the rounding errors of the values those of the Bernstein coefficients may be.
[[nodiscard]] double conversion_growth(std::size_t degree);

/// p/u for p(0) = 0, in place: one coefficient less, the last one is left over.
void deflate_bernstein(std::span<double> coefficients);

[[nodiscard]] int sign_changes(std::span<const double> coefficients);

}  // namespace saltus::locate
