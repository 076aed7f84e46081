/// Tasks in processes of their own, a few at a time: one that crashes or hangs is reported and the others go on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace saltus::campaign {

/// What a process left behind.
struct TaskResult {
  std::size_t task = 0;
  std::string output;
  std::string end;  ///< empty if it ended by itself; else "signal 11", "no end within 300 s"
};

/// Runs task(0) … task(n - 1), each in a child whose text is handed to `done` in the parent, in the order in which they end.
void run_tasks(std::size_t n, std::size_t n_workers, unsigned seconds,
               const std::function<std::string(std::size_t)>& task,
               const std::function<void(const TaskResult&)>& done);

}  // namespace saltus::campaign
