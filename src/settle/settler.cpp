#include "settle/settler.hpp"

#include <algorithm>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "settle/state/held_number.hpp"

namespace saltus::settle {

Settler::Settler(RunState& state)
    : state_(state),
      log_(state),
      sliding_(state),
      survey_(state),
      record_(state, log_, sliding_),
      structures_(state, log_, sliding_, survey_),
      rest_(state),
      impacts_(state, survey_),
      rounds_(state, log_, sliding_, survey_, record_, structures_, rest_, impacts_),
      monitor_(state),
      verification_(state, monitor_),
      arrival_(state, sliding_, survey_, monitor_, structures_, rest_),
      sides_(state, sliding_, structures_) {}

void Settler::begin_instant() {
  state_.begin_instant();
  sliding_.begin_instant();
  survey_.begin_instant();
  structures_.begin_instant();
}

// At a point that a step has led to: what lay on surfaces before has left them.
void Settler::begin_event() {
  ++state_.counters.instants;
  has_left_limit_ = false;
  begin_instant();
  arrival_.begin_instant();
  was_sliding_ = state_.at.is_sliding();
  state_.roots.clear();
}

// The left limit is evaluated before anything changes.
bool Settler::begin_record() {
  has_left_limit_ = true;
  has_values_ = record_.begin();
  return has_values_;
}

bool Settler::begin_record_late() {
  has_left_limit_ = true;
  has_values_ = record_.begin_late();
  return has_values_;
}

// Where a side ends at the surface that was reached, it has no values behind it.
bool Settler::begin_record_of(const Cause& cause) {
  const bool is_changed = arrival_.take_roots_as_zero(cause);
  const bool has_begun = begin_record();
  if (is_changed) {
    state_.at.field().set_configuration(state_.at.configuration());
  }
  return has_begun;
}

bool Settler::settle(const Cause& cause) {
  begin_event();
  arrival_.step_onto_roots(cause);
  const bool is_kink = arrival_.is_kink(cause) && !state_.at.is_sliding() && !state_.at.is_at_rest();
  if (is_kink) {
    record_.keep();
  } else if (!begin_record_of(cause)) {
    return false;
  }
  if (!arrival_.take(cause)) {
    return false;
  }
  if (state_.at.keeps_steps()) {
    note_causes(cause);
  }
  if (!note_left_limit()) {
    return false;
  }
  if (const Impacts::Answer answer = meet(); answer != Impacts::Answer::none) {
    return answer == Impacts::Answer::some && settle_anew(occasion_of(cause)) && end_instant();
  }
  if (!decide_sides(cause, is_kink)) {
    return false;
  }
  // Another guard may have changed its side because of the kink.
  const bool is_more = is_kink && (record_.has_news() || structures_.has_changed() || needs_rounds({}));
  if ((is_more && !begin_record_late()) || !run_rounds(cause) || !report_rest_of_news()) {
    return false;
  }
  if (const Impacts::Answer answer = meet(); answer != Impacts::Answer::none) {
    return answer == Impacts::Answer::some && settle_anew({}) && end_instant();
  }
  note_switches();
  return !state_.has_ended() && ((is_kink && !is_more) || verified(is_plain()));
}

// A vector that arrives at zero does so with all its elements: the one that moves most says when.
Index Settler::element_that_moves(Index norm) const {
  const std::vector<Index>& components = state_.guard(norm).components;
  return *std::max_element(components.begin(), components.end(), [this](Index a, Index b) {
    return std::abs(state_.at.latched(a)) < std::abs(state_.at.latched(b));
  });
}

// For whoever differentiates the instant: what says when it is.
void Settler::note_causes(const Cause& cause) {
  InstantMove& move = state_.instant.move;
  const auto& watches = state_.at.mode().engine->search().watches();
  for (const locate::Crossing& crossing : cause.crossings) {
    const locate::Watch& watch = watches[static_cast<std::size_t>(crossing.watch)];
    move.crossings.push_back({watch.guard, watch.level});
  }
  for (const Index guard : arrival_.crossed().guards) {
    if (state_.guard(guard).kind == system::GuardInfo::Kind::norm &&
        state_.at.latched(guard) == system::direction_state::kArriving) {
      move.crossings.push_back({element_that_moves(guard), 0.0});
    }
  }
  if (cause.schedule != nullptr) {
    for (const Index guard : cause.schedule->guards) {
      move.crossings.push_back({guard, state_.roots.level(guard)});
    }
    move.clocks = cause.schedule->clocks;
  }
}

bool Settler::start(const system::InitialPoint& initial) {
  if (!lock(initial)) {
    return false;
  }
  begin_instant();
  state_.instant.move.is_start = true;
  if (!take_zeros_as_written(initial.discrete_before) || !begin_record() ||
      (state_.system().has_rounds() && !rounds_.begin(initial.discrete_before))) {
    return false;
  }
  std::span<const Index> clocks;
  system::Schedule schedule;
  if (state_.system().n_clocks() > 0) {
    state_.system().next_scheduled(state_.at.configuration(), state_.at.time(), state_.direction(),
                                   state_.time_scale(), true, schedule);
    if (same_instant(schedule.time, state_.at.time(), state_.time_scale())) {
      clocks = schedule.clocks;
    }
  }
  Occasion occasion;
  occasion.is_start = true;
  return (!state_.system().has_rounds() || rounds_.settle_as_written(clocks)) &&
         meet() != Impacts::Answer::ended && settle_anew(occasion) && end_instant();
}

bool Settler::end_instant() {
  note_switches();
  return !state_.has_ended() && verified(false);
}

bool Settler::lock(const system::InitialPoint& initial) {
  const auto mode = state_.modes.mode(state_.system().structure_of(initial.configuration), initial.guess);
  if (!mode) {
    state_.end(RunOutcome::Status::failed, "initialization_failed", mode.error().items()[0].message);
    return false;
  }
  state_.at.begin(**mode, initial.configuration, initial.x);
  std::copy(initial.values.begin(), initial.values.end(), state_.values.begin());
  has_values_ = true;
  return true;
}

// A guard on a variable that was solved for may miss zero by what the iteration leaves: zero all the same (1.5, 3.1). Where there are rounds
// its value is that in the initial problem, in which pre(v) need not be v.
bool Settler::take_zeros_as_written(std::span<const double> discrete_before) {
  const std::vector<Index>& guards = state_.at.mode().guards;
  std::vector<double> values(guards.size());
  const bool has_rounds = state_.system().has_rounds();
  if (has_rounds && !rounds_.ask_start(discrete_before)) {
    return false;
  }
  // Of callbacks rounds know no guards.
  const std::vector<double>& of_start = state_.at.mode().conditions.guards;
  if (has_rounds && !of_start.empty()) {
    for (std::size_t k = 0; k < guards.size(); ++k) {
      values[k] = of_start[static_cast<std::size_t>(guards[k])];
    }
  } else if (!state_.at.field().guards(guards, state_.at.time(), state_.at.x(), values).ok()) {
    return true;  // whoever needs them says why
  }
  bool has_changed = false;
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const Index guard = guards[k];
    const system::GuardInfo& info = state_.guard(guard);
    if (info.kind != system::GuardInfo::Kind::relation || info.is_scheduled ||
        state_.at.latched(guard) == 0.0 || structures_.divides(guard)) {
      continue;
    }
    if (std::abs(values[k]) <= state_.at.field().guard_noise(guard, state_.at.time(), state_.at.x())) {
      state_.at.set_latched(guard, 0.0);
      has_changed = true;
    }
  }
  if (has_changed) {
    state_.at.field().set_configuration(state_.at.configuration());
  }
  return true;
}

bool Settler::settle_terminal() {
  if (!state_.system().has_rounds()) {
    return true;
  }
  begin_instant();
  Occasion occasion;
  occasion.is_terminal = true;
  return begin_record() && survey_.note_residuals() && rounds_.settle(occasion);
}

// What location has left of the guards at this instant, with the sides of the step that led to it: other sides may move them away.
bool Settler::note_left_limit() {
  const bool is_needed = state_.at.mode().guards.size() > 1 || state_.system().has_rounds();
  return !is_needed || survey_.note_residuals();
}

// Whole numbers that are reached and times that have come are no question of sides. Where they move other guards away from their surfaces
// (a diode behind a wave that wraps where it would cross zero), these have the sides of their values before anything is decided.
void Settler::follow_what_is_sure(const Crossed& crossed) {
  const auto is_sure = [this](Index guard) {
    return state_.guard(guard).is_scheduled || holds_number(state_.guard(guard));
  };
  const auto follows = [&](Index guard) {
    const auto sides = state_.at.mode().evaluator->guard_sides(guard);
    return !sides || std::any_of(crossed.guards.begin(), crossed.guards.end(), [&](Index other) {
      return other != guard && is_sure(other) &&
             std::find(sides->begin(), sides->end(), other) != sides->end();
    });
  };
  const std::vector<Index>& guards = state_.at.mode().guards;
  if (state_.at.is_sliding() || std::none_of(crossed.guards.begin(), crossed.guards.end(), is_sure) ||
      std::none_of(guards.begin(), guards.end(), follows)) {
    return;
  }
  // Where sides decide the structure, what a jump does to them is a matter of the search for structures.
  if (std::any_of(guards.begin(), guards.end(),
                  [&](Index guard) { return follows(guard) && structures_.divides(guard); })) {
    return;
  }
  const std::vector<double> latched = state_.at.configuration().latched;
  const RootMarks roots = state_.roots;
  std::vector<double> values(guards.size());
  for (std::size_t turn = 0; turn <= guards.size() && rounds_.has_its_structure(); ++turn) {
    state_.at.field().set_configuration(state_.at.configuration());
    if (!state_.at.field().guards(guards, state_.at.time(), state_.at.x(), values).ok()) {
      break;
    }
    if (!survey_.look_for_jumps(turn == 0)) {
      return;
    }
  }
  // Sides that do not come to an end, ask for another structure, or with which the equations have no values are no answer.
  state_.roots = roots;
  for (std::size_t i = 0; i < latched.size(); ++i) {
    state_.at.set_latched(static_cast<Index>(i), latched[i]);
  }
  state_.at.field().set_configuration(state_.at.configuration());
}

bool Settler::decide_sides(const Cause& cause, bool is_kink) {
  Crossed& crossed = arrival_.crossed();
  const std::span<const Index> clocks = occasion_of(cause).clocks;
  const bool is_decided = structures_.leave_unsolvable_sides();
  if (!is_decided) {
    follow_what_is_sure(crossed);
  }
  if ((!is_decided && !sides_.decide(crossed, cause.staying_zero)) || !structures_.follow() ||
      !sliding_.install() || (!is_decided && !sides_.pass_kinks(crossed))) {
    return false;
  }
  // Along a chain of relations each is over what the one before has moved.
  for (std::size_t turn = 0; turn <= state_.at.mode().guards.size() && survey_.look_for_jumps(turn == 0);
       ++turn) {
    sliding_.forget_derivative();
    if (structures_.settle_sides() == StructureFollower::Decided::ended || !structures_.follow() ||
        !sliding_.install()) {
      return false;
    }
  }
  // What the instant has brought to zero is decided with it; where there are rounds, at their end.
  if (!needs_rounds(clocks) && survey_.is_undecided_at_zero() &&
      (!rounds_.decide_zeros() || !sliding_.install())) {
    return false;
  }
  sides_.forget_idle_changes();
  const bool is_compound = std::all_of(crossed.guards.begin(), crossed.guards.end(), [this](Index guard) {
    return state_.guard(guard).is_compound || !state_.jumps(guard);
  });
  if (!is_kink && is_compound && !structures_.has_changed() && record_.has_news() &&
      !sides_.forget_changes_without_effect()) {
    return false;
  }
  return !state_.has_ended();
}

bool Settler::needs_rounds(std::span<const Index> clocks) const {
  if (!state_.system().has_rounds()) {
    return false;
  }
  return !clocks.empty() ||
         std::any_of(state_.instant.changes.begin(), state_.instant.changes.end(),
                     [this](const LatchChange& change) { return state_.guard(change.guard).in_rounds; });
}

Occasion Settler::occasion_of(const Cause& cause) {
  Occasion occasion;
  if (cause.schedule != nullptr) {
    occasion.clocks = cause.schedule->clocks;
  }
  return occasion;
}

bool Settler::run_rounds(const Cause& cause) {
  const Occasion occasion = occasion_of(cause);
  if (!needs_rounds(occasion.clocks)) {
    return sliding_.install();
  }
  take_discrete_before();
  return sliding_.install() && rounds_.settle(occasion) && (rounds_.accumulating().empty() || begin_rest());
}

// pre(…) of the first round is the left limit, whatever structures entered since then have given.
void Settler::take_discrete_before() {
  if (state_.instant.left_limit.empty() || !has_left_limit_) {
    return;
  }
  for (const Index column : state_.system().discrete()) {
    const auto i = static_cast<std::size_t>(column);
    state_.values[i] = state_.instant.left_limit[i];
  }
}

// An action has fired: how far it throws its guard, which is looked for accordingly. True: not so far that it would be seen to come back.
bool Settler::is_unseen(const Accumulation& accumulation, const slide::Contact& contact, double& time) {
  const std::optional<ReboundFinder::Flight> flight = rest_.finder().flight_of(contact);
  if (!flight || (!flight->has_rate && !rounds_.would_fire_again(accumulation.action, contact.guard))) {
    return false;
  }
  if (!flight->is_seen) {
    time += state_.direction() * flight->time;
    return true;
  }
  state_.roots.put(contact.guard);  // what location has left of it may be more than rounding
  state_.roots.throw_off(contact.guard);
  if (flight->is_low && (state_.instant.flight == 0.0 || flight->time < state_.instant.flight)) {
    state_.instant.flight = flight->time;
  }
  return false;
}

// The events of actions have accumulated: the guards that set them off are held at zero from now on, if something holds them.
bool Settler::begin_rest() {
  bool has_begun = false;
  for (Accumulation accumulation : rounds_.accumulating()) {
    const std::optional<slide::Contact> contact =
        rest_.finder().contact_of(accumulation.action, accumulation.jump);
    const bool must_rest = contact && is_unseen(accumulation, *contact, accumulation.time);
    if (!must_rest && accumulation.is_single) {
      continue;
    }
    const auto answer = state_.options().zeno != Zeno::rest || !contact
                            ? RestControl::Answer::cannot
                            : rest_.begin(*contact, accumulation.time - state_.at.time(), must_rest);
    switch (answer) {
      case RestControl::Answer::cannot:
        if (must_rest || !accumulation.is_over) {
          rounds_.stop_at(accumulation);
          return false;
        }
        break;
      case RestControl::Answer::later: break;
      case RestControl::Answer::rests:
        rounds_.note_rest(accumulation);
        has_begun = true;
        break;
    }
  }
  if (!has_begun) {
    return true;
  }
  if (!sliding_.install() || !survey_.look()) {
    return false;
  }
  for (const Index guard : survey_.others()) {
    if (!state_.at.rests_on(guard) && !sliding_.decide_by_motion(guard)) {
      return false;
    }
  }
  if (!state_.evaluate_outputs() || !rounds_.remember()) {
    return false;
  }
  record_.open_segment(false);
  record_.row();
  return sliding_.install();
}

// What the rounds have not written down. Another structure may have held for this instant only, and moved what it gives: conditions are as
// before, states are not.
bool Settler::report_rest_of_news() {
  const bool has_returned =
      structures_.has_changed() && !record_.has_news() && !state_.instant.is_left_limit_told;
  if (!has_returned) {
    return record_.report_news();
  }
  if (!state_.evaluate_outputs()) {
    return false;
  }
  record_.open_segment(false);
  for (const Index guard : arrival_.crossed().guards) {
    if (structures_.divides(guard)) {
      log_.returned(guard);
    }
  }
  record_.row();
  return true;
}

// A whole number that has changed, and with which its argument moves back: both numbers push towards the level, and none is slid on.
bool Settler::returns_at_once(const LatchChange& change) {
  const double number = state_.at.latched(change.guard);
  if (!holds_number(state_.guard(change.guard)) || !state_.jumps(change.guard) || number == change.before ||
      !state_.roots.is_at(change.guard) || state_.at.is_sliding()) {
    return false;
  }
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  const std::optional<int> sign = sliding_.motion_in(state_.at.mode(), state_.at.x(), change.guard);
  return sign && *sign * (number - change.before) < 0.0;
}

void Settler::note_switches() {
  for (const LatchChange& change : state_.instant.changes) {
    const system::GuardInfo& info = state_.guard(change.guard);
    if (info.kind == system::GuardInfo::Kind::norm) {
      if (state_.at.latched(change.guard) == system::direction_state::kArriving) {
        monitor_.hold_until(change.guard, sliding_.arrival_of(change.guard));
      }
      continue;
    }
    const auto i = static_cast<std::size_t>(change.guard);
    const bool would_return = sliding_.would_return(change.guard) || returns_at_once(change);
    // It may have gone to and fro within the instant.
    const bool has_changed = state_.at.configuration().latched[i] != change.before || would_return;
    const bool has_switched = has_changed && !state_.at.is_slid_on(change.guard) && !change.was_slid_on &&
                              (change.before != 0.0 || would_return);
    if (has_switched && !info.is_scheduled && (info.in_rounds || info.continuity < 0)) {
      monitor_.switched(change.guard, would_return);
    }
  }
}

// Before anything of the instant is reported.
bool Settler::verified(bool is_plain) {
  if (!verification_.instant(is_plain)) {
    state_.refuse_instant();
    return false;
  }
  return true;
}

// Nothing but sides has changed.
bool Settler::is_plain() const {
  return state_.at.how().empty() && !was_sliding_ && !state_.at.is_sliding();
}

}  // namespace saltus::settle
