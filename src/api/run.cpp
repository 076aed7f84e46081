#include "api/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/start_point.hpp"
#include "api/options/bound_options.hpp"
#include "api/options/exact_method.hpp"
#include "api/results/guarded_call.hpp"
#include "api/results/method_report.hpp"
#include "api/results/run_recorder.hpp"
#include "api/sensitivity/hidden_jump_warnings.hpp"
#include "api/sensitivity/twins.hpp"
#include "saltus/contract.hpp"
#include "system/function_failed.hpp"

namespace saltus::api {
using integrate::EndReason;

Run::Run(const Instance& instance, const RunSettings& settings, const Columns& columns,
         const SimulationOptions& hooks, SimulationResult& result, FinalPoint* point)
    : instance_(instance),
      settings_(settings),
      columns_(columns),
      hooks_(hooks),
      result_(result),
      point_(point),
      monitor_(settings, hooks),
      is_used_(settings.atol_of.size()) {
  if (!hooks.checkpoint.empty()) {
    identity_ = identity_of(instance_, settings_, hooks_);
  }
}

// What was told of the run stays in the result, wherever it ends.
template <class Work>
void Run::guarded(Work work) {
  try {
    work();
  } catch (const WorkHalted& halted) {
    end(ending_of(early_end(halted.reason(), settings_.max_time, place())));
  } catch (const std::bad_alloc&) {
    end(ending_of(out_of_memory(place())));
  } catch (const std::length_error&) {
    end(ending_of(out_of_memory(place())));
  } catch (const system::FunctionFailed& failed) {
    end({SimulationStatus::failed, system::kFunctionFailed, fmt::format("{} ({})", failed.what(), place())});
  }
}

bool Run::begin() {
  result_.start = settings_.start;
  result_.end = settings_.start;
  bool has_begun = false;
  guarded([&] { has_begun = start(); });
  return has_begun;
}

bool Run::resume(const Checkpoint& from) {
  result_.start = settings_.start;
  result_.end = settings_.start;
  bool has_begun = false;
  guarded([&] { has_begun = load(from); });
  return has_begun;
}

bool Run::begin_sink() {
  if (hooks_.sink == nullptr) {
    return true;
  }
  const bool knows_sensitivities =
      targets_.empty() || tape_wish_ || guarded_call("OutputSink::begin_sensitivities", [this] {
        return hooks_.sink->begin_sensitivities(result_.sensitivities->columns,
                                                result_.sensitivities->parameters);
      });
  return knows_sensitivities &&
         guarded_call("OutputSink::begin", [this] { return hooks_.sink->begin(result_.columns); });
}

bool Run::start() {
  if (!begin_sink()) {
    end({SimulationStatus::stopped, "output_failed", "the output could not be written"});
    return false;
  }
  Result<system::InitialPoint> start =
      find_start(instance_, settings_.start, settings_.stop - settings_.start, settings_.start_rule,
                 result_.diagnostics);
  if (!start) {
    cannot_start(std::move(start).error());
    return false;
  }
  initial_ = *std::move(start);
  return prepare() && loop_->begin(*initial_);
}

// From initial_ on.
bool Run::prepare() {
  Result<std::shared_ptr<const system::LockedDae>> locked =
      instance_.system->lock(instance_.system->structure_of(initial_->configuration));
  if (!locked) {
    cannot_start(std::move(locked).error());
    return false;
  }
  ExactForm form = exact_form(instance_, settings_);
  if (form.problems.has_errors()) {
    cannot_start(std::move(form.problems));
    return false;
  }
  largest_steps_ = std::move(form.largest_step);
  motion_ = find_motion(instance_, settings_);
  if (motion_.problems.has_errors()) {
    cannot_start(std::move(motion_.problems));
    return false;
  }
  recorder_.emplace(instance_, settings_, columns_, hooks_, *initial_, monitor_, result_);
  recorder_->keep_point(point_);
  recorder_->keep_rounds(rounds_);
  options_ = options_for(**locked);
  loop_.emplace(*instance_.system, *options_, observer());
  if (!hooks_.checkpoint.empty()) {
    recorder_->call_between_steps([this] { return save_if_due(); });
  }
  return true;
}

// Who is told of the run.
hybrid::RunObserver& Run::observer() {
  if (piece_wish_) {
    tape_.emplace(*recorder_);
    if (piece_wish_->from != nullptr) {
      tape_->begin_at(piece_wish_->from->cut);
    }
    tape_->end_at(piece_wish_->to);
    return *tape_;
  }
  if (targets_.empty()) {
    return *recorder_;
  }
  setup_ = make_setup(instance_, *initial_, targets_, settings_);
  if (instance_.flat != nullptr) {
    warn_of_hidden_jumps(*instance_.flat, result_.diagnostics);
  }
  if (tape_wish_) {
    tape_.emplace(*recorder_);
    tape_->keep_instants_to(tape_wish_->last_instant);
    tape_->cut_at(tape_wish_->most_numbers,
                  [this](sensitivity::TapeCut cut) { return save_cut(std::move(cut)); });
    return *tape_;
  }
  setup_.guards = columns_.guards;
  setup_.side = side_of(settings_.sensitivity_side);
  sensitivities_.emplace(settings_, columns_, hooks_, targets_, *recorder_, result_);
  sensitivities_->give_instants(taker_);
  forward_ = sensitivity::observe_forward(*instance_.system, *options_, initial_->guess, setup_, *recorder_,
                                          *sensitivities_);
  return *forward_;
}

bool Run::advance(double horizon, hybrid::RunLoop::Until until) {
  be_patient();
  bool goes_on = false;
  guarded([&] { goes_on = loop_->advance(horizon, until); });
  if (!goes_on && loop_->is_between_steps() && !hooks_.checkpoint.empty() && !recorder_->ending()) {
    (void)save(hooks_.checkpoint);  // what keeps it from that has been told, or there is one before
  }
  return goes_on;
}

bool Run::set_outside(std::span<const settle::OutsideValue> values) {
  bool goes_on = false;
  guarded([&] { goes_on = loop_->set_outside(values); });
  return goes_on;
}

std::string Run::place() const {
  return result_.end == result_.start ? "while the start was sought" : fmt::format("at time {}", result_.end);
}

void Run::end(Ending ending) {
  result_.status = ending.status;
  const std::optional<Reason> reason = reason_of(ending.reason);
  SALTUS_EXPECT(reason.has_value(), "the reason '" + ending.reason + "' is not known");
  result_.reason = *reason;
  result_.message = std::move(ending.message);
}

void Run::cannot_start(Diagnostics problems) {
  const std::string first =
      problems.empty() ? "the initial values cannot be found" : problems.items()[0].message;
  end({SimulationStatus::failed, "initialization_failed", first});
  result_.diagnostics.append(std::move(problems));
}

integrate::Tolerances Run::tolerances_of(const system::LockedDae& locked) {
  integrate::Tolerances tolerances;
  tolerances.rtol = std::max(settings_.rtol, kSmallestRtol);
  tolerances.test_error = settings_.fixed_step == 0.0;
  if (settings_.step_control == StepControl::compere) {
    tolerances.norm = integrate::ErrorNorm::compere;
  }
  tolerances.rate_of = rate_states(motion_, locked.states());
  const std::vector<system::StateInfo>& states = locked.states();
  for (const system::StateInfo& state : states) {
    tolerances.atol.push_back(
        std::max(settings_.atol.value_or(settings_.tolerance * state.nominal), kSmallestAtol));
  }
  for (std::size_t k = 0; k < settings_.atol_of.size(); ++k) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].name == settings_.atol_of[k].name) {
        tolerances.atol[i] = settings_.atol_of[k].value;
        is_used_[k] = true;
      }
    }
  }
  return tolerances;
}

void Run::warn_of_unused_tolerances(const std::vector<hybrid::Bound>& bounds) {
  for (std::size_t k = 0; k < is_used_.size(); ++k) {
    // The tolerance of a bound may be that of any variable.
    const bool is_bound = std::any_of(bounds.begin(), bounds.end(), [&](const hybrid::Bound& bound) {
      return bound.name == settings_.atol_of[k].name;
    });
    if (!is_used_[k] && !is_bound) {
      result_.diagnostics.warning(kOptionWithoutEffect,
                                  fmt::format("atol of '{}' has no effect: it is not a state of the model",
                                              settings_.atol_of[k].name));
    }
  }
}

hybrid::Options Run::options_for(const system::LockedDae& locked) {
  hybrid::Options options = settings_.events;
  options.start = settings_.start;
  options.stop = settings_.stop;
  options.choice = settings_.choice;
  for (const system::ModeInfo& mode : instance_.system->modes()) {
    const ModeSettings* const own = settings_.of_mode(mode.name);
    options.choice_of_mode.push_back(own != nullptr ? std::optional(own->choice) : std::nullopt);
  }
  for (std::size_t i = 0; i < largest_steps_.size(); ++i) {
    std::optional<hybrid::MethodChoice>& choice = options.choice_of_mode[i];
    choice = choice ? choice : settings_.choice;
    choice->largest_step = std::min(choice->largest_step, largest_steps_[i]);
  }
  options.tolerances = tolerances_of(locked);
  options.tolerances_of_mode = [this](const system::LockedDae& mode) { return tolerances_of(mode); };
  options.bounds = bounds_of(settings_, instance_.variables);
  options.output_interval = settings_.rows_at_steps ? 0.0 : settings_.interval;
  options.steps.initial_step = settings_.initial_step;
  options.steps.fixed_step = settings_.fixed_step;
  options.steps.restart_step = settings_.restart_step;
  options.steps.max_steps = settings_.max_steps;
  options.steps.poll = [this] {
    return monitor_.poll(recorder_->time(), recorder_->n_steps(), recorder_->n_events());
  };
  return options;
}

std::vector<WatchedGuard> Run::watched_guards(const hybrid::RunOutcome& outcome) const {
  const std::vector<system::GuardInfo>& infos = instance_.system->guards();
  std::vector<WatchedGuard> guards;
  for (std::size_t i = 0; i < outcome.guard_watches.size(); ++i) {
    const locate::GuardWatch& watch = outcome.guard_watches[i];
    if (watch.total() > 0) {
      const std::string text = i >= infos.size()            ? "weights of sliding"
                               : infos[i].condition.empty() ? infos[i].text
                                                            : infos[i].condition;
      guards.push_back({text, watch.proved, watch.estimated, watch.sampled});
    }
  }
  return guards;
}

void Run::conclude() {
  if (loop_) {
    guarded([this] { fill_result(loop_->conclude()); });
    save_ending();
  }
}

void Run::fill_result(const hybrid::RunOutcome& outcome) {
  warn_of_unused_tolerances(options_->bounds);
  if (forward_) {
    forward_->finish();
  }
  recorder_->conclude(outcome);
  if (sensitivities_) {
    sensitivities_->conclude();
  }
  if (recorder_->ending()) {
    end(*recorder_->ending());
  } else {
    report(outcome);
  }
  Statistics& statistics = result_.statistics;
  report_methods(settings_, instance_.system->modes(), outcome, statistics);
  statistics.accepted_steps = outcome.steps.accepted;
  statistics.rejected_steps = outcome.steps.rejected() + outcome.counters.rejected_by_bounds;
  statistics.rejected_by_error = outcome.steps.rejected_by_error;
  statistics.rejected_by_iteration = outcome.steps.rejected_by_iteration;
  statistics.rejected_by_bounds = outcome.counters.rejected_by_bounds;
  statistics.negative_within_tolerance = outcome.counters.negative_within_tolerance;
  statistics.residual_evaluations = std::max(outcome.counters.rhs_evaluations, outcome.steps.rhs.total());
  statistics.guard_evaluations = outcome.counters.guard_evaluations;
  statistics.guards = watched_guards(outcome);
  statistics.jacobian_evaluations = outcome.steps.jacobians;
  statistics.factorizations = outcome.steps.factorizations;
  statistics.newton_iterations = outcome.counters.newton_iterations + outcome.steps.newton_iterations;
  statistics.location_iterations = outcome.counters.location_iterations;
  statistics.overtaken_locations = outcome.counters.overtaken_locations;
  statistics.guards_without_root = outcome.counters.guards_without_root;
  statistics.refined_steps = outcome.counters.refined_steps;
  statistics.smallest_step = outcome.sizes.smallest;
  statistics.largest_step = outcome.sizes.largest;
  statistics.last_step = outcome.sizes.last;
  statistics.next_step = outcome.sizes.next;
  for (std::size_t order = 0; order < outcome.sizes.by_order.size(); ++order) {
    if (outcome.sizes.by_order[order] > 0) {
      statistics.orders.push_back({static_cast<int>(order), outcome.sizes.by_order[order]});
    }
  }
  statistics.events = static_cast<std::int64_t>(result_.events.size());
  statistics.instants = outcome.counters.instants;
  statistics.restarts = outcome.counters.restarts;
  statistics.kinks_without_restart = outcome.counters.kinks_without_restart;
  statistics.accepted_sliding_steps = outcome.counters.accepted_sliding;
  statistics.rejected_sliding_steps = outcome.counters.rejected_sliding;
  result_.explanation = outcome.explanation;
}

// The run knows neither the options by their names nor how long it may take.
void Run::report(const hybrid::RunOutcome& outcome) {
  if (outcome.reason == integrate::reason_text(EndReason::interrupted)) {
    end(outside_ending(settings_, EndReason::interrupted, outcome.t));
    return;
  }
  if (outcome.reason == integrate::reason_text(EndReason::time_limit)) {
    end(outside_ending(settings_, EndReason::time_limit, outcome.t));
    return;
  }
  if (outcome.reason == hybrid::kOutOfMemory) {
    end(ending_of(out_of_memory(fmt::format("at time {}", outcome.t))));
    return;
  }
  if (outcome.reason == integrate::reason_text(EndReason::step_limit)) {
    end({SimulationStatus::stopped, outcome.reason,
         fmt::format("the limit of {} steps was reached at time {} (--max-steps)", settings_.max_steps,
                     outcome.t)});
    return;
  }
  SimulationStatus status = SimulationStatus::success;
  switch (outcome.status) {
    case hybrid::RunOutcome::Status::success: break;
    case hybrid::RunOutcome::Status::terminated: status = SimulationStatus::terminated; break;
    case hybrid::RunOutcome::Status::stopped: status = SimulationStatus::stopped; break;
    case hybrid::RunOutcome::Status::failed: status = SimulationStatus::failed; break;
  }
  end({status, outcome.reason, outcome.message});
}

void run(const Instance& instance, const RunSettings& settings, const Columns& columns,
         const SimulationOptions& hooks, SimulationResult& result, FinalPoint* point, const Checkpoint* from,
         std::vector<SensitivityTarget> targets) {
  Run run(instance, settings, columns, hooks, result, point);
  run.ask_sensitivities(std::move(targets));
  if (from != nullptr ? run.resume(*from) : run.begin()) {
    (void)run.advance(settings.stop, hybrid::RunLoop::Until::horizon);
  }
  run.conclude();
}

}  // namespace saltus::api
