// Models of the language, and their runs.
#include "saltus/model.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "descriptions.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "run.hpp"
#include "saltus/model_request.hpp"
#include "saltus/simulate.hpp"

namespace saltus::python {
namespace {

Model load(const std::string& model, const std::string& name, const std::vector<std::string>& data_folders,
           const std::vector<std::string>& libraries) {
  return value_or_raise(without_lock([&](const std::atomic<bool>* stop) {
    return load_model({.model = model, .name = name, .data_folders = data_folders, .libraries = libraries},
                      {.stop_requested = stop});
  }));
}

Model from_text(const std::string& source, const std::string& text, const std::string& name) {
  return value_or_raise(without_lock([&](const std::atomic<bool>* stop) {
    return Model::from_text(source, text, {.stop_requested = stop}, name);
  }));
}

std::unique_ptr<Run> simulate_model(const Model& model, const py::dict& given) {
  const auto raised = std::make_shared<Raised>();
  SimulationOptions options = make_options(given, raised);
  Result<SimulationResult> result = without_lock([&](const std::atomic<bool>* stop) {
    options.stop_requested = stop;
    return simulate(model, options);
  });
  if (!result) {
    raised->rethrow();
  }
  return std::make_unique<Run>(Run{value_or_raise(std::move(result))});
}

py::list check(const Model& model) {
  return to_python(
      without_lock([&](const std::atomic<bool>* stop) { return model.check({.stop_requested = stop}); }));
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def_property_readonly("name", &Model::name)
      .def_property_readonly("description", &Model::description)
      .def_property_readonly("parameters",
                             [](const Model& model) { return descriptions(model.parameters()); })
      .def_property_readonly("variables", [](const Model& model) { return descriptions(model.variables()); })
      .def_property_readonly("experiment", [](const Model& model) { return description(model.experiment()); })
      .def_property_readonly("n_equations", &Model::n_equations)
      .def_property_readonly("warnings", [](const Model& model) { return to_python(model.warnings()); })
      .def_property_readonly("flat_text", [](const Model& model) { return flat_text(model); })
      .def("check", &check)
      .def("simulate", &simulate_model);
  module.def("load", &load);
  module.def("from_text", &from_text);
}

}  // namespace saltus::python
