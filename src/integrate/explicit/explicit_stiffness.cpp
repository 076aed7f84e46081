// What the stages of an explicit method show of stiffness (stiffness.hpp).
#include <cmath>

#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {

// The last two stages of a first-same-as-last method that lie at the end of the step: |f(x₁) - f(g)| / |x₁ - g|.
Stiffness ExplicitRungeKutta::stiffness() {
  SALTUS_EXPECT(phase_.is_open(), "the stages belong to a good attempt");
  const std::size_t last = end_stage();
  if (!tableau_.first_same_as_last || last < 2 || tableau_.c[last - 1] != 1.0) {
    return {};
  }
  stage_plans_[last - 2].apply(x_start_, h_, k_, scratch_);
  if (projection_ == system::Projection::stages && !projections_->project(end_.value(), scratch_).ok()) {
    return {};
  }
  double apart = 0.0;
  double changed = 0.0;
  double slope = 0.0;
  double bend = 0.0;
  for (std::size_t i = 0; i < x_end_.size(); ++i) {
    const double weight = 1.0 / (tolerances_.atol[i] + tolerances_.rtol * std::abs(x_end_[i]));
    const auto square = [weight](double value) { return (weight * value) * (weight * value); };
    apart += square(x_end_[i] - scratch_[i]);
    changed += square(k_[last][i] - k_[last - 1][i]);
    slope += square(k_[0][i]);
    bend += square(k_[last][i] - k_[0][i]);
  }
  return {apart > 0.0 ? std::abs(h_) * std::sqrt(changed / apart) : 0.0,
          slope > 0.0 ? std::sqrt(bend / slope) : 1.0};
}

}  // namespace saltus::integrate
