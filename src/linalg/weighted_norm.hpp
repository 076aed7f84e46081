/// Weighted root-mean-square norm: the yardstick of every error test.
///
/// Problem    ‖v‖ = √( (1/n) Σ (wᵢ vᵢ)² ) with wᵢ = 1 / (rtol·|yᵢ| + atolᵢ): a value of 1 is "as large as
/// tolerated". Method     [HNW93] II.4, (4.11). The sum is taken in index order, so the result does not
/// depend on the machine's
///            vector width.
/// Contract   spans of equal length; the norm of an empty vector is 0; a NaN in v gives NaN, an infinity
/// gives
///            infinity (a caller that compares `norm <= 1` thus rejects both).
/// Checked by tests/unit/linalg/weighted_norm_test.cpp
#pragma once

#include <span>

namespace saltus::linalg {

[[nodiscard]] double weighted_norm(std::span<const double> v, std::span<const double> weights);

/// weights[i] = 1 / (rtol·|y[i]| + atol[i]).
void compute_weights(std::span<const double> y, double rtol, std::span<const double> atol,
                     std::span<double> weights);
/// The same with max(|y[i]|, |z[i]|): the scale of a step from y to z, [HNW93] II.4, (4.10).
void compute_weights(std::span<const double> y, std::span<const double> z, double rtol,
                     std::span<const double> atol, std::span<double> weights);

}  // namespace saltus::linalg
