// A finished run, held for Python.
#pragma once

#include <pybind11/pybind11.h>

#include "saltus/simulate.hpp"

namespace saltus::python {

/// Arrays that show its rows keep it alive.
struct Run {
  SimulationResult result;
};

}  // namespace saltus::python
