#include "api/fit/fit_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "api/fit/diagnostic_codes.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/model/model_data.hpp"
#include "api/options/run_settings.hpp"
#include "api/sensitivity/hidden_jump_warnings.hpp"
#include "api/sensitivity/targets.hpp"
#include "base/time_tolerance.hpp"
#include "saltus/similar_name.hpp"

namespace saltus::api {
namespace {

class Preparation {
 public:
  Preparation(const Model& model, const std::vector<FitData>& data, const FitOptions& options)
      : data_(data),
        options_(options),
        prepared_{FitSetup{model, {}, {}, {}, {}, {}, {}, {}, {}, 0, {}, 0.0, 0.0}, {}, false, {}} {}

  Result<PreparedFit> run() {
    const RunSettings settings = settle_options();
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    const Result<Instance> instance =
        instantiate(setup().model.data(), settings.set, settings.inputs, settings.formulation);
    if (!instance) {
      return Unexpected(instance.error());
    }
    for (const FitData& data : data_) {
      add_experiment(data, *instance, settings);
    }
    if (data_.empty()) {
      wrong("there are no data", "name a file with --data");
    } else if (setup().n_data == 0 && !problems_.has_errors()) {
      wrong("the data have no values");
    }
    add_sigma();
    add_parameters(*instance, settings);
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(prepared_);
  }

 private:
  [[nodiscard]] FitSetup& setup() { return prepared_.setup; }

  void wrong(std::string message, std::string hint = {}) {
    problems_.error(kWrongFit, std::move(message), std::nullopt, std::move(hint));
  }

  void wrong_datum(const FitData& data, int line, const std::string& message, std::string hint = {}) {
    problems_.error(kWrongDataFile, fmt::format("{}:{}: {}", data.source, line, message), std::nullopt,
                    std::move(hint));
  }

  // Of the runs, without what a fit does not ask for.
  RunSettings settle_options() {
    SimulationOptions options = options_.simulation;
    options.interval = std::nullopt;
    options.rows_at_steps = false;
    options.times.clear();
    options.columns.clear();
    options.sensitivities.clear();
    options.sensitivity_check = false;
    options.error_estimate = false;
    options.explain_event = std::nullopt;
    options.checkpoint.clear();
    options.resume.clear();
    options.sink = nullptr;
    options.progress = {};
    options.keep_dense = false;
    options.keep_rows = true;
    RunSettings settings = resolve(setup().model, options, prepared_.warnings);
    if (prepared_.warnings.has_errors()) {
      problems_.append(prepared_.warnings);
    }
    options.rows_at_steps = std::nullopt;
    options.start = settings.start;
    options.began = options.began.value_or(std::chrono::steady_clock::now());
    setup().simulation = std::move(options);
    setup().rtol = settings.rtol;
    setup().tolerance = settings.atol.value_or(settings.tolerance);
    return settings;
  }

  // Place of a data column among all; none: it is wrong.
  std::optional<std::size_t> place_of(const FitData& data, const std::string& name,
                                      const Instance& instance) {
    const auto known = std::find(setup().columns.begin(), setup().columns.end(), name);
    if (known != setup().columns.end()) {
      return static_cast<std::size_t>(known - setup().columns.begin());
    }
    const auto variable = std::find_if(instance.variables.begin(), instance.variables.end(),
                                       [&](const VariableInfo& info) { return info.name == name; });
    if (variable == instance.variables.end()) {
      std::vector<std::string_view> names;
      for (const VariableInfo& info : instance.variables) {
        names.push_back(info.name);
      }
      wrong_datum(data, data.line, fmt::format("the model has no variable '{}'", name),
                  did_you_mean(name, names));
      return std::nullopt;
    }
    if (variable->type != ValueType::real) {
      wrong_datum(data, data.line, fmt::format("'{}' is not a Real variable", name));
      return std::nullopt;
    }
    setup().columns.push_back(name);
    setup().nominal.push_back(variable->nominal);
    return setup().columns.size() - 1;
  }

  void add_experiment(const FitData& data, const Instance& instance, const RunSettings& settings) {
    FitExperiment experiment;
    experiment.data = &data;
    std::set<std::string_view> names;
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
      const FitData::Column& column = data.columns[c];
      if (!names.insert(column.name).second) {
        wrong_datum(data, data.line, fmt::format("two columns are named '{}'", column.name));
        return;
      }
      if (column.values.size() != data.times.size()) {
        wrong_datum(data, data.line,
                    fmt::format("'{}' has {} values, and there are {} times", column.name,
                                column.values.size(), data.times.size()));
        return;
      }
      const std::optional<std::size_t> place = place_of(data, column.name, instance);
      const bool has_values = std::any_of(column.values.begin(), column.values.end(),
                                          [](double value) { return !std::isnan(value); });
      if (place && has_values) {
        experiment.columns.push_back(c);
        experiment.places.push_back(*place);
      }
    }
    add_rows(data, settings, experiment);
    if (!experiment.times.empty()) {
      setup().experiments.push_back(std::move(experiment));
    }
  }

  void add_rows(const FitData& data, const RunSettings& settings, FitExperiment& experiment) {
    const double last = data.times.empty() ? settings.start : data.times.back();
    const double scale = std::max(std::abs(settings.start), std::abs(last));
    for (std::size_t k = 0; k < data.times.size(); ++k) {
      const double t = data.times[k];
      const int line = k < data.lines.size() ? data.lines[k] : static_cast<int>(k) + data.line + 1;
      const std::string wrong_time = problem_of(data, k, settings, scale);
      if (!wrong_time.empty()) {
        wrong_datum(data, line, wrong_time);
        return;
      }
      std::size_t n = 0;
      for (const std::size_t c : experiment.columns) {
        const double value = data.columns[c].values[k];
        if (std::isinf(value)) {
          wrong_datum(data, line, fmt::format("'{}' is not finite", data.columns[c].name));
        }
        n += std::isnan(value) ? 0 : 1;
      }
      if (n > 0) {
        experiment.rows.push_back(k);
        experiment.times.push_back(t);
        setup().n_data += n;
      }
    }
  }

  [[nodiscard]] std::string problem_of(const FitData& data, std::size_t k, const RunSettings& settings,
                                       double scale) const {
    const double t = data.times[k];
    if (!std::isfinite(t)) {
      return "'time' is not finite";
    }
    if (t < settings.start && !same_instant(t, settings.start, scale)) {
      return fmt::format("'time' {} is before the start {} of the run", t, settings.start);
    }
    if (options_.simulation.stop && t > *options_.simulation.stop) {
      return fmt::format("'time' {} is after the stop {} of the run", t, *options_.simulation.stop);
    }
    if (k > 0 && (t < data.times[k - 1] || same_instant(t, data.times[k - 1], scale))) {
      return fmt::format("'time' {} does not come after {}", t, data.times[k - 1]);
    }
    return "";
  }

  void add_sigma() {
    setup().sigma.assign(setup().columns.size(), 1.0);
    std::vector<char> is_given(setup().columns.size(), 0);
    for (const NamedValue& item : options_.sigma) {
      const auto place = std::find(setup().columns.begin(), setup().columns.end(), item.name);
      if (place == setup().columns.end()) {
        wrong(fmt::format("sigma of '{}': no data have such a column", item.name),
              did_you_mean(item.name, {setup().columns.begin(), setup().columns.end()}));
        continue;
      }
      if (!(item.value > 0.0 && std::isfinite(item.value))) {
        wrong(fmt::format("sigma of '{}' must be a positive number, not {}", item.name, item.value));
        continue;
      }
      const auto c = static_cast<std::size_t>(place - setup().columns.begin());
      setup().sigma[c] = item.value;
      is_given[c] = 1;
    }
    const auto n_given = static_cast<std::size_t>(std::count(is_given.begin(), is_given.end(), 1));
    // A loss counts outliers as such: how the rest spreads is seen in the residuals.
    prepared_.is_variance_known =
        n_given == setup().columns.size() && options_.loss == Loss::none && n_given > 0;
    if (n_given > 0 && n_given < setup().columns.size()) {
      const auto missing = std::find(is_given.begin(), is_given.end(), 0);
      prepared_.warnings.warning(
          kFitUnscaled,
          fmt::format(
              "some columns have a sigma and '{}' has none: it is 1 there, and standard errors use the "
              "variance of all residuals",
              setup().columns[static_cast<std::size_t>(missing - is_given.begin())]),
          std::nullopt, "give --sigma of every column");
    } else if (options_.loss != Loss::none && n_given == 0 && !options_.loss_scale) {
      prepared_.warnings.warning(
          kFitUnscaled, "the scale of the loss is in units of the data, because no column has a sigma",
          std::nullopt, "give --sigma of every column, or --loss-scale");
    }
  }

  void add_parameters(const Instance& instance, const RunSettings& settings) {
    if (instance.flat != nullptr) {
      warn_of_hidden_jumps(*instance.flat, prepared_.warnings);
    }
    if (options_.parameters.empty()) {
      wrong("there is nothing to be fitted", "name parameters with --params");
    }
    if (options_.loss_scale && !(*options_.loss_scale > 0.0 && std::isfinite(*options_.loss_scale))) {
      wrong(fmt::format("the scale of a loss must be a positive number, not {}", *options_.loss_scale));
    }
    if (options_.starts < 1 || options_.max_iterations < 0 || options_.threads < 0) {
      wrong(
          "numbers of starts, threads and iterations must not be negative, and there is one start at least");
    }
    for (const FitParameter& parameter : options_.parameters) {
      add_parameter(parameter, instance, settings);
    }
  }

  void add_parameter(const FitParameter& parameter, const Instance& instance, const RunSettings& settings) {
    const bool is_word = parameter.name == "all" || parameter.name == "starts";
    const Result<std::vector<SensitivityTarget>> targets =
        choose_targets({is_word ? "'" + parameter.name + "'" : parameter.name}, instance, settings.start);
    if (!targets) {
      for (const Diagnostic& item : targets.error().items()) {
        // The same words with the name of this option.
        const std::string message = item.message.substr(item.message.find(": ") + 2);
        problems_.error(DiagnosticCode{item.code}, "--params: " + message, std::nullopt, item.hint);
      }
      return;
    }
    if (targets->size() != 1) {
      wrong(fmt::format("--params: '{}' is an array", parameter.name), "name its elements");
      return;
    }
    const SensitivityTarget& target = targets->front();
    if (std::find(setup().parameters.begin(), setup().parameters.end(), target.name) !=
        setup().parameters.end()) {
      wrong(fmt::format("--params: '{}' is named twice", target.name));
      return;
    }
    const double guess = parameter.guess.value_or(target.value);
    if (!std::isfinite(guess) || std::isnan(parameter.lower) || std::isnan(parameter.upper) ||
        parameter.lower > parameter.upper) {
      wrong(fmt::format("--params: guess and bounds of '{}' must be numbers, the lower bound first",
                        target.name));
      return;
    }
    if (guess < parameter.lower || guess > parameter.upper) {
      wrong(fmt::format("--params: the guess {} of '{}' is not within its bounds {} and {}", guess,
                        target.name, parameter.lower, parameter.upper));
      return;
    }
    if (options_.starts > 1 && !(std::isfinite(parameter.lower) && std::isfinite(parameter.upper))) {
      wrong(fmt::format("several starts are taken within bounds, and '{}' has not both", target.name),
            fmt::format("give --params {}=GUESS:LOWER:UPPER", target.name));
      return;
    }
    setup().parameters.push_back(target.name);
    setup().sizes.push_back(guess != 0.0 ? std::abs(guess) : target.size);
    setup().lower.push_back(parameter.lower);
    setup().upper.push_back(parameter.upper);
    prepared_.guess.push_back(guess);
  }

  const std::vector<FitData>& data_;
  const FitOptions& options_;
  PreparedFit prepared_;
  Diagnostics problems_;
};

}  // namespace

Result<PreparedFit> prepare_fit(const Model& model, const std::vector<FitData>& data,
                                const FitOptions& options) {
  return Preparation(model, data, options).run();
}

}  // namespace saltus::api
