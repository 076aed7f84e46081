// Starting a program and measuring it from outside.
#pragma once

#include <string>
#include <vector>

namespace saltus::bench {

struct ChildRun {
  int exit_code = -1;
  double seconds = 0.0;         ///< wall time from start to end
  double peak_megabytes = 0.0;  ///< largest resident memory
  std::string output;           ///< standard output
};

/// Runs `command[0]` with the other elements as arguments; standard error is dropped.
[[nodiscard]] ChildRun run_child(const std::vector<std::string>& command);

}  // namespace saltus::bench
