#include "locate/step_ranges.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::locate {
namespace {

// Where the error test is off.
constexpr double kShareWithoutTest = 0.1;
// Roundings of a time within the step.
constexpr double kTimeRoundings = 2.0;

}  // namespace

ExtensionError::ExtensionError(const integrate::Tolerances& tolerances, std::span<const double> x_start)
    : kappa(extension_kappa(x_start.size())),
      rtol(std::max(tolerances.rtol, kEpsilon)),
      floor(0.0),
      share_of_radius(tolerances.test_error ? 0.0 : kShareWithoutTest) {
  if (tolerances.norm == integrate::ErrorNorm::compere) {
    floor = 1.0;
    for (const double x : x_start) {
      floor = std::max(floor, std::abs(x));
    }
  }
}

double allowed_error(const integrate::Tolerances& tolerances, std::span<const double> slopes,
                     std::span<const double> x, std::span<const double> end) {
  const ExtensionError error(tolerances, x);
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += slopes[i] == 0.0
               ? 0.0
               : std::abs(slopes[i]) * error(tolerances.atol[i], std::max(std::abs(x[i]), std::abs(end[i])),
                                             0.5 * std::abs(end[i] - x[i]));
  }
  return kBeyondEstimate * std::sqrt(static_cast<double>(x.size())) / error.kappa * sum;
}

StepRanges::StepRanges(Index n_states) : slots_(static_cast<std::size_t>(n_states), -1) {}

void StepRanges::clear() {
  for (const Index state : states_) {
    slots_[static_cast<std::size_t>(state)] = -1;
  }
  states_.clear();
  ranges_.clear();
  errors_.clear();
}

StepRanges::Slot StepRanges::slot(Index state) {
  std::int32_t& slot = slots_[static_cast<std::size_t>(state)];
  if (slot < 0) {
    slot = static_cast<std::int32_t>(states_.size());
    states_.push_back(state);
    ranges_.emplace_back();
    errors_.push_back(0.0);
  }
  return static_cast<Slot>(slot);
}

void StepRanges::bound(const integrate::OpenStep& step) {
  const integrate::Tolerances& tolerances = step.tolerances();
  const ExtensionError extension_error(tolerances, step.step_start_state());
  step.enclose_step(states_, ranges_);
  for (std::size_t slot = 0; slot < states_.size(); ++slot) {
    const auto [lower, upper] = ranges_[slot];
    const double error = extension_error(tolerances.atol[static_cast<std::size_t>(states_[slot])],
                                         std::max(std::abs(lower), std::abs(upper)), 0.5 * (upper - lower));
    ranges_[slot] = {lower - error, upper + error};
    errors_[slot] = error;
  }
  const double start = step.step_start_time().value();
  const double end = start + step.step_size();
  const double rounding = kTimeRoundings * kEpsilon * std::max(std::abs(start), std::abs(end));
  time_ = {std::min(start, end) - rounding, std::max(start, end) + rounding};
}

}  // namespace saltus::locate
