/// Work under limits: what ends it from outside, or by want of memory, becomes a value.
///
/// Every entry of the library that may take long goes through under_limits(); hybrid::run catches the same for itself, so that a run
/// that is ended keeps what it has computed. No exception of these leaves the library.
#pragma once

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/work_watch.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::api {

/// Why work ended before its time, as a diagnostic and as the reason of a result.
struct EarlyEnd {
  DiagnosticCode code;      ///< interrupted, time-limit, out-of-memory
  std::string_view reason;  ///< interrupted, time_limit, out_of_memory
  std::string message;      ///< "the limit of 2 seconds was reached …"

  [[nodiscard]] Diagnostics diagnostics() const;
};

/// `where` ends the sentence: "while the model was read", "at time 0.3".
[[nodiscard]] EarlyEnd early_end(Halt reason, const std::optional<double>& max_time, std::string_view where);
[[nodiscard]] EarlyEnd out_of_memory(std::string_view where);

/// The value of work(), or otherwise(EarlyEnd). std::length_error is what a size beyond all memory gives.
template <class Work, class Otherwise>
[[nodiscard]] auto under_limits(const WorkLimits& limits, std::string_view where, Work&& work,
                                Otherwise&& otherwise) -> decltype(work()) {
  const WorkWatch watch(limits);
  try {
    return work();
  } catch (const WorkHalted& halted) {
    return otherwise(early_end(halted.reason(), limits.max_time, where));
  } catch (const std::bad_alloc&) {
    return otherwise(out_of_memory(where));
  } catch (const std::length_error&) {
    return otherwise(out_of_memory(where));
  }
}

}  // namespace saltus::api
