/// Looks between two steps at what may end a run from outside, and tells how far it is.
#pragma once

#include <chrono>
#include <cstdint>

#include "api/options/run_settings.hpp"
#include "api/results/guarded_call.hpp"
#include "base/work_watch.hpp"
#include "integrate/advance.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

class RunMonitor {
 public:
  RunMonitor(const RunSettings& settings, const SimulationOptions& hooks)
      : settings_(settings), hooks_(hooks), told_(Clock::now()) {}

  /// Between two steps. The limit of time is a matter of count_work(), which every attempt of a step calls.
  integrate::Poll poll(double t, std::int64_t accepted_steps, std::int64_t n_events) {
    if (hooks_.stop_requested != nullptr && hooks_.stop_requested->load(std::memory_order_relaxed)) {
      return ended(Halt::interrupted);
    }
    if (!hooks_.checkpoint.empty()) {
      // A run that is saved ends between two steps, if it comes to one.
      const WorkWatch* const watch = current_watch();
      if (const Halt asked = watch != nullptr ? watch->asked() : Halt::none; asked != Halt::none) {
        return ended(asked);
      }
    }
    if (!hooks_.progress) {
      return integrate::Poll::go_on;
    }
    const Clock::time_point now = Clock::now();
    if (now - told_ >= kProgressInterval) {
      told_ = now;
      guarded_call("SimulationOptions::progress", [&] {
        hooks_.progress({settings_.start, settings_.stop, t, accepted_steps, n_events});
      });
    }
    return integrate::Poll::go_on;
  }

  /// Between two blocks of rows.
  integrate::Poll poll_rows(double t, std::int64_t accepted_steps, std::int64_t n_events) {
    WorkWatch* const watch = current_watch();
    const Halt asked = watch != nullptr ? watch->insists() : Halt::none;
    return asked != Halt::none ? ended(asked) : poll(t, accepted_steps, n_events);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kProgressInterval{200};

  integrate::Poll ended(Halt asked) {
    if (WorkWatch* const watch = current_watch(); watch != nullptr) {
      watch->begin_grace();
    }
    return asked == Halt::interrupted ? integrate::Poll::interrupted : integrate::Poll::time_limit;
  }

  const RunSettings& settings_;
  const SimulationOptions& hooks_;
  Clock::time_point told_;
};

}  // namespace saltus::api
