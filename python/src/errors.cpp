#include "errors.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "bindings.hpp"

namespace saltus::python {
namespace {

// One diagnostic with its place, by itself.
struct PlacedDiagnostic {
  std::string code;
  std::string severity;
  std::string message;
  std::string hint;
  std::string file;
  std::optional<int> line;
  std::optional<int> column;
  std::string text;  // as the command line prints it
};

PlacedDiagnostic placed(const Diagnostic& item, const Diagnostics& list) {
  PlacedDiagnostic result;
  result.code = item.code;
  result.severity = to_string(item.severity);
  result.message = item.message;
  result.hint = item.hint;
  Diagnostics alone(list.source());
  alone.add(item.severity, DiagnosticCode{item.code}, item.message, item.span, item.hint).notes = item.notes;
  result.text = render_text(alone);
  while (!result.text.empty() && result.text.back() == '\n') {
    result.text.pop_back();
  }
  if (list.source() != nullptr) {
    result.file = list.source()->name();
    if (item.span) {
      const SourcePosition position = list.source()->position(item.span->offset);
      result.line = position.line;
      result.column = position.column;
    }
  }
  return result;
}

}  // namespace

py::list to_python(const Diagnostics& diagnostics) {
  py::list list;
  for (const Diagnostic& item : diagnostics.items()) {
    list.append(placed(item, diagnostics));
  }
  return list;
}

void raise(const Diagnostics& diagnostics) {
  // Reading and checking are interrupted by ctrl-C too; what Python makes of it goes first.
  if (PyErr_CheckSignals() != 0) {
    throw py::error_already_set();
  }
  const py::object type = py::module_::import("saltus._errors").attr("ModelError");
  const py::object error = type(render_text(diagnostics), to_python(diagnostics));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

void raise_errors(const Diagnostics& diagnostics) {
  if (diagnostics.has_errors()) {
    raise(diagnostics);
  }
}

void bind_diagnostics(py::module_& module) {
  py::class_<PlacedDiagnostic>(module, "Diagnostic",
                               "What is wrong with a model, an option or a file, or what was noticed.")
      .def_readonly("code", &PlacedDiagnostic::code, "A stable name of this kind of problem.")
      .def_readonly("severity", &PlacedDiagnostic::severity, "'error', 'warning' or 'note'.")
      .def_readonly("message", &PlacedDiagnostic::message)
      .def_readonly("hint", &PlacedDiagnostic::hint, "What may be done; empty if nothing is known to help.")
      .def_readonly("file", &PlacedDiagnostic::file, "Of the model text; empty for options.")
      .def_readonly("line", &PlacedDiagnostic::line, "From 1; None without a place.")
      .def_readonly("column", &PlacedDiagnostic::column, "From 1; None without a place.")
      .def("__str__", [](const PlacedDiagnostic& item) { return item.text; })
      .def("__repr__", [](const PlacedDiagnostic& item) {
        return "<" + item.severity + " " + item.code + ": " + item.message + ">";
      });
}

}  // namespace saltus::python
