// Models written in Python: expressions with operators, and the builder.
#include <pybind11/functional.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "errors.hpp"
#include "saltus/model_builder.hpp"

namespace saltus::python {
namespace {

using Unary = Expression (*)(const Expression&);
using Binary = Expression (*)(const Expression&, const Expression&);

// start, fixed, nominal, min, max, unit, description, value
Attributes attributes(const py::kwargs& given) {
  Attributes result;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (value.is_none()) {
      continue;
    }
    if (name == "fixed") {
      result.fixed = value.cast<bool>();
    } else if (name == "unit") {
      result.unit = value.cast<std::string>();
    } else if (name == "description") {
      result.description = value.cast<std::string>();
    } else if (std::optional<Expression>* const place = name == "start"     ? &result.start
                                                        : name == "nominal" ? &result.nominal
                                                        : name == "min"     ? &result.min
                                                        : name == "max"     ? &result.max
                                                        : name == "value"   ? &result.value
                                                                            : nullptr) {
      *place = value.cast<Expression>();
    } else {
      throw py::type_error(
          "a declaration has start, fixed, nominal, min, max, unit, description and value, not '" + name +
          "'");
    }
  }
  return result;
}

// A Python function of a body, a mode, …; what it gets must not be kept.
template <class Argument>
std::function<void(Argument&)> filled_by(const py::object& function) {
  if (function.is_none()) {
    return {};
  }
  return
      [function](Argument& argument) { function(py::cast(&argument, py::return_value_policy::reference)); };
}

void bind_expression(py::module_& module) {
  py::class_<Expression> type(module, "Expression",
                              "An expression of a model: numbers, truths, names and what is made of them by "
                              "operators, `&`, `|`, `~` and "
                              "the functions of saltus.expressions.");
  type.def(py::init([](bool value) { return Expression(value); }), py::arg("value").noconvert())
      .def(py::init([](double value) { return Expression(value); }), py::arg("value"))
      .def_static("text", &Expression::text,
                  "A name of the model, or an expression as the language writes it.")
      .def_static("string", &Expression::string)
      .def("__add__", Binary(&operator+))
      .def("__radd__", [](const Expression& a, const Expression& b) { return b + a; })
      .def("__sub__", Binary(&operator-))
      .def("__rsub__", [](const Expression& a, const Expression& b) { return b - a; })
      .def("__mul__", Binary(&operator*))
      .def("__rmul__", [](const Expression& a, const Expression& b) { return b * a; })
      .def("__truediv__", Binary(&operator/))
      .def("__rtruediv__", [](const Expression& a, const Expression& b) { return b / a; })
      .def("__pow__", [](const Expression& a, const Expression& b) { return pow(a, b); })
      .def("__rpow__", [](const Expression& a, const Expression& b) { return pow(b, a); })
      .def("__neg__", [](const Expression& a) { return -a; })
      .def("__pos__", [](const Expression& a) { return a; })
      .def("__abs__", [](const Expression& a) { return abs(a); })
      .def("__lt__", Binary(&operator<))
      .def("__le__", Binary(&operator<=))
      .def("__gt__", Binary(&operator>))
      .def("__ge__", Binary(&operator>=))
      .def("__eq__", [](const Expression& a, const Expression& b) { return equal(a, b); })
      .def("__ne__", [](const Expression& a, const Expression& b) { return not_equal(a, b); })
      .def("__and__", Binary(&operator&&))
      .def("__or__", Binary(&operator||))
      .def("__rand__", [](const Expression& a, const Expression& b) { return b && a; })
      .def("__ror__", [](const Expression& a, const Expression& b) { return b || a; })
      .def("__invert__", [](const Expression& a) { return !a; })
      .def("__hash__", [](const py::object& self) { return reinterpret_cast<std::intptr_t>(self.ptr()); })
      .def("__bool__", [](const Expression&) -> bool {
        throw py::type_error(
            "an expression is no truth of Python: write a & b, a | b, ~a, if_else(condition, a, b), and (0 < "
            "x) & (x < 1)");
      });
  py::implicitly_convertible<py::bool_, Expression>();
  py::implicitly_convertible<py::int_, Expression>();
  py::implicitly_convertible<py::float_, Expression>();
}

void bind_functions(py::module_& module) {
  py::module_ functions = module.def_submodule("expressions");
  const auto unary = [&](const char* name, Unary function) { functions.def(name, function); };
  const auto binary = [&](const char* name, Binary function) { functions.def(name, function); };
  unary("der", &der);
  unary("pre", &pre);
  unary("edge", &edge);
  unary("change", &change);
  unary("no_event", &no_event);
  unary("sin", &sin);
  unary("cos", &cos);
  unary("tan", &tan);
  unary("asin", &asin);
  unary("acos", &acos);
  unary("atan", &atan);
  unary("sinh", &sinh);
  unary("cosh", &cosh);
  unary("tanh", &tanh);
  unary("exp", &exp);
  unary("log", &log);
  unary("log10", &log10);
  unary("sqrt", &sqrt);
  unary("abs", &abs);
  unary("sign", &sign);
  unary("floor", &floor);
  unary("ceil", &ceil);
  unary("integer", &integer);
  binary("atan2", &atan2);
  binary("mod", &mod);
  binary("div", &div);
  binary("rem", &rem);
  binary("min", &min);
  binary("max", &max);
  binary("sample", &sample);
  functions.def("time", &time);
  functions.def("initial", &initial);
  functions.def("terminal", &terminal);
  functions.def("smooth", &smooth);
  functions.def("if_else", &if_else);
  functions.def("call", &call);
  functions.def("array", &array);
}

void bind_parts(py::module_& module) {
  py::class_<Body>(module, "Body", "What happens when a clause or a transition fires.")
      .def("set", [](Body& body, const Expression& a, const Expression& b) { body.set(a, b); })
      .def("reinit", [](Body& body, const Expression& a, const Expression& b) { body.reinit(a, b); })
      .def("equation", [](Body& body, const Expression& a, const Expression& b) { body.equation(a, b); })
      .def("require",
           [](Body& body, const Expression& a, const std::string& message) { body.require(a, message); })
      .def("terminate", [](Body& body, const std::string& message) { body.terminate(message); });
  py::class_<Clause>(module, "Clause", "when … elsewhen …")
      .def("elsewhen", [](Clause& clause, const Expression& condition, const py::object& body) {
        clause.elsewhen(condition, filled_by<Body>(body));
        return clause;
      });
  py::class_<ModeBuilder>(module, "ModeBuilder", "Equations, clauses and transitions of one mode.")
      .def("real", [](ModeBuilder& mode, const std::string& name,
                      const py::kwargs& given) { return mode.real(name, attributes(given)); })
      .def("equation", &ModeBuilder::equation)
      .def("when", [](ModeBuilder& mode, const Expression& condition,
                      const py::object& body) { return mode.when(condition, filled_by<Body>(body)); })
      .def(
          "transition_to",
          [](ModeBuilder& mode, const std::string& to, const Expression& condition, const py::object& body) {
            mode.transition_to(to, condition, filled_by<Body>(body));
          },
          py::arg("mode"), py::arg("condition"), py::arg("body") = py::none());
}

using Declare = Expression (ModelBuilder::*)(std::string_view, const Attributes&);

}  // namespace

void bind_builder(py::module_& module) {
  bind_expression(module);
  bind_functions(module);
  bind_parts(module);
  py::class_<ModelBuilder> builder(module, "ModelBuilder");
  const auto declaration = [&](const char* name, Declare declare) {
    builder.def(name, [declare](ModelBuilder& self, const std::string& variable, const py::kwargs& given) {
      return (self.*declare)(variable, attributes(given));
    });
  };
  builder.def(py::init<const std::string&, const std::string&>(), py::arg("name"),
              py::arg("description") = "");
  builder.def("parameter",
              [](ModelBuilder& self, const std::string& name, const Expression& value,
                 const py::kwargs& given) { return self.parameter(name, value, attributes(given)); });
  declaration("real", &ModelBuilder::real);
  declaration("discrete_real", &ModelBuilder::discrete_real);
  declaration("integer", &ModelBuilder::integer);
  declaration("boolean", &ModelBuilder::boolean);
  declaration("input", &ModelBuilder::input);
  declaration("output", &ModelBuilder::output);
  builder.def("reals", [](ModelBuilder& self, const std::string& name, int size, const py::kwargs& given) {
    return self.reals(name, size, attributes(given));
  });
  builder.def("equation", &ModelBuilder::equation)
      .def("initial_equation", &ModelBuilder::initial_equation)
      .def("when", [](ModelBuilder& self, const Expression& condition,
                      const py::object& body) { return self.when(condition, filled_by<Body>(body)); })
      .def("require", [](ModelBuilder& self, const Expression& condition,
                         const std::string& message) { self.require(condition, message); })
      .def("terminate_when", [](ModelBuilder& self, const Expression& condition,
                                const std::string& message) { self.terminate_when(condition, message); })
      .def("mode", [](ModelBuilder& self, const std::string& name,
                      const py::object& contents) { self.mode(name, filled_by<ModeBuilder>(contents)); })
      .def("initial_mode",
           [](ModelBuilder& self, const std::string& name, const py::object& contents) {
             self.initial_mode(name, filled_by<ModeBuilder>(contents));
           })
      .def("sliding_mode",
           [](ModelBuilder& self, const std::string& name, const std::string& one, const std::string& other,
              const py::object& contents) {
             self.sliding_mode(name, one, other, filled_by<ModeBuilder>(contents));
           })
      .def("experiment", &ModelBuilder::experiment, py::arg("start"), py::arg("stop"),
           py::arg("tolerance") = py::none(), py::arg("interval") = py::none())
      .def("option", [](ModelBuilder& self, const std::string& name,
                        const std::string& value) { self.option(name, value); })
      .def("add_text", [](ModelBuilder& self, const std::string& text) { self.add_text(text); })
      .def("text", &ModelBuilder::text)
      .def("build", [](const ModelBuilder& self) { return value_or_raise(self.build()); });
}

}  // namespace saltus::python
