// The structure that the sides ask for is entered, sides are decided in it, and again, until both agree.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "settle/state/within_errors.hpp"
#include "settle/structures/structure_change.hpp"

namespace saltus::settle {

// Rounding must not make a loop. A structure that was entered before in this instant and left by values: guards that these have turned,
// by no more than the error test allows them to be off (what verification accepts too), are zero, and go where they move.
void StructureFollower::take_back_errors(const std::vector<double>& latched_before) {
  in_error_.clear();
  ModeData& mode = state_.at.mode();
  for (const Index guard : mode.guards) {
    const double before = latched_before[static_cast<std::size_t>(guard)];
    if (state_.guard(guard).kind == system::GuardInfo::Kind::relation && before != state_.at.latched(guard) &&
        std::abs(before) == 1.0 && !state_.at.is_slid_on(guard) &&
        is_within_errors(state_, *mode.evaluator, guard)) {
      state_.set_latched(guard, before);
      in_error_.push_back(guard);
    }
  }
  mode.evaluator->set_configuration(state_.at.configuration());
}

bool StructureFollower::decide_errors() {
  for (const Index guard : in_error_) {
    const double side = state_.at.latched(guard);
    if (!sliding_.install() || !sliding_.decide_by_motion(guard)) {
      return false;
    }
    if (state_.at.latched(guard) == 0.0) {
      state_.set_latched(guard, side);
    }
  }
  return true;
}

bool StructureFollower::enter_and_decide(const system::StructureId& structure,
                                         const std::vector<double>& latched_before) {
  in_error_.clear();
  if (!enter(structure) || !survey_.look()) {
    return false;
  }
  if (std::find(entered_.begin(), entered_.end(), structure) != entered_.end()) {
    take_back_errors(latched_before);
  }
  entered_.push_back(structure);
  return decide_zero_guards() && decide_errors();
}

bool StructureFollower::enter_present_structure() {
  if (!state_.system().has_structures()) {
    return true;
  }
  entered_.clear();
  bool is_chosen = false;  // the sides at hand have been looked for, and agree with their values
  for (std::int64_t changes = 0;; ++changes) {
    const system::StructureId structure = state_.system().structure_of(state_.at.configuration());
    if (structure == state_.at.mode().structure || by_ranks(structure) == state_.at.mode().structure) {
      return true;
    }
    const std::vector<double> latched_before = state_.at.configuration().latched;
    std::optional<system::Configuration> other;
    if (!is_chosen) {
      other = search_.by_equations(state_.at.configuration(), {});
      other = other ? other : better_than(structure);
    }
    is_chosen = other && !(*other == state_.at.configuration());
    if (is_chosen) {
      go_on_in(*other);
    } else if (!enter_and_decide(structure, latched_before)) {
      return false;
    }
    if (changes >= state_.options().max_immediate) {
      end_at_limit(latched_before);
      return false;
    }
  }
}

void StructureFollower::end_at_limit(const std::vector<double>& latched_before) {
  std::string names;
  for (std::size_t i = 0; i < latched_before.size(); ++i) {
    if (latched_before[i] != state_.at.configuration().latched[i]) {
      names += (names.empty() ? "'" : ", '") + state_.guards()[i].condition + "'";
    }
  }
  state_.end(
      RunOutcome::Status::stopped, "immediate_limit",
      fmt::format("{} changes of structure at t = {:.9g} without an end: whichever value {} has, the "
                  "equations give it another",
                  state_.options().max_immediate, state_.at.time(), names.empty() ? "a condition" : names));
}

}  // namespace saltus::settle
