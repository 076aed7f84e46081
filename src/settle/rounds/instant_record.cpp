#include "settle/rounds/instant_record.hpp"

#include <algorithm>

namespace saltus::settle {

bool InstantRecord::begin() {
  if (!state_.evaluate_outputs(state_.instant.left_limit)) {
    return false;
  }
  std::copy(state_.instant.left_limit.begin(), state_.instant.left_limit.end(), state_.values.begin());
  state_.instant.left_limit_mode = state_.mode_text();
  return true;
}

bool InstantRecord::begin_between_sides() {
  state_.instant.left_limit_mode = state_.mode_text();
  return state_.evaluate_outputs(state_.instant.left_limit);
}

void InstantRecord::keep() {
  mode_ = &state_.at.mode();
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  configuration_ = state_.at.configuration();
}

bool InstantRecord::begin_late() {
  mode_->evaluator->set_configuration(configuration_);
  const system::Evaluation evaluation =
      mode_->evaluator->outputs(state_.at.time(), x_, state_.instant.left_limit);
  if (!evaluation.ok()) {
    state_.fail(*mode_->evaluator, evaluation);
    return false;
  }
  std::copy(state_.instant.left_limit.begin(), state_.instant.left_limit.end(), state_.values.begin());
  state_.instant.left_limit_mode = mode_->info->name;
  return true;
}

// A vector has come to zero and leaves it in another direction.
bool InstantRecord::turns_at_zero(const LatchChange& change) const {
  return state_.guard(change.guard).kind == system::GuardInfo::Kind::norm &&
         change.told == system::direction_state::kArriving &&
         state_.at.latched(change.guard) == system::direction_state::kNearZero;
}

bool InstantRecord::differs(const LatchChange& change) const {
  const auto i = static_cast<std::size_t>(change.guard);
  const bool is_norm = state_.guard(change.guard).kind == system::GuardInfo::Kind::norm;
  if (is_norm || state_.is_slid_on(change.guard) || change.told_slid_on) {
    return turns_at_zero(change) || state_.is_slid_on(change.guard) != change.told_slid_on;
  }
  const system::GuardInfo& info = state_.guard(change.guard);
  const bool is_told =
      state_.jumps(change.guard) || info.kind == system::GuardInfo::Kind::external || info.gap >= 0;
  return is_told && state_.at.configuration().latched[i] != change.told;
}

bool InstantRecord::has_news() const {
  return std::any_of(state_.instant.changes.begin(), state_.instant.changes.end(),
                     [this](const LatchChange& change) { return differs(change); });
}

void InstantRecord::log_change(LatchChange& change, bool with_discrete) {
  const auto i = static_cast<std::size_t>(change.guard);
  const bool has_changed = state_.at.configuration().latched[i] != change.told;
  if (differs(change) || (with_discrete && has_changed && state_.guard(change.guard).in_rounds &&
                          !state_.guard(change.guard).is_kink)) {
    if (log_.explains_next()) {
      state_.outcome.explanation = sliding_.explanation();
    }
    if (state_.is_slid_on(change.guard) && !change.told_slid_on) {
      log_.slide_enter(change.guard, change.told);
    } else if (change.told_slid_on && !state_.is_slid_on(change.guard)) {
      log_.slide_exit(change.guard, change.told);
    } else if (!state_.is_slid_on(change.guard)) {
      log_.condition(change.guard, change.told, state_.guard(change.guard).is_scheduled);
    }
  }
  change.told = state_.at.configuration().latched[i];
  change.told_slid_on = state_.is_slid_on(change.guard);
}

void InstantRecord::begin_segment() {
  if (!state_.instant.is_left_limit_told) {
    state_.instant.is_left_limit_told = true;
    state_.instant.draft.add_row(state_.at.time(), state_.segment, state_.instant.left_limit_mode,
                                 state_.instant.left_limit);
  }
  ++state_.segment;
}

void InstantRecord::open_segment(bool with_discrete) {
  begin_segment();
  for (LatchChange& change : state_.instant.changes) {
    log_change(change, with_discrete);
  }
}

void InstantRecord::row() {
  row(state_.values);
}

void InstantRecord::row(std::span<const double> values) {
  state_.instant.draft.add_row(state_.at.time(), state_.segment, state_.mode_text(), values);
}

void InstantRecord::replace_row() {
  state_.instant.draft.replace_row(state_.segment, state_.values);
}

bool InstantRecord::report_news() {
  if (!has_news()) {
    return true;
  }
  if (!state_.evaluate_outputs()) {
    return false;
  }
  open_segment(false);
  row();
  return true;
}

}  // namespace saltus::settle
