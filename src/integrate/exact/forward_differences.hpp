/// Polynomials through equidistant values, by forward differences: p(s) = Σ_k Δᵏ·C(s, k), s = 0 … kDegree at the values.
///
/// Method     Newton's form: it gives values back as they are, where solving for powers would lose digits; powers come from the differences
///            by fixed numbers, so that what rounding has put into high differences cancels in them as it does in Newton's form.
/// Checked by tests/exact/exact_method_test.cpp
#pragma once

#include <array>
#include <cstddef>

namespace saltus::integrate {

template <std::size_t Degree>
struct ForwardDifferences {
  using Row = std::array<double, Degree + 1>;

  /// Σ_q a_q·uᵠ = C(s + u, k), by k.
  static constexpr std::array<Row, Degree + 1> expansions(double s) {
    std::array<Row, Degree + 1> rows{};
    rows[0][0] = 1.0;
    for (std::size_t k = 0; k < Degree; ++k) {
      const double shift = s - static_cast<double>(k);
      for (std::size_t q = 0; q <= Degree; ++q) {
        const double below = q > 0 ? rows[k][q - 1] : 0.0;
        rows[k + 1][q] = (shift * rows[k][q] + below) / static_cast<double>(k + 1);
      }
    }
    return rows;
  }
};

}  // namespace saltus::integrate
