#include "settle/check/guard_survey.hpp"

#include <algorithm>
#include <cmath>

#include "settle/state/direction_reach.hpp"
#include "settle/state/held_number.hpp"
#include "settle/state/time_beside_root.hpp"
#include "settle/state/within_instant.hpp"

namespace saltus::settle {
namespace {

// Off the middle of a band by no more than this part of it is still on it: what projections and rounds leave.
constexpr double kPartOfBand = 1e-6;

}  // namespace

GuardSurvey::GuardSurvey(RunState& state) : state_(state), residual_(state.guards().size(), 0.0) {}

void GuardSurvey::begin_instant() {
  has_left_limit_ = false;
  is_projected_ = state_.at.mode().evaluator->projection() != system::Projection::none;
}

bool GuardSurvey::evaluate() {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const std::vector<Index>& guards = state_.at.mode().guards;
  guard_values_.resize(guards.size());
  state_.counters.guard_evaluations += static_cast<std::int64_t>(guards.size());
  const system::Evaluation evaluation =
      evaluator.guards(guards, state_.at.time(), state_.at.x(), guard_values_);
  if (!evaluation.ok()) {
    state_.fail(evaluator, evaluation);
    return false;
  }
  return true;
}

void GuardSurvey::note_largest_state() {
  largest_state_ = largest_state(state_);
}

bool GuardSurvey::note_residuals() {
  if (!evaluate()) {
    return false;
  }
  const std::vector<Index>& guards = state_.at.mode().guards;
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const auto i = static_cast<std::size_t>(guards[k]);
    // A surface that is slid on may be left in this instant.
    const bool is_on_it = state_.roots.is_at(guards[k]) || state_.at.is_slid_on(guards[k]);
    const double level = state_.roots.level(guards[k]);
    residual_[i] = is_on_it ? std::abs(guard_values_[k] - level) : 0.0;
    const auto time = residual_[i] > 0.0 ? time_beside_root(state_, guards[k], level) : std::nullopt;
    if (time && is_thrown_off(state_, guards[k], *time)) {
      residual_[i] = 0.0;
    }
  }
  x_left_.assign(state_.at.x().begin(), state_.at.x().end());
  mode_left_ = &state_.at.mode();
  has_left_limit_ = true;
  return true;
}

// Whether the guard depends on sides that this instant has changed.
bool GuardSurvey::follows_changes(Index guard) {
  const auto sides = state_.at.mode().evaluator->guard_sides(guard);
  return !sides || std::any_of(sides->begin(), sides->end(), [&](Index other) {
    return other != guard && std::any_of(state_.instant.changes.begin(), state_.instant.changes.end(),
                                         [&](const LatchChange& change) { return change.guard == other; });
  });
}

// Within its reach a vector is zero, and whether it stays there is decided.
void GuardSurvey::look_at_norm(Index norm, double value) {
  if (value <= direction_reach(state_, norm)) {
    const std::vector<Index>& components = state_.guard(norm).components;
    jumping_.insert(jumping_.end(), components.begin(), components.end());
  } else if (state_.at.latched(norm) != system::direction_state::kMoving) {
    leave_zero(norm);
  }
}

void GuardSurvey::leave_zero(Index norm) {
  state_.set_latched(norm, system::direction_state::kMoving);
  for (const Index component : state_.guard(norm).components) {
    state_.at.leave_surface(component);
    state_.at.set_latched(component, 0.0);
  }
}

void GuardSurvey::look_at_number(Index guard, double value, double bound, bool is_after_jump) {
  const system::GuardInfo& info = state_.guard(guard);
  const double beside = value - state_.roots.level(guard);
  if (state_.roots.is_at(guard) && (is_within_instant(state_, guard, beside, bound, largest_state_) ||
                                    is_rounded_zero(state_.at.mode(), state_.at.x(), guard, beside, bound))) {
    return;  // the crossing has said which number holds
  }
  state_.roots.take_off(guard);
  // At a whole number but for rounding the number holds that the guard goes on to: a peak that touches is no change, and a wave that
  // wraps onto one has left it at once. What rests there is as written. A number that is on neither side of the level is of values that another number has jumped from.
  const double level = nearest_level(info, value);
  if (is_within_instant(state_, guard, value - level, bound, largest_state_) &&
      info.kind != system::GuardInfo::Kind::external) {
    const double latched = state_.at.latched(guard);
    const bool is_beside =
        latched == number_beyond(info, level, 1.0) || latched == number_beyond(info, level, -1.0);
    const int sign = motion_sign(guard);
    const double number = sign != 0 ? number_beyond(info, level, sign) : number_at(info, level);
    if (!is_beside || is_after_jump || (sign != 0 && number == latched)) {
      state_.roots.put(guard, level);
      take_number(guard, number);
      return;
    }
  }
  take_number(guard, number_at(info, value));
}

// A number on its level: the one to which the guard goes on, if it goes on to it with that number too; as written where it rests.
void GuardSurvey::ask_number_again(Index guard) {
  const system::GuardInfo& info = state_.guard(guard);
  const double level = state_.roots.level(guard);
  const double latched = state_.at.latched(guard);
  const int sign = motion_sign(guard);
  const double number = sign != 0 ? number_beyond(info, level, sign) : number_at(info, level);
  if (number == latched) {
    return;
  }
  take_number(guard, number);
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  if (motion_sign(guard) != sign) {
    take_number(guard, latched);
    state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  }
}

void GuardSurvey::take_number(Index guard, double number) {
  if (number != state_.at.latched(guard)) {
    state_.set_latched(guard, number);
  }
}

int GuardSurvey::motion_sign(Index guard) {
  slide::Motion motion;
  const slide::DecisionPoint where{.t = state_.at.time(),
                                   .x = state_.at.x(),
                                   .direction = state_.direction(),
                                   .step = 0.0,
                                   .instant = 0.0};
  return state_.at.mode().engine->decider().motion(*state_.at.mode().evaluator, where, guard, motion).ok()
             ? motion.sign
             : 0;
}

// The guard of a band whose middle is slid on: its own surface is an edge of the band.
void GuardSurvey::look_at_middle(Index guard, double value, double bound) {
  const double beside = value - state_.at.level();
  const bool is_on_it = std::abs(beside) <= bound + kPartOfBand * std::abs(state_.at.level());
  state_.roots.set(guard, is_on_it);
  left_pair_side_ = is_on_it ? 0.0 : std::copysign(1.0, beside);
  const double side = value > 0.0 ? 1.0 : -1.0;
  if (side != state_.at.latched(guard)) {
    state_.set_latched(guard, side);
  }
}

bool GuardSurvey::leave_surfaces() {
  left_pair_side_ = 0.0;
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  evaluator.set_configuration(state_.at.configuration());
  guard_values_.resize(state_.at.surfaces().size());
  const system::Evaluation evaluation =
      evaluator.guards(state_.at.surfaces(), state_.at.time(), state_.at.x(), guard_values_);
  if (!evaluation.ok()) {
    state_.fail(evaluator, evaluation);
    return false;
  }
  left_.assign(state_.at.surfaces().begin(), state_.at.surfaces().end());
  for (std::size_t k = 0; k < left_.size(); ++k) {
    // Before the jump it was within its noise of zero, and rounds may recompute terms of the guard.
    const double value = guard_values_[k] - state_.at.level();
    if (state_.at.slide_kind(left_[k]) == SlideKind::by_value) {
      continue;  // the decision asks again
    }
    const double noise = kPartOfBand * std::abs(state_.at.level()) +
                         2.0 * evaluator.guard_noise(left_[k], state_.at.time(), state_.at.x());
    const double bound = zero_bound(left_[k], noise);
    if (std::abs(value) <= bound ||
        is_rounded_zero(state_.at.mode(), state_.at.x(), left_[k], value, bound)) {
      continue;
    }
    const double side = value > 0.0 ? 1.0 : -1.0;
    if (state_.at.partner() != nullptr) {
      left_pair_side_ = side;
      continue;
    }
    if (const Index norm = state_.guard(left_[k]).norm; norm >= 0) {
      if (state_.at.is_slid_on(left_[k])) {
        leave_zero(norm);
      }
      continue;
    }
    state_.touch(left_[k]);
    state_.at.leave_surface(left_[k]);
    state_.roots.take_off(left_[k]);
    state_.set_latched(left_[k], side);
  }
  return true;
}

// A number that has crossed is as its crossing says, unless sides that have changed beside it lead elsewhere.
void GuardSurvey::look_at_number_beside_changes(Index guard, double value, double bound) {
  const bool was_located = state_.roots.is_at(guard);
  const double level = state_.roots.level(guard);
  look_at_number(guard, value, bound, true);
  if (was_located && state_.roots.is_at(guard) && state_.roots.level(guard) == level &&
      follows_changes(guard)) {
    ask_number_again(guard);
  }
}

void GuardSurvey::ask_numbers_again() {
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  for (const Index guard : state_.at.mode().guards) {
    if (holds_number(state_.guard(guard)) && state_.roots.is_at(guard) && follows_changes(guard)) {
      ask_number_again(guard);
    }
  }
}

// A guard that is zero again was off zero only beside another's old side, where it has never been: it has the side of before.
bool GuardSurvey::take_jump_back(Index guard) {
  const auto jump =
      std::find_if(jumps_.begin(), jumps_.end(), [guard](const Jump& taken) { return taken.guard == guard; });
  if (jump == jumps_.end()) {
    return false;
  }
  const bool is_changed = jump->side_before != state_.at.latched(guard);
  if (jump->was_located) {
    state_.roots.put(guard, jump->level_before);
  }
  if (is_changed) {
    state_.set_latched(guard, jump->side_before);
  }
  jumps_.erase(jump);
  return is_changed;
}

// A guard over time alone has the side behind its time, unless sides that have changed beside it lead elsewhere (a triangle that turns where
// it touches its threshold); where it rests it is as written, until such sides move it.
void GuardSurvey::ask_scheduled_again(Index guard) {
  const double latched = state_.at.latched(guard);
  if (latched != 0.0 && !(state_.roots.is_at(guard) && follows_changes(guard))) {
    return;
  }
  const auto side = static_cast<double>(motion_sign(guard));
  if (side != latched) {
    state_.roots.put(guard, 0.0);
    state_.set_latched(guard, side);
  }
}

bool GuardSurvey::look_for_jumps(bool is_first_turn) {
  if (is_first_turn) {
    jumps_.clear();
  }
  if (state_.at.mode().guards.size() < 2 || !evaluate()) {
    return false;
  }
  note_largest_state();
  bool has_jumped = false;
  const std::vector<Index>& guards = state_.at.mode().guards;
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const Index guard = guards[k];
    const double latched = state_.at.latched(guard);
    const double value = guard_values_[k];
    const bool is_relation = state_.guard(guard).kind == system::GuardInfo::Kind::relation;
    const bool is_located = state_.roots.is_at(guard);
    if (state_.at.is_slid_on(guard) || state_.guard(guard).kind == system::GuardInfo::Kind::norm ||
        (is_relation && (latched * value > 0.0 || rests(guard, value))) || (is_located && !has_left_limit_)) {
      continue;
    }
    const double noise = state_.at.mode().evaluator->guard_noise(guard, state_.at.time(), state_.at.x());
    const double bound = zero_bound(guard, noise);
    if (!is_relation) {
      look_at_number_beside_changes(guard, value, bound);
      has_jumped = has_jumped || state_.at.latched(guard) != latched;
    } else if (state_.guard(guard).is_scheduled && std::abs(value) <= bound) {
      ask_scheduled_again(guard);
      has_jumped = has_jumped || state_.at.latched(guard) != latched;
    } else if (!is_zero(state_.at.mode(), state_.at.x(), guard, value) && !is_still_leaving(guard, value) &&
               !is_zero_before(guard, value) &&
               !is_within_instant(state_, guard, value, bound, largest_state_)) {
      jumps_.push_back({guard, latched, is_located, state_.roots.level(guard)});
      state_.roots.take_off(guard);
      state_.set_latched(guard, value > 0.0 ? 1.0 : -1.0);
      has_jumped = true;
    } else {
      has_jumped = take_jump_back(guard) || has_jumped;
    }
  }
  return has_jumped;
}

bool GuardSurvey::is_undecided_at_zero() {
  if (state_.instant.changes.empty()) {
    return false;
  }
  const std::vector<Index>& guards = state_.at.mode().guards;
  const auto may_be = [this](Index guard) {
    return state_.guard(guard).kind == system::GuardInfo::Kind::relation && !state_.roots.is_at(guard) &&
           !state_.at.is_slid_on(guard) && state_.at.latched(guard) != 0.0 &&
           state_.at.mode().evaluator->guard_sides(guard).has_value() && follows_changes(guard);
  };
  if (std::none_of(guards.begin(), guards.end(), may_be)) {
    return false;
  }
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  note_largest_state();
  const auto is_zero_now = [&](Index guard, double value) {
    const double noise = evaluator.guard_noise(guard, state_.at.time(), state_.at.x());
    return is_zero(state_.at.mode(), state_.at.x(), guard, value) ||
           is_within_instant(state_, guard, value, zero_bound(guard, noise), largest_state_);
  };
  const auto zeros_among = [&](std::span<const Index> asked, const system::Configuration& configuration) {
    std::vector<Index> zeros;
    evaluator.set_configuration(configuration);
    guard_values_.resize(asked.size());
    if (evaluator.guards(asked, state_.at.time(), state_.at.x(), guard_values_).ok()) {
      for (std::size_t k = 0; k < asked.size(); ++k) {
        if (may_be(asked[k]) && is_zero_now(asked[k], guard_values_[k])) {
          zeros.push_back(asked[k]);
        }
      }
    }
    return zeros;
  };
  const std::vector<Index> zero_now = zeros_among(guards, state_.at.configuration());
  if (zero_now.empty()) {
    return false;
  }
  // What was zero beside the sides of before has come there by itself.
  system::Configuration before = state_.at.configuration();
  for (const LatchChange& change : state_.instant.changes) {
    before.latched[static_cast<std::size_t>(change.guard)] = change.before;
  }
  const std::vector<Index> zero_before = zeros_among(zero_now, before);
  evaluator.set_configuration(state_.at.configuration());
  return zero_before.size() < zero_now.size();
}

void GuardSurvey::take_back(Index guard, const Before& before) {
  state_.roots.copy(guard, before.roots);
  const double side = before.latched[static_cast<std::size_t>(guard)];
  // The weight of a surface that an earlier look has left is no side.
  const bool is_weight =
      state_.guard(guard).kind == system::GuardInfo::Kind::relation && side != 0.0 && std::abs(side) != 1.0;
  if (side != state_.at.latched(guard) && !is_weight) {
    state_.set_latched(guard, side);
  }
}

bool GuardSurvey::look(const Before* before, std::span<const double> values) {
  jumping_.clear();
  others_.clear();
  note_largest_state();
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  const std::vector<Index>& guards = state_.at.mode().guards;
  if (values.empty() && !evaluate()) {
    return false;
  }
  guard_values_.resize(guards.size());
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const Index guard = guards[k];
    if (!values.empty()) {
      guard_values_[k] = values[static_cast<std::size_t>(guard)];
      if (std::isnan(guard_values_[k])) {
        continue;
      }
    }
    const double value = guard_values_[k];
    if (before != nullptr && !state_.at.is_slid_on(guard)) {
      take_back(guard, *before);
      if (!before->is_kept.empty() && before->is_kept[static_cast<std::size_t>(guard)] != 0) {
        continue;
      }
    }
    const double noise = state_.at.mode().evaluator->guard_noise(guard, state_.at.time(), state_.at.x());
    const double bound = zero_bound(guard, noise);
    if (state_.guard(guard).kind == system::GuardInfo::Kind::norm) {
      look_at_norm(guard, value);
      continue;
    }
    if (state_.guard(guard).kind != system::GuardInfo::Kind::relation) {
      look_at_number(guard, value, bound, before != nullptr && !before->has_numbers_as_written);
      continue;
    }
    if (state_.at.level() != 0.0 && state_.at.is_slid_on(guard)) {
      look_at_middle(guard, value, bound);
      continue;
    }
    const bool has_come = state_.roots.has_come(guard);
    // What is held by its own value has the value that its weight gives it: the decision asks again.
    const bool is_held = state_.at.slide_kind(guard) == SlideKind::by_value;
    state_.roots.set(guard, is_held || rests(guard, value) ||
                                is_zero(state_.at.mode(), state_.at.x(), guard, value) ||
                                is_zero_before(guard, value) ||
                                is_within_instant(state_, guard, value, bound, largest_state_));
    if (state_.roots.is_at(guard) && has_come) {
      continue;  // its time has come: the side behind it is no question of motion
    }
    if (state_.roots.is_at(guard)) {
      (state_.jumps(guard) ? jumping_ : others_).push_back(guard);
      continue;
    }
    if (is_still_leaving(guard, value)) {
      continue;
    }
    const double side = value > 0.0 ? 1.0 : -1.0;
    if (state_.at.is_slid_on(guard) && state_.at.partner() == nullptr) {
      state_.touch(guard);
      state_.at.leave_surface(guard);
    }
    if (side != state_.at.latched(guard)) {
      state_.set_latched(guard, side);
    }
  }
  return true;
}

}  // namespace saltus::settle
