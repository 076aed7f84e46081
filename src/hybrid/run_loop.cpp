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

// The loop of docs/semantics.md 2.
void RunLoop::pursue(Until until) {
  while (state_.at.t().since(horizon_) != 0.0) {
    const std::int64_t n_instants = state_.counters.instants;
    is_between_steps_ = true;
    if (!state_.go_on(state_.observer().between_steps()) || !step() ||
        !progress_.look(settler_.crossed().empty() ? -1 : settler_.crossed().front())) {
      return;
    }
    if (until == Until::step || (until == Until::instant && state_.counters.instants > n_instants)) {
      break;
    }
  }
  if (!is_over_ && state_.at.t().since(state_.options().stop) == 0.0) {
    is_over_ = true;
    (void)settler_.settle_terminal();
  }
}

// A turn of it. False: the run ended.
bool RunLoop::step() {
  if (!within_limits()) {
    return false;
  }
  const double target = next_target();
  BeforeSurface before_surface(state_.at.field(), state_.at.mode().engine->stepper(), watch_list_.watches(),
                               state_.direction(), is_fresh_);
  is_between_steps_ = false;
  const integrate::AdvanceOutcome outcome =
      state_.at.mode().engine->advance().step(target, &before_surface, error_rule());
  is_between_steps_ = outcome.reason == integrate::EndReason::interrupted ||
                      outcome.reason == integrate::EndReason::time_limit;
  if (is_between_steps_) {
    end_of_steps(outcome);  // nothing was tried, and nothing is looked at: the run may go on from here
    return false;
  }
  if (outcome.reason != integrate::EndReason::reached_end &&
      outcome.reason != integrate::EndReason::stopped) {
    return leave_failed_step(outcome);
  }
  const locate::SearchResult found = search(outcome.h);
  if (found.kind == locate::SearchResult::Kind::refine || found.kind == locate::SearchResult::Kind::failed) {
    const bool says_where = found.kind == locate::SearchResult::Kind::refine;
    state_.counters.refined_steps += says_where ? 1 : 0;
    return drop_step(says_where ? found.theta : 0.5, outcome.h, found.evaluation);
  }
  const double until = found.found() ? found.theta : 1.0;
  if (const auto theta = zeros_.first_departure(watch_list_.staying_zero(), until)) {
    return leave_zero(*theta, outcome);
  }
  if (const auto answer = look_along(until, outcome.h, !found.found())) {
    return *answer;
  }
  if (!found.found()) {
    return keep_step() && (outcome.reached_end() ? arrive(target) : look_at_staying_zero());
  }
  return arrive_within(found, outcome, target);
}

// What the step has come upon besides events, up to θ = `until`. None: it may be kept. Otherwise what was done about it, and whether the
// run goes on.
std::optional<bool> RunLoop::look_along(double until, double step, bool is_whole) {
  if (values_.look(until) != ValueWatch::Verdict::keep) {
    return drop_step(0.5, step, values_.why());
  }
  if (!bounds_.is_empty()) {
    const BoundWatch::Verdict verdict = bounds_.look_at(state_.open_segment(), until);
    if (verdict != BoundWatch::Verdict::keep && refuse_by_bounds(verdict, step)) {
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
    return refuse_beyond_singular(verdict, step);
  }
  ranks_.step_kept(step);
  values_.step_kept();
  return std::nullopt;
}

// The step is kept up to the event, which is settled.
bool RunLoop::arrive_within(const locate::SearchResult& found, const integrate::AdvanceOutcome& outcome,
                            double target) {
  integrate::Advance& advance = state_.at.mode().engine->advance();
  // Times that are one instant with a target happen at the target.
  const double t_event = state_.at.mode().engine->stepper().time().value() + (found.theta - 1.0) * outcome.h;
  const bool is_at_target = same_instant(t_event, target, state_.time_scale());
  if (!keep_step_to(is_at_target && outcome.reached_end() ? 1.0 : found.theta)) {
    return false;
  }
  if (found.theta * std::abs(outcome.h) > time_tolerance(state_.at.time(), state_.time_scale())) {
    advance.set_next_step(std::abs(outcome.h) * std::clamp(kCutStretch * found.theta, kSmallestCut, 1.0));
  }
  return settle(found.crossings, is_at_target ? due_at(target) : nullptr,
                is_at_target && !settler_.monitor().held().empty());
}

// next scheduled time, or the end of a dwell, or the horizon if that comes first
double RunLoop::next_target() {
  double target = horizon_;
  if (has_schedule_ && state_.direction() * (schedule_.time - target) < 0.0) {
    target = schedule_.time;
  }
  if (!settler_.monitor().held().empty() &&
      state_.direction() * (settler_.monitor().next_release() - target) < 0.0) {
    target = settler_.monitor().next_release();
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

// The schedule, if its time is this one.
std::optional<double> RunLoop::next_scheduled() const {
  return has_schedule_ && std::isfinite(schedule_.time) ? std::optional(schedule_.time) : std::nullopt;
}

const system::Schedule* RunLoop::due_at(double t) const {
  return has_schedule_ && same_instant(schedule_.time, t, state_.time_scale()) ? &schedule_ : nullptr;
}

// Settles the instant at the present point; the method restarts from there.
bool RunLoop::settle(std::span<const locate::Crossing> crossings, const system::Schedule* schedule,
                     bool is_release) {
  return settler_.settle({crossings, schedule, is_release, watch_list_.staying_zero()}) && restart() &&
         begin_stretch();
}

void RunLoop::count_step() {
  const integrate::Stepper& stepper = state_.at.mode().engine->stepper();
  state_.outcome.sizes.count(std::abs(stepper.step_size()), stepper.order_of_step());
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
  settler_.step_kept();
  count_step();
  note_departures(1.0);
  if (is_fresh_) {
    state_.at.mode().evaluator->extend({});
  }
  is_fresh_ = false;
  if (has_muted_) {
    arm();
  }
  if (!state_.go_on(state_.observer().step(
          segment, {state_.at.time(), state_.at.x(), stepper.residual_point(), engine.method().is_implicit(),
                    engine.method().is_multistep(), stepper.derivative()}))) {
    return false;
  }
  if (const double h_lambda = engine.looks_stiff(); h_lambda > 0.0) {
    change_method(MethodChange::Reason::stiff, h_lambda);
  }
  // Whoever evaluates the steps that follow must know the new sides.
  return (state_.at.mode().smooth_kinks.empty() || !flip_smooth_kinks() || begin_stretch()) &&
         settler_.verification().step();
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
  const trajectory::SegmentView whole = state_.open_segment();
  if (theta == 1.0) {
    state_.at.step_to(stepper.time(), stepper.state());
  } else {
    step_into(whole, theta);
  }
  if (state_.at.field().projection() != system::Projection::none) {
    // To the accuracy of steps, then to rounding: modes to come ask for the signs of what is left (as locate does).
    probe_.assign(state_.at.x().begin(), state_.at.x().end());
    for (int pass = 0; pass < 2; ++pass) {
      const system::Evaluation projection = state_.at.field().project_instant(state_.at.time(), probe_);
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
  settler_.step_kept();
  count_step();
  note_departures(theta);
  return state_.go_on(state_.observer().step(
      segment,
      {state_.at.time(), state_.at.x(), {}, engine.method().is_implicit(), engine.method().is_multistep()}));
}

bool RunLoop::arrive(double target) {
  const system::Schedule* const due = due_at(target);
  const settle::SwitchMonitor& monitor = settler_.monitor();
  const bool is_release =
      !monitor.held().empty() && same_instant(monitor.next_release(), target, state_.time_scale());
  return due == nullptr && !is_release ? look_at_staying_zero() : settle({}, due, is_release);
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

RunOutcome run(const system::HybridSystem& system, const system::InitialPoint& initial,
               const Options& options, RunObserver& observer) {
  return RunLoop(system, options, observer).run(initial);
}

}  // namespace saltus::hybrid
