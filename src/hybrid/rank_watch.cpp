#include "hybrid/rank_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/time_tolerance.hpp"

namespace saltus::hybrid {
namespace {

// How far beyond the end of a step another structure must still be found, in steps.
constexpr double kLasting = 0.5;
// The part of the last step, and of what is left of the run, that a change behind a point without steps may be away.
constexpr double kNearPart = 1e-3;

}  // namespace

bool RankWatch::applies() const {
  return state_.at.mode().by_ranks != nullptr && state_.at.mode().by_ranks->values() != nullptr &&
         !state_.at.is_sliding() && state_.at.partner() == nullptr && !state_.at.is_at_rest();
}

std::optional<reduce::CharacteristicValues> RankWatch::values_at(const trajectory::SegmentView& segment,
                                                                 double theta) {
  probe_.resize(state_.at.x().size());
  segment.evaluate(theta, probe_);
  // The very time that the run will stand at.
  trajectory::CompensatedTime t = segment.start();
  t.advance(theta * segment.step());
  Result<reduce::CharacteristicValues> values = state_.at.mode().by_ranks->values_at(t.value(), probe_);
  if (!values) {
    return std::nullopt;
  }
  return *std::move(values);
}

// Where no values can be found it is not the structure of before either.
bool RankWatch::is_other(const trajectory::SegmentView& segment, double theta) {
  const auto values = values_at(segment, theta);
  return !values || !values->same_values(*state_.at.mode().by_ranks->values());
}

RankChange RankWatch::locate(const trajectory::SegmentView& segment, double until,
                             const reduce::CharacteristicValues& after) {
  double same = 0.0;
  double other = until;
  const double width = time_tolerance(segment.start_time(), state_.time_scale()) / kInstantUlps;
  while ((other - same) * std::abs(segment.step()) > width) {
    const double middle = 0.5 * (same + other);
    if (!(same < middle && middle < other)) {
      break;
    }
    (is_other(segment, middle) ? other : same) = middle;
  }
  return {segment, other, state_.at.mode().by_ranks->values()->text(), after.text()};
}

std::optional<RankChange> RankWatch::look(double until) {
  if (!applies() || !state_.at.mode().by_ranks->ranks_differ()) {
    return std::nullopt;
  }
  const trajectory::SegmentView segment = state_.open_segment();
  const reduce::CharacteristicValues& before = *state_.at.mode().by_ranks->values();
  const auto beyond = values_at(segment, 1.0 + kLasting);
  if (beyond && !beyond->same_values(before)) {
    return is_other(segment, until) ? std::optional(locate(segment, until, *beyond)) : std::nullopt;
  }
  if (const auto end = values_at(segment, 1.0); end && end->same_values(before)) {
    // Sizes have changed, not the structure: scales are chosen anew.
    state_.at.mode().by_ranks->analyse_again();
  }
  return std::nullopt;
}

std::optional<RankChange> RankWatch::look_ahead() {
  return applies() ? look_along(state_.at.mode().engine->stepper().derivative()) : std::nullopt;
}

std::optional<RankChange> RankWatch::look_along(std::span<const double> rates) {
  if (!applies()) {
    return std::nullopt;
  }
  const double left = state_.options().stop - state_.at.time();
  const double step = step_ != 0.0 && std::abs(step_) < std::abs(left) ? step_ : kNearPart * left;
  line_.assign(state_.at.x().begin(), state_.at.x().end());
  for (const double rate : rates) {
    line_.push_back(step * rate);
  }
  trajectory::CompensatedTime end = state_.at.t();
  end.advance(step);
  const trajectory::SegmentView segment(state_.at.t(), step, end.value(), static_cast<Index>(rates.size()), 1,
                                        line_);
  const auto beyond = values_at(segment, kLasting);
  if (!beyond || beyond->same_values(*state_.at.mode().by_ranks->values()) || !is_other(segment, kNearPart)) {
    return std::nullopt;
  }
  return locate(segment, kNearPart, *beyond);
}

}  // namespace saltus::hybrid
