#include "descriptions.hpp"

#include <pybind11/stl.h>

#include <string>

namespace saltus::python {

namespace py = pybind11;
using py::literals::operator""_a;

namespace {

std::string word(ValueType type) {
  switch (type) {
    case ValueType::real: return "real";
    case ValueType::integer: return "integer";
    case ValueType::boolean: return "boolean";
    case ValueType::string: return "string";
  }
  return "real";
}

std::string word(Causality causality) {
  switch (causality) {
    case Causality::local: return "local";
    case Causality::input: return "input";
    case Causality::output: return "output";
  }
  return "local";
}

}  // namespace

py::list descriptions(const std::vector<VariableInfo>& variables) {
  py::list list;
  for (const VariableInfo& info : variables) {
    list.append(py::dict("name"_a = info.name, "type"_a = word(info.type),
                         "causality"_a = word(info.causality), "is_discrete"_a = info.is_discrete,
                         "is_fixed"_a = info.is_fixed, "start"_a = info.start, "nominal"_a = info.nominal,
                         "min"_a = info.min, "max"_a = info.max, "unit"_a = info.unit,
                         "description"_a = info.description, "derivative_of"_a = info.derivative_of,
                         "dimensions"_a = py::tuple(py::cast(info.dimensions))));
  }
  return list;
}

py::list descriptions(const std::vector<ParameterInfo>& parameters) {
  py::list list;
  for (const ParameterInfo& info : parameters) {
    py::object value = py::cast(info.value);
    if (info.type == ValueType::string) {
      value = py::str(info.text);
    } else if (info.value && info.type == ValueType::boolean) {
      value = py::bool_(*info.value != 0.0);
    } else if (info.value && info.type == ValueType::integer) {
      value = py::int_(static_cast<std::int64_t>(*info.value));
    }
    list.append(py::dict("name"_a = info.name, "type"_a = word(info.type), "value"_a = value,
                         "unit"_a = info.unit, "description"_a = info.description,
                         "is_settable"_a = info.is_settable, "is_structural"_a = info.is_structural));
  }
  return list;
}

py::dict description(const ExperimentInfo& experiment) {
  py::dict options;
  for (const ExperimentInfo::Option& option : experiment.options) {
    options[py::str(option.mode.empty() ? option.name : option.mode + "." + option.name)] = option.value;
  }
  return py::dict("start"_a = experiment.start, "stop"_a = experiment.stop,
                  "tolerance"_a = experiment.tolerance, "interval"_a = experiment.interval,
                  "options"_a = options);
}

py::dict description(const Statistics& from) {
  py::list methods;
  for (const MethodOfMode& item : from.methods) {
    methods.append(py::dict("mode"_a = item.mode, "method"_a = item.method, "reason"_a = item.reason,
                            "accepted_steps"_a = item.accepted_steps));
  }
  py::list guards;
  for (const WatchedGuard& item : from.guards) {
    guards.append(py::dict("condition"_a = item.condition, "proved_steps"_a = item.proved_steps,
                           "estimated_steps"_a = item.estimated_steps,
                           "sampled_steps"_a = item.sampled_steps));
  }
  py::dict orders;
  for (const StepsOfOrder& item : from.orders) {
    orders[py::int_(item.order)] = item.accepted_steps;
  }
  py::dict to("method"_a = from.method, "method_reason"_a = from.method_reason, "methods"_a = methods,
              "guards"_a = guards, "orders"_a = orders);
  const auto put = [&](const char* name, auto value) { to[name] = value; };
  put("accepted_steps", from.accepted_steps);
  put("rejected_steps", from.rejected_steps);
  put("residual_evaluations", from.residual_evaluations);
  put("jacobian_evaluations", from.jacobian_evaluations);
  put("factorizations", from.factorizations);
  put("guard_evaluations", from.guard_evaluations);
  put("newton_iterations", from.newton_iterations);
  put("location_iterations", from.location_iterations);
  put("overtaken_locations", from.overtaken_locations);
  put("guards_without_root", from.guards_without_root);
  put("refined_steps", from.refined_steps);
  put("events", from.events);
  put("instants", from.instants);
  put("restarts", from.restarts);
  put("kinks_without_restart", from.kinks_without_restart);
  put("accepted_sliding_steps", from.accepted_sliding_steps);
  put("rejected_sliding_steps", from.rejected_sliding_steps);
  put("rejected_by_error", from.rejected_by_error);
  put("rejected_by_iteration", from.rejected_by_iteration);
  put("rejected_by_bounds", from.rejected_by_bounds);
  put("negative_within_tolerance", from.negative_within_tolerance);
  put("smallest_step", from.smallest_step);
  put("largest_step", from.largest_step);
  put("last_step", from.last_step);
  put("next_step", from.next_step);
  put("output_rows", from.output_rows);
  put("wall_seconds", from.wall_seconds);
  return to;
}

}  // namespace saltus::python
