// An instant that comes from outside: external guards get other numbers between two steps (docs/semantics.md 6).
#include "settle/settler.hpp"

namespace saltus::settle {

// The states stay, as far as the constraints that hold now let them; algebraic variables follow, and what they move changes sides and fires
// clauses as after any jump.
bool Settler::settle_outside(std::span<const OutsideValue> values) {
  begin_event();
  if (!begin_record()) {
    return false;
  }
  for (const OutsideValue& item : values) {
    state_.set_latched(item.guard, item.value);
  }
  state_.at.field().set_configuration(state_.at.configuration());
  if (state_.at.mode().by_ranks != nullptr) {
    state_.at.mode().by_ranks->analyse_again();
  }
  if (state_.at.field().projection() != system::Projection::none && !project()) {
    return false;
  }
  sliding_.forget_derivative();
  Occasion occasion;
  occasion.is_outside = true;
  if (!settle_anew(occasion)) {
    return false;
  }
  note_switches();
  return !state_.has_ended() && verified(false);
}

}  // namespace saltus::settle
