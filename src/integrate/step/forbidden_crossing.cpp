#include "integrate/step/forbidden_crossing.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::integrate {

void ForbiddenCrossing::restart() {
  n_repeats_ = 0;
  std::fill(is_exempt_.begin(), is_exempt_.end(), std::uint8_t{0});
}

bool ForbiddenCrossing::is_there(Stepper& stepper) {
  const std::span<const double> x0 = stepper.step_start_state();
  const std::span<const double> x1 = stepper.step_end_state();
  const auto passes = [&](std::size_t i) { return x0[i] * x1[i] < 0.0; };
  std::size_t first = 0;
  while (first < x_.size() && !passes(first)) {
    ++first;
  }
  if (first == x_.size()) {
    n_repeats_ = 0;
    return false;
  }
  const Tolerances& tolerances = stepper.tolerances();
  const std::span<const double> slope = stepper.derivative();
  const double direction = std::copysign(1.0, stepper.step_size());
  const auto is_doubted = [&](std::size_t i) {
    const double weight = tolerances.atol[i] + tolerances.rtol * std::abs(x0[i]);
    return passes(i) && is_exempt_[i] == 0 && std::abs(x1[i]) <= kNear * weight &&
           direction * slope[i] * x1[i] > 0.0;
  };
  bool is_any_doubted = false;
  for (std::size_t i = first; i < x_.size() && !is_any_doubted; ++i) {
    is_any_doubted = is_doubted(i);
  }
  if (!is_any_doubted) {
    n_repeats_ = 0;
    return false;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] = passes(i) ? 0.0 : x1[i];
  }
  bool is_forbidden = stepper.probe(stepper.time().value(), x_, f_).ok();
  if (is_forbidden) {
    is_forbidden = false;
    for (std::size_t i = first; i < x_.size(); ++i) {
      const bool lets_through = direction * f_[i] * x1[i] > 0.0;
      if (is_doubted(i) && !lets_through) {
        is_forbidden = true;
        is_exempt_[i] = n_repeats_ >= kMostRepeats ? 1 : 0;
      }
    }
  }
  is_forbidden = is_forbidden && n_repeats_ < kMostRepeats;
  n_repeats_ = is_forbidden ? n_repeats_ + 1 : 0;
  return is_forbidden;
}

}  // namespace saltus::integrate
