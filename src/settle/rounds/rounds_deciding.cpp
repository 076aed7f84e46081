// What a round leaves behind: surfaces that a jump has left, and guards that are zero (docs/semantics.md 5.3, 7).
#include <vector>

#include "settle/rounds/rounds.hpp"

namespace saltus::settle {

// A jump may have left the surfaces that were slid on.
bool Rounds::leave_surfaces() {
  if (!state_.at.is_sliding() || !has_jumped_) {
    return true;
  }
  const std::size_t n_before = state_.at.surfaces().size();
  if (!survey_.leave_surfaces()) {
    return false;
  }
  if (state_.at.is_sliding() && state_.at.surfaces().size() < n_before) {
    // A rate may have depended on the weight of a surface that was left alone.
    if (!sliding_.install()) {
      return false;
    }
    std::vector<double> rates(state_.at.x().size());
    const system::Evaluation kept = state_.at.field().rhs(state_.at.time(), state_.at.x(), rates);
    return kept.status != system::Evaluation::Status::no_weights || sliding_.decide_again();
  }
  return survey_.left_pair_side() == 0.0 || sliding_.leave_pair(survey_.left_pair_side());
}

// Guards at the new values. In a mode just entered zero guards are decided before its transitions are asked (5.3).
bool Rounds::look_again() {
  before_look_.latched = state_.at.configuration().latched;
  before_look_.roots = state_.roots;
  if (!settle_truths(before_look_)) {
    return false;
  }
  if (state_.at.partner() != nullptr && !state_.roots.is_at(state_.at.surfaces().front()) &&
      !sliding_.leave_pair(state_.at.level() != 0.0 ? survey_.left_pair_side()
                                                    : state_.at.latched(state_.at.surfaces().front()))) {
    return false;
  }
  return !just_entered_ || decide_zero_guards();
}

bool Rounds::decide_zero_guards() {
  if (state_.at.partner() == nullptr) {
    return structures_.decide_zero_guards();
  }
  return sliding_.decide_again() && structures_.decide_others(survey_.others());
}

// Sides that are decided may bring guards over them to zero, or off it. Where that goes round the last ones stand: whether relations have
// the truth of their operands is verified (11.1).
bool Rounds::decide_zeros() {
  const std::size_t most = state_.at.partner() != nullptr ? 1 : state_.at.mode().guards.size() + 1;
  for (std::size_t turn = 0; turn < most; ++turn) {
    latched_of_turn_ = state_.at.configuration().latched;
    if (!survey_.look() || !decide_zero_guards() || !structures_.follow()) {
      return false;
    }
    if (latched_of_turn_ == state_.at.configuration().latched) {
      break;
    }
  }
  return true;
}

// Zero guards are decided last; true if that changed a truth that clauses, transitions or discrete equations read.
bool Rounds::decided_truths_changed() {
  latched_before_decision_ = state_.at.configuration().latched;
  if (!decide_zeros()) {
    return false;
  }
  survey_.ask_numbers_again();
  for (const Index guard : state_.at.mode().guards) {
    if (state_.guard(guard).in_rounds &&
        state_.at.latched(guard) != latched_before_decision_[static_cast<std::size_t>(guard)]) {
      return true;
    }
  }
  return state_.at.configuration().discrete != discrete_of_round_ || record_.has_news();
}

// Nothing fires any more: guards that are zero are decided, and that may make another round.
bool Rounds::decision_asks_again() {
  is_decided_ = true;
  just_entered_ = false;
  return decided_truths_changed() && !state_.has_ended();
}

}  // namespace saltus::settle
