/// Quantiles of Student's distribution.
///
/// Problem      t with P(|T| ≤ t) = probability for T with ν degrees of freedom
/// Method       P(|T| ≤ t) = I_y(½, ν/2), y = t²/(ν + t²), by the continued fraction of the incomplete beta function ([DLMF] 8.17.22); bisection of t
/// Contract     0 < probability < 1, ν > 0, relative error below 1e-10; ν = ∞: the normal distribution
/// Checked by   tests/unit/api_fit/fit_statistics_test.cpp
#pragma once

namespace saltus::api {

[[nodiscard]] double student_quantile(double probability, double freedom);

}  // namespace saltus::api
