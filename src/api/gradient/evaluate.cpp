#include "api/gradient/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "api/gradient/adjoint_terms.hpp"
#include "api/gradient/counted_instants.hpp"
#include "api/gradient/diagnostic_codes.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/options/bound_options.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "base/time_tolerance.hpp"

namespace saltus::api {
namespace {

// Values and sensitivities on both sides of an instant are the same up to this many tolerances.
constexpr double kSameTolerances = 1000.0;

const double kUndefined = std::nan("");

class Evaluator {
 public:
  Evaluator(const FunctionalModel& functionals, const SimulationOptions& options,
            const std::vector<std::string>& with, std::string_view option, const GradientWay& by)
      : functionals_(functionals),
        options_(options),
        with_(with),
        option_(option),
        by_(by.way),
        most_numbers_(by.most_numbers),
        instants_(last_event()) {}

  Result<EvaluatedFunctionals> run() {
    const WallClock clock;
    Diagnostics problems;
    RunSettings settings = settings_of(problems);
    if (problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    const auto work = [&]() -> Result<EvaluatedFunctionals> {
      const Result<Instance> instance =
          instantiate(functionals_.model.data(), settings.set, settings.inputs, settings.formulation);
      if (!instance) {
        return Unexpected(instance.error());
      }
      if (Diagnostics unknown = check_variable_names(settings, instance->variables); unknown.has_errors()) {
        return Unexpected(std::move(unknown));
      }
      Result<std::vector<SensitivityTarget>> all = choose_targets(with_, *instance, settings.start, option_);
      if (!all) {
        return Unexpected(std::move(all).error());
      }
      std::vector<SensitivityTarget> targets = own_targets(*std::move(all));
      if (targets.empty()) {
        problems.error(kUnknownSensitivity,
                       fmt::format("{}: the model has no such parameters or states", option_));
        return Unexpected(std::move(problems));
      }
      if (by_ == GradientBy::chosen) {
        by_ = targets.size() >= kNamesForAdjoint ? GradientBy::adjoint : GradientBy::forward;
      }
      found_.by = by_;
      problems.append(warn_of_held_ends(settings.inputs, settings.start, settings.stop));
      found_.run.diagnostics = std::move(problems);
      simulate(*instance, settings, std::move(targets));
      found_.run.statistics.wall_seconds = clock.seconds();
      return std::move(found_);
    };
    const auto ended = [&](const EarlyEnd& end) -> Result<EvaluatedFunctionals> {
      found_.run.status = SimulationStatus::stopped;
      found_.run.reason = *reason_of(end.reason);
      found_.run.message = end.message;
      found_.problem = end.message;
      return std::move(found_);
    };
    return under_limits(limits_of(settings, options_), "before the run began", work, ended);
  }

 private:
  [[nodiscard]] std::int64_t last_event() const {
    std::int64_t last = 0;
    for (const Term& term : functionals_.texts.terms) {
      last = std::max(last, term.event);
    }
    return last;
  }

  // Rows are at the ends; what is about rows, files and the model without its terms is left out.
  [[nodiscard]] RunSettings settings_of(Diagnostics& problems) const {
    RunSettings settings = resolve(functionals_.model, options_, problems);
    const double length = std::abs(settings.stop - settings.start);
    settings.interval = length > 0.0 ? length : settings.interval;
    settings.rows_at_steps = false;
    settings.times.clear();
    settings.columns.clear();
    settings.sensitivities.clear();
    settings.sensitivity_check = false;
    settings.error_estimate = false;
    settings.expect_index.clear();
    return settings;
  }

  // `starts` names the states that were added too.
  [[nodiscard]] std::vector<SensitivityTarget> own_targets(std::vector<SensitivityTarget> targets) const {
    std::erase_if(targets, [&](const SensitivityTarget& target) {
      return target.is_start && std::find(functionals_.added.begin(), functionals_.added.end(),
                                          target.name) != functionals_.added.end();
    });
    return targets;
  }

  void simulate(const Instance& instance, const RunSettings& settings,
                std::vector<SensitivityTarget> targets) {
    SimulationOptions hooks = options_;
    hooks.keep_dense = false;
    hooks.keep_rows = false;
    hooks.sink = nullptr;
    hooks.checkpoint.clear();
    hooks.resume.clear();
    const Columns columns = Columns::all(instance.variables);
    SimulationResult& result = found_.run;
    result.diagnostics.append(instance.warnings);
    result.variables = instance.variables;
    result.columns = instance.variables;
    result.parameters = instance.parameters;
    result.statistics.method = settings.choice.method->name;
    result.statistics.method_reason = settings.method_reason;
    result.sensitivities = empty_sensitivities(targets, columns);
    rtol_ = settings.rtol;
    atol_ = settings.atol.value_or(settings.tolerance);
    found_.names = result.sensitivities->parameters;
    found_.at = result.sensitivities->parameter_values;
    Run run(instance, settings, columns, hooks, result);
    if (by_ == GradientBy::adjoint) {
      // One more: how close it is to the last one counts.
      run.ask_tape(std::move(targets), {last_event() + 1, most_numbers_});
    } else {
      instants_.begin({settings.rtol, settings.start, settings.stop, &run.setup()});
      run.ask_sensitivities(std::move(targets));
      run.ask_instants([this](const sensitivity::InstantTangents& instant) { instants_.take(instant); });
    }
    if (run.begin()) {
      (void)run.advance(settings.stop, hybrid::RunLoop::Until::horizon);
    }
    run.conclude();
    find_parameters(*instance.flat, run.setup());
    if (by_ == GradientBy::adjoint) {
      find_values_by_adjoint(run);
    } else {
      find_values();
    }
  }

  // Parameters outside of terms move as they do from the start on, whatever becomes of the solution.
  void find_parameters(const flat::Model& model, const sensitivity::Setup& setup) {
    const auto n = static_cast<std::size_t>(setup.directions.n_directions);
    parameter_rows_.resize(functionals_.texts.terms.size());
    for (const flat::Equation& equation : model.equations) {
      const expr::Node& left = model.graph[equation.left];
      const expr::Node& right = model.graph[equation.right];
      if (left.op != expr::Op::variable || right.op != expr::Op::parameter || left.second != 0) {
        continue;
      }
      for (std::size_t i = 0; i < parameter_rows_.size(); ++i) {
        if (functionals_.texts.terms[i].kind == Term::Kind::parameter &&
            model.variables[left.first].name == functionals_.variables[i] &&
            setup.directions.parameters.size() >= (right.first + 1) * n) {
          for (std::size_t k = 0; k < n; ++k) {
            const bool is_known = setup.columns[k].undefined.empty();
            parameter_rows_[i].push_back(is_known ? setup.directions.parameters[right.first * n + k]
                                                  : kUndefined);
          }
        }
      }
    }
  }

  // Whether the run has come to its end, with all instants that terms name.
  [[nodiscard]] bool has_all(std::int64_t n_instants) {
    if (!found_.run.ok()) {
      found_.problem =
          found_.run.message.empty() ? std::string(to_string(found_.run.reason)) : found_.run.message;
      return false;
    }
    for (const Term& term : functionals_.texts.terms) {
      if (term.event > n_instants) {
        found_.problem = fmt::format("'{}': the run has {} with events", term.text,
                                     n_instants == 0   ? "no instant"
                                     : n_instants == 1 ? "one instant"
                                                       : fmt::format("{} instants", n_instants));
        return false;
      }
    }
    return true;
  }

  void find_values_by_adjoint(const Run& run) {
    const sensitivity::Tape* const tape = run.tape();
    if (!has_all(tape == nullptr ? 0 : tape->n_instants()) || tape == nullptr) {
      return;
    }
    found_.n_pieces = run.n_pieces();
    const AdjointTerms terms(functionals_, *tape, found_.run, rtol_);
    found_.terms = terms.values();
    for (std::size_t i = 0; i < found_.terms.size(); ++i) {
      if (!std::isfinite(found_.terms[i])) {
        found_.problem = fmt::format("'{}' has no value", functionals_.texts.terms[i].text);
        return;
      }
    }
    for (std::size_t f = 0; f < functionals_.texts.functionals.size(); ++f) {
      const OuterFunctions::Value value = value_of(f);
      found_.without_adjoint = terms.problem();
      std::vector<double> gradient(found_.names.size(), kUndefined);
      if (found_.without_adjoint.empty() && !value.is_at_kink && found_.problem.empty()) {
        const std::vector<double> slopes = slopes_of(f, value);
        sensitivity::AdjointAnswer answer = run.go_back(terms.question(slopes));
        found_.without_adjoint =
            answer.problem.empty() ? "" : fmt::format("at t = {:.9g} {}", answer.t, answer.problem);
        if (answer.problem.empty()) {
          gradient = std::move(answer.gradient);
          add_parameters(slopes, gradient);
        }
      }
      found_.gradients.insert(found_.gradients.end(), gradient.begin(), gradient.end());
    }
  }

  // ∂functional/∂term, zero for those that it does not use.
  [[nodiscard]] std::vector<double> slopes_of(std::size_t f, const OuterFunctions::Value& value) const {
    std::vector<double> slopes(functionals_.texts.terms.size(), 0.0);
    for (const FunctionalTexts::Use& use : functionals_.texts.functionals[f].uses) {
      slopes[use.term] = value.derivatives[use.term];
    }
    return slopes;
  }

  // Parameters outside of terms.
  void add_parameters(std::span<const double> slopes, std::span<double> gradient) const {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      for (std::size_t k = 0; k < parameter_rows_[i].size() && slopes[i] != 0.0; ++k) {
        gradient[k] += slopes[i] * parameter_rows_[i][k];
      }
    }
  }

  void find_values() {
    if (!has_all(instants_.size())) {
      return;
    }
    for (std::size_t i = 0; i < functionals_.texts.terms.size(); ++i) {
      const Term& term = functionals_.texts.terms[i];
      take(term, functionals_.variables[i]);
      if (!parameter_rows_[i].empty()) {
        std::copy(parameter_rows_[i].begin(), parameter_rows_[i].end(),
                  found_.term_gradients.end() - static_cast<std::ptrdiff_t>(found_.names.size()));
      }
      if (!std::isfinite(found_.terms.back())) {
        found_.problem = fmt::format("'{}' has no value", term.text);
        return;
      }
    }
    apply_functions();
    tell_undefined();
  }

  [[nodiscard]] std::size_t place_of(const std::string& name) const {
    const std::vector<VariableInfo>& all = found_.run.variables;
    return static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [&](const VariableInfo& info) { return info.name == name; }) -
        all.begin());
  }

  void put(double value, std::span<const double> gradient) {
    const std::size_t n = found_.names.size();
    found_.terms.push_back(value);
    for (std::size_t k = 0; k < n; ++k) {
      found_.term_gradients.push_back(k < gradient.size() ? gradient[k] : kUndefined);
    }
  }

  void take(const Term& term, const std::string& variable) {
    const std::size_t n = found_.names.size();
    const std::size_t v = variable.empty() ? 0 : place_of(variable);
    const auto at = [&](const std::vector<double>& values) {
      return v < values.size() ? values[v] : kUndefined;
    };
    const auto row = [&](const std::vector<double>& tangents) {
      return tangents.size() >= (v + 1) * n ? std::span(tangents).subspan(v * n, n)
                                            : std::span<const double>();
    };
    switch (term.kind) {
      case Term::Kind::event_time: put(instants_[term.event].t, instants_[term.event].sigma); return;
      case Term::Kind::at_event:
        put(at(instants_[term.event].values_after), row(instants_[term.event].after_along));
        return;
      case Term::Kind::before_event:
        put(at(instants_[term.event].values_before), row(instants_[term.event].before_along));
        return;
      case Term::Kind::final:
      case Term::Kind::integral:
      case Term::Kind::parameter: break;
    }
    put(at(found_.run.final_values), row(found_.run.sensitivities->final_values));
    refuse_at_stop(term, v);
  }

  // An event that moves lies at the stop: beside it, values of before count as well as those of after.
  void refuse_at_stop(const Term& term, std::size_t v) {
    const std::optional<sensitivity::InstantTangents>& last = instants_.last();
    if (!last || last->t != found_.run.end || found_.run.status != SimulationStatus::success) {
      return;
    }
    const std::size_t n = found_.names.size();
    double* const gradient = found_.term_gradients.data() + found_.term_gradients.size() - n;
    const double tolerance = kSameTolerances * rtol_;
    const auto differ = [&](double a, double b) {
      return !(std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1.0}));
    };
    const bool jumps = v >= last->values_before.size() || differ(last->values_before[v], found_.terms.back());
    for (std::size_t k = 0; k < n; ++k) {
      const bool moves = last->sigma.size() != n || last->sigma[k] != 0.0;
      const bool is_kink = last->before.size() < (v + 1) * n || differ(last->before[v * n + k], gradient[k]);
      if (moves && (jumps || is_kink)) {
        gradient[k] = kUndefined;
        at_stop_.push_back(term.text);
      }
    }
  }

  // Of a functional, which is taken down.
  OuterFunctions::Value value_of(std::size_t f) {
    OuterFunctions::Value value = functionals_.outer.evaluate(
        f, found_.terms, small_changes(functionals_.texts, found_.terms, rtol_, atol_));
    double noise = 0.0;
    for (const FunctionalTexts::Use& use : first_uses(functionals_.texts.functionals[f])) {
      const bool is_exact = functionals_.texts.terms[use.term].kind == Term::Kind::parameter;
      noise += is_exact ? 0.0 : std::abs(value.derivatives[use.term] * found_.terms[use.term]) * rtol_;
    }
    found_.noise.push_back(noise);
    const std::string_view text = functionals_.texts.source->text(functionals_.texts.functionals[f].span);
    found_.values.push_back(value.value);
    if (!std::isfinite(value.value)) {
      found_.problem = fmt::format("'{}' has no value", text);
    }
    if (value.is_at_kink) {
      found_.run.diagnostics.warning(
          kGradientUndefined, fmt::format("'{}' has no derivative: a choice within it changes there", text));
    }
    return value;
  }

  void apply_functions() {
    const std::size_t n = found_.names.size();
    for (std::size_t f = 0; f < functionals_.texts.functionals.size(); ++f) {
      const OuterFunctions::Value value = value_of(f);
      for (std::size_t k = 0; k < n; ++k) {
        double sum = value.is_at_kink ? kUndefined : 0.0;
        for (const FunctionalTexts::Use& use : first_uses(functionals_.texts.functionals[f])) {
          sum += value.derivatives[use.term] * found_.term_gradients[use.term * n + k];
        }
        found_.gradients.push_back(std::isfinite(sum) ? sum : kUndefined);
      }
    }
  }

  static std::vector<FunctionalTexts::Use> first_uses(const FunctionalTexts::Functional& functional) {
    std::vector<FunctionalTexts::Use> uses;
    for (const FunctionalTexts::Use& use : functional.uses) {
      if (std::none_of(uses.begin(), uses.end(), [&](const auto& known) { return known.term == use.term; })) {
        uses.push_back(use);
      }
    }
    return uses;
  }

  // What the run has not said already.
  void tell_undefined() {
    const std::size_t n = found_.names.size();
    for (std::size_t i = 0; i < found_.terms.size(); ++i) {
      const std::string& text = functionals_.texts.terms[i].text;
      const bool is_at_stop = std::find(at_stop_.begin(), at_stop_.end(), text) != at_stop_.end();
      std::string names;
      for (std::size_t k = 0; k < n; ++k) {
        if (!std::isfinite(found_.term_gradients[i * n + k])) {
          names += (names.empty() ? "'" : ", '") + found_.names[k] + "'";
        }
      }
      if (!names.empty()) {
        found_.run.diagnostics.warning(
            kGradientUndefined,
            fmt::format("the derivative of '{}' with respect to {} is undefined{}", text, names,
                        is_at_stop ? ": an event lies exactly at the end of the run" : ""));
      }
    }
  }

  const FunctionalModel& functionals_;
  const SimulationOptions& options_;
  const std::vector<std::string>& with_;
  std::string_view option_;
  GradientBy by_;
  std::size_t most_numbers_;  // of a piece of the tape
  CountedInstants instants_;
  EvaluatedFunctionals found_;
  double rtol_ = 0.0;
  double atol_ = 0.0;
  std::vector<std::vector<double>> parameter_rows_;  // by term; empty: as the variable
  std::vector<std::string> at_stop_;                 // terms that have no derivative there
};

}  // namespace

Result<EvaluatedFunctionals> evaluate(const FunctionalModel& functionals, const SimulationOptions& options,
                                      const std::vector<std::string>& with, std::string_view option,
                                      const GradientWay& by) {
  return Evaluator(functionals, options, with, option, by).run();
}

}  // namespace saltus::api
