#include "settle/sliding/sliding_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/time_tolerance.hpp"
#include "saltus/contract.hpp"
#include "settle/state/diagnostic_codes.hpp"
#include "settle/state/time_beside_root.hpp"
#include "slide/decide/classify.hpp"

namespace saltus::settle {
namespace {

// What a side may be away from the point that was reached, in parts of a state beside 10 tolerances: far above what rounding and location
// leave. Not measured.
constexpr double kFarthestOwnSide = 1e-6;
constexpr double kTolerancesOfOwnSide = 10.0;

}  // namespace

SlidingControl::SlidingControl(RunState& state)
    : state_(state),
      rest_on_roots_(state),
      directions_(state),
      entry_(state),
      algebraic_(state.guards()),
      is_reported_(state.guards().size(), 0) {}

slide::DecisionPoint SlidingControl::point() const {
  slide::DecisionPoint result;
  result.t = state_.at.time();
  result.x = state_.at.x();
  result.direction = state_.direction();
  result.step = state_.at.mode().engine->advance().next_step();
  result.instant = location_error_;
  result.may_slide = state_.options().sliding != Sliding::off;
  return result;
}

void SlidingControl::fields(Archive& a) {
  // Not saved: what an instant works with: rest_on_roots_, directions_, over_roots_, released_, entry_, pair_point_, written_point_, algebraic_, driven_, turning_, n_turns_,
  // probe_, values_, part_, part_before_, part_bounds_, middle_, tried_, zero_, before_, weights_, bounds_, contradictions_, returned_, barred_, of_time_, others_,
  // derivative_, location_error_, failure_.
  a(at_rest_);
  if (at_rest_.has_field()) {
    a.know<system::Evaluator>(at_rest_);
  }
  a(pair_);
  std::uint64_t n_known = dependence_.size();
  a(n_known);
  if (a.is_loading()) {
    dependence_.resize(std::min<std::uint64_t>(n_known, state_.modes.modes().size()));
  }
  for (Dependence& known : dependence_) {
    a.pointer(known.mode);
    a.sized(known.is_known, state_.guards().size());
    a.sized(known.depends, known.is_known.size());
    a(known.has_candidates);
    a.index(known.candidates, state_.guards().size());
    if (known.mode == nullptr || known.depends.size() != known.is_known.size()) {
      a.refuse("what is known of guards does not fit");
    }
  }
  const auto n_guards = static_cast<Index>(state_.guards().size());
  for (std::vector<Leaving>* const list : {&leaving_, &left_before_}) {
    a(*list);
    for (const Leaving& leaving : *list) {
      if (leaving.guard < 0 || leaving.guard >= n_guards) {
        a.refuse("surfaces that were left do not fit");
      }
    }
  }
  a(left_time_, last_, is_reported_);
  for (const slide::GuardDecision& decided : last_) {
    if (decided.guard < 0 || decided.guard >= n_guards) {
      a.refuse("the last decision does not fit");
    }
  }
}

void SlidingControl::begin_instant() {
  barred_.clear();
  left_before_.insert(left_before_.end(), leaving_.begin(), leaving_.end());
  leaving_.clear();
  if (!same_instant(left_time_, state_.at.time(), state_.time_scale())) {
    left_before_.clear();
  }
  left_time_ = state_.at.time();
  contradictions_.clear();
  derivative_ = {};
  location_error_ = 0.0;
}

// Weights that have reached their bounds within one resolution of time have reached them at one instant: where several surfaces hold the
// same state (v1, v2 and v1 - v2), what is left of one weight by its location must not give the other its surface back.
double SlidingControl::leaving_bound(Index guard) const {
  const auto is_it = [guard](const Leaving& leaving) { return leaving.guard == guard; };
  const auto now = std::find_if(leaving_.begin(), leaving_.end(), is_it);
  if (now != leaving_.end()) {
    return now->bound;
  }
  const auto before = std::find_if(left_before_.rbegin(), left_before_.rend(), is_it);
  return leaving_.empty() || before == left_before_.rend() ? 0.0 : before->bound;
}

void SlidingControl::note_leaving(std::size_t k, double bound) {
  leaving_.push_back({state_.at.surfaces()[k], bound});
  if (state_.guard(state_.at.surfaces()[k]).norm >= 0) {
    directions_.take_weights();
  }
}

bool SlidingControl::would_return(Index guard) const {
  return std::find(barred_.begin(), barred_.end(), guard) != barred_.end();
}

bool SlidingControl::fail(Failure failure) {
  failure_ = std::move(failure);
  return false;
}

void SlidingControl::slide_on(const slide::GuardDecision& decided) {
  state_.at.slide_on(decided.guard, decided.order == 0 ? SlideKind::by_value : SlideKind::by_motion);
  state_.at.set_latched(decided.guard, decided.value);
}

// Next to the point means by what rounding and location leave of it.
bool SlidingControl::is_beside(std::span<const double> other) const {
  const std::span<const double> x = state_.at.x();
  const double part = kFarthestOwnSide + kTolerancesOfOwnSide * state_.options().tolerances.rtol;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double size = std::max(std::abs(x[i]), state_.at.mode().engine->nominal()[i]);
    if (!(std::abs(other[i] - x[i]) <= part * size)) {
      return false;
    }
  }
  return true;
}

bool SlidingControl::accept(const slide::Decision& decision) {
  last_.assign(decision.guards.begin(), decision.guards.end());
  if (!decision.ok()) {
    return fail_decision(decision);
  }
  if (!is_beside(decision.own_side)) {
    return fail({"no_sliding_solution",
                 fmt::format("at t = {:.9g} the equations have values on the sides of {} only far from the "
                             "states that were reached (in mode {})",
                             state_.at.time(), names_of(decision.guards), state_.at.mode().info->name)});
  }
  warn_of(decision);
  returned_.clear();
  for (const slide::GuardDecision& guard : decision.guards) {
    state_.roots.set(guard.guard, guard.is_zero);
    if (state_.guard(guard.guard).is_continuous && std::abs(guard.value) == 1.0 &&
        state_.at.latched(guard.guard) == -guard.value && guard.value == guard.before && guard.is_zero) {
      returned_.push_back(guard.guard);
    }
    if (guard.is_barred) {
      barred_.push_back(guard.guard);
    }
    if (guard.kind == slide::GuardDecision::Kind::slides) {
      slide_on(guard);
    } else {
      state_.at.leave_surface(guard.guard);
      state_.at.set_latched(guard.guard, guard.value);
      const double rate = guard.value > 0.0 ? guard.rate_plus : guard.rate_minus;
      if (rate == 0.0 && guard.value != 0.0 && guard.order > 0) {
        state_.move_onto(guard.guard);
      }
    }
  }
  // A side that has no value where rounding has put x: the run goes on next to it, on that side.
  if (!decision.own_side.empty()) {
    state_.at.move({Factor::Kind::own_side}, decision.own_side);
  }
  derivative_ = {};
  if (decision.derivative_known && !state_.at.is_sliding()) {
    derivative_ = decision.derivative;
  }
  keep_crossings_at_rest();
  return true;
}

// Guards that have crossed and that the decision has put back on the side they came from, although nothing moves them there: that they have
// crossed is all that is known (a diode whose voltage another one has made zero).
void SlidingControl::keep_crossings_at_rest() {
  for (const Index guard : returned_) {
    if (const std::optional<int> sign = motion_in(state_.at.mode(), state_.at.x(), guard);
        sign && *sign == 0) {
      const double side = -state_.at.latched(guard);
      state_.at.set_latched(guard, side);
      state_.at.mode().evaluator->set_latched(guard, side);
      derivative_ = {};
    }
  }
}

void SlidingControl::give_configuration() {
  tried_ = state_.at.configuration();
  give_tried();
}

void SlidingControl::give_tried() {
  state_.at.mode().evaluator->set_configuration(tried_);
  for (const Index surface : state_.at.surfaces()) {
    state_.at.mode().evaluator->set_latched(surface, tried_.latched[static_cast<std::size_t>(surface)]);
  }
}

// Sides before the instant, and the bounds that weights have reached.
void SlidingControl::note_before(std::span<const Index> zero) {
  before_.clear();
  bounds_.clear();
  for (const Index guard : zero) {
    // What holds a vector is no news: its norm tells.
    before_.push_back(state_.guard(guard).kind == system::GuardInfo::Kind::component
                          ? state_.at.latched(guard)
                          : state_.touch(guard).before);
    bounds_.push_back(leaving_bound(guard));
  }
}

bool SlidingControl::decide(std::span<const Index> zero) {
  if (!settle_sides()) {
    return false;
  }
  if (zero.empty() || leaves_structure()) {
    return true;
  }
  take_those_of_time(zero);
  last_.clear();
  const bool is_decided = others_.empty() || leaves_structure() || decide_by_field(others_);
  last_.insert(last_.begin(), of_time_.begin(), of_time_.end());
  return is_decided;
}

bool SlidingControl::decide_by_field(std::span<const Index> zero) {
  note_before(zero);
  slide::DecisionPoint where = point();
  where.leaving = bounds_;
  if (directions_.concerns(zero)) {
    return decide_directions(where, zero);
  }
  // Across a surface on which the equations do not jump neither does the guard.
  if (std::any_of(zero.begin(), zero.end(),
                  [this](Index guard) { return !state_.guard(guard).is_continuous && may_depend(guard); })) {
    give_configuration();
    const system::Evaluation found = algebraic_.find(*state_.at.mode().evaluator, where, zero, before_);
    if (!found.ok()) {
      return fail(state_.failure_of(*state_.at.mode().evaluator, found));
    }
    if (!algebraic_.driven().empty()) {
      return decide_with_driven(where, zero);
    }
    if (!algebraic_.algebraic().empty()) {
      return decide_with_algebraic(where, zero);
    }
  }
  return decide_others(where, zero);
}

// Elements of vectors that are zero, and relations with them.
bool SlidingControl::decide_directions(const slide::DecisionPoint& where, std::span<const Index> zero) {
  if (auto failure = directions_.decide(where, zero, before_, bounds_)) {
    return fail(*std::move(failure));
  }
  return accept(directions_.relations());
}

void SlidingControl::decide_roots(std::vector<Index>& zero, bool has_left) {
  over_roots_.clear();
  std::copy_if(zero.begin(), zero.end(), std::back_inserter(over_roots_),
               [this](Index guard) { return rest_on_roots_.is_asked(guard); });
  if (rest_on_roots_.decide(over_roots_, has_left)) {
    derivative_ = {};
    std::erase_if(zero, [this](Index guard) {
      return std::find(over_roots_.begin(), over_roots_.end(), guard) != over_roots_.end();
    });
  }
}

// Guards that no side of theirs moves.
bool SlidingControl::decide_others(slide::DecisionPoint where, std::span<const Index> zero) {
  tried_ = state_.at.configuration();
  if (zero.size() == 1 && std::abs(before_[0]) == 1.0) {
    tried_.latched[static_cast<std::size_t>(zero[0])] = before_[0];  // the side that is looked at first
  }
  give_tried();
  where.leaving = bounds_;
  return accept(
      state_.at.mode().engine->decider().decide(*state_.at.mode().evaluator, where, zero, before_, tried_));
}

// Where a guard goes whose rate at the left limit was contradicted by the step that led there; 0: it was not, or nothing is known.
int SlidingControl::motion_without_error(Index guard) {
  const auto found =
      std::find_if(contradictions_.begin(), contradictions_.end(),
                   [guard](const Contradiction& contradiction) { return contradiction.guard == guard; });
  system::GuardDerivatives now;
  if (found == contradictions_.end() ||
      !state_.at.field().guard_derivatives(guard, state_.at.time(), state_.at.x(), now).ok()) {
    return 0;
  }
  const double rate = state_.direction() * (now.value[0] + found->missing);
  return slide::sign_beyond_noise(rate, now.noise[0]);
}

bool SlidingControl::decide_by_motion(Index guard) {
  if (const int sign = motion_without_error(guard); sign != 0) {
    state_.set_latched(guard, static_cast<double>(sign));
    state_.roots.put(guard);
    return true;
  }
  slide::Motion motion;
  const system::Evaluation evaluation =
      state_.at.mode().engine->decider().motion(state_.at.field(), point(), guard, motion);
  if (evaluation.status == system::Evaluation::Status::not_finite) {
    return true;  // √d at d = 0 has no slope: it stays zero, and the step that follows shows when it leaves
  }
  if (!evaluation.ok()) {
    if (leaves_structure()) {
      return true;  // it stays zero, and is asked again in the structure that is entered
    }
    state_.fail(state_.at.field(), evaluation);
    return false;
  }
  state_.set_latched(guard, static_cast<double>(motion.sign));
  state_.roots.put(guard);
  // What is left of the guard counts as zero: whatever follows within this instant has the same measure.
  if (const auto time = motion.sign == 0 ? std::nullopt : time_beside_root(state_, guard, 0.0);
      time && !is_thrown_off(state_, guard, *time)) {
    note_location(*time);
  }
  return true;
}

std::optional<int> SlidingControl::motion_in(ModeData& mode, std::span<const double> x, Index guard) {
  slide::DecisionPoint where = point();
  where.x = x;
  slide::Motion motion;
  const bool is_known = mode.engine->decider().motion(*mode.evaluator, where, guard, motion).ok();
  return is_known ? std::optional(motion.sign) : std::nullopt;
}

bool SlidingControl::decide_again() {
  if (!state_.at.is_sliding()) {
    return true;
  }
  if (state_.at.partner() == nullptr) {
    zero_.assign(state_.at.surfaces().begin(), state_.at.surfaces().end());
    const bool is_decided = decide(zero_);
    if (!is_decided) {
      state_.fail(failure_);
    }
    return is_decided;
  }
  SALTUS_ASSERT(pair_.has_value());  // sliding between two modes began at a pair
  const ModePair pair = *pair_;
  switch (ask_pair(pair, state_.at.surfaces().front())) {
    case Answer::ended: return false;
    case Answer::slides: return true;
    case Answer::crosses: break;
  }
  if (state_.at.level() == 0.0) {
    state_.roots.put(state_.at.surfaces().front(), 0.0);
  }
  return leave_pair(last_.front().value);
}

void SlidingControl::stop_sliding() {
  released_.clear();
  for (const Index surface : state_.at.surfaces()) {
    if (const Index norm = state_.guard(surface).norm; norm < 0) {
      state_.touch(surface);
    } else if (std::find(released_.begin(), released_.end(), norm) == released_.end()) {
      state_.touch(norm);
      released_.push_back(norm);
    }
  }
  state_.at.stop_sliding();
  for (const Index norm : released_) {
    directions_.release(norm);
  }
  derivative_ = {};
}

bool SlidingControl::install() {
  directions_.renew_reaches();
  if (!state_.at.is_sliding()) {
    state_.at.set_field(*state_.at.mode().evaluator);
    if (derivative_.empty()) {  // a decision has given it already
      state_.at.field().set_configuration(state_.at.configuration());
    }
    return hold_contacts();
  }
  weights_.clear();
  for (const Index surface : state_.at.surfaces()) {
    weights_.push_back(state_.at.latched(surface));
  }
  slide::SlidingSet set;
  set.surfaces = state_.at.surfaces();
  set.configuration = &state_.at.configuration();
  set.weights = weights_;
  set.level = state_.at.level();
  set.rule = state_.options().sliding_rule;
  set.t = state_.at.time();
  set.x = state_.at.x();
  set.watched = state_.at.mode().searched;
  slide::SlidingField* field = nullptr;
  if (state_.at.partner() != nullptr) {
    ModeData& plus = pair_->plus == state_.at.mode().id ? state_.at.mode() : *state_.at.partner();
    ModeData& minus = pair_->plus == state_.at.mode().id ? *state_.at.partner() : state_.at.mode();
    field = state_.modes.between(plus, minus).field.get();
  } else {
    state_.at.mode().evaluator->set_configuration(state_.at.configuration());
    field = &state_.modes.sliding_in(state_.at.mode());
  }
  field->begin(set);
  state_.at.set_field(*field);
  probe_.assign(state_.at.x().begin(), state_.at.x().end());
  const system::Evaluation projection = field->project(state_.at.time(), probe_);
  if (!projection.ok()) {
    state_.fail(*field, projection);
    return false;
  }
  state_.at.move({Factor::Kind::projection}, probe_);
  return hold_contacts();
}

// The field of the point with the forces that hold its contacts.
bool SlidingControl::hold_contacts() {
  if (!state_.at.is_at_rest()) {
    return true;
  }
  for (const slide::Contact& contact : state_.at.rests()) {
    if (contact.impulse.empty()) {
      state_.end(RunOutcome::Status::stopped, "zeno",
                 fmt::format("'{}' is at rest, and nothing that mode {} has as a state can hold it there",
                             state_.guard(contact.guard).text, state_.at.mode().info->name));
      return false;
    }
  }
  forget_derivative();  // that of the sides alone
  const auto n_guards = static_cast<Index>(state_.guards().size() + 2 * state_.at.surfaces().size());
  at_rest_.hold(state_.at.field(), n_guards, state_.at.mode().engine->nominal(), state_.at.rests());
  state_.at.set_field(at_rest_);
  probe_.assign(state_.at.x().begin(), state_.at.x().end());
  if (const system::Evaluation projection = at_rest_.project(state_.at.time(), probe_); !projection.ok()) {
    state_.fail(at_rest_, projection);
    return false;
  }
  state_.at.move({Factor::Kind::rest, state_.at.rests().front().guard}, probe_);
  return true;
}

}  // namespace saltus::settle
