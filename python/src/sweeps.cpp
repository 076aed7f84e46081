// Many runs of one model: model.sweep().
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <utility>

#include "bindings.hpp"
#include "errors.hpp"
#include "numbers.hpp"
#include "saltus/sweep.hpp"
#include "with_options.hpp"

namespace saltus::python {
namespace {

using py::literals::operator""_a;

// Texts as for --vary, or (name, values).
std::vector<Variation> variations_of(const py::list& given) {
  std::vector<Variation> all;
  for (const py::handle& item : given) {
    if (py::isinstance<py::str>(item)) {
      all.push_back(value_or_raise(read_variation(item.cast<std::string>())));
    } else {
      auto [name, values] = item.cast<std::pair<std::string, std::vector<double>>>();
      all.push_back({.name = std::move(name), .values = std::move(values)});
    }
  }
  return all;
}

py::array_t<double> rows_of(const std::vector<double>& numbers, std::size_t n_rows, std::size_t n_columns) {
  py::array_t<double> array({n_rows, n_columns});
  std::copy(numbers.begin(), numbers.end(), array.mutable_data());
  return array;
}

// Of the grid; else the number of runs.
std::vector<std::size_t> shape_of(const SweepOptions& options, std::size_t n_runs) {
  if (options.samples || options.n_random) {
    return {n_runs};
  }
  std::vector<std::size_t> sizes;
  for (const Variation& variation : options.vary) {
    sizes.push_back(variation.values.size());
  }
  return sizes;
}

py::dict sweep_result(const SweepOptions& options, const SweepResult& found) {
  py::list status;
  py::list reason;
  py::list warnings;
  py::list message;
  std::vector<double> end;
  std::vector<std::int64_t> events;
  for (const SweepRun& run : found.runs) {
    status.append(std::string(to_string(run.status)));
    reason.append(std::string(to_string(run.reason)));
    warnings.append(run.warnings);
    message.append(run.message);
    end.push_back(run.end);
    events.push_back(run.n_events);
  }
  const std::size_t n = found.runs.size();
  return py::dict("names"_a = found.names, "columns"_a = found.columns,
                  "given"_a = rows_of(found.given, n, found.names.size()),
                  "values"_a = rows_of(found.values, n, found.columns.size()), "status"_a = status,
                  "reason"_a = reason, "end"_a = copied(end), "events"_a = py::array(py::cast(events)),
                  "warnings"_a = warnings, "message"_a = message,
                  "shape"_a = py::tuple(py::cast(shape_of(options, n))),
                  "diagnostics"_a = to_python(found.diagnostics), "text"_a = render_text(found));
}

py::dict sweep_model(const Model& model, const py::list& vary,
                     const std::optional<std::pair<std::vector<std::string>, std::vector<double>>>& samples,
                     std::optional<std::int64_t> n_random, std::uint64_t seed,
                     const std::vector<std::string>& columns, std::int64_t jobs, const std::string& journal,
                     bool anew, const py::dict& given) {
  SweepOptions options{.vary = variations_of(vary),
                       .n_random = n_random,
                       .seed = seed,
                       .columns = columns,
                       .jobs = jobs,
                       .journal = journal,
                       .anew = anew};
  if (samples) {
    options.samples = SweepSamples{"samples", samples->first, samples->second};
  }
  const SweepResult found = with_options(given, [&](const SimulationOptions& runs) {
    options.simulation = runs;
    return sweep(model, options);
  });
  return sweep_result(options, found);
}

std::pair<std::vector<std::string>, std::vector<double>> read_samples(const std::string& path) {
  const SweepSamples samples = value_or_raise(read_sweep_samples(path));
  return {samples.names, samples.values};
}

}  // namespace

void bind_sweeps(py::module_& module) {
  module.def("sweep", &sweep_model);
  module.def("read_sweep_samples", &read_samples);
}

}  // namespace saltus::python
