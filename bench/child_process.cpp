#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace saltus::bench {

ChildRun run_child(const std::vector<std::string>& command) {
  ChildRun result;
  std::array<int, 2> channel{};
  if (pipe(channel.data()) != 0) {
    return result;
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, channel[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int status = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  if (status == 0) {
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = read(channel[0], buffer.data(), buffer.size())) > 0;) {
      result.output.append(buffer.data(), static_cast<std::size_t>(n));
    }
    int outcome = 0;
    rusage usage{};
    wait4(child, &outcome, 0, &usage);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.exit_code = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
    result.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0;  // Linux counts kilobytes
  }
  close(channel[0]);
  return result;
}

}  // namespace saltus::bench
