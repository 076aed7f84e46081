/// Runs a program as a user would and looks at what it does: exit code, both outputs, signals.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace saltus::test {

struct ProcessResult {
  int exit_code = -1;  ///< -1 if a signal ended it
  int signal = 0;
  bool timed_out = false;
  long peak_kilobytes = 0;  ///< of resident memory
  std::string out;
  std::string err;
};

struct ProcessOptions {
  std::string folder;                              ///< where it runs; empty: here
  std::string standard_output;                     ///< a file instead of capturing
  std::map<std::string, std::string> environment;  ///< besides the present one
  double timeout_seconds = 60.0;
  /// Asked every few milliseconds; when true, `signal` is sent once.
  std::function<bool()> when;
  int signal = SIGINT;
};

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] inline void become(const std::vector<std::string>& command, const ProcessOptions& options,
                                const std::string& out, const std::string& err) {
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out_file, STDOUT_FILENO);
  ::dup2(err_file, STDERR_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) {
    ::_exit(126);
  }
  for (const auto& [name, value] : options.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

inline ProcessResult run_process(const std::vector<std::string>& command,
                                 const ProcessOptions& options = {}) {
  const TemporaryFolder scratch;
  const std::string out = options.standard_output.empty() ? scratch.file("out") : options.standard_output;
  const std::string err = scratch.file("err");
  const pid_t child = ::fork();
  if (child < 0) {
    throw std::runtime_error("fork failed");
  }
  if (child == 0) {
    become(command, options, out, err);
  }
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(options.timeout_seconds);
  ProcessResult result;
  bool signalled = false;
  int status = 0;
  struct rusage usage = {};
  while (::wait4(child, &status, WNOHANG, &usage) == 0) {
    if (!signalled && options.when && options.when()) {
      ::kill(child, options.signal);
      signalled = true;
    }
    if (!result.timed_out && Clock::now() > deadline) {
      result.timed_out = true;
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  result.peak_kilobytes = usage.ru_maxrss;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (options.standard_output.empty()) {
    result.out = read_text(out);
  }
  result.err = read_text(err);
  return result;
}

}  // namespace saltus::test
