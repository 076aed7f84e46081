// What lies between the stages of an explicit step (docs/math/dopri5.md, "What the estimate of dopri5 does not see").
#include <algorithm>
#include <cmath>

#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// ‖q‖ (‖q‖/‖hẋ‖)^⅓, q the fourth power of the extension, is this many tolerances where a step is in doubt. Of steps that resolve the solution
// it is about 100 estimates; more than 3 predicted tolerances with an estimate below 1 contradict each other.
constexpr double kDoubtfulFourthPower = 300.0;
// The defect δ of the extension in the middle, as part of θ²(1 - θ)², makes ∫ 16 θ²(1 - θ)² δ dθ = 8/15 δ of the end: 8 tolerances.
constexpr double kLargestDefect = 15.0;
// Where f has kinks or jumps within steps the end may be off by as much as the defect, whatever the estimate says; of 1,500 steps over the end of a
// root law (√ of a depth, docs/math/error_control.md) half are then off by less than 3 tolerances, one in a hundred by 12.
constexpr double kLargestDefectAtKinks = 5.0;
// Where no stage of dopri5 is.
constexpr double kDoubtedPoint = 0.5;

}  // namespace

bool ExplicitRungeKutta::is_in_doubt() {
  if (!tolerances_.test_error || tolerances_.norm == ErrorNorm::compere) {
    return false;
  }
  // The slopes of an extension that rows need anyhow: one more to measure it.
  if (output_extension() == DenseOutput::full) {
    return true;
  }
  const bool has_quartic = !dense_plans_.empty() && dense_plans_.front().corrections.size() == 1;
  if (!has_quartic || rates_->has_unwatched_kinks()) {
    return has_quartic;
  }
  dense_plans_.front().corrections.front().apply_to_differences(h_, k_, scratch_);
  const double fourth = error_norm(tolerances_, x_start_, x_end_, scratch_);
  if (!(fourth > kDoubtfulFourthPower)) {
    return false;
  }
  const double* const f0 = k_[0];
  const double* const f1 = k_[end_stage()];
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i] = h_ * std::max(std::abs(f0[i]), std::abs(f1[i]));
  }
  const double slope = error_norm(tolerances_, x_start_, x_end_, scratch_);
  return fourth * std::cbrt(fourth / (slope + fourth)) > kDoubtfulFourthPower;
}

// Leaves the defect in scratch_.
double ExplicitRungeKutta::defect_in_middle() {
  trajectory::SegmentView segment;
  if (!dense_output(output_extension(), segment).ok()) {
    return 0.0;
  }
  const double largest = rates_->has_unwatched_kinks() ? kLargestDefectAtKinks : kLargestDefect;
  return extension_defect(segment, kDoubtedPoint) / largest;
}

// h (f(x(θ)) - ẋ(θ)), left in scratch_.
double ExplicitRungeKutta::extension_defect(const trajectory::SegmentView& extension, double theta) {
  SALTUS_EXPECT(phase_.is_open(), "extensions belong to a good attempt");
  if (!tolerances_.test_error) {
    return 0.0;
  }
  extension.evaluate(theta, scratch_);
  ++statistics_.rhs.dense_output;
  const std::size_t slot = end_stage() + 1 + static_cast<std::size_t>(n_extra_known_);
  // A place that cannot be evaluated says nothing of the error.
  const bool is_known = evaluate_stage(stage_time(theta), scratch_, slot, system::Projection::stages).ok();
  extension.derivative(theta, scratch_);
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i] = h_ * (k_[slot][i] - scratch_[i]);
  }
  return is_known ? error_norm(tolerances_, x_start_, x_end_, scratch_) : 0.0;
}

}  // namespace saltus::integrate
