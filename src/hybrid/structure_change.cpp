#include "hybrid/structure_change.hpp"

#include <fmt/format.h>

namespace saltus::hybrid {

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

bool StructureFollower::enter(const system::StructureId& structure) {
  const auto target = state_.modes.mode(structure);
  if (!target) {
    state_.end(RunOutcome::Status::failed, "mode_failed", target.error().items()[0].message);
    return false;
  }
  has_changed_ = true;
  entry_.states_for(**target, x_entry_);
  sliding_.stop_sliding();
  state_.mode = *target;
  state_.x = x_entry_;
  state_.evaluator = state_.mode->evaluator.get();
  state_.evaluator->set_configuration(state_.configuration);
  sliding_.forget_derivative();
  transfer_.set_rates(entry_.rates());
  if (!transfer_.onto_constraints(*state_.mode, state_.x)) {
    state_.end(RunOutcome::Status::failed, transfer_.failure().reason, transfer_.failure().message);
    return false;
  }
  return state_.evaluate_outputs(state_.values);
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
  if (!transfer_.changes().empty()) {
    state_.x.assign(x_entry_.begin(), x_entry_.end());
    sliding_.forget_derivative();
  }
  return true;
}

bool StructureFollower::follow() {
  if (!state_.system.has_structures()) {
    return meet_constraints();
  }
  for (std::int64_t changes = 0;; ++changes) {
    const system::StructureId structure = state_.system.structure_of(state_.configuration);
    if (structure == state_.mode->structure) {
      return has_changed_ || meet_constraints();
    }
    const std::vector<double> latched_before = state_.configuration.latched;
    if (!enter(structure) || !survey_.look() || !decide_zero_guards()) {
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
