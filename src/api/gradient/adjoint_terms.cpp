#include "api/gradient/adjoint_terms.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/instant/surface_places.hpp"

namespace saltus::api {

AdjointTerms::AdjointTerms(const FunctionalModel& functionals, const sensitivity::Tape& tape,
                           const SimulationResult& run, double rtol)
    : functionals_(functionals),
      tape_(tape),
      run_(run),
      reach_(sensitivity::kTolerancesOfReach * rtol * std::abs(run.end - run.start)) {
  for (std::size_t i = 0; i < functionals.texts.terms.size(); ++i) {
    find_value(i);
  }
  const bool ends_at_event = tape.n_instants() > 0 && std::abs(tape.last_event_time() - run.end) <= reach_ &&
                             run.status == SimulationStatus::success;
  if (ends_at_event) {
    problem_ = "an event lies at the end of the run";
  }
}

void AdjointTerms::find_value(std::size_t term) {
  const std::vector<VariableInfo>& all = run_.variables;
  const auto found = std::find_if(all.begin(), all.end(), [&](const VariableInfo& info) {
    return info.name == functionals_.variables[term];
  });
  const auto v = static_cast<std::size_t>(found - all.begin());
  const auto at = [&](const std::vector<double>& values) {
    return v < values.size() ? values[v] : std::nan("");
  };
  places_.push_back(v);
  const Term& text = functionals_.texts.terms[term];
  if (!is_at_an_event(text.kind)) {
    values_.push_back(at(run_.final_values));
    return;
  }
  const sensitivity::Tape::Numbered& instant = tape_.numbered()[static_cast<std::size_t>(text.event - 1)];
  if (!instant.is_single) {
    problem_ = "several instants lie at the time of '" + text.text + "'";
  }
  const std::vector<sensitivity::Tape::Numbered>& all_instants = tape_.numbered();
  const auto is_close = [&](const sensitivity::Tape::Numbered& other) {
    return other.t != instant.t && std::abs(other.t - instant.t) <= reach_;
  };
  if (std::any_of(all_instants.begin(), all_instants.end(), is_close)) {
    problem_ = "another instant lies so close to '" + text.text + "' that parameters may change their order";
  }
  switch (text.kind) {
    case Term::Kind::at_event: values_.push_back(at(instant.values_after)); break;
    case Term::Kind::before_event: values_.push_back(at(instant.values_before)); break;
    default: values_.push_back(instant.t); break;
  }
}

sensitivity::AdjointQuestion AdjointTerms::question(std::span<const double> slopes) const {
  sensitivity::AdjointQuestion question;
  const auto put = [&](std::vector<double>& weights, std::size_t place, double slope) {
    weights.resize(run_.variables.size(), 0.0);
    weights[place] += slope;
  };
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const Term& term = functionals_.texts.terms[i];
    if (slopes[i] == 0.0 || term.kind == Term::Kind::parameter) {
      continue;
    }
    if (!is_at_an_event(term.kind)) {
      put(question.final_values, places_[i], slopes[i]);
      continue;
    }
    sensitivity::InstantWeights& weights = question.instants[term.event];
    weights.is_counted = true;
    switch (term.kind) {
      case Term::Kind::at_event: put(weights.after, places_[i], slopes[i]); break;
      case Term::Kind::before_event: put(weights.before, places_[i], slopes[i]); break;
      default: weights.time += slopes[i]; break;
    }
  }
  return question;
}

}  // namespace saltus::api
