#include "interrupt.hpp"

#include <csignal>

namespace saltus::tool {
namespace {

// A signal handler can reach nothing else than an object of the whole program.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void note_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = &note_interrupt;
  // SA_RESETHAND: the second signal has its usual effect. No SA_RESTART: a wait for a pipe ends too.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace saltus::tool
