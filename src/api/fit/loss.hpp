/// Losses: how much a residual r counts, ρ(r²) in place of r².
///
/// Method       huber: r² up to c, 2c·|r| - c² beyond (P. J. Huber, Ann. Math. Stat. 35, 1964); cauchy: c²·ln(1 + r²/c²). The cost is ½Σρ; its gradient is
///              Jᵀ·ψ with ψ = ρ'·r, and weights ρ' make Gauss-Newton of it: for a concave ρ the weighted sum of squares lies above the cost and touches
///              it, so that what lowers the one lowers the other.
/// Checked by   tests/unit/api_fit/loss_test.cpp
#pragma once

#include "saltus/fit.hpp"

namespace saltus::api {

/// A residual's share of 2·cost, the weight of its square, and the influence with its slope.
struct LossValue {
  double rho = 0.0;
  double weight = 1.0;  ///< ρ'(r²)
  double psi = 0.0;     ///< ρ'(r²)·r
  double slope = 1.0;   ///< dψ/dr
};

/// `scale`: c > 0.
[[nodiscard]] LossValue loss_of(Loss loss, double scale, double residual);

/// c for which normal residuals of variance 1 are used to 95 % (R. A. Maronna et al., Robust Statistics, 2019, 2.3).
[[nodiscard]] double usual_scale(Loss loss);

}  // namespace saltus::api
