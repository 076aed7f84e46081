#include "api/results/work_guard.hpp"

#include <fmt/format.h>

#include "api/model/diagnostic_codes.hpp"

namespace saltus::api {

Diagnostics EarlyEnd::diagnostics() const {
  Diagnostics result;
  result.error(code, message);
  return result;
}

EarlyEnd early_end(Halt reason, const std::optional<double>& max_time, std::string_view where) {
  if (reason == Halt::interrupted) {
    return {kInterrupted, "interrupted", fmt::format("interrupted {}", where)};
  }
  return {kTimeLimit, "time_limit",
          fmt::format("the limit of {} seconds was reached {} (--max-time)", max_time.value_or(0.0), where)};
}

EarlyEnd out_of_memory(std::string_view where) {
  return {kOutOfMemory, "out_of_memory", fmt::format("the memory does not suffice {}", where)};
}

}  // namespace saltus::api
