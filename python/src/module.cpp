// The module saltus._core: the C++ interface as the package saltus needs it. Users see the package, not this module.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "interrupt.hpp"
#include "saltus/contract.hpp"
#include "saltus/options.hpp"
#include "saltus/version.hpp"

PYBIND11_MODULE(_core, module) {
  namespace python = saltus::python;
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const saltus::ContractViolation& violation) {
      PyErr_SetString(PyExc_ValueError, violation.what());
    }
  });
  module.attr("version") = std::string(saltus::version());
  module.def("methods", &saltus::methods);
  python::remember_main_thread();
  python::bind_diagnostics(module);
  python::bind_model(module);
  python::bind_run(module);
  python::bind_callbacks(module);
  python::bind_studies(module);
  python::bind_sweeps(module);
  python::bind_simulation(module);
  python::bind_builder(module);
}
