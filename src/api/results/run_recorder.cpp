#include "api/results/run_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/options/variable_names.hpp"
#include "api/results/guarded_call.hpp"
#include "saltus/contract.hpp"
#include "settle/sliding/row_evaluator.hpp"
#include "system/function_failed.hpp"

namespace saltus::api {

using integrate::EndReason;

Ending evaluation_ending(const system::Evaluator& evaluator, const system::Evaluation& evaluation,
                         std::string_view otherwise, double t) {
  Ending ending{SimulationStatus::failed, std::string(otherwise), {}};
  switch (evaluation.status) {
    case system::Evaluation::Status::ok:
      ending.message =
          fmt::format("the solution leaves the range of numbers at time {}: it grows without bound", t);
      return ending;
    case system::Evaluation::Status::not_finite: ending.reason = "not_finite"; break;
    case system::Evaluation::Status::singular_block: ending.reason = "singular_block"; break;
    case system::Evaluation::Status::no_convergence: ending.reason = "no_convergence"; break;
    case system::Evaluation::Status::no_weights: ending.reason = "no_weights"; break;
    case system::Evaluation::Status::no_projection: ending.reason = "no_projection"; break;
  }
  ending.message = evaluator.describe(evaluation, t);
  return ending;
}

Ending outside_ending(const RunSettings& settings, EndReason reason, double t) {
  const Halt halt = reason == EndReason::interrupted ? Halt::interrupted : Halt::time_limit;
  return ending_of(early_end(halt, settings.max_time, fmt::format("at time {}", t)));
}

Ending ending_of(EarlyEnd end) {
  return {SimulationStatus::stopped, std::string(end.reason), std::move(end.message)};
}

namespace {

std::vector<std::pair<std::size_t, std::string>> columns_of(const std::vector<std::string>& names,
                                                            const std::vector<VariableInfo>& variables) {
  std::vector<std::pair<std::size_t, std::string>> columns;
  for (const std::string& name : names) {
    for (const std::size_t variable : variables_meant(name, variables)) {
      columns.emplace_back(variable, variables[variable].name);
    }
  }
  return columns;
}

// Of formulations that take u_eq and projection apart: elsewhere the change of a result is part of the error test.
void warn_of_adjustment(const Instance& instance, const Monitors& monitors, Diagnostics& warnings) {
  const bool is_stabilized = instance.flat != nullptr && instance.flat->formulation.is_stabilized();
  if (is_stabilized && monitors.adjustment_over_bound > 1.0) {
    warnings.warning(kLargeAdjustment,
                     fmt::format("results were moved onto the constraints by up to {:.3g}, {:.3g} times "
                                 "h^(p-1) of their step: more than "
                                 "truncation explains",
                                 monitors.adjustment, monitors.adjustment_over_bound),
                     std::nullopt, "take smaller steps; the constraints hold, but the motion may be wrong");
  }
}

Ending unwritten() {
  return {SimulationStatus::stopped, "output_failed", "the output could not be written"};
}

}  // namespace

RunRecorder::RunRecorder(const Instance& instance, const RunSettings& settings, const Columns& columns,
                         const SimulationOptions& hooks, const system::InitialPoint& initial,
                         RunMonitor& monitor, SimulationResult& result)
    : instance_(instance),
      settings_(settings),
      columns_(columns),
      hooks_(hooks),
      initial_(initial),
      monitor_(monitor),
      result_(result),
      range_check_(instance.ranges),
      index_check_(instance, settings.expect_index),
      timeline_(instance),
      constraints_(*instance.system, instance.flat == nullptr ? 0 : instance.flat->parameters.size(),
                   columns_of(settings.invariants, result.variables)),
      rows_(settings.grid(), columns, std::max(std::abs(settings.start), std::abs(settings.stop)),
            [this](const OutputRows& rows) { return take(rows); }),
      t_(settings.start),
      x_(initial.x),
      cut_time_(settings.start),
      warnings_(instance.source),
      first_structure_(instance.system->structure_of(initial.configuration)) {
  data_->set_columns(columns);
  data_->system = instance.system;
  data_->options = settings.events;
  data_->guess = initial.guess;
}

// Rows of the present stretch may still be waiting for this one, so a mode's evaluator is told the configuration only
// when it is needed (RowProducer).
system::Evaluator* RunRecorder::own_evaluator(const hybrid::Stretch& stretch) {
  const auto known = std::find_if(own_.rbegin(), own_.rend(), [&stretch](const OwnEvaluator& own) {
    return own.locked.get() == stretch.locked;
  });
  if (known != own_.rend() && !stretch.has_new_ranks) {
    return known->evaluator.get();
  }
  Result<std::shared_ptr<const system::LockedDae>> locked = instance_.system->lock(stretch.structure);
  SALTUS_ASSERT(locked.has_value());  // the run is in this mode
  OwnEvaluator own{stretch.structure, *std::move(locked), nullptr, nullptr};
  own.evaluator = settle::make_row_evaluator(
      *instance_.system, *own.locked,
      is_first_system_ ? std::span<const double>(initial_.guess) : std::span<const double>());
  return own_.emplace_back(std::move(own)).evaluator.get();
}

// Extra values have evaluators of their own, which no row notices. At rest on a surface there is only that of the run.
void RunRecorder::own_extra(const hybrid::Stretch& stretch, RowStretch& rows) {
  last_sliding_extra_ = std::move(sliding_extra_);  // rows of the stretch before may still be waiting
  if (columns_.n_extra() == 0 || (is_sliding_ && stretch.surfaces.empty())) {
    return;
  }
  if (is_sliding_) {
    slide_ = {*stretch.configuration, {stretch.surfaces.begin(), stretch.surfaces.end()}, stretch.level};
    sliding_extra_ =
        hybrid::make_stretch_evaluator(*instance_.system, settings_.events, *stretch.configuration,
                                       stretch.surfaces, stretch.level, initial_.guess);
    rows.extra = sliding_extra_.get();
    rows.extra_at_begin = sliding_extra_.get();
    return;
  }
  const auto own = std::find_if(own_.rbegin(), own_.rend(), [&rows](const OwnEvaluator& item) {
    return item.evaluator.get() == rows.evaluator;
  });
  const auto make = [&] {
    return settle::make_row_evaluator(
        *instance_.system, *own->locked,
        is_first_system_ ? std::span<const double>(initial_.guess) : std::span<const double>());
  };
  if (own->extra == nullptr) {
    own->extra = make();
  }
  rows.extra = own->extra.get();
  // Where a stretch begins others may hold, and those found first are kept.
  const bool decides_ranks = own->locked->reduction() == system::Reduction::ranks;
  extra_at_begin_ = decides_ranks ? make() : nullptr;
  rows.extra_at_begin = decides_ranks ? extra_at_begin_.get() : rows.extra;
}

bool RunRecorder::begin_stretch(const hybrid::Stretch& stretch) {
  if (instance_.check != nullptr) {
    if (const auto refusal = instance_.check->refusal(*stretch.configuration, stretch.surfaces)) {
      ending_ = {SimulationStatus::failed, std::string(to_string(refusal->reason)),
                 fmt::format("{} at t = {:.9g}", refusal->message, stretch.from)};
      return false;
    }
  }
  // Held on surfaces, or at rest on one: only the run's own evaluator knows what holds it.
  is_sliding_ = !stretch.surfaces.empty() || stretch.is_at_rest;
  is_first_system_ = stretch.structure == first_structure_;
  follows_ = stretch.locked->iterates_for_outputs();
  RowStretch rows;
  rows.segment = stretch.segment;
  rows.mode = mode_names_.text(mode_names_.place_of(stretch.mode));
  rows.locked = stretch.locked;
  rows.evaluator = is_sliding_ ? stretch.evaluator : own_evaluator(stretch);
  rows.configuration = is_sliding_ ? nullptr : stretch.configuration;
  rows.from = stretch.from;
  rows.x = stretch.x;
  own_extra(stretch, rows);
  if (!check(rows_.begin_stretch(rows))) {
    return false;
  }
  timeline_.begin(stretch);
  constraints_.begin_stretch(stretch);
  if (point_ != nullptr) {
    *point_ = {*stretch.configuration,
               stretch.locked->states(),
               {stretch.x.begin(), stretch.x.end()},
               std::string(stretch.mode),
               is_sliding_};
  }
  if (hooks_.keep_dense) {
    data_->begin_stretch(stretch);
  }
  if (!has_begun_) {
    has_begun_ = true;
    // The start may have gone on to another structure, with other states.
    return check(rows_.start(stretch.x)) && (!is_sliding_ || check(rows_.flush_now())) &&
           check_index(stretch);
  }
  return check_index(stretch);
}

bool RunRecorder::check_index(const hybrid::Stretch& stretch) {
  if (!index_check_.wants(stretch)) {
    return true;
  }
  std::vector<double> values(columns_.n_computed(), std::nan(""));
  const system::Evaluation evaluation = rows_.evaluate(stretch.from, stretch.x, values);
  if (!evaluation.ok()) {
    ending_ = evaluation_ending(rows_.evaluator(), evaluation, "not_finite", stretch.from);
    return false;
  }
  const auto wrong = index_check_.begin(stretch, std::span(values).first(columns_.n_variables));
  if (wrong) {
    ending_ = {SimulationStatus::failed, "index_mismatch", *wrong};
  }
  return !wrong;
}

bool RunRecorder::wants_segment(double t_end) {
  return hooks_.keep_dense || rows_.wants(t_end);
}

bool RunRecorder::step(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) {
  ++n_steps_;
  is_within_step_ = true;
  t_ = end.t;
  x_.assign(end.x.begin(), end.x.end());
  is_at_instant_ = false;
  constraints_.step(end);
  if (rounds_ != nullptr) {
    rounds_->clear();
  }
  if (point_ != nullptr) {
    point_->x = x_;
  }
  bool goes_on = true;
  const bool has_segment = segment.is_given();
  if (has_segment) {
    goes_on = check(rows_.add(segment, end.x));
  }
  if (settings_.rows_at_steps) {
    goes_on = goes_on && check(rows_.add_end(end.t, end.x));
  }
  goes_on = goes_on && (!is_sliding_ || check(rows_.flush_now()));
  goes_on = goes_on && check(rows_.follow(end)) && check(rows_.keep_end(end.t, end.x));
  if (hooks_.keep_dense && has_segment) {
    const bool iterates = follows_ && is_first_system_;
    data_->append(segment, iterates ? &rows_.evaluator() : nullptr);
  }
  is_within_step_ = false;
  return goes_on;
}

bool RunRecorder::instant(double t, std::int64_t segment, std::string_view mode,
                          std::span<const double> values) {
  t_ = t;
  values_.assign(values.begin(), values.end());
  is_at_instant_ = true;
  if (rounds_ != nullptr) {
    rounds_->push_back({segment, std::string(mode), values_});
  }
  return check(rows_.instant(t, segment, mode, values));
}

void RunRecorder::event(const hybrid::Event& event) {
  pass_event();
  log_->append(event);
  has_held_event_ = true;
  if (!expects_sensitivities_) {
    pass_event();
  }
}

void RunRecorder::pass_event() {
  if (std::exchange(has_held_event_, false) && hooks_.sink != nullptr) {
    guarded_call("OutputSink::event", [this] { hooks_.sink->event(log_->at(log_->size() - 1)); });
  }
}

void RunRecorder::refuse_output() {
  if (!ending_) {
    ending_ = unwritten();
  }
}

void RunRecorder::expect_event_sensitivities(std::size_t n_parameters) {
  expects_sensitivities_ = true;
  log_->keep_sensitivities(n_parameters);
}

void RunRecorder::set_event_sensitivities(std::span<const double> sigma) {
  log_->set_sensitivities(sigma);
  pass_event();
}

void RunRecorder::warning(Diagnostic diagnostic) {
  Diagnostic& added = warnings_.add(diagnostic.severity, DiagnosticCode{diagnostic.code}, diagnostic.message,
                                    diagnostic.span, diagnostic.hint);
  added.notes = std::move(diagnostic.notes);
  if (hooks_.log) {
    guarded_call("SimulationOptions::log", [&] { hooks_.log(added); });
  }
}

bool RunRecorder::take(const OutputRows& rows) {
  pass_event();
  for (std::size_t v = 0; v < scales_.size(); ++v) {
    for (std::size_t row = 0; row < rows.times.size(); ++row) {
      scales_[v] = std::fmax(scales_[v], std::abs(rows.value(row, v)));
    }
  }
  range_check_.look_at(rows);
  constraints_.rows(rows);
  const bool written = write(rows);
  // Rows of an instant are whole or not there at all.
  if (is_at_instant_) {
    return written;
  }
  cut_time_ = rows.times.back();
  values_.resize(result_.variables.size());
  for (std::size_t v = 0; v < values_.size(); ++v) {
    values_[v] = rows.value(rows.times.size() - 1, v);
  }
  return written && !end_if_asked(cut_time_);
}

// Rows as they were computed, with the columns that were chosen.
bool RunRecorder::write(const OutputRows& rows) {
  OutputRows chosen = rows;
  if (!columns_.is_plain()) {
    const std::size_t n = rows.times.size();
    chosen_.resize(columns_.order.size() * n);
    for (std::size_t c = 0; c < columns_.order.size(); ++c) {
      std::copy_n(rows.values.begin() + static_cast<std::ptrdiff_t>(columns_.order[c] * rows.stride), n,
                  chosen_.begin() + static_cast<std::ptrdiff_t>(c * n));
    }
    chosen.values = chosen_;
    chosen.stride = n;
  }
  if (is_at_instant_) {
    last_row_.assign(chosen.values.begin(), chosen.values.end());  // it is a single one
  }
  if (hooks_.keep_rows) {
    data_->append(chosen);
  }
  return hooks_.sink == nullptr ||
         guarded_call("OutputSink::rows", [&] { return hooks_.sink->rows(chosen); });
}

// One step may hold millions of rows: limits and interrupts count among them too.
bool RunRecorder::end_if_asked(double t) {
  if (is_concluding_ || t == settings_.stop) {
    return false;  // the last rows of a run that has ended anyway
  }
  const integrate::Poll poll = monitor_.poll_rows(t, n_steps_, n_events());
  if (poll == integrate::Poll::go_on) {
    return false;
  }
  is_cut_within_step_ = true;
  ending_ = outside_ending(
      settings_, poll == integrate::Poll::interrupted ? EndReason::interrupted : EndReason::time_limit, t);
  return true;
}

bool RunRecorder::check(RowProducer::Outcome outcome) {
  if (outcome == RowProducer::Outcome::ok) {
    return true;
  }
  if (!ending_) {
    ending_ = outcome == RowProducer::Outcome::refused
                  ? unwritten()
                  : evaluation_ending(rows_.evaluator(), rows_.failure(), "not_finite", rows_.failure_time());
    if (outcome == RowProducer::Outcome::evaluation_failed && !is_concluding_ && !is_at_instant_) {
      // The run ends at the row that has no values, not at the end of the step that it lies in.
      is_cut_within_step_ = true;
      cut_time_ = rows_.failure_time();
      std::fill(values_.begin(), values_.end(), std::nan(""));
    }
  }
  return false;
}

// After an event at the end its values, after a cut those of the last row; else the outputs at the last state, followed through the run.
void RunRecorder::fill_final_values(const hybrid::RunOutcome& outcome) {
  if (is_at_instant_ || is_cut_within_step_) {
    result_.final_values = values_;
    return;
  }
  if (is_sliding_) {
    result_.final_values = outcome.final_values;
    return;
  }
  result_.final_values.assign(columns_.n_computed(), std::nan(""));
  const system::Evaluation at_end = rows_.evaluate(result_.end, x_, result_.final_values);
  result_.final_values.resize(columns_.n_variables);
  if (!at_end.ok() && !ending_ && outcome.reason.empty()) {
    ending_ = evaluation_ending(rows_.evaluator(), at_end, "not_finite", result_.end);
  }
}

// The rows end where the run ended, so that a run that was cut short shows its last point.
void RunRecorder::conclude(const hybrid::RunOutcome& outcome) {
  is_concluding_ = true;
  pass_event();
  // Ended by an exception while the rows of a step were made: those that are missing cannot be skipped.
  is_cut_within_step_ = is_cut_within_step_ || (is_within_step_ && !is_at_instant_ && !ending_);
  result_.events = EventList(log_);
  // A run that could not start has no values; one that ended at the start by an event has.
  if (has_begun_ || is_at_instant_) {
    conclude_values(outcome);
  }
  result_.monitors = constraints_.found();
  if (result_.monitors) {
    result_.monitors->adjustment = outcome.steps.adjustment;
    result_.monitors->adjustment_over_bound = outcome.steps.adjustment_over_bound;
    warn_of_adjustment(instance_, *result_.monitors, warnings_);
  }
  result_.diagnostics.append(std::move(warnings_));
  result_.trajectory = Trajectory(std::move(data_));
}

void RunRecorder::conclude_values(const hybrid::RunOutcome& outcome) {
  if (is_cut_within_step_ && is_within_step_) {
    try {
      rows_.give_up();
    } catch (const WorkHalted&) {
      // The rows that were written are enough.
    } catch (const system::FunctionFailed&) {
      // Likewise: it has ended the run.
    }
  }
  result_.end = is_cut_within_step_ ? cut_time_ : t_;
  try {
    const RowProducer::Outcome written =
        is_cut_within_step_ ? RowProducer::Outcome::ok : rows_.finish(t_, x_, outcome.final_values);
    if (!ending_ && outcome.reason.empty()) {
      (void)check(written);
    }
    fill_final_values(outcome);
  } catch (const system::FunctionFailed& failed) {
    // Of the rows at the end: those before are written.
    if (!ending_ && outcome.reason.empty()) {
      ending_ = Ending{SimulationStatus::failed, system::kFunctionFailed, failed.what()};
    }
  }
  if (is_at_instant_ && hooks_.keep_dense) {
    data_->end_values = last_row_;
  }
  result_.modes = timeline_.finish(result_.end);
  result_.statistics.output_rows = rows_.n_rows();
  result_.diagnostics.append(range_check_.warnings(instance_.source, result_.variables));
}

}  // namespace saltus::api
