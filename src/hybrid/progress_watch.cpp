#include "hybrid/progress_watch.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/time_tolerance.hpp"

namespace saltus::hybrid {

bool ProgressWatch::end(Index guard, std::int64_t turns) {
  const bool is_known = guard >= 0 && static_cast<std::size_t>(guard) < state_.guards().size();
  state_.end(
      RunOutcome::Status::stopped, "no_progress",
      fmt::format(
          "time does not go on at t = {:.9g}: {} steps and instants followed each other there{}",
          state_.at.time(), turns,
          is_known ? fmt::format(", the last where {} is zero", state_.guard(guard).text) : std::string()));
  return false;
}

bool ProgressWatch::look(Index guard) {
  const double t = state_.at.time();
  if (!has_begun_ || std::abs(t - first_) > time_tolerance(t, state_.time_scale())) {
    first_ = t;
    n_turns_ = 0;
  }
  const double length = std::abs(state_.options().stop - state_.options().start);
  if (!has_begun_ || state_.counters.events != n_events_ ||
      std::abs(t - first_silent_) > kShortPart * length) {
    first_silent_ = t;
    n_instants_ = state_.counters.instants;
    n_events_ = state_.counters.events;
  }
  has_begun_ = true;
  if (++n_turns_ > kMostAtOnce) {
    return end(guard, n_turns_);
  }
  if (const std::int64_t n_silent = state_.counters.instants - n_instants_; n_silent > kMostSilent) {
    return end(guard, n_silent);
  }
  return true;
}

}  // namespace saltus::hybrid
