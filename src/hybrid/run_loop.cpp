#include "hybrid/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "hybrid/before_surface.hpp"

namespace saltus::hybrid {
namespace {

// After an event within a step: roots are found best well inside a step, and events have their own rhythm. The next step
// is at most this many times the part that was used …
constexpr double kCutStretch = 4.0;
// … but no less than this part of the size that worked: two close events say nothing of the third.
constexpr double kSmallestCut = 0.1;

}  // namespace

// next scheduled time, or the end of a dwell, or the stop if that comes first
double RunLoop::next_target() {
  double target = state_.options().stop;
  if (has_schedule_ && state_.direction() * (schedule_.time - target) < 0.0) {
    target = schedule_.time;
  }
  if (!monitor_.held().empty() && state_.direction() * (monitor_.next_release() - target) < 0.0) {
    target = monitor_.next_release();
  }
  return target;
}

bool RunLoop::within_limits() {
  std::int64_t attempts = 0;
  for (const auto& engine : state_.modes.engines()) {
    attempts += engine->statistics().attempted();
  }
  if (attempts >= state_.options().steps.max_steps) {
    state_.end(RunOutcome::Status::stopped, "step_limit",
               fmt::format("{} steps were tried up to t = {:.9g}", attempts, state_.at.time()));
  } else if (state_.counters.events >= state_.options().max_events) {
    state_.end(RunOutcome::Status::stopped, "event_limit",
               fmt::format("{} events happened up to t = {:.9g}", state_.counters.events, state_.at.time()));
  }
  return !state_.has_ended();
}

// What the error test asks besides the states, or instead of them.
integrate::ErrorRule* RunLoop::error_rule() {
  if (state_.at.x().empty() && output_error_) {
    return &*output_error_;
  }
  return guard_error_ ? &*guard_error_ : nullptr;
}

bool RunLoop::step() {
  if (!within_limits()) {
    return false;
  }
  const double target = next_target();
  integrate::Advance& advance = state_.at.mode().engine->advance();
  BeforeSurface before_surface(state_.at.field(), state_.at.mode().engine->stepper(), watch_list_.watches(),
                               state_.direction(), is_fresh_);
  const integrate::AdvanceOutcome outcome = advance.step(target, &before_surface, error_rule());
  if (outcome.reason != integrate::EndReason::reached_end &&
      outcome.reason != integrate::EndReason::stopped) {
    return leave_failed_step(outcome);
  }
  const locate::SearchResult found = search(outcome.h);
  const bool is_whole = found.kind == locate::SearchResult::Kind::none;
  if (is_whole || found.found()) {
    const double until = is_whole ? 1.0 : found.theta;
    if (values_.look(until) != ValueWatch::Verdict::keep) {
      return drop_step(0.5, outcome.h, values_.why());
    }
    if (!bounds_.is_empty()) {
      const BoundWatch::Verdict verdict = bounds_.look_at(state_.open_segment(), until);
      if (verdict != BoundWatch::Verdict::keep && refuse_by_bounds(verdict, outcome.h)) {
        return !state_.has_ended();
      }
      bounds_.keep();
    }
    if (const auto change = ranks_.look(until)) {
      return change_ranks(*change);
    }
    if (is_whole) {
      // What the method has solved for need not be solved for again.
      (void)state_.at.field().begin_at(state_.at.mode().engine->stepper().residual_point());
    }
    if (const auto verdict = singular_.look(until); verdict != SingularWatch::Verdict::keep) {
      return refuse_beyond_singular(verdict, outcome.h);
    }
    ranks_.step_kept(outcome.h);
    values_.step_kept();
  }
  switch (found.kind) {
    case locate::SearchResult::Kind::refine: return drop_step(found.theta, outcome.h, found.evaluation);
    case locate::SearchResult::Kind::failed: return drop_step(0.5, outcome.h, found.evaluation);
    case locate::SearchResult::Kind::none:
      if (!keep_step()) {
        return false;
      }
      return outcome.reached_end() ? arrive(target) : look_at_staying_zero();
    case locate::SearchResult::Kind::found: break;
  }
  // Times that are one instant with a target happen at the target.
  const double t_event = state_.at.mode().engine->stepper().time().value() + (found.theta - 1.0) * outcome.h;
  const bool joins = outcome.reached_end() && same_instant(t_event, target, state_.time_scale());
  if (!keep_step_to(joins ? 1.0 : found.theta)) {
    return false;
  }
  if (found.theta * std::abs(outcome.h) > time_tolerance(state_.at.time(), state_.time_scale())) {
    advance.set_next_step(std::abs(outcome.h) * std::clamp(kCutStretch * found.theta, kSmallestCut, 1.0));
  }
  const bool is_scheduled =
      joins && has_schedule_ && same_instant(schedule_.time, target, state_.time_scale());
  return settle({found.crossings, is_scheduled, joins && !monitor_.held().empty()});
}

// No step can be made from here: another method, another structure or a surface may be the way on. False: the run ended.
bool RunLoop::leave_failed_step(const integrate::AdvanceOutcome& outcome) {
  if (outcome.reason == integrate::EndReason::step_size_too_small && leave_too_small_steps()) {
    return true;
  }
  if (singular_.has_arrived()) {
    end_at_singular(SingularWatch::Verdict::singular);
    return false;
  }
  if (const auto change = ranks_.look_ahead()) {
    return change_ranks(*change);
  }
  if (fall_back_to_ranks(outcome.evaluation)) {
    return !state_.has_ended();
  }
  if (!outcome.evaluation.ok() && arrive_one_sided()) {
    return settle({arrivals_, false, false});
  }
  end_of_steps(outcome);
  return false;
}

// Undecidable: drop the step, take a smaller one.
bool RunLoop::drop_step(double factor, double step, const system::Evaluation& why) {
  const double smallest = time_tolerance(state_.at.time(), 0.0);
  integrate::Advance& advance = state_.at.mode().engine->advance();
  if (state_.options().steps.fixed_step > 0.0 || std::abs(step) <= smallest) {
    if (!why.ok() && singular_.lies_on_singular_point()) {
      end_at_singular(SingularWatch::Verdict::fold);
    } else if (values_.jumping() >= 0) {
      const auto variable = static_cast<std::size_t>(values_.jumping());
      state_.end(
          RunOutcome::Status::failed, "impasse",
          fmt::format("the solution for {} cannot be followed beyond t = {:.9g}: its equations lead over to "
                      "another one (in mode {})",
                      state_.system().variables()[variable].name, state_.at.time(),
                      state_.at.mode().info->name));
    } else if (!why.ok()) {
      state_.fail(state_.at.field(), why);
    } else {
      state_.end(RunOutcome::Status::failed, "event_not_decided",
                 fmt::format("whether a guard of mode {} changes its sign near t = {:.9g} cannot be decided",
                             state_.at.mode().info->name, state_.at.time()));
    }
    return false;
  }
  advance.retract(factor * std::abs(step));
  if (has_muted_) {
    arm();
  }
  return true;
}

// A variable that must not be negative is: the step is repeated with half its size, or the run ends. False: it may be kept.
bool RunLoop::refuse_by_bounds(BoundWatch::Verdict verdict, double step) {
  if (state_.options().steps.fixed_step > 0.0 ||
      std::abs(step) <= integrate::smallest_step(state_.at.time())) {
    if (verdict == BoundWatch::Verdict::try_smaller) {
      return false;
    }
    bounds_.give_up(step);
    return true;
  }
  ++state_.counters.rejected_by_bounds;
  state_.at.mode().engine->advance().retract(0.5 * std::abs(step));
  if (has_muted_) {
    arm();
  }
  return true;
}

void RunLoop::end_at_singular(SingularWatch::Verdict verdict) {
  const bool is_fold = verdict == SingularWatch::Verdict::fold;
  state_.end(RunOutcome::Status::failed, is_fold ? "impasse" : "singular_point",
             fmt::format("the solution cannot be continued at t = {:.9g}: {} vanishes there, and {} (in "
                         "mode {})",
                         state_.at.time(), singular_.fold_text(),
                         is_fold ? "beyond it no solution, or more than one, follows"
                                 : "several solutions may pass; --singular pass takes the one that the "
                                   "steps lead to",
                         state_.at.mode().info->name));
}

// Beyond a point of the step the solution that is followed has ended (a fold), or nothing says which of several goes on: smaller steps
// lead up to there. False: the run ended.
bool RunLoop::refuse_beyond_singular(SingularWatch::Verdict verdict, double step) {
  if (state_.options().steps.fixed_step > 0.0 ||
      std::abs(step) <= integrate::smallest_step(state_.at.time())) {
    end_at_singular(verdict);
    return false;
  }
  state_.at.mode().engine->advance().retract(0.5 * std::abs(step));
  if (has_muted_) {
    arm();
  }
  return true;
}

void RunLoop::count_step() {
  state_.counters.accepted_sliding += !state_.at.is_sliding() ? 0 : 1;
  ++state_.outcome.method_uses[use_of_mode_[engine_->mode().index()] - 1].accepted_steps;
}

bool RunLoop::keep_step() {
  settle::Engine& engine = *state_.at.mode().engine;
  integrate::Stepper& stepper = engine.stepper();
  state_.at.step_to(stepper.time(), stepper.state());
  trajectory::SegmentView segment;
  if (state_.observer().wants_segment(state_.at.time())) {
    segment = state_.open_segment();
  }
  has_told_values_ = false;
  count_step();
  note_departures(1.0);
  if (is_fresh_) {
    state_.at.mode().evaluator->extend({});
  }
  is_fresh_ = false;
  if (has_muted_) {
    arm();
  }
  if (!state_.go_on(
          state_.observer().step(segment, {state_.at.time(), state_.at.x(), stepper.residual_point()}))) {
    return false;
  }
  if (const double h_lambda = engine.looks_stiff(); h_lambda > 0.0) {
    change_method(MethodChange::Reason::stiff, h_lambda);
  }
  // Whoever evaluates the steps that follow must know the new sides.
  return (state_.at.mode().smooth_kinks.empty() || !flip_smooth_kinks() || begin_stretch()) &&
         verification_.step();
}

bool RunLoop::change_method(MethodChange::Reason reason, double h_lambda) {
  settle::Engine& engine = *state_.at.mode().engine;
  const std::string_view from = engine.method().name;
  if (!engine.change_method(state_.at.field(), *state_.at.mode().locked)) {
    return false;
  }
  state_.outcome.method_changes.push_back(
      {state_.at.time(), engine.mode(), from, engine.method().name, reason, h_lambda});
  return true;
}

// Steps that become too small may be a matter of stability before the test of stiffness has seen enough of them.
bool RunLoop::leave_too_small_steps() {
  return state_.at.mode().engine->can_change_method() && !state_.at.is_sliding() &&
         state_.at.mode().locked->residual_form() != nullptr &&
         change_method(MethodChange::Reason::small_steps, 0.0);
}

// To the point of the extension at θ.
void RunLoop::step_into(const trajectory::SegmentView& segment, double theta) {
  trajectory::CompensatedTime t = segment.start();
  t.advance(theta * segment.step());
  probe_.resize(state_.at.x().size());
  segment.evaluate(theta, probe_);
  state_.at.step_to(t, probe_);
}

// The step up to θ: its polynomial in the local time of the shorter step, and x⁻ at θ, never at a rounded time.
bool RunLoop::keep_step_to(double theta) {
  settle::Engine& engine = *state_.at.mode().engine;
  integrate::Stepper& stepper = engine.stepper();
  const trajectory::SegmentView& whole = engine.search().segment();
  if (theta == 1.0) {
    state_.at.step_to(stepper.time(), stepper.state());
  } else {
    step_into(whole, theta);
  }
  if (state_.at.field().projection() != system::Projection::none) {
    // To the accuracy of steps, then to rounding: modes to come ask for the signs of what is left (as locate does).
    probe_.assign(state_.at.x().begin(), state_.at.x().end());
    for (int pass = 0; pass < 2; ++pass) {
      const system::Evaluation projection = state_.at.field().project(state_.at.time(), probe_);
      if (!projection.ok()) {
        state_.fail(state_.at.field(), projection);
        return false;
      }
    }
    state_.at.step_to(state_.at.t(), probe_);
  }
  trajectory::SegmentView segment;
  if (state_.observer().wants_segment(state_.at.time())) {
    segment = whole.shortened(theta, state_.at.time(), coefficients_);
  }
  has_told_values_ = false;
  count_step();
  note_departures(theta);
  return state_.go_on(state_.observer().step(segment, {state_.at.time(), state_.at.x()}));
}

bool RunLoop::arrive(double target) {
  const bool is_scheduled = has_schedule_ && same_instant(schedule_.time, target, state_.time_scale());
  const bool is_release =
      !monitor_.held().empty() && same_instant(monitor_.next_release(), target, state_.time_scale());
  if (!is_scheduled && !is_release) {
    return look_at_staying_zero();
  }
  return settle({{}, is_scheduled, is_release});
}

// A kink that is smoother than the method: the step is good on either side, the side changes after it (8.2).
bool RunLoop::flip_smooth_kinks() {
  const std::vector<Index>& kinks = state_.at.mode().smooth_kinks;
  end_values_.resize(kinks.size());
  if (!state_.at.field().guards(kinks, state_.at.time(), state_.at.x(), end_values_).ok()) {
    return false;
  }
  const std::int64_t n_before = state_.counters.kinks_without_restart;
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    const double side = end_values_[k] > 0.0 ? 1.0 : end_values_[k] < 0.0 ? -1.0 : 0.0;
    if (side != 0.0 && side != state_.at.latched(kinks[k])) {
      state_.at.flip(kinks[k], side);
      ++state_.counters.kinks_without_restart;
    }
  }
  return state_.counters.kinks_without_restart > n_before;
}

std::string RunLoop::iteration_text(const integrate::AdvanceOutcome& outcome) const {
  const auto culprit = static_cast<std::size_t>(outcome.culprit);
  const auto& names = state_.at.mode().engine->names();
  std::shared_ptr<const system::EquationSet> form = state_.at.field().own_residual_form();
  if (form == nullptr) {
    form = state_.at.mode().locked->residual_form();
  }
  std::string unknown = "some unknown";
  if (outcome.culprit >= 0 && culprit < names.size()) {
    unknown = names[culprit];
  } else if (outcome.culprit >= 0 && form && culprit < form->slots().size()) {
    unknown = form->slots()[culprit].name;
  }
  return fmt::format(
      "the equations of a step cannot be solved at t = {:.9g}, also with a step of {:.3g}: {} {} (in mode "
      "{})",
      state_.at.time(), std::abs(outcome.h),
      outcome.is_singular ? "they do not determine" : "the iteration does not converge for", unknown,
      state_.at.mode().info->name);
}

void RunLoop::end_of_steps(const integrate::AdvanceOutcome& outcome) {
  using integrate::EndReason;
  const std::string_view reason = integrate::reason_text(outcome.reason);
  switch (outcome.reason) {
    case EndReason::interrupted:
    case EndReason::time_limit:
    case EndReason::step_limit:
      state_.end(RunOutcome::Status::stopped, reason,
                 fmt::format("ended from outside at t = {:.9g}", state_.at.time()));
      return;
    case EndReason::step_size_too_small: {
      const auto culprit = static_cast<std::size_t>(std::max<Index>(outcome.culprit, 0));
      const auto& names = state_.at.mode().engine->names();
      state_.end(
          RunOutcome::Status::failed, reason,
          fmt::format("the error cannot be kept under the tolerance at t = {:.9g}: the step became {:.3g} "
                      "because of {} (in mode {})",
                      state_.at.time(), std::abs(outcome.h), names.empty() ? "" : names[culprit],
                      state_.at.mode().info->name));
      return;
    }
    case EndReason::iteration_failed:
      state_.end(RunOutcome::Status::failed, reason, iteration_text(outcome));
      return;
    default: break;
  }
  if (outcome.evaluation.ok()) {
    state_.end(RunOutcome::Status::failed, reason,
               fmt::format("the solution leaves the range of numbers at t = {:.9g}: it grows without bound",
                           state_.at.time()));
  } else if (singular_.lies_on_singular_point()) {
    end_at_singular(SingularWatch::Verdict::fold);
  } else {
    state_.fail(state_.at.field(), outcome.evaluation);
  }
}

RunOutcome run(const system::HybridSystem& system, const system::InitialPoint& initial,
               const Options& options, RunObserver& observer) {
  return RunLoop(system, options, observer).run(initial);
}

}  // namespace saltus::hybrid
