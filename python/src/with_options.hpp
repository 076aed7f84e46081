// Work of the library that takes options of runs.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <utility>

#include "callable.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "options.hpp"

namespace saltus::python {

/// `work(options)` with the options of runs, without the lock; what functions of inputs raise is raised again.
template <class Work>
auto with_options(const pybind11::dict& given, Work work) {
  const auto raised = std::make_shared<Raised>();
  SimulationOptions options = make_options(given, raised);
  auto result = without_lock([&](const std::atomic<bool>* stop) {
    options.stop_requested = stop;
    return work(options);
  });
  if (!result) {
    raised->rethrow();
  }
  return value_or_raise(std::move(result));
}

}  // namespace saltus::python
