#include "settle/check/verification.hpp"

#include <fmt/format.h>

#include "base/short_list.hpp"
#include "base/time_tolerance.hpp"

namespace saltus::settle {
namespace {

// Part of the instructions of whole runs (callgrind): 1.2 % (pleiades), 1.7 % (six_pulse_rectifier), 1.9 % (relay_oscillator, 200 events);
// with Verify::full 50 % (pleiades), 8.6 % (bouncing_balls).
constexpr std::int64_t kBetween = 16;

constexpr std::string_view kInconsistent = "inconsistent_instant";

}  // namespace

bool Verification::instant(bool is_plain) {
  if (!structure_holds()) {
    return false;
  }
  // By ranks algebraic variables are states: that sides alone have changed says nothing about them.
  if (is_plain && state_.at.mode().by_ranks == nullptr && state_.options().verify != Verify::full &&
      n_plain_++ % kBetween != 0) {
    return true;
  }
  return equations_hold() && relations_hold();
}

bool Verification::step() {
  const bool is_full = state_.options().verify == Verify::full;
  if (!is_full && ++n_steps_ % kBetween != 0) {
    return true;
  }
  return relations_hold() && (!is_full || equations_hold());
}

// A structure has its choices locked in its equations: that these hold says nothing where conditions ask for another one.
bool Verification::structure_holds() {
  if (!state_.system().has_structures() || state_.at.partner() != nullptr) {
    return true;
  }
  const system::StructureId& solved = state_.at.mode().structure;
  const system::StructureId asked = state_.system().structure_of(state_.at.configuration());
  if (asked == solved || by_ranks(asked) == solved) {
    return true;
  }
  ShortList names;
  for (const LatchChange& change : state_.instant.changes) {
    names.add("'" + state_.guard(change.guard).condition + "'");
  }
  state_.end(
      RunOutcome::Status::failed, kInconsistent,
      fmt::format("at t = {:.9g} conditions ask for other equations than those that were solved (in mode "
                  "{}){}{}",
                  state_.at.time(), state_.at.mode().info->name, names.size() > 0 ? "; changed there: " : "",
                  names.text()));
  return false;
}

// What is slid on is held by weights that change along the slide. A convex combination of both sides, the motion between two modes and
// a guard held at rest satisfy the equations of no side.
bool Verification::has_equations() {
  weights_.clear();
  const reduce::ArrayEvaluator* const by_ranks = state_.at.mode().by_ranks;
  // Equations that follow from others, or contradict them.
  const reduce::CharacteristicValues* const values = by_ranks != nullptr ? by_ranks->values() : nullptr;
  const bool is_least_squares = by_ranks != nullptr && (values == nullptr || values->vanishing > 0);
  if (state_.at.partner() != nullptr || state_.at.is_at_rest() || is_least_squares) {
    return false;
  }
  if (!state_.at.is_sliding()) {
    return true;
  }
  slide::SlidingField& field = *state_.at.mode().sliding;
  weights_.resize(state_.at.surfaces().size());
  return field.construction() == slide::SlidingRule::blend &&
         field.weights_at(state_.at.time(), state_.at.x(), weights_).ok();
}

bool Verification::equations_hold() {
  if (!has_equations()) {
    return true;
  }
  ModeData& mode = state_.at.mode();
  std::unique_ptr<EquationCheck>& check = checks_[&state_.at.mode()];
  if (!check) {
    check = std::make_unique<EquationCheck>(*mode.locked);
  }
  values_.resize(state_.values.size());
  if (check->is_empty() || !state_.at.field().outputs(state_.at.time(), state_.at.x(), values_).ok()) {
    return true;
  }
  const auto violation = check->look(state_.at.field(), state_.at.configuration(),
                                     {.t = state_.at.time(),
                                      .time_error = time_tolerance(state_.at.time(), state_.time_scale()),
                                      .x = state_.at.x(),
                                      .values = values_,
                                      .surfaces = state_.at.surfaces(),
                                      .weights = weights_},
                                     mode.engine->stepper().tolerances());
  if (violation) {
    state_.end(RunOutcome::Status::failed, kInconsistent,
               fmt::format("at t = {:.9g} the equation '{}' does not hold: beyond all errors its "
                           "sides differ by {:.3g} (in mode {}{}{})",
                           state_.at.time(), violation->equation, violation->residual, mode.info->name,
                           violation->values.empty() ? "" : "; ", violation->values));
  }
  return !violation;
}

// Where events are where they are.
bool Verification::trusts_location() const {
  return state_.options().detection.rule == locate::Detection::Rule::bound && !state_.options().concurrency &&
         !state_.options().shifted_location && state_.options().detection.event_tolerance == 0.0 &&
         state_.options().sliding == Sliding::on && state_.options().steps.fixed_step == 0.0;
}

void Verification::list_guards() {
  guards_.clear();
  for (const Index guard : state_.at.mode().guards) {
    const bool is_clear = !state_.at.is_slid_on(guard) && !state_.roots.is_at(guard) &&
                          !state_.roots.departure(guard).is_leaving && !monitor_.is_held(guard);
    if (state_.guard(guard).kind == system::GuardInfo::Kind::relation && is_clear) {
      guards_.push_back(guard);
    }
  }
}

bool Verification::relations_hold() {
  if (!trusts_location() || state_.at.partner() != nullptr || state_.at.is_at_rest()) {
    return true;
  }
  list_guards();
  const auto wrong =
      relations_.look(*state_.at.mode().evaluator, guards_, state_.at.configuration().latched,
                      state_.at.time(), state_.at.x(), time_tolerance(state_.at.time(), state_.time_scale()),
                      state_.at.mode().engine->stepper().tolerances());
  if (wrong) {
    const system::GuardInfo& info = state_.guard(wrong->guard);
    state_.end(
        RunOutcome::Status::failed, kInconsistent,
        fmt::format("at t = {:.9g} the condition '{}' does not have the truth of its values: {} is "
                    "{:.9g}, but the equations of mode {} are those for {} (an error of {:.3g} would "
                    "be allowed)",
                    state_.at.time(), info.condition, info.text, wrong->value, state_.at.mode().info->name,
                    wrong->side > 0.0 ? "positive values" : "negative values", wrong->allowed));
  }
  return !wrong;
}

}  // namespace saltus::settle
