#include "hybrid/singular_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hybrid/diagnostic_codes.hpp"

namespace saltus::hybrid {
namespace {

// A divisor at its root beside its size at the ends of the step: a pole is the opposite.
constexpr double kVanished = 1e-6;
// Condition of an array that has lost a rank up to the accuracy with which its root was found.
constexpr double kSingularCondition = 1e8;
constexpr int kBisections = 60;

}  // namespace

bool SingularWatch::evaluate(double t, std::span<const double> x, std::vector<double>& values) {
  values.resize(static_cast<std::size_t>(state_.evaluator->n_divisors()));
  return !values.empty() && state_.evaluator->divisors(t, x, values).ok() &&
         std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void SingularWatch::restarted() {
  before_.clear();
  if (!state_.surfaces.empty() || state_.rest != nullptr || n_told_ == kMostTold) {
    return;
  }
  if (state_.mode->by_ranks != nullptr && !state_.mode->by_ranks->freeze_divisors(state_.time(), state_.x)) {
    return;
  }
  if (!evaluate(state_.time(), state_.x, before_)) {
    before_.clear();
  }
}

double SingularWatch::find_root(std::size_t divisor, const trajectory::SegmentView& segment, double until) {
  double low = 0.0;
  double high = until;
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    segment.evaluate(middle, probe_);
    if (!evaluate(segment.start_time() + middle * segment.step(), probe_, between_)) {
      return middle;  // no value: this is the point
    }
    (between_[divisor] * before_[divisor] > 0.0 ? low : high) = middle;
  }
  return high;
}

// In modes reduced by ranks a pivot may vanish where another choice of pivots does not.
bool SingularWatch::is_singular(const trajectory::SegmentView& segment, double theta) {
  reduce::ArrayEvaluator* const array = state_.mode->by_ranks;
  if (array == nullptr) {
    return true;
  }
  bool has_changed = false;
  segment.evaluate(theta, probe_);
  return !array->check(segment.start_time() + theta * segment.step(), probe_, has_changed).ok() ||
         has_changed || array->condition() > kSingularCondition;
}

void SingularWatch::step_kept(double until) {
  if (before_.empty()) {
    return;
  }
  probe_.resize(state_.x.size());
  trajectory::SegmentView segment;
  if (until < 1.0) {
    if (!state_.open_segment(segment).ok()) {
      return;
    }
    segment.evaluate(until, probe_);
  } else {
    const std::span<const double> end = state_.mode->engine->stepper().state();
    std::copy(end.begin(), end.end(), probe_.begin());
  }
  const integrate::Stepper& stepper = state_.mode->engine->stepper();
  const double t_end = until < 1.0 ? segment.start_time() + until * segment.step() : stepper.time().value();
  if (!evaluate(t_end, probe_, after_) || after_.size() != before_.size()) {
    return;
  }
  for (std::size_t k = 0; k < before_.size(); ++k) {
    if (!(before_[k] * after_[k] < 0.0)) {
      continue;
    }
    if (!state_.open_segment(segment).ok()) {
      break;
    }
    const double theta = find_root(k, segment, until);
    segment.evaluate(theta, probe_);
    const double t = segment.start_time() + theta * segment.step();
    const double size = kVanished * std::max(std::abs(before_[k]), std::abs(after_[k]));
    if ((!evaluate(t, probe_, between_) || std::abs(between_[k]) <= size) && is_singular(segment, theta)) {
      tell(t, static_cast<Index>(k));
      break;
    }
  }
  if (n_told_ == kMostTold) {
    before_.clear();
    return;
  }
  // A divisor that is zero at the end keeps the sign that it had.
  for (std::size_t k = 0; k < before_.size(); ++k) {
    before_[k] = after_[k] != 0.0 ? after_[k] : before_[k];
  }
  if (state_.mode->by_ranks != nullptr && until == 1.0) {
    const std::span<const double> end = state_.mode->engine->stepper().state();
    std::copy(end.begin(), end.end(), probe_.begin());
    if (!state_.mode->by_ranks->freeze_divisors(t_end, probe_) || !evaluate(t_end, probe_, before_)) {
      before_.clear();
    }
  }
}

void SingularWatch::tell(double t, Index divisor) {
  ++n_told_;
  const std::string text = state_.evaluator->divisor_text(divisor);
  state_.warn(kSingularPoint,
              fmt::format("singular point passed near t = {:.9g}{}", t,
                          text.empty() ? std::string(": the equations lose rank there")
                                       : fmt::format(": {} changes its sign there", text)),
              fmt::format("several solutions may pass through such a point, the one that is shown is the one "
                          "that the steps led "
                          "to{}",
                          n_told_ == kMostTold ? "; further points are not told" : ""));
}

}  // namespace saltus::hybrid
