// The parts of the module, one for each file of this folder: each adds its functions and classes.
#pragma once

#include <pybind11/pybind11.h>

namespace saltus::python {

namespace py = pybind11;

void bind_diagnostics(py::module_& module);
void bind_model(py::module_& module);
void bind_run(py::module_& module);
void bind_callbacks(py::module_& module);
void bind_studies(py::module_& module);
void bind_sweeps(py::module_& module);
void bind_simulation(py::module_& module);
void bind_builder(py::module_& module);

}  // namespace saltus::python
