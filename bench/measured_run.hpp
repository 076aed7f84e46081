// What every solver of the comparison reports, and how it is timed.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace saltus::bench {

struct MeasuredRun {
  std::vector<double> x_end;
  std::vector<double> event_times;  ///< different ones, of problems with events
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  std::int64_t n_rhs = 0;
  double seconds = 0.0;  ///< least of several runs
  std::string failure;   ///< empty when the run reached the end
};

/// Largest error of a component, relative to 1 + its size.
inline double scaled_error(const std::vector<double>& x, const std::vector<double>& reference) {
  double error = x.size() == reference.size() ? 0.0 : NAN;
  for (std::size_t i = 0; i < std::min(x.size(), reference.size()); ++i) {
    error = std::max(error, std::abs(x[i] - reference[i]) / (1.0 + std::abs(reference[i])));
  }
  return error;
}

/// Time that this thread has worked: other processes do not enter, but for the caches they take away.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs `run` (which returns a MeasuredRun) again and again and keeps the shortest time: at least 3 times (once, if that takes
/// more than a second) and for at least 0.15 s, at most 2000 times. The shortest is what disturbance by other processes changes
/// least. A run that measures itself (to leave preparations out) keeps its own time.
template <class Run>
MeasuredRun measure(Run&& run) {
  constexpr double kEnoughSeconds = 0.15;
  constexpr double kLongSeconds = 1.0;
  MeasuredRun best;
  double total = 0.0;
  for (int i = 0; i < 2000 && total < kLongSeconds && (i < 3 || total < kEnoughSeconds); ++i) {
    const double begin = thread_seconds();
    MeasuredRun current = run();
    const double seconds = thread_seconds() - begin;
    total += seconds;
    if (current.seconds == 0.0) {
      current.seconds = seconds;
    }
    if (i == 0 || current.seconds < best.seconds) {
      best = std::move(current);
    }
    if (!best.failure.empty()) {
      break;
    }
  }
  return best;
}

}  // namespace saltus::bench
