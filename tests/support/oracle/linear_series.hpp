/// The Taylor series of a linear flow over one step, exact to long double, and guards along it.
#pragma once

#include <vector>

#include "support/oracle/linear_flow.hpp"
#include "support/oracle/polynomial_root.hpp"

namespace saltus::test::oracle {

using Series = std::vector<Vector>;  ///< x(h) = series[0] + series[1] h + …

/// The longest step over which the series is exact.
[[nodiscard]] Real longest_step(const Flow& flow);
[[nodiscard]] Series series_of(const Flow& flow, const Vector& x);
[[nodiscard]] Vector series_at(const Series& series, Real h);
/// sense·g on the step from t of length h, in local time θ ∈ [0, 1]; what is beyond the last digit of the largest coefficient is dropped.
[[nodiscard]] Polynomial along_step(const AffineFunction& g, Real sense, const Series& series, Real t,
                                    Real h);

}  // namespace saltus::test::oracle
