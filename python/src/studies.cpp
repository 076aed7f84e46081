// What is asked of a model besides one run: analysis, linearisation, gradients, fits, optima. Each gives a dictionary.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <tuple>

#include "bindings.hpp"
#include "descriptions.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "saltus/analysis.hpp"
#include "saltus/fit.hpp"
#include "saltus/gradient.hpp"
#include "saltus/linearization.hpp"
#include "saltus/optimize.hpp"
#include "with_options.hpp"

namespace saltus::python {
namespace {

using py::literals::operator""_a;

// (name, guess or None, lower, upper)
using Bounded = std::tuple<std::string, std::optional<double>, double, double>;

template <class Parameter>
std::vector<Parameter> parameters_of(const std::vector<Bounded>& given) {
  std::vector<Parameter> list;
  for (const auto& [name, guess, lower, upper] : given) {
    list.push_back({.name = name, .guess = guess, .lower = lower, .upper = upper});
  }
  return list;
}

std::pair<std::string, py::list> analyze_model(const Model& model, std::optional<double> at,
                                               const py::dict& set, std::optional<double> run_to,
                                               bool projectors, bool pencil, bool structure) {
  AnalysisOptions options{.at = at,
                          .set = set_values(set),
                          .run_to = run_to,
                          .projectors = projectors,
                          .pencil = pencil,
                          .structure = structure};
  const Analysis analysis = value_or_raise(without_lock([&](const std::atomic<bool>* stop) {
    options.limits.stop_requested = stop;
    return analyze(model, options);
  }));
  return {render_json(analysis), to_python(analysis.warnings)};
}

py::dict linearize_model(const Model& model, const py::dict& given) {
  const Linearization found =
      with_options(given, [&](const SimulationOptions& options) { return linearize(model, options); });
  return py::dict("time"_a = found.time, "mode"_a = found.mode, "index"_a = found.index,
                  "states"_a = found.states, "state_values"_a = found.state_values, "inputs"_a = found.inputs,
                  "outputs"_a = found.outputs, "A"_a = found.a, "B"_a = found.b, "C"_a = found.c,
                  "D"_a = found.d, "eigenvalues"_a = py::cast(found.eigenvalues),
                  "hidden_constraints"_a = found.hidden_constraints,
                  "warnings"_a = to_python(found.warnings));
}

py::dict gradient_of(const Model& model, const std::string& functional, const std::vector<std::string>& with,
                     const std::string& by, const py::dict& given) {
  const GradientResult found = with_options(given, [&](const SimulationOptions& options) {
    return gradient(model, functional, {.with = with, .by = by, .simulation = options});
  });
  py::dict derivatives;
  py::dict at;
  for (const GradientResult::Derivative& item : found.gradient) {
    derivatives[py::str(item.name)] = item.derivative;
    at[py::str(item.name)] = item.at;
  }
  py::list terms;
  for (const GradientResult::Term& term : found.terms) {
    terms.append(py::make_tuple(term.text, term.value, term.derivatives));
  }
  return py::dict("functional"_a = found.functional, "by"_a = found.by, "value"_a = found.value,
                  "gradient"_a = derivatives, "at"_a = at, "terms"_a = terms, "problem"_a = found.problem,
                  "status"_a = std::string(to_string(found.status)),
                  "reason"_a = std::string(to_string(found.reason)), "start"_a = found.start,
                  "end"_a = found.end, "statistics"_a = description(found.statistics),
                  "diagnostics"_a = to_python(found.diagnostics), "text"_a = render_text(found));
}

py::dict optimize_model(const Model& model, const std::string& objective,
                        const std::vector<Bounded>& parameters, const std::vector<std::string>& subject,
                        double accuracy, std::int64_t max_iterations, const py::dict& given) {
  const OptimizeResult found = with_options(given, [&](const SimulationOptions& options) {
    return optimize(model, objective,
                    {.parameters = parameters_of<OptimizeParameter>(parameters),
                     .subject = subject,
                     .accuracy = accuracy,
                     .max_iterations = max_iterations,
                     .simulation = options});
  });
  py::dict values;
  py::list at_bound;
  for (const OptimizeResult::Parameter& item : found.parameters) {
    values[py::str(item.name)] = item.value;
    if (item.at_bound) {
      at_bound.append(item.name);
    }
  }
  py::list constraints;
  for (const OptimizeResult::Constraint& item : found.constraints) {
    constraints.append(py::dict("text"_a = item.text, "left"_a = item.left, "right"_a = item.right,
                                "violation"_a = item.violation, "is_active"_a = item.is_active,
                                "multiplier"_a = item.multiplier));
  }
  py::list failed;
  for (const OptimizeResult::FailedTrial& item : found.failed_trials) {
    failed.append(py::make_tuple(item.parameters, item.problem));
  }
  return py::dict("status"_a = std::string(to_string(found.status)), "message"_a = found.message,
                  "objective"_a = found.objective, "value"_a = found.value, "parameters"_a = values,
                  "at_bound"_a = at_bound, "gradient"_a = found.gradient, "constraints"_a = constraints,
                  "failed_trials"_a = failed, "runs"_a = found.runs, "iterations"_a = found.iterations,
                  "wall_seconds"_a = found.wall_seconds, "diagnostics"_a = to_python(found.diagnostics),
                  "text"_a = render_text(found));
}

// (source, times, {name: values})
using Measured = std::tuple<std::string, std::vector<double>, py::dict>;

std::vector<FitData> data_of(const std::vector<Measured>& given) {
  std::vector<FitData> list;
  for (const auto& [source, times, columns] : given) {
    FitData data;
    data.source = source;
    data.times = times;
    for (const auto& [name, values] : columns) {
      data.columns.push_back({name.cast<std::string>(), values.cast<std::vector<double>>()});
    }
    list.push_back(std::move(data));
  }
  return list;
}

py::dict fit_result(const FitResult& found) {
  py::list parameters;
  for (const FittedParameter& item : found.parameters) {
    parameters.append(py::dict("name"_a = item.name, "value"_a = item.value,
                               "standard_error"_a = item.standard_error, "low"_a = item.low,
                               "high"_a = item.high, "guess"_a = item.guess, "lower"_a = item.lower,
                               "upper"_a = item.upper, "at_bound"_a = item.at_bound));
  }
  py::list unseen;
  for (const UnseenCombination& item : found.unidentifiable) {
    unseen.append(py::dict("names"_a = item.names, "change"_a = item.change, "text"_a = item.text));
  }
  py::list rows;
  for (const FitRow& row : found.rows) {
    rows.append(py::make_tuple(row.experiment, row.time, found.columns[row.column], row.data, row.model,
                               row.residual));
  }
  return py::dict("status"_a = std::string(to_string(found.status)), "message"_a = found.message,
                  "parameters"_a = parameters, "correlation"_a = found.correlation, "cost"_a = found.cost,
                  "variance"_a = found.variance, "degrees_of_freedom"_a = found.degrees_of_freedom,
                  "unidentifiable"_a = unseen, "rows"_a = rows, "runs"_a = found.statistics.runs,
                  "wall_seconds"_a = found.statistics.wall_seconds,
                  "diagnostics"_a = to_python(found.diagnostics), "text"_a = render_text(found));
}

py::dict fit_model(const Model& model, const std::vector<Measured>& data,
                   const std::vector<Bounded>& parameters, const py::dict& fit_options,
                   const py::dict& given) {
  FitOptions options;
  Diagnostics problems;
  for (const auto& [name, value] : fit_options) {
    problems.append(set_fit_option(options, name.cast<std::string>(), value.cast<std::string>()));
  }
  raise_errors(problems);
  options.parameters = parameters_of<FitParameter>(parameters);
  const std::vector<FitData> measured = data_of(data);
  return fit_result(with_options(given, [&](const SimulationOptions& runs) {
    options.simulation = runs;
    return fit(model, measured, options);
  }));
}

std::tuple<std::string, std::vector<double>, py::dict> read_data(const std::string& path) {
  const FitData data = value_or_raise(read_fit_data(path));
  py::dict columns;
  for (const FitData::Column& column : data.columns) {
    columns[py::str(column.name)] = column.values;
  }
  return {data.source, data.times, columns};
}

}  // namespace

void bind_studies(py::module_& module) {
  module.def("analyze", &analyze_model);
  module.def("linearize", &linearize_model);
  module.def("gradient", &gradient_of);
  module.def("optimize", &optimize_model);
  module.def("fit", &fit_model);
  module.def("read_fit_data", &read_data);
}

}  // namespace saltus::python
