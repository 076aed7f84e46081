// Which values of a guard are zero: what rounding, projections, rounds and location leave of it.
#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "locate/step_ranges.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "reduce/nonlinear/projection_policy.hpp"
#include "settle/check/guard_survey.hpp"
#include "settle/state/within_instant.hpp"

namespace saltus::settle {
namespace {

// Roundings of states, in units of the rounding errors of a guard, are no more than this.
constexpr double kFarBeyondNoise = 1e4;

}  // namespace

// What a round gives to a state is rounded. A guard over several of them, or over one and what a body sets beside it, may be where it
// was and not show it (x - c*n after `n = pre(n) + 1; reinit(x, x + c)`).
double GuardSurvey::left_by_rounds(ModeData& mode, std::span<const double> x, Index guard) {
  const bool is_known = has_left_limit_ && &mode == mode_left_ && x.size() == x_left_.size();
  if (!has_left_limit_ || (is_known && std::equal(x.begin(), x.end(), x_left_.begin()))) {
    return 0.0;
  }
  double time_derivative = 0.0;
  gradient_.resize(x.size());
  if (!mode.evaluator->guard_gradient(guard, state_.at.time(), x, gradient_, time_derivative).ok()) {
    return 0.0;
  }
  // Of a guard at zero the terms before the round count too: what it is now, is a difference to them. In another structure constraints
  // may have drawn to zero what was somewhere else, or joined what was apart by errors of location.
  const bool counts_before = !is_known || state_.roots.is_at(guard);
  const std::vector<double>& nominal = mode.engine->nominal();
  const std::vector<system::Quantity>& quantities = mode.engine->quantities();
  const auto was = [&](std::size_t i) {
    if (is_known) {
      return x_left_[i];
    }
    const double value = quantities[i].order == 0
                             ? state_.instant.left_limit[static_cast<std::size_t>(quantities[i].variable)]
                             : x[i];
    return std::isnan(value) ? x[i] : value;
  };
  double sum = 0.0;
  double unreported =
      0.0;  // what the constraints have drawn a state by, and no body: too little to count as moved (5.9)
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    const double before = counts_before ? std::abs(was(i)) : 0.0;
    sum += std::abs(gradient_[i]) * std::max(std::abs(x[i]), before);
    const double moved = counts_before ? std::abs(x[i] - was(i)) : 0.0;
    if (moved <= reduce::kMoved * std::max(std::abs(x[i]), nominal[i])) {
      unreported += std::abs(gradient_[i]) * moved;
    }
  }
  return kStateRoundings * sum + unreported;
}

double GuardSurvey::left_by_projection(ModeData& mode, std::span<const double> x, Index guard, double part) {
  double time_derivative = 0.0;
  gradient_.resize(x.size());
  if (!mode.evaluator->guard_gradient(guard, state_.at.time(), x, gradient_, time_derivative).ok()) {
    return 0.0;
  }
  const std::vector<double>& nominal = mode.engine->nominal();
  double sum = 0.0;
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    sum += std::abs(gradient_[i]) * std::max(std::abs(x[i]), nominal[i]);
  }
  return part * sum;
}

// Constraints are met but for the rounding of projections, before and after a change of the mode alike; a guard that they hold at zero
// shows it. Guards further from zero than this are not asked for their gradient.
bool GuardSurvey::is_projected_zero(ModeData& mode, std::span<const double> x, Index guard, double value,
                                    double bound) {
  return is_projected_ && (std::abs(value) <= kFarBeyondNoise * bound || bound <= kSmallestNormal) &&
         std::abs(value) <= bound + left_by_projection(mode, x, guard, reduce::ProjectionPolicy::kTolerance);
}

bool GuardSurvey::is_zero(ModeData& mode, std::span<const double> x, Index guard, double value) {
  const double bound = zero_bound(guard, mode.evaluator->guard_noise(guard, state_.at.time(), x));
  return std::abs(value) <= bound || is_projected_zero(mode, x, guard, value, bound) ||
         is_rounded_zero(mode, x, guard, value, bound);
}

bool GuardSurvey::is_rounded_zero(ModeData& mode, std::span<const double> x, Index guard, double value,
                                  double bound) {
  // Guards further from zero are not asked for their gradient.
  const bool may_be = state_.roots.is_at(guard) ||
                      std::abs(value) <= kFarBeyondNoise * std::max(bound, kStateRoundings * largest_state_);
  return may_be && std::abs(value) <= bound + left_by_rounds(mode, x, guard);
}

// Within the reach of a guard that rests it is zero.
bool GuardSurvey::rests(Index guard, double value) const {
  return state_.at.latched(guard) == 0.0 && state_.guard(guard).has_root &&
         std::abs(value) <= state_.roots.reach(guard);
}

// The rounds may recompute terms of the guard: twice the residual still counts as unmoved.
double GuardSurvey::zero_bound(Index guard, double noise) const {
  const auto i = static_cast<std::size_t>(guard);
  const double least = std::max(noise, kSmallestNormal);
  return state_.roots.is_at(guard) ? least + 2.0 * residual_[i] : least;
}

// Whether bodies of this instant have moved the guard by what they do to states, by more than they round. (Sides that change move guards of
// networks too; that is no jump.) gradient_ is that of the guard.
bool GuardSurvey::has_jumped(Index guard) const {
  const std::vector<double>& x = state_.at.x();
  if (!has_left_limit_ || x_left_.size() != x.size()) {
    return false;
  }
  double sum = 0.0;
  double moved = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += std::abs(gradient_[i]) * std::max(std::abs(x[i]), std::abs(x_left_[i]));
    moved += std::abs(gradient_[i] * (x[i] - x_left_[i]));
  }
  return moved > kStateRoundings * sum + state_.at.mode().evaluator->guard_noise(guard, state_.at.time(), x);
}

// A guard that is leaving its surface may be behind it by an error of the trajectory: that is no side. Where a body puts it is one.
bool GuardSurvey::is_still_leaving(Index guard, double value) {
  const auto i = static_cast<std::size_t>(guard);
  if (!state_.roots.departure(guard).is_leaving || state_.guard(guard).has_root ||
      state_.roots.departing_side(guard) != state_.at.configuration().latched[i] ||
      state_.at.is_slid_on(guard)) {
    return false;
  }
  double time_derivative = 0.0;
  gradient_.resize(state_.at.x().size());
  if (!state_.at.mode()
           .evaluator->guard_gradient(guard, state_.at.time(), state_.at.x(), gradient_, time_derivative)
           .ok()) {
    return false;
  }
  if (has_jumped(guard)) {
    return false;
  }
  state_.at.mode().evaluator->keep_along(state_.at.time(), state_.at.x(), gradient_);
  return std::abs(value) <= locate::allowed_error(state_.at.mode().engine->stepper().tolerances(), gradient_,
                                                  state_.at.x(), state_.at.x());
}

// A guard that was located on a flat side of its own kink, within its noise there, is further from zero on a steep one, by as much as it is
// faster there: a diode of 1e-5 Ohm whose voltage is 1e-17 conducts 1e-12, and that is 1e-9 where it blocks with 1e-3 Siemens.
bool GuardSurvey::is_zero_before(Index guard, double value) {
  const auto change = std::find_if(state_.instant.changes.begin(), state_.instant.changes.end(),
                                   [guard](const LatchChange& latched) { return latched.guard == guard; });
  const double side = state_.at.latched(guard);
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const bool is_kink = state_.guard(guard).continuity >= 0 || state_.guard(guard).is_continuous;
  if (!state_.roots.is_at(guard) || !is_kink || change == state_.instant.changes.end() ||
      change->before * side != -1.0) {
    return false;
  }
  system::GuardDerivatives behind;
  system::GuardDerivatives before;
  const bool is_known = evaluator.guard_derivatives(guard, state_.at.time(), state_.at.x(), behind).ok();
  evaluator.set_latched(guard, change->before);
  const double noise = evaluator.guard_noise(guard, state_.at.time(), state_.at.x());
  const bool is_known_before =
      evaluator.guard_derivatives(guard, state_.at.time(), state_.at.x(), before).ok();
  evaluator.set_latched(guard, side);
  // What does not move, here or there, was not moved here by its own kink.
  return is_known && is_known_before && behind.value[0] != 0.0 && before.value[0] != 0.0 &&
         std::abs(value * before.value[0]) <= zero_bound(guard, noise) * std::abs(behind.value[0]);
}

}  // namespace saltus::settle
