// A finished run, held for Python.
#pragma once

#include <pybind11/pybind11.h>

#include "saltus/simulate.hpp"

namespace saltus::python {

/// Arrays that show its rows keep it alive.
struct Run {
  SimulationResult result;
};

/// A list of tuples in the order of saltus.Event.
[[nodiscard]] pybind11::list to_python(const EventList& events);

}  // namespace saltus::python
