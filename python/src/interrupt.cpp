#include "interrupt.hpp"

#include <csignal>

namespace saltus::python {
namespace {

// A signal handler can reach nothing but objects of the whole program.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
struct sigaction of_python = {};
// Of the main thread alone.
int depth = 0;
bool is_installed = false;
unsigned long main_thread = 0;

extern "C" void note_interrupt(int signal) {
  interrupted.store(true, std::memory_order_relaxed);
  of_python.sa_handler(signal);  // notes it for the interpreter
}

void install() {
  interrupted.store(false, std::memory_order_relaxed);
  sigaction(SIGINT, nullptr, &of_python);
  is_installed = of_python.sa_handler != SIG_IGN && of_python.sa_handler != SIG_DFL &&
                 (of_python.sa_flags & SA_SIGINFO) == 0;
  if (is_installed) {
    struct sigaction action = of_python;
    action.sa_handler = &note_interrupt;
    sigaction(SIGINT, &action, nullptr);
  }
}

}  // namespace

void remember_main_thread() {
  main_thread =
      pybind11::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
}

InterruptWatch::InterruptWatch() : is_main_(PyThread_get_thread_ident() == main_thread) {
  if (is_main_ && depth++ == 0) {
    install();
  }
}

InterruptWatch::~InterruptWatch() {
  if (is_main_ && --depth == 0 && is_installed) {
    sigaction(SIGINT, &of_python, nullptr);
  }
}

const std::atomic<bool>* InterruptWatch::flag() {
  static const std::atomic<bool> never{false};
  return PyThread_get_thread_ident() == main_thread ? &interrupted : &never;
}

void InterruptWatch::check() {
  if (PyErr_CheckSignals() != 0) {
    throw pybind11::error_already_set();
  }
}

}  // namespace saltus::python
