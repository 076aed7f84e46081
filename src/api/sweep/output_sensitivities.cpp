// Columns of final sensitivities.

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "api/sensitivity/targets.hpp"
#include "api/sweep/diagnostic_codes.hpp"
#include "api/sweep/outputs.hpp"

namespace saltus::api {
namespace {

bool is_within_a_run(Term::Kind kind) {
  return kind == Term::Kind::at_event || kind == Term::Kind::before_event;
}

}  // namespace

Diagnostics SweepOutputs::add_sensitivities(std::vector<std::string> keys, const RunSettings& settings) {
  rtol_ = settings.rtol;
  atol_ = settings.atol.value_or(settings.tolerance);
  side_ = side_of(settings.sensitivity_side);
  Diagnostics problems;
  keys_ = std::move(keys);
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const Output& output = outputs_[k];
    if (!output.is_functional && model_.variables()[output.place].type != ValueType::real) {
      continue;
    }
    moving_.push_back(k);
    for (const std::string& key : keys_) {
      labels_.push_back(fmt::format("d({})/d({})", labels_[k], key));
    }
    if (!output.is_functional) {
      continue;
    }
    for (const FunctionalTexts::Use& use : functionals_->texts.functionals[output.place].uses) {
      const Term& term = functionals_->texts.terms[use.term];
      if (is_within_a_run(term.kind)) {
        problems.error(
            kWrongSweep,
            fmt::format("--sens: a sweep has no sensitivities of '{}', a value at an event", term.text),
            std::nullopt, "'saltus gradient' has them, for one run");
      }
    }
  }
  return problems;
}

// What `columns` become is asked for as long as instants are counted.
CountedInstants SweepOutputs::count_instants(const SimulationResult& result,
                                             const sensitivity::Setup& columns) const {
  CountedInstants instants(last_event_);
  instants.begin({rtol_, result.start, result.end, &columns});
  for (std::size_t e = 0; e < result.events.size() && last_event_ > 0; ++e) {
    const auto& event = result.events[e];
    sensitivity::InstantTangents instant;
    instant.t = event.time;
    instant.n_events = 1;
    instant.sigma.assign(event.sensitivities.begin(), event.sensitivities.end());
    instants.take(instant);
  }
  return instants;
}

double SweepOutputs::term_sensitivity(const SimulationResult& result, const CountedInstants& instants,
                                      std::size_t term, std::size_t parameter) const {
  const Term& asked = functionals_->texts.terms[term];
  if (asked.kind == Term::Kind::event_time) {
    return asked.event <= instants.size() ? instants[asked.event].sigma[parameter] : std::nan("");
  }
  const auto place = place_in(result, functionals_->variables[term], places_[term]);
  return place ? result.sensitivities->final_row(*place)[parameter] : std::nan("");
}

void SweepOutputs::sensitivities(const SimulationResult& result, const std::vector<double>& terms_found,
                                 std::span<double> out) const {
  if (moving_.empty() || keys_.empty()) {
    return;
  }
  sensitivity::Setup columns;
  columns.side = side_;
  for (const double value : result.sensitivities->parameter_values) {
    columns.columns.emplace_back().size = value == 0.0 ? 1.0 : std::abs(value);
  }
  const CountedInstants instants = count_instants(result, columns);
  std::size_t at = 0;
  for (const std::size_t k : moving_) {
    const Output& output = outputs_[k];
    const bool is_composed = output.is_functional && !output.term;
    const OuterFunctions::Value outer =
        is_composed
            ? functionals_->outer.evaluate(output.place, terms_found,
                                           small_changes(functionals_->texts, terms_found, rtol_, atol_))
            : OuterFunctions::Value();
    for (const std::string& key : keys_) {
      const std::ptrdiff_t column = result.sensitivities->parameter(key);
      double& found = out[at++];
      found = std::nan("");
      if (column < 0) {
        continue;
      }
      const auto parameter = static_cast<std::size_t>(column);
      if (!output.is_functional) {
        const auto place = place_in(result, names_[output.place], output.place);
        found = place ? result.sensitivities->final_row(*place)[parameter] : found;
      } else if (output.term) {
        found = term_sensitivity(result, instants, *output.term, parameter);
      } else if (!outer.is_at_kink) {
        // Uses of one term have their slope once.
        std::vector<double> slopes(functionals_->texts.terms.size(), 0.0);
        for (const FunctionalTexts::Use& use : functionals_->texts.functionals[output.place].uses) {
          slopes[use.term] = outer.derivatives[use.term];
        }
        found = 0.0;
        for (std::size_t i = 0; i < slopes.size(); ++i) {
          found += slopes[i] != 0.0 ? slopes[i] * term_sensitivity(result, instants, i, parameter) : 0.0;
        }
      }
      found = std::isfinite(found) ? found : std::nan("");
    }
  }
}

}  // namespace saltus::api
