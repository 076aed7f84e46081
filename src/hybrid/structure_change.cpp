#include "hybrid/structure_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hybrid/diagnostic_codes.hpp"
#include "hybrid/other_structures.hpp"
#include "reduce/consistency.hpp"

namespace saltus::hybrid {
namespace {

constexpr int kMostNamed = 8;

}  // namespace

bool StructureFollower::divides(Index guard) {
  if (!state_.system.has_structures()) {
    return false;
  }
  const double latched = state_.latched(guard);
  state_.latched(guard) = 1.0;
  const system::StructureId above = state_.system.structure_of(state_.configuration);
  state_.latched(guard) = -1.0;
  const system::StructureId below = state_.system.structure_of(state_.configuration);
  state_.latched(guard) = latched;
  return !(above == below);
}

ModeData* StructureFollower::find_entry(const system::StructureId& structure) {
  const auto found = state_.modes.mode(structure);
  if (!found) {
    failure_ = {"mode_failed", found.error().items()[0].message};
    return nullptr;
  }
  const auto reaches = [this](ModeData& target) {
    entry_.states_for(target, x_tried_);
    transfer_.set_rates(entry_.rates());
    return transfer_.onto_constraints(target, x_tried_);
  };
  ModeData& target = **found;
  const bool is_reached = reaches(target);
  failure_ = is_reached ? Transfer::Failure{} : transfer_.failure();
  if (rank_entry_.is_singular(target, state_.configuration, x_tried_) ||
      (is_reached && rank_entry_.has_singular_values(target, x_tried_))) {
    ModeData* const other = rank_entry_.by_ranks_instead(target);
    if (other != nullptr && reaches(*other)) {
      rank_entry_.take(target);
      return other;
    }
    if (other != nullptr && is_reached) {
      (void)reaches(target);
    }
  }
  return is_reached ? &target : nullptr;
}

bool StructureFollower::enter(const system::StructureId& structure) {
  ModeData* const target = find_entry(structure);
  if (target == nullptr) {
    state_.end(RunOutcome::Status::failed, failure_.reason, failure_.message);
    return false;
  }
  has_changed_ = true;
  const ModeData& left = *state_.mode;
  x_left_.assign(state_.x.begin(), state_.x.end());
  sliding_.stop_sliding();
  state_.mode = target;
  state_.x = x_tried_;
  state_.evaluator = state_.mode->evaluator.get();
  state_.evaluator->set_configuration(state_.configuration);
  sliding_.forget_derivative();
  if (!state_.evaluate_outputs(state_.values)) {
    return false;
  }
  tell_jumps(left, x_left_);
  return true;
}

void StructureFollower::tell_jumps(const ModeData& left, std::span<const double> x_left) {
  if (state_.has_told_jump) {
    return;
  }
  std::string jumps;
  int count = 0;
  for (std::size_t i = 0; i < x_left.size(); ++i) {
    const Index variable = variable_of(left.engine->names()[i]);
    const double value = variable < 0 ? x_left[i] : state_.values[static_cast<std::size_t>(variable)];
    const double size = std::max(std::abs(x_left[i]), left.engine->nominal()[i]);
    if (std::abs(value - x_left[i]) > reduce::kMoved * size && ++count <= kMostNamed) {
      jumps += fmt::format("{}{} from {:.6g} to {:.6g}", jumps.empty() ? "" : ", ", left.engine->names()[i],
                           x_left[i], value);
    }
  }
  if (count == 0) {
    return;
  }
  state_.warn_of_jump(
      fmt::format("at t = {:.9g} conditions change and the equations do not allow the values that are held: "
                  "reinitialised {}{}",
                  state_.time(), jumps,
                  count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : ""),
      "write modes and jump equations if these variables go elsewhere");
}

Index StructureFollower::variable_of(std::string_view name) {
  if (variables_.empty()) {
    for (std::size_t i = 0; i < state_.system.variables().size(); ++i) {
      variables_.emplace(state_.system.variables()[i].name, static_cast<Index>(i));
    }
  }
  const auto found = variables_.find(name);
  return found == variables_.end() ? -1 : found->second;
}

std::optional<system::Configuration> StructureFollower::without_jump(const system::Configuration& wanted) {
  std::vector<std::uint8_t> is_settled(state_.guards.size(), 0);
  for (const LatchChange& change : state_.changes) {
    is_settled[static_cast<std::size_t>(change.guard)] = 1;
  }
  OtherStructures others(state_.system, wanted, is_settled);
  while (std::optional<system::Configuration> other = others.next()) {
    const system::Configuration present = std::exchange(state_.configuration, *other);
    const bool is_good = agrees(wanted, *other);
    state_.configuration = present;
    if (is_good) {
      return other;
    }
  }
  return std::nullopt;
}

// Guards take the sides of their values, as far as the structure stays.
bool StructureFollower::agrees(const system::Configuration& wanted, system::Configuration& configuration) {
  const system::StructureId structure = state_.system.structure_of(configuration);
  const auto found = state_.modes.mode(structure);
  if (!found) {
    return false;
  }
  ModeData& target = **found;
  entry_.states_for(target, x_tried_);
  transfer_.set_rates(entry_.rates());
  if (!transfer_.onto_constraints(target, x_tried_) || !transfer_.changes().empty()) {
    return false;
  }
  target.evaluator->set_configuration(configuration);
  guard_values_.resize(target.guards.size());
  if (!target.evaluator->guards(target.guards, state_.time(), x_tried_, guard_values_).ok()) {
    return false;
  }
  for (std::size_t k = 0; k < target.guards.size(); ++k) {
    const Index guard = target.guards[k];
    if (state_.guard(guard).is_scheduled && state_.at_root[static_cast<std::size_t>(guard)] != 0) {
      continue;  // its time has come: what rounding has left of it is no side (1.3)
    }
    const double noise = target.evaluator->guard_noise(guard, state_.time(), x_tried_);
    if (state_.guard(guard).kind == system::GuardInfo::Kind::relation && std::abs(guard_values_[k]) > noise) {
      configuration.latched[static_cast<std::size_t>(guard)] = guard_values_[k] > 0.0 ? 1.0 : -1.0;
    }
  }
  return state_.system.structure_of(configuration) == structure &&
         discrete_values_agree(target, wanted, configuration);
}

// A round in which nothing fires, on the values that are wanted: what equations give must be what was tried, and what they do not
// give stays as it is.
bool StructureFollower::discrete_values_agree(ModeData& target, const system::Configuration& wanted,
                                              const system::Configuration& configuration) {
  if (target.rounds == nullptr || configuration.discrete.empty()) {
    return true;
  }
  before_.assign(state_.values.begin(), state_.values.end());
  for (std::size_t i = 0; i < wanted.discrete.size(); ++i) {
    before_[static_cast<std::size_t>(state_.system.discrete()[i])] = wanted.discrete[i];
  }
  const std::vector<std::uint8_t> fired(state_.system.actions().size(), 0);
  const std::vector<std::uint8_t> clocks(static_cast<std::size_t>(state_.system.n_clocks()), 0);
  system::RoundInputs inputs;
  inputs.t = state_.time();
  inputs.configuration = &configuration;
  inputs.previous = before_;
  inputs.x_previous = x_tried_;
  inputs.fired = fired;
  inputs.clocks = clocks;
  return target.rounds->solve(inputs, target.conditions).ok() &&
         target.conditions.discrete == configuration.discrete;
}

void StructureFollower::take_sides(const system::Configuration& found) {
  for (std::size_t i = 0; i < found.latched.size(); ++i) {
    if (found.latched[i] != state_.configuration.latched[i]) {
      state_.set_latched(static_cast<Index>(i), found.latched[i]);
    }
  }
}

// Sides of different structures have no blend: the solution of the present one says where it goes.
bool StructureFollower::decide_zero_guards() {
  dividing_.assign(survey_.others().begin(), survey_.others().end());
  jumping_.clear();
  for (const Index guard : survey_.jumping()) {
    (divides(guard) ? dividing_ : jumping_).push_back(guard);
  }
  if (!sliding_.decide(jumping_) || !sliding_.install()) {
    return false;
  }
  for (const Index guard : dividing_) {
    if (!sliding_.decide_by_motion(guard)) {
      return false;
    }
  }
  return true;
}

// Another side of a choice in a constraint, or of one that is differentiated: the states follow.
bool StructureFollower::meet_constraints() {
  if (!state_.surfaces.empty() || state_.changes.empty()) {
    return true;
  }
  state_.mode->evaluator->set_configuration(state_.configuration);
  x_entry_.assign(state_.x.begin(), state_.x.end());
  if (!transfer_.onto_constraints(*state_.mode, x_entry_)) {
    state_.end(RunOutcome::Status::failed, transfer_.failure().reason, transfer_.failure().message);
    return false;
  }
  if (transfer_.changes().empty()) {
    return true;
  }
  x_left_.assign(state_.x.begin(), state_.x.end());
  state_.x.assign(x_entry_.begin(), x_entry_.end());
  sliding_.forget_derivative();
  if (!state_.evaluate_outputs(state_.values)) {
    return false;
  }
  tell_jumps(*state_.mode, x_left_);
  return true;
}

// Asked only where the structure makes a jump.
std::optional<system::Configuration> StructureFollower::other_if_jumping(
    const system::StructureId& structure) {
  const bool is_smooth = find_entry(structure) != nullptr && transfer_.changes().empty();
  return is_smooth ? std::nullopt : without_jump(state_.configuration);
}

bool StructureFollower::follow() {
  const bool had_changed = std::exchange(has_changed_, false);
  const bool goes_on = enter_present_structure() && (has_changed_ || meet_constraints());
  has_changed_ = has_changed_ || had_changed;
  return goes_on;
}

bool StructureFollower::enter_present_structure() {
  if (!state_.system.has_structures()) {
    return true;
  }
  for (std::int64_t changes = 0;; ++changes) {
    const system::StructureId structure = state_.system.structure_of(state_.configuration);
    if (structure == state_.mode->structure || by_ranks(structure) == state_.mode->structure) {
      return true;
    }
    const std::vector<double> latched_before = state_.configuration.latched;
    if (const auto other = other_if_jumping(structure)) {
      take_sides(*other);
    } else if (!enter(structure) || !survey_.look() || !decide_zero_guards()) {
      return false;
    }
    if (changes >= state_.options.max_immediate) {
      end_at_limit(latched_before);
      return false;
    }
  }
}

void StructureFollower::end_at_limit(const std::vector<double>& latched_before) {
  std::string names;
  for (std::size_t i = 0; i < latched_before.size(); ++i) {
    if (latched_before[i] != state_.configuration.latched[i]) {
      names += (names.empty() ? "'" : ", '") + state_.guards[i].condition + "'";
    }
  }
  state_.end(RunOutcome::Status::stopped, "immediate_limit",
             fmt::format("{} changes of structure at t = {:.9g} without an end: whichever value {} has, the "
                         "equations give it another",
                         state_.options.max_immediate, state_.time(), names.empty() ? "a condition" : names));
}

}  // namespace saltus::hybrid
