#include "settle/check/switch_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

// Gaps that are shorter than this part of the one before shrink.
constexpr double kShrinking = 0.9;
constexpr int kCloseSwitches = 2;   // gaps: three switches
constexpr int kReturnSwitches = 2;  // with the sliding condition at each

}  // namespace

SwitchMonitor::SwitchMonitor(RunState& state)
    : state_(state),
      length_(std::abs(state.options().stop - state.options().start)),
      close_(state.options().chattering_time.value_or(kChatteringPart * length_)),
      histories_(state.guards().size()),
      held_(state.guards().size(), 0),
      next_release_(state.options().stop) {}

void SwitchMonitor::switched(Index guard, bool would_return) {
  History& history = histories_[static_cast<std::size_t>(guard)];
  const double now = state_.at.time();
  const double gap = std::abs(now - history.last);
  const bool is_close =
      history.n_switches > 0 && gap <= close_ && (history.n_switches == 1 || gap >= kShrinking * history.gap);
  history.gap = gap;
  history.n_close = is_close ? history.n_close + 1 : 0;
  if (would_return) {
    ++history.n_return;
  } else if (gap > 2.0 * std::max(state_.options().dwell, kHeldPart * length_)) {
    history.n_return = 0;  // sooner, a guard that was kept comes back from beyond its surface
  }
  history.last = now;
  ++history.n_switches;
  if (history.n_close >= kCloseSwitches || history.n_return >= kReturnSwitches) {
    report(guard);
  }
  const double duration =
      would_return ? std::max(state_.options().dwell, kHeldPart * length_) : state_.options().dwell;
  if (duration > 0.0) {
    hold(guard, duration);
  }
}

void SwitchMonitor::hold(Index guard, double duration) {
  hold_until(guard, state_.at.time() + state_.direction() * duration);
}

void SwitchMonitor::hold_until(Index guard, double time) {
  const auto i = static_cast<std::size_t>(guard);
  histories_[i].release = time;
  if (held_[i] == 0) {
    held_[i] = 1;
    held_list_.push_back(guard);
  }
  find_next_release();
}

void SwitchMonitor::find_next_release() {
  next_release_ = state_.options().stop;
  for (const Index guard : held_list_) {
    const double release = histories_[static_cast<std::size_t>(guard)].release;
    if (state_.direction() * (release - next_release_) < 0.0) {
      next_release_ = release;
    }
  }
}

void SwitchMonitor::release(double t, std::vector<Index>& released) {
  released.clear();
  for (const Index guard : held_list_) {
    const double due = histories_[static_cast<std::size_t>(guard)].release;
    if (state_.direction() * (t - due) >= -time_tolerance(t, state_.time_scale())) {
      released.push_back(guard);
    }
  }
  for (const Index guard : released) {
    held_[static_cast<std::size_t>(guard)] = 0;
    held_list_.erase(std::find(held_list_.begin(), held_list_.end(), guard));
  }
  find_next_release();
}

void SwitchMonitor::report(Index guard) {
  History& history = histories_[static_cast<std::size_t>(guard)];
  if (history.is_reported || state_.options().chattering == Chattering::off) {
    return;
  }
  history.is_reported = true;
  const system::GuardInfo& info = state_.guard(guard);
  std::string message =
      fmt::format("the condition {} chatters from t = {:.9g} on: {} changes its sign again and again",
                  info.condition, state_.at.time(), info.text);
  message += state_.options().sliding == Sliding::off ? " (sliding is switched off)"
             : state_.refusal.guard == guard          ? " (" + state_.refusal.reason + ")"
                                                      : " (it is not one that can be slid on)";
  if (state_.options().chattering == Chattering::stop) {
    state_.end(RunOutcome::Status::stopped, "chattering", message);
  }
  state_.warn(kChattering, std::move(message),
              "allow sliding, give the condition a hysteresis, or set a dwell time", info.span);
}

}  // namespace saltus::settle
