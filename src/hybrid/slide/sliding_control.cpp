#include "hybrid/slide/sliding_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hybrid/decide/classify.hpp"
#include "hybrid/state/diagnostic_codes.hpp"
#include "saltus/contract.hpp"

namespace saltus::hybrid {
namespace {

std::string rates_text(const GuardDecision& guard) {
  if (std::isnan(guard.rate_plus) || std::isnan(guard.rate_minus)) {
    return fmt::format("{:.9g} on the side it takes, and the equations do not jump there",
                       guard.value > 0.0 ? guard.rate_plus : guard.rate_minus);
  }
  return fmt::format("{:.9g} with the guard on its positive side and {:.9g} on its negative side",
                     guard.rate_plus, guard.rate_minus);
}

}  // namespace

SlidingControl::SlidingControl(RunState& state)
    : state_(state), entry_(state), algebraic_(state.guards), is_reported_(state.guards.size(), 0) {}

DecisionPoint SlidingControl::point() const {
  DecisionPoint result;
  result.t = state_.time();
  result.x = state_.x;
  result.direction = state_.direction;
  result.step = state_.mode->engine->advance().next_step();
  result.instant = location_error_;
  result.may_slide = state_.options.sliding != Sliding::off;
  return result;
}

void SlidingControl::begin_instant() {
  barred_.clear();
  leaving_.clear();
  contradictions_.clear();
  derivative_ = {};
  location_error_ = 0.0;
}

double SlidingControl::leaving_bound(Index guard) const {
  for (const Leaving& leaving : leaving_) {
    if (leaving.guard == guard) {
      return leaving.bound;
    }
  }
  return 0.0;
}

bool SlidingControl::would_return(Index guard) const {
  return std::find(barred_.begin(), barred_.end(), guard) != barred_.end();
}

std::string SlidingControl::names_of(std::span<const GuardDecision> guards) const {
  std::string names;
  for (const GuardDecision& guard : guards) {
    names += (names.empty() ? "" : ", ") + state_.guard(guard.guard).text;
  }
  return names;
}

bool SlidingControl::fail_decision(const Decision& decision) {
  const auto barred = std::find_if(decision.guards.begin(), decision.guards.end(),
                                   [](const GuardDecision& guard) { return guard.is_barred; });
  if (decision.status == Decision::Status::evaluation_failed) {
    state_.fail(*state_.mode->evaluator, decision.evaluation);
  } else if (barred != decision.guards.end()) {
    state_.end(
        RunOutcome::Status::failed, "no_sliding_solution",
        fmt::format("at t = {:.9g} neither side of {} agrees with the value that it leads to (in mode {}){}",
                    state_.time(), state_.guard(barred->guard).text, state_.mode->info->name,
                    state_.options.sliding == Sliding::off
                        ? "; sliding is switched off"
                        : "; it decides more than real values and cannot be blended"));
  } else {
    state_.end(RunOutcome::Status::failed, "no_sliding_solution",
               fmt::format("at t = {:.9g} no motion on or beside the surfaces {} exists (in mode {})",
                           state_.time(), names_of(decision.guards), state_.mode->info->name));
  }
  return false;
}

void SlidingControl::warn_of(const Decision& decision) {
  if ((!decision.is_ambiguous && !decision.is_repelling) || decision.guards.empty()) {
    return;
  }
  const Index first = decision.guards[0].guard;
  std::uint8_t& is_reported = is_reported_[static_cast<std::size_t>(first)];
  if (is_reported != 0) {
    return;
  }
  is_reported = 1;
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.span = state_.guard(first).span;
  const std::string names = names_of(decision.guards);
  if (decision.is_repelling) {
    diagnostic.code = kRepellingSurface.name;
    diagnostic.message = fmt::format(
        "at t = {:.9g} the solution stands on {} = 0, which repels it to both sides: it is not unique",
        state_.time(), names);
  } else {
    diagnostic.code = kAmbiguousSliding.name;
    diagnostic.message = fmt::format(
        "at t = {:.9g} several motions on the surfaces {} are possible; the one nearest the sides before is "
        "taken",
        state_.time(), names);
  }
  state_.observer.warning(std::move(diagnostic));
}

void SlidingControl::slide_on(const GuardDecision& decided) {
  const Index guard = decided.guard;
  state_.is_slid_on[static_cast<std::size_t>(guard)] =
      decided.order == 0 ? kSlidAlgebraically : std::uint8_t{1};
  const auto place = std::lower_bound(state_.surfaces.begin(), state_.surfaces.end(), guard);
  if (place == state_.surfaces.end() || *place != guard) {
    state_.surfaces.insert(place, guard);
  }
  state_.latched(guard) = decided.value;
}

bool SlidingControl::accept(const Decision& decision) {
  last_.assign(decision.guards.begin(), decision.guards.end());
  if (!decision.ok()) {
    return fail_decision(decision);
  }
  warn_of(decision);
  for (const GuardDecision& guard : decision.guards) {
    state_.at_root[static_cast<std::size_t>(guard.guard)] = guard.is_zero ? 1 : 0;
    if (guard.is_barred) {
      barred_.push_back(guard.guard);
    }
    if (guard.kind == GuardDecision::Kind::slides) {
      slide_on(guard);
    } else {
      std::erase(state_.surfaces, guard.guard);
      state_.is_slid_on[static_cast<std::size_t>(guard.guard)] = 0;
      state_.latched(guard.guard) = guard.value;
      const double rate = guard.value > 0.0 ? guard.rate_plus : guard.rate_minus;
      if (rate == 0.0 && guard.value != 0.0 && guard.order > 0) {
        state_.move_onto(guard.guard);
      }
    }
  }
  // A side that has no value where rounding has put x: the run goes on next to it, on that side.
  std::copy(decision.own_side.begin(), decision.own_side.end(), state_.x.begin());
  derivative_ = {};
  if (decision.derivative_known && state_.surfaces.empty()) {
    derivative_ = decision.derivative;
  }
  return true;
}

void SlidingControl::give_configuration() {
  state_.mode->evaluator->set_configuration(state_.configuration);
  for (const Index surface : state_.surfaces) {
    state_.mode->evaluator->set_latched(surface, state_.latched(surface));
  }
}

bool SlidingControl::decide(std::span<const Index> zero) {
  if (!settle_sides()) {
    return false;
  }
  if (zero.empty()) {
    return true;
  }
  before_.clear();
  bounds_.clear();
  for (const Index guard : zero) {
    before_.push_back(state_.touch(guard).before);
    bounds_.push_back(leaving_bound(guard));
  }
  DecisionPoint where = point();
  where.leaving = bounds_;
  // Across a surface on which the equations do not jump neither does the guard.
  if (std::any_of(zero.begin(), zero.end(),
                  [this](Index guard) { return !state_.guard(guard).is_continuous && may_depend(guard); })) {
    give_configuration();
    const system::Evaluation found = algebraic_.find(*state_.mode->evaluator, where, zero, before_);
    if (!found.ok()) {
      state_.fail(*state_.mode->evaluator, found);
      return false;
    }
    if (!algebraic_.algebraic().empty()) {
      return decide_with_algebraic(where, zero);
    }
  }
  return decide_others(where, zero);
}

// Guards that no side of theirs moves.
bool SlidingControl::decide_others(DecisionPoint where, std::span<const Index> zero) {
  if (zero.size() == 1 && std::abs(before_[0]) == 1.0) {
    state_.latched(zero[0]) =
        before_[0];  // the side that is looked at first: nothing to set; the decision sets the new one
  }
  give_configuration();
  where.leaving = bounds_;
  return accept(state_.mode->engine->decider().decide(*state_.mode->evaluator, where, zero, before_,
                                                      state_.configuration));
}

// Where a guard goes whose rate at the left limit was contradicted by the step that led there; 0: it was not, or nothing is known.
int SlidingControl::motion_without_error(Index guard) {
  const auto found =
      std::find_if(contradictions_.begin(), contradictions_.end(),
                   [guard](const Contradiction& contradiction) { return contradiction.guard == guard; });
  system::GuardDerivatives now;
  if (found == contradictions_.end() ||
      !state_.evaluator->guard_derivatives(guard, state_.time(), state_.x, now).ok()) {
    return 0;
  }
  const double rate = state_.direction * (now.value[0] + found->missing);
  return sign_beyond_noise(rate, now.noise[0]);
}

bool SlidingControl::decide_by_motion(Index guard) {
  if (const int sign = motion_without_error(guard); sign != 0) {
    state_.set_latched(guard, static_cast<double>(sign));
    state_.at_root[static_cast<std::size_t>(guard)] = 1;
    return true;
  }
  Motion motion;
  const system::Evaluation evaluation =
      state_.mode->engine->decider().motion(*state_.evaluator, point(), guard, motion);
  if (!evaluation.ok()) {
    state_.fail(*state_.evaluator, evaluation);
    return false;
  }
  state_.set_latched(guard, static_cast<double>(motion.sign));
  state_.at_root[static_cast<std::size_t>(guard)] = 1;
  return true;
}

std::optional<int> SlidingControl::motion_in(ModeData& mode, std::span<const double> x, Index guard) {
  DecisionPoint where = point();
  where.x = x;
  Motion motion;
  const bool is_known = mode.engine->decider().motion(*mode.evaluator, where, guard, motion).ok();
  return is_known ? std::optional(motion.sign) : std::nullopt;
}

bool SlidingControl::decide_again() {
  if (state_.surfaces.empty()) {
    return true;
  }
  if (state_.partner == nullptr) {
    zero_.assign(state_.surfaces.begin(), state_.surfaces.end());
    return decide(zero_);
  }
  SALTUS_ASSERT(pair_.has_value());  // sliding between two modes began at a pair
  const ModePair pair = *pair_;
  switch (ask_pair(pair, state_.surfaces.front())) {
    case Answer::ended: return false;
    case Answer::slides: return true;
    case Answer::crosses: break;
  }
  if (state_.level == 0.0) {
    const auto surface = static_cast<std::size_t>(state_.surfaces.front());
    state_.at_root[surface] = 1;
    state_.root_level[surface] = 0.0;
  }
  return leave_pair(last_.front().value);
}

void SlidingControl::stop_sliding() {
  for (const Index surface : state_.surfaces) {
    state_.touch(surface);
    state_.is_slid_on[static_cast<std::size_t>(surface)] = 0;
  }
  state_.surfaces.clear();
  state_.level = 0.0;
  state_.partner = nullptr;
  derivative_ = {};
}

bool SlidingControl::install() {
  if (state_.surfaces.empty()) {
    state_.evaluator = state_.mode->evaluator.get();
    if (derivative_.empty()) {  // a decision has given it already
      state_.evaluator->set_configuration(state_.configuration);
    }
    if (state_.rest != nullptr) {
      state_.evaluator = state_.rest;
    }
    return true;
  }
  weights_.clear();
  for (const Index surface : state_.surfaces) {
    weights_.push_back(state_.latched(surface));
  }
  reduce::SlidingSet set;
  set.surfaces = state_.surfaces;
  set.configuration = &state_.configuration;
  set.weights = weights_;
  set.level = state_.level;
  set.rule = state_.options.sliding_rule;
  set.t = state_.time();
  set.x = state_.x;
  set.watched = state_.mode->searched;
  reduce::SlidingField* field = nullptr;
  if (state_.partner != nullptr) {
    ModeData& plus = pair_->plus == state_.mode->id ? *state_.mode : *state_.partner;
    ModeData& minus = pair_->plus == state_.mode->id ? *state_.partner : *state_.mode;
    field = state_.modes.between(plus, minus).field.get();
  } else {
    state_.mode->evaluator->set_configuration(state_.configuration);
    field = &state_.modes.sliding_in(*state_.mode);
  }
  field->begin(set);
  state_.evaluator = field;
  const system::Evaluation projection = field->project(state_.time(), state_.x);
  if (!projection.ok()) {
    state_.fail(*field, projection);
    return false;
  }
  return true;
}

std::string SlidingControl::explanation() const {
  std::string text = fmt::format("t = {:.17g}, mode {}\n", state_.time(), state_.mode->info->name);
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < state_.x.size(); ++i) {
    fmt::format_to(out, "  {} = {:.17g}\n", state_.mode->engine->names()[i], state_.x[i]);
  }
  for (const GuardDecision& guard : last_) {
    const char* const kind = guard.kind == GuardDecision::Kind::slides ? "slides with weight"
                             : guard.kind == GuardDecision::Kind::side ? "takes the side"
                                                                       : "stays zero, value";
    fmt::format_to(out, "  guard {}: derivative of order {} is {}; it was {:.9g} and {} {:.9g}{}\n",
                   state_.guard(guard.guard).text, guard.order, rates_text(guard), guard.before, kind,
                   guard.value, guard.is_barred ? " (it would slide, but may not)" : "");
  }
  return text;
}

}  // namespace saltus::hybrid
