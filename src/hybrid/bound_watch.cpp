#include "hybrid/bound_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "settle/state/diagnostic_codes.hpp"

namespace saltus::hybrid {
namespace {

// Within a step, beside the times of output: an extension of degree 5 has few swings.
constexpr int kInnerPoints = 3;
// Halvings of a step that crosses zero: to a thousandth.
constexpr int kMaxTries = 10;
// Negative values that mean nothing: beside the tolerance, and beside what the variable has been.
constexpr double kPartOfTolerance = 1e-8;
constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace

BoundWatch::BoundWatch(settle::RunState& state)
    : state_(state),
      place_(state.options().bounds.size(), -1),
      values_(state.values.size()),
      followed_(state.options().bounds.size()) {}

void BoundWatch::bind() {
  if (is_empty() || engine_ == state_.at.mode().engine) {
    return;
  }
  engine_ = state_.at.mode().engine;
  const std::vector<system::Quantity>& quantities = engine_->quantities();
  needs_outputs_ = false;
  for (std::size_t k = 0; k < place_.size(); ++k) {
    const auto found =
        std::find(quantities.begin(), quantities.end(), system::Quantity{bound(k).variable, 0});
    place_[k] = found != quantities.end() ? static_cast<Index>(found - quantities.begin()) : -1;
    needs_outputs_ = needs_outputs_ || place_[k] < 0;
  }
  x_.resize(quantities.size());
}

// False: the bound is left.
bool BoundWatch::take(std::size_t k, double value, double t) {
  if (value < -bound(k).tolerance) {
    left_ = k;
    left_value_ = value;
    return false;
  }
  Follow& followed = followed_[k];
  followed.end = value;
  if (value < followed.in_step.value) {
    followed.in_step = {value, t};
  }
  return true;
}

bool BoundWatch::crosses(std::size_t k) const {
  const Follow& followed = followed_[k];
  const double floor = std::max(kPartOfTolerance * bound(k).tolerance, kRounding * followed.largest);
  return !followed.comes_to_zero && followed.before >= 0.0 && followed.in_step.value < -floor;
}

bool BoundWatch::look(double t, std::span<const double> x) {
  if (needs_outputs_ && !state_.at.field().outputs(t, x, values_).ok()) {
    return true;
  }
  for (std::size_t k = 0; k < place_.size(); ++k) {
    const double value = place_[k] >= 0 ? x[static_cast<std::size_t>(place_[k])]
                                        : values_[static_cast<std::size_t>(bound(k).variable)];
    if (!take(k, value, t)) {
      return false;
    }
  }
  return true;
}

bool BoundWatch::look_within(const trajectory::SegmentView& segment, double theta) {
  segment.evaluate(theta, x_);
  return look(segment.start_time() + theta * segment.step(), x_);
}

bool BoundWatch::holds_on(const trajectory::SegmentView& segment, double until) {
  for (Follow& followed : followed_) {
    followed.in_step = {};
  }
  bool holds = true;
  for (int k = 1; holds && k <= kInnerPoints; ++k) {
    holds = look_within(segment, until * k / (kInnerPoints + 1));
  }
  const double interval = std::copysign(state_.options().output_interval, segment.step());
  if (holds && interval != 0.0 && segment.step() != 0.0) {
    const double start = state_.options().start;
    const double end = segment.start_time() + until * segment.step();
    for (double k = std::floor((segment.start_time() - start) / interval) + 1.0; holds; k += 1.0) {
      const double t = start + k * interval;
      if ((t - end) * interval >= 0.0) {
        break;
      }
      holds = look_within(segment, segment.theta(t));
    }
  }
  holds = holds && look_within(segment, until);
  if (!holds && needs_outputs_) {
    // Iterations for outputs go on from the accepted point, not from one that comes to nothing.
    segment.evaluate(0.0, x_);
    (void)state_.at.field().outputs(segment.start_time(), x_, values_);
  }
  return holds;
}

BoundWatch::Verdict BoundWatch::look_at(const trajectory::SegmentView& segment, double until) {
  if (!holds_on(segment, until)) {
    return Verdict::refuse;
  }
  if (n_tries_ < kMaxTries) {
    for (std::size_t k = 0; k < followed_.size(); ++k) {
      if (crosses(k)) {
        ++n_tries_;
        return Verdict::try_smaller;
      }
    }
  }
  return Verdict::keep;
}

bool BoundWatch::holds_here() {
  if (is_empty()) {
    return true;
  }
  bind();
  if (look(state_.at.time(), state_.at.x())) {
    for (Follow& followed : followed_) {
      followed.before = followed.end;
    }
    return true;
  }
  state_.end(
      RunOutcome::Status::failed, "bound_left",
      fmt::format("{} is {:.9g} at t = {:.9g}, set by the start values or an event, and must not be negative "
                  "(its absolute tolerance is {:.3g})",
                  bound(left_).name, left_value_, state_.at.time(), bound(left_).tolerance));
  return false;
}

void BoundWatch::keep() {
  n_tries_ = 0;
  for (std::size_t k = 0; k < followed_.size(); ++k) {
    Follow& followed = followed_[k];
    followed.comes_to_zero = (followed.comes_to_zero || crosses(k)) && !(followed.end > bound(k).tolerance);
    if (followed.in_step.value < 0.0) {
      ++followed.n_negative;
      ++state_.counters.negative_within_tolerance;
      followed.lowest = followed.in_step.value < followed.lowest.value ? followed.in_step : followed.lowest;
    }
    followed.before = followed.end;
    followed.largest = std::max(followed.largest, std::abs(followed.end));
  }
}

void BoundWatch::give_up(double step) {
  const Bound& left = bound(left_);
  const std::string why = state_.options().steps.fixed_step > 0.0
                              ? std::string("and fixed steps cannot be made smaller")
                              : fmt::format("also with steps of {:.3g}", std::abs(step));
  state_.end(
      RunOutcome::Status::failed, "bound_left",
      fmt::format(
          "{} becomes negative at t = {:.9g}: it falls below zero by more than its absolute tolerance of "
          "{:.3g}, {}",
          left.name, state_.at.time(), left.tolerance, why));
}

void BoundWatch::tell() const {
  for (std::size_t k = 0; k < followed_.size(); ++k) {
    const Follow& followed = followed_[k];
    if (followed.n_negative == 0) {
      continue;
    }
    state_.warn(settle::kNegativeWithinTolerance,
                fmt::format("{} was negative within its absolute tolerance of {:.3g} in {} step{}, lowest "
                            "{:.6g} at t = {:.9g}",
                            bound(k).name, bound(k).tolerance, followed.n_negative,
                            followed.n_negative == 1 ? "" : "s", followed.lowest.value, followed.lowest.time),
                fmt::format("a smaller --atol {}=… allows less", bound(k).name));
  }
}

}  // namespace saltus::hybrid
