// Ctrl-C while the library works without the lock of the interpreter.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <optional>
#include <utility>

namespace saltus::python {

/// Called once, when the module is imported.
void remember_main_thread();

/// While it lives, SIGINT sets a flag besides what Python does with it. Made and unmade with the lock of the interpreter held; does nothing
/// outside of the main thread, as KeyboardInterrupt is of that thread alone. May be nested: one flag for all.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// For SimulationOptions::stop_requested and WorkLimits.
  [[nodiscard]] static const std::atomic<bool>* flag();
  /// After the work: lets Python handle its signals and throws what its handlers raise.
  static void check();

 private:
  bool is_main_ = false;
};

/// Calls `work(stop_requested)` without the lock of the interpreter, so that other threads go on, and ends it on ctrl-C.
template <class Work>
auto without_lock(Work work) {
  const InterruptWatch watch;
  auto result = [&] {
    const pybind11::gil_scoped_release released;
    return work(InterruptWatch::flag());
  }();
  InterruptWatch::check();
  return result;
}

}  // namespace saltus::python
