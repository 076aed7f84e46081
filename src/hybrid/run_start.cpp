// How a run begins and ends (docs/semantics.md 3, 6.2, 10).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/time_tolerance.hpp"
#include "base/work_watch.hpp"
#include "hybrid/run_loop.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::hybrid {
RunLoop::RunLoop(const system::HybridSystem& system, const Options& options, RunObserver& observer)
    : state_(system, options, observer),
      log_(state_),
      sliding_(state_),
      survey_(state_),
      record_(state_, log_, sliding_),
      structures_(state_, log_, sliding_, survey_),
      rounds_(state_, log_, sliding_, survey_, record_, structures_),
      monitor_(state_),
      verification_(state_, monitor_),
      progress_(state_),
      ranks_(state_),
      singular_(state_),
      bounds_(state_),
      values_(state_) {
  if (options.guard_atol) {
    guard_error_.emplace(*options.guard_atol);
  }
  has_schedule_ = system.n_clocks() > 0;
  for (const system::GuardInfo& guard : system.guards()) {
    has_schedule_ = has_schedule_ || guard.is_scheduled;
    is_unilateral_.push_back(guard.is_unilateral ? 1 : 0);
  }
  for (const system::ActionInfo& action : system.actions()) {
    if (action.guard >= 0 && action.has_jump) {
      is_unilateral_[static_cast<std::size_t>(action.guard)] = 1;
    }
  }
}

RunOutcome RunLoop::run(const system::InitialPoint& initial) {
  // Steps that were kept stay kept; the one in which the run is ended from outside, or lacks memory, is not (semantics 10).
  try {
    pursue(initial);
  } catch (const WorkHalted& halted) {
    end_early(halted.reason() == Halt::interrupted ? "interrupted" : "time_limit", "ended from outside");
  } catch (const std::bad_alloc&) {
    end_early(kOutOfMemory, "the memory does not suffice");
  } catch (const std::length_error&) {
    end_early(kOutOfMemory, "the memory does not suffice");
  }
  return conclude();
}

void RunLoop::pursue(const system::InitialPoint& initial) {
  if (!start(initial)) {
    return;
  }
  while (state_.at.t().since(state_.options().stop) != 0.0) {
    if (!step() || !progress_.look(crossed_.empty() ? -1 : crossed_.front())) {
      return;
    }
  }
  settle_end();
}

void RunLoop::end_early(std::string_view reason, std::string_view what) {
  state_.end(RunOutcome::Status::stopped, reason, fmt::format("{} at t = {:.9g}", what, state_.at.time()));
}

bool RunLoop::lock_start(const system::InitialPoint& initial) {
  if (state_.options().steps.fixed_step == 0.0) {
    output_error_.emplace(state_.options().stop - state_.options().start, state_.values.size(),
                          initial.guess.size());
  }
  values_.set_guess_size(initial.guess.size());
  const auto mode = state_.modes.mode(state_.system().structure_of(initial.configuration), initial.guess);
  if (!mode) {
    state_.end(RunOutcome::Status::failed, "initialization_failed", mode.error().items()[0].message);
    return false;
  }
  state_.at.begin(**mode, initial.configuration, initial.x);
  std::copy(initial.values.begin(), initial.values.end(), state_.values.begin());
  has_told_values_ = true;
  take_zeros_as_written();
  return true;
}

// A guard on a variable that was solved for may miss zero by what the iteration leaves: zero all the same (1.5, 3.1).
void RunLoop::take_zeros_as_written() {
  bool has_changed = false;
  for (const Index guard : state_.at.mode().guards) {
    double value = 0.0;
    const system::GuardInfo& info = state_.guard(guard);
    if (info.kind != system::GuardInfo::Kind::relation || info.is_scheduled ||
        state_.at.latched(guard) == 0.0 || structures_.divides(guard) ||
        !state_.at.field().guards({&guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok()) {
      continue;
    }
    if (std::abs(value) <= state_.at.field().guard_noise(guard, state_.at.time(), state_.at.x())) {
      state_.at.set_latched(guard, 0.0);
      has_changed = true;
    }
  }
  if (has_changed) {
    state_.at.field().set_configuration(state_.at.configuration());
  }
}

bool RunLoop::start(const system::InitialPoint& initial) {
  if (!lock_start(initial)) {
    return false;
  }
  begin_instant();
  if (!record_.begin() || (state_.system().has_rounds() && !rounds_.begin(initial.discrete_before))) {
    return false;
  }
  if (!settle_start()) {
    return false;
  }
  note_switches();
  return !state_.has_ended() && verified(false) && restart() && begin_stretch();
}

bool RunLoop::settle_start() {
  settle::Occasion occasion;
  occasion.is_start = true;
  if (has_schedule_) {
    state_.system().next_scheduled(state_.at.configuration(), state_.at.time(), state_.direction(),
                                   state_.time_scale(), true, schedule_);
    if (same_instant(schedule_.time, state_.at.time(), state_.time_scale())) {
      occasion.clocks = schedule_.clocks;
    }
  }
  return settle_anew(occasion);
}

// A point whose sides nothing has led to: the start, or states that another structure has moved. Guards have the truth of their values,
// those at zero are decided, structures and states follow, rounds run until nothing changes.
bool RunLoop::settle_anew(const settle::Occasion& occasion) {
  if (!survey_.look() || !structures_.decide_zero_guards() || !structures_.follow() || !sliding_.install() ||
      !forget_changes_without_effect()) {
    return false;
  }
  const bool asks_rounds = occasion.is_start ? state_.system().has_rounds() : needs_rounds({});
  if (asks_rounds && (!survey_.note_residuals() || !rounds_.settle(occasion) || !sliding_.install())) {
    return false;
  }
  return record_.report_news();
}

// terminal() is true in one further round at the stop.
bool RunLoop::settle_end() {
  if (!state_.system().has_rounds()) {
    return true;
  }
  begin_instant();
  has_told_values_ = true;
  settle::Occasion occasion;
  occasion.is_terminal = true;
  return record_.begin() && survey_.note_residuals() && rounds_.settle(occasion) && sliding_.install();
}

// Linear equations that contradict each other are solved as well as they can be: that must be told.
void RunLoop::tell_contradictions() {
  for (const auto& mode : state_.modes.modes()) {
    if (!mode->has_run || mode->by_ranks == nullptr || !mode->by_ranks->contradiction().is_contradiction()) {
      continue;
    }
    state_.warn(
        settle::kLeastSquares,
        fmt::format("the equations contradict each other and are met in the sense of least squares only: "
                    "{} is missed "
                    "by up to {:.3g}",
                    mode->by_ranks->contradiction_text(), std::abs(mode->by_ranks->contradiction().residual)),
        "remove or correct one of the equations");
  }
}

// Of the last state that was kept; NaN where they are not known, or not soon enough for a run that was ended.
void RunLoop::final_outputs(std::vector<double>& values) {
  try {
    (void)state_.at.field().outputs(state_.at.time(), state_.at.x(), values);
  } catch (const WorkHalted&) {
    std::fill(values.begin(), values.end(), std::nan(""));
  }
}

void RunLoop::collect_guard_watches() {
  const std::size_t n_guards = state_.system().guards().size();
  std::vector<locate::GuardWatch>& watches = state_.outcome.guard_watches;
  for (const auto& engine : state_.modes.engines()) {
    const std::vector<locate::GuardWatch>& own = engine->search().guard_watches();
    for (std::size_t guard = 0; guard < own.size(); ++guard) {
      const std::size_t place = std::min(guard, n_guards);
      watches.resize(std::max(watches.size(), place + 1));
      watches[place] += own[guard];
    }
  }
}

RunOutcome RunLoop::conclude() {
  (void)state_.report();
  tell_contradictions();
  bounds_.tell();
  RunOutcome& outcome = state_.outcome;
  outcome.t = state_.at.time();
  outcome.final_values.assign(state_.values.begin(), state_.values.end());
  if (!has_told_values_ && state_.at.has_mode()) {
    final_outputs(outcome.final_values);
  }
  for (const auto& engine : state_.modes.engines()) {
    outcome.steps += engine->statistics();
    state_.counters.guard_evaluations += engine->search().counters().guard_evaluations;
    state_.counters.newton_iterations += engine->search().counters().newton_iterations;
    state_.counters.rhs_evaluations += engine->decider().rhs_evaluations();
  }
  collect_guard_watches();
  state_.counters.guard_evaluations += guard_error_ ? guard_error_->evaluations() : 0;
  state_.counters.rhs_evaluations += outcome.steps.rhs.total() + state_.modes.sliding_evaluations();
  outcome.counters = state_.counters;
  return std::move(outcome);
}

}  // namespace saltus::hybrid
