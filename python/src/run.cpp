// Results of runs: arrays over the memory of the trajectory, and everything else as plain Python values.
#include "run.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "descriptions.hpp"
#include "errors.hpp"

namespace saltus::python {
namespace {

// An array that shows memory which `owner` keeps; nobody may write there.
py::array_t<double> view(std::span<const double> numbers, std::vector<py::ssize_t> shape,
                         const py::object& owner) {
  py::array_t<double> array(std::move(shape), numbers.data(), owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::ssize_t size(std::size_t n) {
  return static_cast<py::ssize_t>(n);
}

py::array_t<double> times(const py::object& self) {
  const Trajectory& trajectory = self.cast<const Run&>().result.trajectory;
  return view(trajectory.times(), {size(trajectory.n_rows())}, self);
}

py::array_t<double> values(const py::object& self) {
  const Trajectory& trajectory = self.cast<const Run&>().result.trajectory;
  return view(trajectory.values(), {size(trajectory.n_rows()), size(trajectory.names().size())}, self);
}

py::array_t<std::int64_t> segments(const Run& run) {
  const Trajectory& trajectory = run.result.trajectory;
  py::array_t<std::int64_t> result(size(trajectory.n_rows()));
  for (std::size_t k = 0; k < trajectory.n_rows(); ++k) {
    result.mutable_at(size(k)) = trajectory.segment(k);
  }
  return result;
}

// The mode of each row; equal names are one object.
py::list modes_of_rows(const Run& run) {
  const Trajectory& trajectory = run.result.trajectory;
  py::list result;
  std::string_view last;
  py::object text;
  for (std::size_t k = 0; k < trajectory.n_rows(); ++k) {
    const std::string_view mode = trajectory.mode(k);
    if (!text || mode != last) {
      last = mode;
      text = py::str(std::string(mode));
    }
    result.append(text);
  }
  return result;
}

// All columns at each of the times, row by row.
py::array_t<double> at(const Run& run,
                       const py::array_t<double, py::array::c_style | py::array::forcecast>& asked,
                       bool is_before) {
  const Trajectory& trajectory = run.result.trajectory;
  const auto n_columns = trajectory.names().size();
  py::array_t<double> result({asked.size(), size(n_columns)});
  const std::span<const double> times(asked.data(), static_cast<std::size_t>(asked.size()));
  const std::span<double> into(result.mutable_data(), static_cast<std::size_t>(result.size()));
  const py::gil_scoped_release released;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::span<double> row = into.subspan(k * n_columns, n_columns);
    if (is_before) {
      trajectory.before(times[k], row);
    } else {
      trajectory.at(times[k], row);
    }
  }
  return result;
}

py::list modes(const Run& run) {
  const ModeList spans = run.result.modes;
  {
    const py::gil_scoped_release released;
    (void)spans.begin();  // counted by ranks when first read
  }
  py::list list;
  for (const ModeSpan& span : spans) {
    list.append(py::make_tuple(span.from, span.to, span.mode, span.index, span.d, span.a, span.u, span.v));
  }
  return list;
}

py::dict parameters(const Run& run) {
  py::dict result;
  for (const ParameterValue& parameter : run.result.parameters) {
    result[py::str(parameter.name)] = py::cast(parameter.value);
  }
  return result;
}

py::dict sensitivities(const py::object& self) {
  py::dict to;
  const auto& run = self.cast<const Run&>();
  if (!run.result.sensitivities) {
    return to;
  }
  const Sensitivities& from = *run.result.sensitivities;
  const py::ssize_t n_parameters = size(from.parameters.size());
  const py::ssize_t n_rows = size(from.times.size());
  to["parameters"] = from.parameters;
  to["parameter_values"] = from.parameter_values;
  to["columns"] = from.columns;
  to["times"] = view(from.times, {n_rows}, self);
  to["values"] = view(from.values, {n_rows, size(from.columns.size()), n_parameters}, self);
  to["segments"] = py::array_t<std::int64_t>(n_rows, from.segments.data());
  to["final_values"] =
      view(from.final_values,
           {n_parameters > 0 ? size(from.final_values.size()) / n_parameters : 0, n_parameters}, self);
  to["event_times"] =
      view(from.event_times,
           {n_parameters > 0 ? size(from.event_times.size()) / n_parameters : 0, n_parameters}, self);
  py::list influences;
  for (const Sensitivities::Influence& item : from.most_influential) {
    influences.append(py::make_tuple(item.parameter, item.measure));
  }
  to["most_influential"] = influences;
  to["zero_sensitivities"] = from.zero_sensitivities;
  py::list checks;
  for (const Sensitivities::Check& item : from.check) {
    checks.append(py::make_tuple(item.parameter, item.largest_difference, item.at));
  }
  to["check"] = checks;
  return to;
}

py::dict error_estimate(const py::object& self) {
  py::dict to;
  const auto& run = self.cast<const Run&>();
  if (!run.result.error_estimate) {
    return to;
  }
  const ErrorEstimate& from = *run.result.error_estimate;
  to["values"] = view(from.values, {size(run.result.trajectory.n_rows()), size(from.n_columns)}, self);
  py::list largest;
  for (const ErrorEstimate::Largest& item : from.largest) {
    largest.append(py::make_tuple(item.error, item.time));
  }
  to["largest"] = largest;
  to["factor"] = from.factor;
  to["end"] = from.end;
  to["reason"] = from.reason;
  to["events_compared"] = from.events_compared;
  to["event_time"] = from.event_time;
  to["events_differ"] = from.events_differ;
  return to;
}

}  // namespace

py::list to_python(const EventList& events) {
  py::list list;
  for (const Event& event : events) {
    list.append(py::make_tuple(event.time, event.segment, to_string(event.kind), event.from, event.to,
                               event.guard, event.detail, to_string(event.transfer), event.impulse_order,
                               event.transfer_case,
                               std::vector<double>(event.sensitivities.begin(), event.sensitivities.end())));
  }
  return list;
}

void bind_run(py::module_& module) {
  py::class_<Run>(module, "Run")
      .def_property_readonly("status", [](const Run& run) { return to_string(run.result.status); })
      .def_property_readonly("reason", [](const Run& run) { return to_string(run.result.reason); })
      .def_property_readonly("ok", [](const Run& run) { return run.result.ok(); })
      .def_property_readonly("message", [](const Run& run) { return run.result.message; })
      .def_property_readonly("start", [](const Run& run) { return run.result.start; })
      .def_property_readonly("end", [](const Run& run) { return run.result.end; })
      .def_property_readonly("explanation", [](const Run& run) { return run.result.explanation; })
      .def_property_readonly("diagnostics", [](const Run& run) { return to_python(run.result.diagnostics); })
      .def_property_readonly("names",
                             [](const Run& run) {
                               const auto names = run.result.trajectory.names();
                               return std::vector<std::string>(names.begin(), names.end());
                             })
      .def_property_readonly("columns", [](const Run& run) { return descriptions(run.result.columns); })
      .def_property_readonly("variables", [](const Run& run) { return descriptions(run.result.variables); })
      .def_property_readonly("final_values",
                             [](const py::object& self) {
                               const auto& result = self.cast<const Run&>().result;
                               return view(result.final_values, {size(result.final_values.size())}, self);
                             })
      .def_property_readonly("parameters", &parameters)
      .def_property_readonly("times", &times)
      .def_property_readonly("values", &values)
      .def_property_readonly("segments", &segments)
      .def_property_readonly("modes_of_rows", &modes_of_rows)
      .def_property_readonly("is_dense", [](const Run& run) { return run.result.trajectory.is_dense(); })
      .def_property_readonly("step_ends",
                             [](const Run& run) {
                               const std::vector<double> ends = run.result.trajectory.step_ends();
                               return py::array_t<double>(size(ends.size()), ends.data());
                             })
      .def("at", &at, py::arg("times"), py::arg("before"))
      .def_property_readonly("events", [](const Run& run) { return to_python(run.result.events); })
      .def_property_readonly("modes", &modes)
      .def_property_readonly("statistics", [](const Run& run) { return description(run.result.statistics); })
      .def_property_readonly("sensitivities", &sensitivities)
      .def_property_readonly("error_estimate", &error_estimate);
}

}  // namespace saltus::python
