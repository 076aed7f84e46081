/// Looks between two steps at what may end a run from outside, and tells how far it is.
#pragma once

#include <chrono>
#include <cstdint>

#include "api/run_settings.hpp"
#include "integrate/advance.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

class RunMonitor {
 public:
  RunMonitor(const RunSettings& settings, const SimulationOptions& hooks)
      : settings_(settings), hooks_(hooks), began_(Clock::now()), told_(began_) {}

  integrate::Poll poll(double t, std::int64_t accepted_steps, std::int64_t n_events) {
    if (hooks_.stop_requested != nullptr && hooks_.stop_requested->load(std::memory_order_relaxed)) {
      return integrate::Poll::interrupted;
    }
    if (!settings_.max_time && !hooks_.progress) {
      return integrate::Poll::go_on;
    }
    const Clock::time_point now = Clock::now();
    if (settings_.max_time && std::chrono::duration<double>(now - began_).count() > *settings_.max_time) {
      return integrate::Poll::time_limit;
    }
    if (hooks_.progress && now - told_ >= kProgressInterval) {
      told_ = now;
      hooks_.progress({settings_.start, settings_.stop, t, accepted_steps, n_events});
    }
    return integrate::Poll::go_on;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kProgressInterval{200};

  const RunSettings& settings_;
  const SimulationOptions& hooks_;
  Clock::time_point began_;
  Clock::time_point told_;
};

}  // namespace saltus::api
