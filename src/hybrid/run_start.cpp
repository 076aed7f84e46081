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
#include "system/function_failed.hpp"

namespace saltus::hybrid {
RunLoop::RunLoop(const system::HybridSystem& system, const Options& options, RunObserver& observer)
    : state_(system, options, observer),
      settler_(state_),
      progress_(state_),
      ranks_(state_),
      singular_(state_),
      bounds_(state_),
      values_(state_),
      zeros_(state_) {
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

// Steps that were kept stay kept; the one in which the run is ended from outside, or lacks memory, is not (semantics 10).
template <class Work>
void RunLoop::guarded(Work work) {
  try {
    work();
  } catch (const WorkHalted& halted) {
    end_early(halted.reason() == Halt::interrupted ? "interrupted" : "time_limit", "ended from outside");
  } catch (const std::bad_alloc&) {
    end_early(kOutOfMemory, "the memory does not suffice");
  } catch (const std::length_error&) {
    end_early(kOutOfMemory, "the memory does not suffice");
  } catch (const system::FunctionFailed& failed) {
    state_.end(RunOutcome::Status::failed, system::kFunctionFailed,
               fmt::format("{} (after t = {:.9g})", failed.what(), state_.at.time()));
  }
}

RunOutcome RunLoop::run(const system::InitialPoint& initial) {
  if (begin(initial)) {
    (void)advance(state_.options().stop, Until::horizon);
  }
  return conclude();
}

bool RunLoop::begin(const system::InitialPoint& initial) {
  bool has_begun = false;
  guarded([&] { has_begun = start(initial); });
  return has_begun && !state_.has_ended();
}

bool RunLoop::advance(double horizon, Until until) {
  horizon_ = horizon;
  guarded([&] { pursue(until); });
  return !state_.has_ended();
}

bool RunLoop::set_outside(std::span<const settle::OutsideValue> values) {
  bool goes_on = false;
  guarded([&] { goes_on = settler_.settle_outside(values) && restart() && begin_stretch(); });
  return goes_on && !state_.has_ended();
}

std::span<const double> RunLoop::values() {
  if (!settler_.has_values() && state_.at.has_mode()) {
    final_outputs(state_.values);
  }
  return state_.values;
}

void RunLoop::end_early(std::string_view reason, std::string_view what) {
  state_.end(RunOutcome::Status::stopped, reason, fmt::format("{} at t = {:.9g}", what, state_.at.time()));
}

void RunLoop::prepare(const system::InitialPoint& initial) {
  horizon_ = state_.options().stop;
  if (state_.options().steps.fixed_step == 0.0) {
    output_error_.emplace(state_.options().stop - state_.options().start, state_.values.size(),
                          initial.guess.size());
  }
  values_.set_guess_size(initial.guess.size());
}

bool RunLoop::start(const system::InitialPoint& initial) {
  prepare(initial);
  return settler_.start(initial) && restart() && begin_stretch() && settle_due_at_start();
}

// A number that is held up to the level on which the start lies, and that time leaves at once: ceil(time) at a whole number, or floor(time)
// backwards. (Relations at zero are decided by then.)
bool RunLoop::settle_due_at_start() {
  if (!has_schedule_) {
    return true;
  }
  system::Schedule due;
  state_.system().next_scheduled(state_.at.configuration(), state_.at.time(), state_.direction(),
                                 state_.time_scale(), true, due);
  if (!same_instant(due.time, state_.at.time(), state_.time_scale())) {
    return true;
  }
  due.clocks.clear();
  std::erase_if(due.guards, [this](Index guard) {
    return state_.guard(guard).kind == system::GuardInfo::Kind::relation;
  });
  return due.guards.empty() || settle({}, &due, false);
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

// Of the last state that was kept. Where they are not known, or not soon enough for a run that was ended, they are NaN but for the states.
void RunLoop::final_outputs(std::vector<double>& values) {
  bool is_known = false;
  try {
    is_known = state_.at.field().outputs(state_.at.time(), state_.at.x(), values).ok();
  } catch (const WorkHalted&) {
  } catch (const system::FunctionFailed&) {
  }
  if (is_known) {
    return;
  }
  std::fill(values.begin(), values.end(), std::nan(""));
  const std::vector<system::Quantity>& quantities = state_.at.mode().engine->quantities();
  for (std::size_t i = 0; i < quantities.size() && i < state_.at.x().size(); ++i) {
    if (quantities[i].order == 0 && quantities[i].variable >= 0) {
      values[static_cast<std::size_t>(quantities[i].variable)] = state_.at.x()[i];
    }
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
  if (!settler_.has_values() && state_.at.has_mode()) {
    final_outputs(outcome.final_values);
  }
  for (const auto& engine : state_.modes.engines()) {
    outcome.steps += engine->statistics();
    const locate::SearchCounters& searches = engine->search().counters();
    state_.counters.guard_evaluations += searches.guard_evaluations;
    state_.counters.newton_iterations += searches.newton_iterations;
    state_.counters.location_iterations += searches.root_iterations + searches.newton_iterations;
    state_.counters.overtaken_locations += searches.overtaken;
    state_.counters.guards_without_root += searches.without_root;
    state_.counters.rhs_evaluations += engine->decider().rhs_evaluations();
  }
  outcome.sizes.next = engine_ != nullptr ? engine_->advance().next_step() : 0.0;
  collect_guard_watches();
  state_.counters.guard_evaluations += guard_error_ ? guard_error_->evaluations() : 0;
  state_.counters.rhs_evaluations += outcome.steps.rhs.total() + state_.modes.sliding_evaluations();
  outcome.counters = state_.counters;
  return std::move(outcome);
}

}  // namespace saltus::hybrid
