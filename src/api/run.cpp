#include "api/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "api/diagnostic_codes.hpp"
#include "api/row_producer.hpp"
#include "api/run_monitor.hpp"
#include "api/trajectory_data.hpp"
#include "integrate/advance.hpp"
#include "integrate/explicit_runge_kutta.hpp"
#include "integrate/step_controller.hpp"
#include "record/output_grid.hpp"

namespace saltus::api {
namespace {

using integrate::EndReason;

integrate::Tolerances tolerances_for(const RunSettings& settings,
                                     const std::vector<system::StateInfo>& states, Diagnostics& diagnostics) {
  integrate::Tolerances tolerances;
  tolerances.rtol = settings.rtol;
  tolerances.test_error = settings.fixed_step == 0.0;
  for (const system::StateInfo& state : states) {
    tolerances.atol.push_back(settings.atol.value_or(settings.tolerance * state.nominal));
  }
  for (const NamedValue& item : settings.atol_of) {
    bool found = false;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].name == item.name) {
        tolerances.atol[i] = item.value;
        found = true;
      }
    }
    if (!found) {
      diagnostics.warning(
          kOptionWithoutEffect,
          fmt::format("atol of '{}' has no effect: it is not a state of the model", item.name));
    }
  }
  return tolerances;
}

std::vector<double> copy_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

class Run final : public integrate::StepSink {
 public:
  Run(const Instance& instance, const RunSettings& settings, const SimulationOptions& hooks,
      SimulationResult& result)
      : instance_(instance),
        settings_(settings),
        hooks_(hooks),
        result_(result),
        monitor_(settings, hooks),
        range_check_(instance.ranges) {}

  void execute() {
    result_.start = settings_.start;
    result_.end = settings_.start;
    if (hooks_.sink != nullptr && !hooks_.sink->begin(result_.variables)) {
      end(SimulationStatus::stopped, "output_failed", "the output could not be written");
    } else if (lock_initial_point()) {
      integrate();
      result_.diagnostics.append(range_check_.warnings(instance_.source, result_.variables));
    }
    result_.trajectory = Trajectory(std::move(data_));
  }

 private:
  void end(SimulationStatus status, std::string_view reason, std::string message) {
    result_.status = status;
    result_.reason = reason;
    result_.message = std::move(message);
  }

  void cannot_start(Diagnostics problems) {
    const std::string first =
        problems.empty() ? "the initial values cannot be found" : problems.items()[0].message;
    end(SimulationStatus::failed, "initialization_failed", first);
    result_.diagnostics.append(std::move(problems));
  }

  bool lock_initial_point() {
    Result<system::InitialPoint> initial = instance_.system->initial(settings_.start);
    if (!initial) {
      cannot_start(std::move(initial).error());
      return false;
    }
    x_ = std::move(initial->x);
    result_.diagnostics.append(std::move(initial->warnings));
    Result<std::shared_ptr<const system::LockedDae>> locked =
        instance_.system->lock(initial->configuration.mode);
    if (!locked) {
      cannot_start(std::move(locked).error());
      return false;
    }
    locked_ = *std::move(locked);
    std::vector<std::string> names;
    for (const VariableInfo& variable : result_.variables) {
      names.push_back(variable.name);
    }
    data_->set_names(std::move(names));
    data_->locked = locked_;
    data_->guess = std::move(initial->guess);
    return true;
  }

  void integrate();
  integrate::SinkAnswer accepted_step(integrate::Stepper& stepper) override;
  bool take(const OutputRows& rows);
  bool check_rows(RowProducer::Outcome outcome);
  bool end_if_asked(double t);
  void end_from_outside(EndReason reason, double t);
  void report(const system::Evaluator& evaluator, const integrate::AdvanceOutcome& outcome);
  void report_evaluation(const system::Evaluator& evaluator, const system::Evaluation& evaluation,
                         std::string_view reason, double t);
  void conclude(const integrate::Stepper& stepper);

  const Instance& instance_;
  const RunSettings& settings_;
  const SimulationOptions& hooks_;
  SimulationResult& result_;
  RunMonitor monitor_;
  RangeCheck range_check_;
  std::vector<double> x_;
  std::shared_ptr<const system::LockedDae> locked_;
  std::shared_ptr<TrajectoryData> data_ = std::make_shared<TrajectoryData>();
  // While integrate() runs:
  RowProducer* rows_ = nullptr;
  const integrate::Stepper* stepper_ = nullptr;
  bool is_concluding_ = false;
  bool is_cut_within_step_ = false;  // ended from outside between two rows of one step
};

void Run::integrate() {
  const std::unique_ptr<system::Evaluator> evaluator = locked_->make_evaluator(data_->guess);
  const auto& states = locked_->states();
  const integrate::Tolerances tolerances = tolerances_for(settings_, states, result_.diagnostics);
  integrate::ExplicitRungeKutta stepper(*settings_.method, *evaluator, static_cast<Index>(states.size()),
                                        tolerances);
  integrate::PiController controller(std::max(settings_.method->embedded_order, 1));
  integrate::AdvanceOptions options;
  options.initial_step = settings_.initial_step;
  options.largest_step = settings_.largest_step;
  options.fixed_step = settings_.fixed_step;
  options.max_steps = settings_.max_steps;
  options.poll = [&] { return monitor_.poll(stepper.time().value(), stepper.statistics().accepted); };
  integrate::Advance advance(stepper, controller, options);
  RowProducer rows(
      record::OutputGrid(settings_.start, settings_.stop, settings_.interval), *locked_,
      result_.variables.size(), [this](const OutputRows& block) { return take(block); }, data_->guess);
  rows_ = &rows;
  stepper_ = &stepper;

  const system::Evaluation at_start = stepper.restart(trajectory::CompensatedTime(settings_.start), x_);
  if (!at_start.ok()) {
    report_evaluation(*evaluator, at_start, "not_finite", settings_.start);
    rows_ = nullptr;
    return;
  }
  if (check_rows(rows.start(x_))) {
    const integrate::AdvanceOutcome outcome = advance.to(settings_.stop, *this);
    if (result_.reason.empty()) {
      report(*evaluator, outcome);
    }
  }
  conclude(stepper);
  rows_ = nullptr;
}

// The rows end where the run ended, so that a run that was cut short shows its last point.
void Run::conclude(const integrate::Stepper& stepper) {
  is_concluding_ = true;
  const std::vector<double> x = is_cut_within_step_ ? copy_of(rows_->last_state()) : copy_of(stepper.state());
  result_.end = is_cut_within_step_ ? rows_->last_time() : stepper.time().value();
  const RowProducer::Outcome outcome = rows_->finish(result_.end, x);
  if (result_.reason.empty()) {
    (void)check_rows(outcome);
  }
  result_.final_values.assign(result_.variables.size(), std::nan(""));
  const system::Evaluation at_end = rows_->evaluator().outputs(result_.end, x, result_.final_values);
  if (!at_end.ok() && result_.reason.empty()) {
    report_evaluation(rows_->evaluator(), at_end, "not_finite", result_.end);
  }
  std::int64_t n_first_order = 0;
  for (const system::StateInfo& state : locked_->states()) {
    n_first_order += state.name.rfind("der(", 0) == 0 ? 0 : 1;
  }
  std::int64_t n_continuous = 0;
  for (const VariableInfo& variable : result_.variables) {
    n_continuous += variable.is_discrete ? 0 : 1;
  }
  result_.modes = {{result_.start, result_.end, "main", 0,
                    static_cast<std::int64_t>(locked_->states().size()), n_continuous - n_first_order, 0, 0}};
  const integrate::Statistics& counts = stepper.statistics();
  result_.statistics.accepted_steps = counts.accepted;
  result_.statistics.rejected_steps = counts.rejected();
  result_.statistics.residual_evaluations = counts.rhs.total();
  result_.statistics.output_rows = rows_->n_rows();
}

integrate::SinkAnswer Run::accepted_step(integrate::Stepper& stepper) {
  const double t = stepper.time().value();
  trajectory::SegmentView segment;
  bool goes_on = true;
  if (hooks_.keep_dense || rows_->wants(t)) {
    // The standard extension needs no evaluation and cannot fail.
    (void)stepper.dense_output(integrate::DenseOutput::standard, segment);
    goes_on = check_rows(rows_->add(segment, stepper.state()));
  }
  goes_on = goes_on && check_rows(rows_->follow(t, stepper.state()));
  if (hooks_.keep_dense) {
    data_->append(segment, rows_->evaluator());
  }
  return goes_on ? integrate::SinkAnswer::go_on : integrate::SinkAnswer::stop;
}

// One step may hold millions of rows: limits and interrupts count among them too.
bool Run::take(const OutputRows& rows) {
  range_check_.look_at(rows);
  if (hooks_.keep_rows) {
    data_->append(rows);
  }
  const bool written = hooks_.sink == nullptr || hooks_.sink->rows(rows);
  return written && !end_if_asked(rows.times.back());
}

bool Run::end_if_asked(double t) {
  if (is_concluding_ || t == settings_.stop) {
    return false;  // the last rows of a run that has ended anyway
  }
  const integrate::Poll poll = monitor_.poll(t, stepper_->statistics().accepted);
  if (poll == integrate::Poll::go_on) {
    return false;
  }
  is_cut_within_step_ = true;
  end_from_outside(poll == integrate::Poll::interrupted ? EndReason::interrupted : EndReason::time_limit, t);
  return true;
}

bool Run::check_rows(RowProducer::Outcome outcome) {
  switch (outcome) {
    case RowProducer::Outcome::ok: return true;
    case RowProducer::Outcome::refused:
      if (is_cut_within_step_) {
        return false;
      }
      end(SimulationStatus::stopped, "output_failed", "the output could not be written");
      return false;
    case RowProducer::Outcome::evaluation_failed:
      report_evaluation(rows_->evaluator(), rows_->failure(), "not_finite", rows_->failure_time());
      return false;
  }
  return true;
}

void Run::report_evaluation(const system::Evaluator& evaluator, const system::Evaluation& evaluation,
                            std::string_view reason, double t) {
  switch (evaluation.status) {
    case system::Evaluation::Status::ok:
      end(SimulationStatus::failed, reason,
          fmt::format("the solution leaves the range of numbers at time {}: it grows without bound", t));
      return;
    case system::Evaluation::Status::not_finite: reason = "not_finite"; break;
    case system::Evaluation::Status::singular_block: reason = "singular_block"; break;
    case system::Evaluation::Status::no_convergence: reason = "no_convergence"; break;
    case system::Evaluation::Status::no_weights: reason = "no_weights"; break;
  }
  end(SimulationStatus::failed, reason, evaluator.describe(evaluation, t));
}

void Run::end_from_outside(EndReason reason, double t) {
  end(SimulationStatus::stopped, integrate::reason_text(reason),
      reason == EndReason::interrupted
          ? fmt::format("interrupted at time {}", t)
          : fmt::format("the limit of {} seconds was reached at time {} (--max-time)",
                        settings_.max_time.value_or(0.0), t));
}

void Run::report(const system::Evaluator& evaluator, const integrate::AdvanceOutcome& outcome) {
  const std::string_view reason = integrate::reason_text(outcome.reason);
  switch (outcome.reason) {
    case EndReason::reached_end:
    case EndReason::stopped: return;
    case EndReason::interrupted:
    case EndReason::time_limit: end_from_outside(outcome.reason, outcome.t); return;
    case EndReason::step_limit:
      end(SimulationStatus::stopped, reason,
          fmt::format("the limit of {} steps was reached at time {} (--max-steps)", settings_.max_steps,
                      outcome.t));
      return;
    case EndReason::step_size_too_small: {
      const bool known = outcome.culprit >= 0;
      const std::string name = known ? locked_->states()[static_cast<std::size_t>(outcome.culprit)].name : "";
      end(SimulationStatus::failed, reason,
          fmt::format(
              "the step size became too small at time {}{}; a singularity, or a tolerance that cannot be met",
              outcome.t, known ? fmt::format(": the error of '{}' does not shrink with it", name) : ""));
      return;
    }
    case EndReason::not_finite:
    case EndReason::singular_block:
    case EndReason::no_convergence:
    case EndReason::no_weights: report_evaluation(evaluator, outcome.evaluation, reason, outcome.t); return;
  }
}

}  // namespace

void run(const Instance& instance, const RunSettings& settings, const SimulationOptions& hooks,
         SimulationResult& result) {
  Run(instance, settings, hooks, result).execute();
}

}  // namespace saltus::api
