// A, B, C, D at the end of a run: the point from the run, the matrices from derivative arrays.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/analysis/json_texts.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/model/lazy_analysis.hpp"
#include "api/model/model_data.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "api/traced/repeated_run.hpp"
#include "base/json_writer.hpp"
#include "linalg/eigenvalues.hpp"
#include "program/compiled_system.hpp"
#include "reduce/nonlinear/rank_codes.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "reduce/ranks/linearization.hpp"
#include "saltus/linearization.hpp"

namespace saltus {
namespace api {
namespace {

// A coefficient of the derivative of an input below this part of the largest one is rounding.
constexpr double kNoCoefficient = 1e-10;

Unexpected<Diagnostics> refused(DiagnosticCode code, std::string message, std::string hint = {}) {
  Diagnostics problems;
  problems.error(code, std::move(message), std::nullopt, std::move(hint));
  return Unexpected(std::move(problems));
}

Matrix rows_of(const linalg::DenseMatrix& matrix, Index n_columns) {
  Matrix rows;
  for (Index i = 0; i < matrix.rows(); ++i) {
    std::vector<double>& row = rows.emplace_back();
    for (Index j = 0; j < n_columns; ++j) {
      row.push_back(matrix(i, j));
    }
  }
  return rows;
}

// The same model with inputs as unknowns that no equation gives: their columns are then among those of the arrays.
std::shared_ptr<const flat::Model> with_open_inputs(const flat::Model& model) {
  auto open = std::make_shared<flat::Model>(model);
  for (flat::Variable& variable : open->variables) {
    if (variable.causality == flat::Causality::input &&
        variable.variability == flat::Variability::continuous) {
      variable.causality = flat::Causality::local;
    }
  }
  return open;
}

class Linearizer {
 public:
  // `driven`: the same model with what drives its inputs, for the run.
  Linearizer(Instance instance, const Instance& driven, const RunSettings& settings,
             const SimulationOptions& hooks)
      : instance_(std::move(instance)), driven_(driven), settings_(settings), hooks_(hooks) {}

  Result<Linearization> run() {
    if (Result<bool> reached = reach(); !reached) {
      return Unexpected(std::move(reached).error());
    }
    find_names();
    program::BuildOptions by_ranks;
    for (std::size_t i = 0; i < instance_.system->modes().size(); ++i) {
      by_ranks.by_ranks.emplace_back(i);
    }
    const auto closed = instance_.compiled->system(instance_.overrides, by_ranks);
    if (!closed) {
      return Unexpected(closed.error());
    }
    const auto level = level_of(**closed);
    if (!level) {
      return Unexpected(level.error());
    }
    const auto open = inputs_.empty() ? closed
                                      : program::build_system(with_open_inputs(*instance_.flat),
                                                              instance_.overrides, by_ranks);
    if (!open) {
      return Unexpected(open.error());
    }
    return linearize_in(**open, *level + 1);
  }

 private:
  // Where the run ends.
  Result<bool> reach() {
    SimulationResult run;
    run.variables = driven_.variables;
    run.columns = driven_.variables;
    SimulationOptions hooks = hooks_;
    hooks.keep_dense = false;
    hooks.keep_rows = false;
    hooks.sink = nullptr;
    hooks.checkpoint.clear();
    hooks.resume.clear();
    api::run(driven_, settings_, Columns::all(driven_.variables), hooks, run, &point_);
    if (!run.ok() || run.end != settings_.stop) {
      Diagnostics problems = std::move(run.diagnostics);
      problems.error(reduce::kNoLinearization,
                     fmt::format("the run ended at time {} and not at {}: {}", run.end, settings_.stop,
                                 run.message.empty() ? to_string(run.reason) : run.message));
      return Unexpected(std::move(problems));
    }
    result_.warnings = std::move(run.diagnostics);
    values_ = std::move(run.final_values);
    take_inputs();
    result_.time = run.end;
    result_.mode = instance_.system->modes()[point_.configuration.mode.index()].name;
    if (point_.is_held) {
      return refused(reduce::kNoLinearization,
                     fmt::format("at time {} the solution is held on a surface ({}): it has no linearisation "
                                 "in the unknowns of the mode",
                                 run.end, point_.mode));
    }
    return true;
  }

  // What drives inputs has conditions of its own, behind those of the model; the model itself is linearised at the values that inputs have.
  void take_inputs() {
    point_.configuration.latched.resize(instance_.system->guards().size());
    for (const flat::Variable& variable : instance_.flat->variables) {
      for (std::size_t i = 0; i < instance_.variables.size(); ++i) {
        if (variable.causality == flat::Causality::input && instance_.variables[i].name == variable.name &&
            std::isfinite(values_[i])) {
          instance_.overrides.emplace_back(variable.name, values_[i]);
        }
      }
    }
  }

  void find_names() {
    for (std::size_t i = 0; i < instance_.flat->variables.size(); ++i) {
      const flat::Variable& variable = instance_.flat->variables[i];
      const auto column = std::find_if(instance_.variables.begin(), instance_.variables.end(),
                                       [&](const VariableInfo& info) { return info.name == variable.name; });
      if (column == instance_.variables.end() || variable.variability != flat::Variability::continuous) {
        continue;
      }
      const auto place = static_cast<Index>(column - instance_.variables.begin());
      if (variable.causality == flat::Causality::input) {
        inputs_.push_back(place);
        result_.inputs.push_back(variable.name);
      } else if (variable.causality == flat::Causality::output) {
        outputs_.push_back(place);
        result_.outputs.push_back(variable.name);
      }
    }
  }

  // NaN where it is not known.
  [[nodiscard]] double value_of(const system::Quantity& quantity) const {
    for (std::size_t i = 0; i < point_.x.size(); ++i) {
      if (point_.states[i].quantity == quantity) {
        return point_.x[i];
      }
    }
    return quantity.order == 0 ? values_[static_cast<std::size_t>(quantity.variable)] : std::nan("");
  }

  // Of the system of the states.
  Result<int> level_of(const system::HybridSystem& arrays) {
    const auto locked = arrays.lock(point_.configuration.mode);
    if (!locked) {
      return Unexpected(locked.error());
    }
    std::vector<double> x;
    for (const system::StateInfo& state : (*locked)->states()) {
      const double value = value_of(state.quantity);
      x.push_back(std::isfinite(value) ? value : 0.0);
    }
    const auto written = reduce::find_characteristic_values(**locked, point_.configuration, result_.time, x);
    const auto states = reduce::find_characteristic_values(**locked, point_.configuration, result_.time, x,
                                                           {.form = reduce::AnalysisForm::states});
    if (!written || !states) {
      return Unexpected(written ? states.error() : written.error());
    }
    if (states->undetermined > 0) {
      return refused(reduce::kNoLinearization,
                     fmt::format("the equations of mode '{}' leave {} unknowns undetermined", result_.mode,
                                 states->undetermined));
    }
    result_.index = written->level;
    return states->level;
  }

  Result<Linearization> linearize_in(const system::HybridSystem& system, int depth) {
    const auto locked = system.lock(point_.configuration.mode);
    if (!locked) {
      return Unexpected(locked.error());
    }
    const auto written = (*locked)->derivative_array(0);
    const auto array = (*locked)->derivative_array(depth);
    if (!written || !array) {
      return Unexpected(written ? array.error() : written.error());
    }
    reduce::LinearizationProblem problem;
    problem.written = written->get();
    problem.array = array->get();
    problem.configuration = &point_.configuration;
    problem.t = result_.time;
    problem.inputs = inputs_;
    for (const system::SlotInfo& slot : (*array)->slots()) {
      const double value = value_of(slot.quantity());
      problem.slots.push_back(std::isfinite(value) ? value : 0.0);
    }
    const auto linear = reduce::linearize(problem);
    if (!linear) {
      return Unexpected(linear.error());
    }
    return describe(**array, *linear);
  }

  Result<Linearization> describe(const system::EquationSet& array, const reduce::LinearizedDae& linear) {
    const auto n_inputs = static_cast<Index>(inputs_.size());
    for (const Index place : linear.coordinates) {
      const Index slot = linear.quantities[static_cast<std::size_t>(place)];
      result_.states.push_back(array.slots()[static_cast<std::size_t>(slot)].name);
      result_.state_values.push_back(linear.slots[static_cast<std::size_t>(slot)]);
    }
    result_.a = rows_of(linear.a, linear.a.columns());
    result_.b = rows_of(linear.b, n_inputs);
    if (auto problem = look_for_input_rates(
            linear.b, [&](Index i) { return result_.states[static_cast<std::size_t>(i)]; })) {
      return refused(reduce::kNoLinearization, "the rate of " + *problem);
    }
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const auto row = std::find_if(linear.quantities.begin(), linear.quantities.end(), [&](Index slot) {
        return array.slots()[static_cast<std::size_t>(slot)].quantity() == system::Quantity{outputs_[k], 0};
      });
      if (row == linear.quantities.end()) {
        return refused(reduce::kNoLinearization, fmt::format("the output '{}' is no unknown of mode '{}'",
                                                             result_.outputs[k], result_.mode));
      }
      const Index place = row - linear.quantities.begin();
      linalg::DenseMatrix by_state(1, linear.by_state.columns());
      linalg::DenseMatrix by_input(1, linear.by_input.columns());
      for (Index j = 0; j < by_state.columns(); ++j) {
        by_state(0, j) = linear.by_state(place, j);
      }
      for (Index j = 0; j < by_input.columns(); ++j) {
        by_input(0, j) = linear.by_input(place, j);
      }
      if (auto problem = look_for_input_rates(by_input, [&](Index) { return result_.outputs[k]; })) {
        return refused(reduce::kNoLinearization, "the output " + *problem);
      }
      result_.c.push_back(rows_of(by_state, by_state.columns())[0]);
      result_.d.push_back(rows_of(by_input, n_inputs)[0]);
    }
    result_.eigenvalues =
        linear.a.rows() > 0 ? linalg::eigenvalues(linear.a) : std::vector<std::complex<double>>();
    if (const Analysis* analysis =
            result_.index > 0 ? instance_.analysis->get(instance_, result_.time) : nullptr) {
      result_.hidden_constraints = analysis->modes[point_.configuration.mode.index()].hidden_constraints;
    }
    return std::move(result_);
  }

  // "'x' depends on the derivative of the input 'u'".
  template <class Name>
  std::optional<std::string> look_for_input_rates(const linalg::DenseMatrix& matrix, Name&& name) const {
    const auto n_inputs = static_cast<Index>(inputs_.size());
    for (Index i = 0; i < matrix.rows(); ++i) {
      for (Index j = n_inputs; j < matrix.columns(); ++j) {
        if (std::abs(matrix(i, j)) > kNoCoefficient * std::max(1.0, matrix.largest_entry())) {
          return fmt::format("'{}' depends on the derivative of the input '{}'", name(i),
                             result_.inputs[static_cast<std::size_t>(j % n_inputs)]);
        }
      }
    }
    return std::nullopt;
  }

  Instance instance_;
  const Instance& driven_;
  const RunSettings& settings_;
  const SimulationOptions& hooks_;
  FinalPoint point_;
  std::vector<double> values_;
  std::vector<Index> inputs_;
  std::vector<Index> outputs_;
  Linearization result_;
};

}  // namespace
}  // namespace api

namespace {

Result<Linearization> linearize_once(const Model& model, const SimulationOptions& given) {
  SimulationOptions options = given;
  Diagnostics problems;
  api::RunSettings settings = api::resolve(model, options, problems);
  if (!given.stop) {
    settings.stop = settings.start;
    settings.interval = 1.0;
  }
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return api::under_limits(
      api::limits_of(settings, options), "while the model was linearised",
      [&]() -> Result<Linearization> {
        const Result<api::Instance> instance = api::instantiate(model.data(), settings.set);
        const Result<api::Instance> driven =
            api::instantiate(model.data(), settings.set, settings.inputs, settings.formulation);
        if (!instance || !driven) {
          return Unexpected(instance ? driven.error() : instance.error());
        }
        if (instance->variables.size() > reduce::kMostUnknownsForRanks) {
          return api::refused(
              api::kTooLargeForRanks,
              fmt::format("models of at most {} variables are linearised, and this one has {}",
                          reduce::kMostUnknownsForRanks, instance->variables.size()));
        }
        return api::Linearizer(*instance, *driven, settings, options).run();
      },
      [](const api::EarlyEnd& end) -> Result<Linearization> { return Unexpected(end.diagnostics()); });
}

}  // namespace

Result<Linearization> linearize(const Model& model, const SimulationOptions& options) {
  Model present = model;
  return api::with_newest(present, [&](const Model& newest) { return linearize_once(newest, options); });
}

namespace {

void put(JsonWriter& json, const std::vector<double>& numbers) {
  json.begin_array();
  for (const double number : numbers) {
    json.value(number);
  }
  json.end_array();
}

void put(JsonWriter& json, std::string_view name, const Matrix& matrix) {
  json.key(name);
  json.begin_array();
  for (const std::vector<double>& row : matrix) {
    put(json, row);
  }
  json.end_array();
}

}  // namespace

std::string render_json(const Linearization& linearization) {
  JsonWriter json;
  json.begin_object();
  json.member("time", linearization.time);
  json.member("mode", std::string_view(linearization.mode));
  json.key("index");
  json.value(linearization.index);
  api::put_texts(json, "states", linearization.states);
  json.key("state_values");
  put(json, linearization.state_values);
  api::put_texts(json, "inputs", linearization.inputs);
  api::put_texts(json, "outputs", linearization.outputs);
  put(json, "A", linearization.a);
  put(json, "B", linearization.b);
  put(json, "C", linearization.c);
  put(json, "D", linearization.d);
  json.key("eigenvalues");
  json.begin_array();
  for (const std::complex<double>& value : linearization.eigenvalues) {
    put(json, std::vector<double>{value.real(), value.imag()});
  }
  json.end_array();
  api::put_texts(json, "hidden_constraints", linearization.hidden_constraints);
  json.end_object();
  return json.take();
}

}  // namespace saltus
