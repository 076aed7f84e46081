#include "hybrid/settle/structure_search.hpp"

#include <utility>

#include "base/work_watch.hpp"

namespace saltus::hybrid {
namespace {

// At least, in units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAStructure = 100'000;

Index undetermined_in(const ModeData& mode) {
  const reduce::CharacteristicValues* const values =
      mode.by_ranks != nullptr ? mode.by_ranks->values() : nullptr;
  return values != nullptr ? values->undetermined : 0;
}

}  // namespace

bool StructureSearch::leaves_more_open(const ModeData& target) const {
  return undetermined_in(target) > undetermined_in(state_.at.mode());
}

bool StructureSearch::is_less_determined(const ModeData& target) const {
  return leaves_more_open(target) ||
         (target.by_ranks != nullptr && target.by_ranks->contradiction().is_contradiction());
}

std::optional<system::Configuration> StructureSearch::nearest(const system::Configuration& wanted,
                                                              std::span<const std::uint8_t> is_settled) {
  OtherStructures others(state_.system(), wanted, is_settled);
  return first_of(others, wanted);
}

std::optional<system::Configuration> StructureSearch::at_zero(const system::Configuration& wanted,
                                                              std::span<const Index> zero) {
  system::Configuration found = wanted;
  if (agrees(wanted, found)) {
    return found;
  }
  OtherStructures others(state_.system(), wanted, {}, zero);
  return first_of(others, wanted);
}

std::optional<system::Configuration> StructureSearch::first_of(OtherStructures& others,
                                                               const system::Configuration& wanted) {
  while (std::optional<system::Configuration> other = others.next()) {
    count_work(kWorkOfAStructure);
    if (agrees(wanted, *other)) {
      return other;
    }
  }
  return std::nullopt;
}

bool StructureSearch::agrees(const system::Configuration& wanted, system::Configuration& configuration) {
  const auto found = state_.modes.mode(state_.system().structure_of(configuration));
  if (!found) {
    return false;
  }
  ModeData& target = **found;
  return can_be_entered(target, configuration) && sides_agree(target, configuration) &&
         motions_agree(target, configuration) && discrete_values_agree(target, wanted, configuration);
}

bool StructureSearch::can_be_entered(ModeData& target, const system::Configuration& configuration) {
  if (is_less_determined(target)) {
    return false;  // as its last analysis says; another one would cost as much as all else
  }
  entry_.states_for(target, x_tried_);
  transfer_.set_rates(entry_.rates());
  return transfer_.onto_constraints(target, configuration, x_tried_) && transfer_.changes().empty() &&
         !is_less_determined(target) && !rank_entry_.is_singular(target, configuration, x_tried_);
}

// Guards take the sides of their values, as far as the structure stays.
bool StructureSearch::sides_agree(ModeData& target, system::Configuration& configuration) {
  const system::StructureId structure = state_.system().structure_of(configuration);
  target.evaluator->set_configuration(configuration);
  guard_values_.resize(target.guards.size());
  if (!target.evaluator->guards(target.guards, state_.at.time(), x_tried_, guard_values_).ok()) {
    return false;
  }
  zero_.clear();
  for (std::size_t k = 0; k < target.guards.size(); ++k) {
    const Index guard = target.guards[k];
    if (state_.guard(guard).is_scheduled && state_.roots.is_at(guard)) {
      continue;  // its time has come: what rounding has left of it is no side (1.3)
    }
    if (state_.guard(guard).kind != system::GuardInfo::Kind::relation) {
      continue;
    }
    if (survey_.is_zero(target, x_tried_, guard, guard_values_[k])) {
      zero_.push_back(guard);
    } else {
      configuration.latched[static_cast<std::size_t>(guard)] = guard_values_[k] > 0.0 ? 1.0 : -1.0;
    }
  }
  return state_.system().structure_of(configuration) == structure;
}

// A moment later zero guards, too, must have the sides of this structure.
bool StructureSearch::motions_agree(ModeData& target, system::Configuration& configuration) {
  const system::StructureId structure = state_.system().structure_of(configuration);
  target.evaluator->set_configuration(configuration);
  for (const Index guard : zero_) {
    const std::optional<int> sign = sliding_.motion_in(target, x_tried_, guard);
    if (!sign) {
      return false;
    }
    double& side = configuration.latched[static_cast<std::size_t>(guard)];
    const double before = std::exchange(side, static_cast<double>(*sign));
    if (state_.system().structure_of(configuration) == structure) {
      continue;
    }
    if (*sign != 0) {
      return false;
    }
    side = before;
  }
  return true;
}

// A round in which nothing fires, on the values that are wanted: what equations give must be what was tried, and what they do not
// give stays as it is.
bool StructureSearch::discrete_values_agree(ModeData& target, const system::Configuration& wanted,
                                            const system::Configuration& configuration) {
  if (target.rounds == nullptr || configuration.discrete.empty()) {
    return true;
  }
  before_.assign(state_.values.begin(), state_.values.end());
  for (std::size_t i = 0; i < wanted.discrete.size(); ++i) {
    before_[static_cast<std::size_t>(state_.system().discrete()[i])] = wanted.discrete[i];
  }
  const std::vector<std::uint8_t> fired(state_.system().actions().size(), 0);
  const std::vector<std::uint8_t> clocks(static_cast<std::size_t>(state_.system().n_clocks()), 0);
  system::RoundInputs inputs;
  inputs.t = state_.at.time();
  inputs.configuration = &configuration;
  inputs.previous = before_;
  inputs.x_previous = x_tried_;
  inputs.fired = fired;
  inputs.clocks = clocks;
  return target.rounds->solve(inputs, target.conditions).ok() &&
         target.conditions.discrete == configuration.discrete;
}

}  // namespace saltus::hybrid
