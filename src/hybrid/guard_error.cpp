#include "hybrid/guard_error.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::hybrid {

void GuardError::watch(system::Evaluator& evaluator, std::span<const locate::Watch> watches) {
  evaluator_ = &evaluator;
  guards_.clear();
  for (const locate::Watch& watch : watches) {
    // The two levels of a number that is held follow each other.
    if (guards_.empty() || guards_.back() != watch.guard) {
      guards_.push_back(watch.guard);
    }
  }
  values_.resize(guards_.size());
  moved_.resize(guards_.size());
}

double GuardError::error_of(const integrate::Stepper& stepper) {
  const std::span<const double> x = stepper.step_end_state();
  const std::span<const double> error = stepper.error_estimate();
  if (guards_.empty() || error.size() != x.size()) {
    return 0.0;
  }
  point_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    point_[i] = x[i] - error[i];
  }
  trajectory::CompensatedTime end = stepper.step_start_time();
  end.advance(stepper.step_size());
  n_evaluations_ += 2 * static_cast<std::int64_t>(guards_.size());
  if (!evaluator_->guards(guards_, end.value(), point_, moved_).ok() ||
      !evaluator_->guards(guards_, end.value(), x, values_).ok()) {
    return 0.0;
  }
  const double rtol = stepper.tolerances().rtol;
  double largest = 0.0;
  for (std::size_t k = 0; k < guards_.size(); ++k) {
    largest = std::max(largest, std::abs(values_[k] - moved_[k]) / (atol_ + rtol * std::abs(values_[k])));
  }
  return std::isfinite(largest) ? largest : 0.0;
}

}  // namespace saltus::hybrid
