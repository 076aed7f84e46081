// One instant of the loop: crossings, rounds, decisions (docs/semantics.md 2, 5, 7, 8).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/time_tolerance.hpp"
#include "hybrid/run_loop.hpp"
#include "settle/state/held_number.hpp"

namespace saltus::hybrid {
namespace {

// What location leaves of one guard is exactly what a tangential entry shows of another (i and i/C): it must not be decided by
// the rounding of the comparison.
constexpr double kLocationSafety = 4.0;
// Part of the step over which the rate of a guard on its extension is taken.
constexpr double kRateWidth = 0x1p-10;
// A rate beside the terms that make it up; less is no contradiction.
constexpr double kRateNoise = 1e-12;

}  // namespace

bool RunLoop::is_unilateral(Index guard) const {
  const auto i = static_cast<std::size_t>(guard);
  return i < is_unilateral_.size() && is_unilateral_[i] != 0;  // weights come after the guards
}

// A guard that was located: it is past its surface now, whatever the sign of its rounded value.
void RunLoop::take_crossing(const locate::Watch& watch) {
  const auto i = static_cast<std::size_t>(watch.guard);
  if (i >= state_.guards().size()) {
    if (state_.at.rest() != nullptr) {
      end_rest();
      return;
    }
    const std::size_t weight = i - state_.guards().size();  // 1 - s, 1 + s of each surface in turn
    surface_ends_ = true;
    sliding_.note_leaving(weight / 2, weight % 2 == 0 ? 1.0 : -1.0);
    return;
  }
  state_.roots.put(watch.guard, watch.level);
  const system::GuardInfo::Kind kind = state_.guard(watch.guard).kind;
  state_.set_latched(watch.guard, kind == system::GuardInfo::Kind::relation
                                      ? -watch.side
                                      : settle::number_beyond(kind, watch.level, -watch.side));
  crossed_.push_back(watch.guard);
  if (watch.level == 0.0 && state_.guard(watch.guard).in_rounds && state_.system().modes().size() > 1) {
    settle_on_surface(watch.guard);
  }
}

// The mode that follows may hold the one state that a guard depends on; what rounding has left of the guard would count as a
// side when a later mode looks at it. (Moving several states for one guard could push another guard off its zero.)
void RunLoop::settle_on_surface(Index guard) {
  gradient_.resize(state_.at.x().size());
  double time_derivative = 0.0;
  if (state_.at.mode()
          .evaluator->guard_gradient(guard, state_.at.time(), state_.at.x(), gradient_, time_derivative)
          .ok() &&
      time_derivative == 0.0 &&
      std::count_if(gradient_.begin(), gradient_.end(), [](double slope) { return slope != 0.0; }) == 1) {
    state_.move_onto(guard);
  }
}

// How far in time the located point may lie beside the root: what is left of the guard over its rate, or over higher
// derivatives where it comes in tangentially. A mode that follows must not take this for a motion (5.3). Asked only where
// one may follow.
void RunLoop::note_location(const locate::Watch& watch) {
  const auto i = static_cast<std::size_t>(watch.guard);
  const bool may_follow =
      state_.system().has_structures() ||
      (i < state_.guards().size() && state_.guards()[i].in_rounds && state_.system().modes().size() > 1);
  if (i >= state_.guards().size() || !may_follow) {
    return;
  }
  double value = 0.0;
  system::GuardDerivatives derivatives;
  if (!state_.at.field().guards({&watch.guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok() ||
      !state_.at.field().guard_derivatives(watch.guard, state_.at.time(), state_.at.x(), derivatives).ok()) {
    return;
  }
  const double noise = state_.at.field().guard_noise(watch.guard, state_.at.time(), state_.at.x());
  const double left = std::abs(value - watch.level) + noise;
  double shortest = std::numeric_limits<double>::infinity();
  double factorial = 1.0;
  for (int order = 1; order <= derivatives.n_known; ++order) {
    const auto k = static_cast<std::size_t>(order - 1);
    factorial *= order;
    if (std::abs(derivatives.value[k]) > derivatives.noise[k]) {
      shortest = std::min(shortest, std::pow(factorial * left / std::abs(derivatives.value[k]), 1.0 / order));
    }
  }
  if (std::isfinite(shortest)) {
    sliding_.note_location(kLocationSafety * shortest);
  }
}

// Whether the equations agree, at the left limit, with the way in which the guard has crossed on the extension.
void RunLoop::note_rate(const locate::Watch& watch, double theta) {
  const auto i = static_cast<std::size_t>(watch.guard);
  if (i >= state_.guards().size() || !state_.guards()[i].in_rounds) {
    return;
  }
  gradient_.resize(state_.at.x().size());
  probe_.resize(state_.at.x().size());
  double by_equations = 0.0;
  if (!state_.at.field().rhs(state_.at.time(), state_.at.x(), probe_).ok() ||
      !state_.at.field()
           .guard_gradient(watch.guard, state_.at.time(), state_.at.x(), gradient_, by_equations)
           .ok()) {
    return;
  }
  double size = std::abs(by_equations);
  for (std::size_t k = 0; k < probe_.size(); ++k) {
    by_equations += gradient_[k] * probe_[k];
    size += std::abs(gradient_[k] * probe_[k]);
  }
  if (!(watch.side * state_.direction() * by_equations > kRateNoise * size)) {
    return;
  }
  const trajectory::SegmentView& segment = state_.at.mode().engine->search().segment();
  const std::array<double, 2> points{std::max(theta - kRateWidth, 0.0), std::max(theta, kRateWidth)};
  std::array<double, 2> values{};
  for (std::size_t k = 0; k < points.size(); ++k) {
    segment.evaluate(points[k], probe_);
    if (!state_.at.field()
             .guards({&watch.guard, 1}, segment.start_time() + points[k] * segment.step(), probe_,
                     {&values[k], 1})
             .ok()) {
      return;
    }
  }
  const double rate = (values[1] - values[0]) / ((points[1] - points[0]) * segment.step());
  if (watch.side * state_.direction() * rate < 0.0) {
    sliding_.note_contradiction(watch.guard, rate, by_equations);
  }
}

// A scheduled guard is affine in time: it goes on to the side it has not come from.
void RunLoop::take_scheduled(Index guard) {
  const system::GuardInfo::Kind kind = state_.guard(guard).kind;
  state_.roots.put(guard);
  double value = 0.0;
  system::GuardDerivatives rate;
  if (!state_.at.mode().evaluator->guards({&guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok() ||
      !state_.at.mode().evaluator->guard_derivatives(guard, state_.at.time(), state_.at.x(), rate).ok()) {
    return;
  }
  const double motion = state_.direction() * rate.value[0] > 0.0 ? 1.0 : -1.0;
  if (kind == system::GuardInfo::Kind::relation) {
    state_.roots.put(guard, 0.0);
    state_.set_latched(guard, motion);
  } else {
    state_.roots.put(guard, std::round(value));
    state_.set_latched(guard, settle::number_beyond(kind, state_.roots.level(guard), motion));
  }
  crossed_.push_back(guard);
}

// Guards that may switch again, or that have left zero: their sign is that of their value.
bool RunLoop::take_released() {
  end_values_.resize(released_.size());
  const system::Evaluation evaluation =
      state_.at.field().guards(released_, state_.at.time(), state_.at.x(), end_values_);
  if (!evaluation.ok()) {
    state_.fail(state_.at.field(), evaluation);
    return false;
  }
  for (std::size_t k = 0; k < released_.size(); ++k) {
    const double side = end_values_[k] > 0.0 ? 1.0 : end_values_[k] < 0.0 ? -1.0 : 0.0;
    if (side != 0.0 && side != state_.at.latched(released_[k])) {
      state_.set_latched(released_[k], side);
      crossed_.push_back(released_[k]);
    }
  }
  released_.clear();
  return true;
}

// Nothing but kinks: no row, no entry, no number.
bool RunLoop::is_silent() {
  return !surface_ends_ && std::all_of(crossed_.begin(), crossed_.end(), [this](Index guard) {
    const system::GuardInfo& info = state_.guard(guard);
    return !info.in_rounds && info.continuity >= 0 && info.kind == system::GuardInfo::Kind::relation &&
           !structures_.divides(guard);
  });
}

bool RunLoop::needs_rounds(const Cause& cause) const {
  if (!state_.system().has_rounds()) {
    return false;
  }
  if (cause.is_scheduled && !schedule_.clocks.empty()) {
    return true;
  }
  return std::any_of(
      state_.instant.changes.begin(), state_.instant.changes.end(),
      [this](const settle::LatchChange& change) { return state_.guard(change.guard).in_rounds; });
}

void RunLoop::begin_instant() {
  state_.begin_instant();
  sliding_.begin_instant();
  survey_.begin_instant();
  structures_.begin_instant();
}

// At a point that a step has led to: what lay on surfaces before has left them.
void RunLoop::begin_event() {
  ++state_.counters.instants;
  begin_instant();
  crossed_.clear();
  surface_ends_ = false;
  was_sliding_ = state_.at.is_sliding();
  state_.roots.clear();
}

// semantics.md 2.3: the left limit becomes known, sides are decided, rounds run until nothing changes, the right limit is told.
bool RunLoop::settle(const Cause& cause) {
  begin_event();
  bool is_kink = false;
  if (!begin_telling(cause, is_kink) || !take_cause(cause) || !decide_sides(is_kink) || !run_rounds(cause) ||
      !tell_instant()) {
    return false;
  }
  note_switches();
  return !state_.has_ended() && (is_kink || verified(is_plain())) && restart() && begin_stretch();
}

// Before anything of the instant is reported.
bool RunLoop::verified(bool is_plain) {
  if (!verification_.instant(is_plain)) {
    state_.refuse_instant();
    return false;
  }
  return true;
}

// Nothing but sides has changed.
bool RunLoop::is_plain() const {
  return state_.at.how().empty() && !was_sliding_ && !state_.at.is_sliding();
}

// The left limit is evaluated before anything changes; which guards cross decides whether it is needed.
bool RunLoop::begin_telling(const Cause& cause, bool& is_kink) {
  if (cause.is_release) {
    monitor_.release(state_.at.time(), released_);
  }
  bool ends_rest = false;
  const auto& watches = state_.at.mode().engine->search().watches();
  for (const locate::Crossing& crossing : cause.crossings) {
    const Index guard = watches[static_cast<std::size_t>(crossing.watch)].guard;
    if (static_cast<std::size_t>(guard) < state_.guards().size()) {
      crossed_.push_back(guard);
    } else {
      surface_ends_ = state_.at.rest() == nullptr;
      ends_rest = state_.at.rest() != nullptr;
    }
  }
  is_kink = is_silent() && !cause.is_scheduled && released_.empty() && !ends_rest &&
            watch_list_.staying_zero().empty();
  crossed_.clear();
  if (is_kink) {
    return true;
  }
  has_told_values_ = true;
  return record_.begin();
}

// Guards that have crossed, are scheduled or may switch again have their new sides.
bool RunLoop::take_cause(const Cause& cause) {
  const auto& watches = state_.at.mode().engine->search().watches();
  const auto watch_of = [&watches](const locate::Crossing& crossing) -> const locate::Watch& {
    return watches[static_cast<std::size_t>(crossing.watch)];
  };
  if (!cause.crossings.empty()) {
    note_location(watch_of(cause.crossings.front()));
  }
  for (const locate::Crossing& crossing : cause.crossings) {
    note_rate(watch_of(crossing), crossing.theta);
  }
  for (const locate::Crossing& crossing : cause.crossings) {
    take_crossing(watch_of(crossing));
  }
  if (cause.is_scheduled) {
    for (const Index guard : schedule_.guards) {
      take_scheduled(guard);
    }
  }
  return (released_.empty() || take_released()) && note_left_limit();
}

// What location has left of the guards at this instant, with the sides of the step that led to it: other sides may move them away.
bool RunLoop::note_left_limit() {
  const bool is_needed = state_.at.mode().guards.size() > 1 || state_.system().has_rounds();
  return !is_needed || survey_.note_residuals();
}

bool RunLoop::decide_sides(bool is_kink) {
  follow_sides_of_others();
  if (!decide_crossed() || !decide_staying_zero() || !structures_.follow() || !sliding_.install() ||
      !pass_kinks()) {
    return false;
  }
  // Along a chain of relations each is over what the one before has moved.
  for (std::size_t turn = 0; turn <= state_.at.mode().guards.size() && survey_.look_for_jumps(); ++turn) {
    sliding_.forget_derivative();
    if (!sliding_.settle_sides() || !sliding_.install()) {
      return false;
    }
  }
  forget_idle_changes();
  const bool is_compound = std::all_of(crossed_.begin(), crossed_.end(), [this](Index guard) {
    return state_.guard(guard).is_compound || !state_.jumps(guard);
  });
  if (!is_kink && is_compound && !structures_.has_changed() && record_.has_news() &&
      !forget_changes_without_effect()) {
    return false;
  }
  return !state_.has_ended();
}

bool RunLoop::run_rounds(const Cause& cause) {
  if (needs_rounds(cause)) {
    settle::Occasion occasion;
    if (cause.is_scheduled) {
      occasion.clocks = schedule_.clocks;
    }
    if (!sliding_.install() || !rounds_.settle(occasion)) {
      return false;
    }
    if (rounds_.accumulating() >= 0 && !begin_rest()) {
      return false;
    }
  }
  return sliding_.install();
}

// What the rounds have not told.
bool RunLoop::tell_instant() {
  const bool has_returned =
      structures_.has_changed() && !record_.has_news() && !state_.instant.is_left_limit_told;
  if (!has_returned) {
    return record_.report_news();
  }
  if (!state_.evaluate_outputs()) {
    return false;
  }
  record_.open_segment(false);
  tell_returns();
  record_.row();
  return true;
}

// Another structure held for this instant only, and moved what it gives: conditions are as before, states are not.
void RunLoop::tell_returns() {
  for (const Index guard : crossed_) {
    if (structures_.divides(guard)) {
      log_.returned(guard);
    }
  }
}

// The events of an action have accumulated: the guard that set it off is held at zero from now on.
bool RunLoop::begin_rest() {
  const Index named = state_.system().actions()[static_cast<std::size_t>(rounds_.accumulating())].guard;
  resting_guard_ = named;
  for (const Index guard : crossed_) {
    if (named < 0 && state_.guard(guard).in_rounds && resting_guard_ < 0) {
      resting_guard_ = guard;
    }
  }
  const std::span<const double> before = rounds_.before_jump();
  if (resting_guard_ < 0 || before.size() != state_.at.x().size() || state_.at.is_sliding()) {
    return true;
  }
  probe_.resize(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    probe_[i] = state_.at.x()[i] - before[i];
  }
  resting_side_ = state_.touch(resting_guard_).before;
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  rest_ = std::make_unique<slide::RestField>(*state_.at.mode().evaluator,
                                             static_cast<Index>(state_.guards().size()),
                                             state_.at.mode().engine->nominal());
  end_values_.assign(state_.at.x().begin(), state_.at.x().end());
  if (!rest_->begin(resting_guard_, probe_, state_.at.time(), end_values_)) {
    return true;  // no force along the impulse holds it
  }
  state_.at.move({settle::Factor::Kind::rest, resting_guard_}, end_values_);
  state_.at.set_rest(rest_.get());
  state_.set_latched(resting_guard_, 0.0);
  state_.roots.put(resting_guard_);
  if (!sliding_.install() || !survey_.look()) {
    return false;
  }
  for (const Index guard : survey_.others()) {
    if (guard != resting_guard_ && !sliding_.decide_by_motion(guard)) {
      return false;
    }
  }
  if (!state_.evaluate_outputs() || !rounds_.remember()) {
    return false;
  }
  record_.open_segment(false);
  record_.row();
  return true;
}

void RunLoop::end_rest() {
  state_.at.set_rest(nullptr);
  state_.set_latched(resting_guard_, resting_side_);
  state_.roots.put(resting_guard_);
  crossed_.push_back(resting_guard_);
}

void RunLoop::note_switches() {
  for (const settle::LatchChange& change : state_.instant.changes) {
    const system::GuardInfo& info = state_.guard(change.guard);
    const auto i = static_cast<std::size_t>(change.guard);
    const bool would_return = sliding_.would_return(change.guard);
    // It may have gone to and fro within the instant.
    const bool has_changed = state_.at.configuration().latched[i] != change.before || would_return;
    const bool has_switched = has_changed && !state_.at.is_slid_on(change.guard) && !change.was_slid_on &&
                              (change.before != 0.0 || would_return);
    if (has_switched && !info.is_scheduled && (info.in_rounds || info.continuity < 0)) {
      monitor_.switched(change.guard, would_return);
    }
  }
}

}  // namespace saltus::hybrid
