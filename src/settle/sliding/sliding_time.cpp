// Guards that time alone moves go on as they do whatever sides the equations take (docs/semantics.md 7.2: both sides give one sign). They are
// decided first, without the field: on a side that has no stretch (`if time < t0 + d then (time - t0)/d else 1` with d = 0) it may have
// no value.
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "settle/sliding/sliding_control.hpp"

namespace saltus::settle {

bool SlidingControl::is_moved_by_time(Index guard) const {
  const system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const auto states = evaluator.guard_states(guard);
  const auto sides = evaluator.guard_sides(guard);
  return state_.guard(guard).kind == system::GuardInfo::Kind::relation && states && states->empty() &&
         sides && sides->empty() && !state_.at.is_slid_on(guard);
}

void SlidingControl::take_those_of_time(std::span<const Index> zero) {
  others_.clear();
  of_time_.clear();
  for (const Index guard : zero) {
    const std::optional<int> sign =
        is_moved_by_time(guard) ? motion_in(state_.at.mode(), state_.at.x(), guard) : std::nullopt;
    if (!sign || *sign == 0) {
      others_.push_back(guard);
      continue;
    }
    slide::GuardDecision& decided = of_time_.emplace_back();
    decided.guard = guard;
    decided.value = static_cast<double>(*sign);
    decided.before = state_.touch(guard).before;
    decided.rate_plus = decided.rate_minus = std::numeric_limits<double>::quiet_NaN();  // not asked for
    decided.encounter = *sign > 0 ? slide::Encounter::to_plus : slide::Encounter::to_minus;
    state_.roots.put(guard);
    state_.at.leave_surface(guard);
    state_.at.set_latched(guard, decided.value);
    derivative_ = {};
  }
}

}  // namespace saltus::settle
