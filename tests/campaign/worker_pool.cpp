#include "campaign/worker_pool.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <vector>

namespace saltus::campaign {
namespace {

struct Worker {
  pid_t process;
  int pipe;
  TaskResult result;
};

Worker start(std::size_t index, unsigned seconds, const std::function<std::string(std::size_t)>& task) {
  int ends[2];
  if (pipe(ends) != 0) {
    throw std::runtime_error("no pipe");
  }
  const pid_t process = fork();
  if (process < 0) {
    throw std::runtime_error("no process");
  }
  if (process == 0) {
    close(ends[0]);
    const rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const std::string text = task(index);
    for (std::size_t written = 0; written < text.size();) {
      const ssize_t n = write(ends[1], text.data() + written, text.size() - written);
      if (n <= 0) {
        _exit(1);
      }
      written += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  return {.process = process, .pipe = ends[0], .result = {.task = index, .output = {}, .end = {}}};
}

void finish(Worker& worker, unsigned seconds) {
  close(worker.pipe);
  int status = 0;
  waitpid(worker.process, &status, 0);
  if (WIFSIGNALED(status)) {
    worker.result.end = WTERMSIG(status) == SIGXCPU ? "no end within " + std::to_string(seconds) + " s"
                                                    : "signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    worker.result.end = "exit code " + std::to_string(WEXITSTATUS(status));
  }
}

}  // namespace

void run_tasks(std::size_t n, std::size_t n_workers, unsigned seconds,
               const std::function<std::string(std::size_t)>& task,
               const std::function<void(const TaskResult&)>& done) {
  std::vector<Worker> workers;
  std::size_t next = 0;
  while (next < n || !workers.empty()) {
    while (next < n && workers.size() < n_workers) {
      workers.push_back(start(next++, seconds, task));
    }
    std::vector<pollfd> waits;
    for (const Worker& worker : workers) {
      waits.push_back({.fd = worker.pipe, .events = POLLIN, .revents = 0});
    }
    poll(waits.data(), waits.size(), -1);
    for (std::size_t i = waits.size(); i-- > 0;) {
      if (waits[i].revents == 0) {
        continue;
      }
      char buffer[4096];
      const ssize_t size = read(workers[i].pipe, buffer, sizeof buffer);
      if (size > 0) {
        workers[i].result.output.append(buffer, static_cast<std::size_t>(size));
        continue;
      }
      finish(workers[i], seconds);
      const TaskResult result = std::move(workers[i].result);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
      done(result);
    }
  }
}

}  // namespace saltus::campaign
