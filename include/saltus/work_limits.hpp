// What may end work from outside, wherever it is.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace saltus {

/// Limits of one piece of work: reading a model, analysing it, a run. Work that meets one ends within a second, whatever it is at,
/// and says so as a value: an error with the code `interrupted`, `time-limit` or `out-of-memory`, or a result with that reason
/// (`time_limit`, `out_of_memory`).
struct WorkLimits {
  const std::atomic<bool>* stop_requested = nullptr;  ///< set to true by whoever wants the work to end
  std::optional<double> max_time{};                   ///< wall seconds since `began`; none
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

}  // namespace saltus
