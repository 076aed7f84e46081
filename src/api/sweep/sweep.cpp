#include "saltus/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/model/set_names.hpp"
#include "api/model/set_values.hpp"
#include "api/options/run_settings.hpp"
#include "api/options/variable_names.hpp"
#include "api/results/work_guard.hpp"
#include "api/sensitivity/targets.hpp"
#include "api/sweep/diagnostic_codes.hpp"
#include "api/sweep/journal.hpp"
#include "api/sweep/outputs.hpp"
#include "api/sweep/plan.hpp"
#include "api/sweep/sweep_identity.hpp"
#include "api/sweep/sweep_page.hpp"
#include "api/sweep/team.hpp"
#include "base/build_id.hpp"
#include "base/byte_hash.hpp"
#include "base/on_threads.hpp"
#include "saltus/result_files.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenProgress{200};

// Names that are varied must be numbers that can be set, one each.
Diagnostics check_names(const Model& model, const std::vector<std::string>& varied,
                        const std::vector<SetValue>& set) {
  const Result<api::SortedSet> sorted = api::sort_set(model.data(), set);
  if (!sorted) {
    return sorted.error();
  }
  Diagnostics problems;
  const api::SetNames names(*(*sorted->elaborated)->compiled);
  for (const std::string& name : varied) {
    const std::optional<api::NamedTarget> target = names.find(name);
    if (!target) {
      problems.error(api::kUnknownSetName, fmt::format("the model has no parameter or variable '{}'", name),
                     std::nullopt, names.similar(name));
      continue;
    }
    const bool is_fixed = target->is_parameter && (names.parameter(target->first).is_constant ||
                                                   names.parameter(target->first).is_final);
    if (is_fixed) {
      problems.error(api::kCannotBeSet,
                     fmt::format("'{}' is declared {} and cannot be varied", name,
                                 names.parameter(target->first).is_constant ? "constant" : "final"));
    } else if (!target->shape.empty()) {
      problems.error(api::kWrongSweep, fmt::format("'{}' is an array", name), std::nullopt,
                     fmt::format("vary its elements, as '{}'", names.name_of(*target, 0)));
    } else if (names.type_of(*target) == flat::Type::string) {
      problems.error(api::kWrongSweep, fmt::format("'{}' is a String: it has no number to vary", name));
    }
  }
  return problems;
}

SweepStatus sweep_status(SimulationStatus status) {
  switch (status) {
    case SimulationStatus::success: return SweepStatus::success;
    case SimulationStatus::terminated: return SweepStatus::terminated;
    case SimulationStatus::stopped: return SweepStatus::stopped;
    case SimulationStatus::failed: return SweepStatus::failed;
  }
  return SweepStatus::failed;
}

std::string codes_of_warnings(const Diagnostics& diagnostics) {
  std::vector<std::string> codes;
  for (const Diagnostic& item : diagnostics.items()) {
    if (item.severity == Severity::warning &&
        std::find(codes.begin(), codes.end(), item.code) == codes.end()) {
      codes.push_back(item.code);
    }
  }
  return fmt::format("{}", fmt::join(codes, " "));
}

std::string first_error(const Diagnostics& diagnostics, const std::string& otherwise) {
  const auto found = std::find_if(diagnostics.items().begin(), diagnostics.items().end(),
                                  [](const Diagnostic& item) { return item.severity == Severity::error; });
  return found == diagnostics.items().end() ? otherwise : found->message;
}

class Sweep {
 public:
  Sweep(const Model& model, const SweepOptions& options, const api::SweepPlan& plan,
        api::SweepOutputs outputs)
      : model_(model), options_(options), plan_(plan), outputs_(std::move(outputs)) {}

  Result<SweepResult> run() {
    prepare_options();
    if (Diagnostics problems = validate(outputs_.model(), base_); problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    Diagnostics told_by_runs;
    const api::RunSettings settings = api::resolve(outputs_.model(), base_, told_by_runs);
    if (Diagnostics wrong = prepare_sensitivities(settings); wrong.has_errors()) {
      return Unexpected(std::move(wrong));
    }
    if (options_.trajectories.empty() && settings.stop != settings.start) {
      base_.interval = std::abs(settings.stop - settings.start);
      base_.rows_at_steps = false;
      base_.times.clear();
    }
    prepare_result();
    const api::RunIdentity identity = api::sweep_identity(model_, options_, settings);
    if (options_.team != nullptr && options_.team->rank() != 0) {
      api::work_in_team(*options_.team, team_work(identity));
      return std::move(result_);
    }
    if (Diagnostics unreadable = open_journal(identity); unreadable.has_errors()) {
      return Unexpected(std::move(unreadable));
    }
    if (options_.team != nullptr) {
      api::lead_team(*options_.team, team_work(identity));
    } else {
      on_threads(plan_.size(), options_.jobs, [this](std::size_t k) { work(k); });
    }
    tell_halt();
    if (journal_) {
      result_.diagnostics.append(journal_->finish());
    }
    tell_warnings();
    return std::move(result_);
  }

 private:
  // What all runs have in common.
  void prepare_options() {
    base_ = options_.simulation;
    base_.began = base_.began.value_or(Clock::now());
    base_.sensitivities.clear();
    base_.sensitivity_check = false;
    base_.error_estimate = false;
    base_.explain_event = std::nullopt;
    base_.checkpoint.clear();
    base_.resume.clear();
    base_.keep_rows = false;
    base_.keep_dense = false;
    base_.sink = nullptr;
    base_.progress = {};
    base_.log = {};
    base_.columns.clear();
    for (const std::string& item : options_.trajectories) {
      add_trajectory_columns(item);
    }
    for (const std::string& name : outputs_.event_variables()) {
      base_.columns.push_back(api::as_item(name));
    }
    needs_rows_ = outputs_.last_event() > 0 || !options_.trajectories.empty();
  }

  // Names mean those of the model as it was given.
  Diagnostics prepare_sensitivities(const api::RunSettings& settings) {
    if (options_.simulation.sensitivities.empty()) {
      return {};
    }
    const Result<api::Instance> instance =
        api::instantiate(model_.data(), settings.set, settings.inputs, settings.formulation);
    if (!instance) {
      return instance.error();
    }
    const Result<std::vector<api::SensitivityTarget>> targets =
        api::choose_targets(options_.simulation.sensitivities, *instance, settings.start);
    if (!targets) {
      return targets.error();
    }
    std::vector<std::string> keys;
    for (const api::SensitivityTarget& target : *targets) {
      keys.push_back(target.name);
      base_.sensitivities.push_back(api::as_item(target.name));
    }
    return outputs_.add_sensitivities(std::move(keys), settings);
  }

  // Patterns mean variables of the model as it was given, in each run its own.
  void add_trajectory_columns(const std::string& item) {
    if (!outputs_.has_functionals()) {
      base_.columns.push_back(item);
      return;
    }
    const std::vector<std::size_t> places = api::variables_meant(
        item == "all" ? std::string_view("*") : std::string_view(item), model_.variables());
    for (const std::size_t place : places) {
      base_.columns.push_back(api::as_item(model_.variables()[place].name));
    }
    if (places.empty()) {
      base_.columns.push_back(item);
    }
  }

  void prepare_result() {
    const std::size_t n = plan_.size();
    const std::size_t n_names = plan_.names().size();
    result_.model = model_.name();
    result_.names = plan_.names();
    result_.columns = outputs_.labels();
    result_.given.resize(n * n_names);
    for (std::size_t k = 0; k < n; ++k) {
      plan_.values(k, std::span(result_.given).subspan(k * n_names, n_names));
    }
    result_.values.assign(n * result_.columns.size(), std::nan(""));
    result_.runs.resize(n);
  }

  Diagnostics open_journal(const api::RunIdentity& identity) {
    if (options_.journal.empty()) {
      return {};
    }
    Result<api::SweepJournal> journal = api::SweepJournal::open(
        options_.journal, identity, options_.anew, plan_.size(), result_.columns.size(),
        [this](std::size_t run, api::RunRecord record) {
          if (has_its_files(run, record.run)) {
            result_.n_from_journal += result_.runs[run].status == SweepStatus::not_run ? 1 : 0;
            put(run, std::move(record));
          }
        });
    if (!journal) {
      return std::move(journal).error();
    }
    journal_.emplace(*std::move(journal));
    began_ = Clock::now();
    n_not_ok_ = static_cast<std::size_t>(
        std::count_if(result_.runs.begin(), result_.runs.end(),
                      [](const SweepRun& run) { return run.status != SweepStatus::not_run && !run.ok(); }));
    n_done_ = result_.n_from_journal;
    return {};
  }

  [[nodiscard]] std::string folder_of(std::size_t k) const {
    return api::folder_of_run(options_.trajectory_folder, k, plan_.size());
  }

  // A run whose trajectory was removed is made again.
  [[nodiscard]] bool has_its_files(std::size_t k, const SweepRun& run) const {
    return options_.trajectories.empty() || run.status == SweepStatus::refused ||
           std::filesystem::exists(std::filesystem::path(folder_of(k)) / "trajectory.csv");
  }

  // Every run has its place: threads do not meet there.
  void put(std::size_t k, api::RunRecord record) {
    std::copy(record.values.begin(), record.values.end(),
              result_.values.begin() + static_cast<std::ptrdiff_t>(k * result_.columns.size()));
    result_.runs[k] = std::move(record.run);
  }

  void work(std::size_t k) {
    if (is_halted_ || is_made(k)) {
      return;
    }
    if (std::optional<api::RunRecord> record = run_one(k)) {
      take(k, *std::move(record));
    }
  }

  [[nodiscard]] bool is_made(std::size_t k) const { return result_.runs[k].status != SweepStatus::not_run; }

  void take(std::size_t k, api::RunRecord record) {
    if (journal_) {
      journal_->add(k, record);
      is_halted_ = is_halted_ || !journal_->ok();
    }
    const bool is_ok = record.run.ok();
    put(k, std::move(record));
    tell_progress(is_ok);
  }

  api::TeamWork team_work(const api::RunIdentity& identity) {
    std::string text = std::to_string(build_id());
    for (const auto& [name, value] : identity) {
      text += "\n" + name + " " + value;
    }
    return {.n_runs = plan_.size(),
            .jobs = std::max<std::int64_t>(options_.jobs, 1),
            .identity = hash_of(text),
            .is_done = [this](std::size_t k) { return is_made(k); },
            .run_one = [this](std::size_t k) { return run_one(k); },
            .take = [this](std::size_t k, api::RunRecord record) { take(k, std::move(record)); },
            .is_halted = [this] { return is_halted_.load(); },
            .halt = [this](Diagnostics problems, Reason reason) { halt(std::move(problems), reason); },
            .why_halted =
                [this] {
                  const std::lock_guard lock(mutex_);
                  return std::pair(halted_by_, first_error(unwritten_, ""));
                }};
  }

  // None: it was ended from outside, and with it the sweep.
  std::optional<api::RunRecord> run_one(std::size_t k) {
    SimulationOptions options = base_;
    const std::size_t n = result_.names.size();
    for (std::size_t i = 0; i < n; ++i) {
      options.set.push_back({result_.names[i], result_.given[k * n + i]});
    }
    std::optional<ResultFiles> files;
    if (!options_.trajectories.empty()) {
      files.emplace(model_, ResultFilesOptions{
                                .folder = api::folder_of_run(options_.trajectory_folder, k, plan_.size()),
                                .json = false,
                                .html = false});
    }
    api::InstantRows rows(outputs_, files ? &*files : nullptr);
    options.sink = needs_rows_ ? &rows : nullptr;
    const Result<SimulationResult> result = simulate(outputs_.model(), options);
    api::RunRecord record;
    if (!result) {
      record.run.status = SweepStatus::refused;
      record.run.end = std::nan("");
      record.run.message = first_error(result.error(), "the model cannot be run");
      return record;
    }
    if (result->reason == Reason::interrupted || result->reason == Reason::time_limit) {
      halt({}, result->reason);
      return std::nullopt;
    }
    if (files) {
      if (Diagnostics unwritten = files->finish(*result); unwritten.has_errors()) {
        halt(std::move(unwritten), Reason::output_failed);
        return std::nullopt;
      }
    }
    record.run.status = sweep_status(result->status);
    record.run.reason = result->reason;
    record.run.end = result->end;
    record.run.n_events = result->statistics.events;
    record.run.warnings = codes_of_warnings(result->diagnostics);
    if (!outputs_.has_columns_for(*result)) {
      record.run.warnings +=
          (record.run.warnings.empty() ? "" : " ") + std::string(api::kVariablesWithoutColumn.name);
    }
    if (result->ok()) {
      record.values.resize(result_.columns.size());
      outputs_.values(*result, rows.instants(), record.values);
    } else {
      record.run.message = first_error(result->diagnostics, result->message);
    }
    return record;
  }

  void halt(Diagnostics problems, Reason reason) {
    const std::lock_guard lock(mutex_);
    if (!is_halted_.exchange(true)) {
      unwritten_ = std::move(problems);
      halted_by_ = reason;
    }
  }

  void tell_halt() {
    if (halted_by_ == Reason::interrupted || halted_by_ == Reason::time_limit) {
      unwritten_.error(
          api::kSweepNotComplete,
          fmt::format("{} after {} of {} runs",
                      halted_by_ == Reason::interrupted
                          ? "the sweep was interrupted"
                          : fmt::format("the limit of {} seconds was reached", base_.max_time.value_or(0.0)),
                      result_.runs.size() - result_.count(SweepStatus::not_run), result_.runs.size()));
    }
    result_.diagnostics.append(std::move(unwritten_));
  }

  void tell_progress(bool is_ok) {
    const std::lock_guard lock(mutex_);
    ++n_done_;
    n_not_ok_ += is_ok ? 0 : 1;
    const Clock::time_point now = Clock::now();
    if (!options_.progress || (now < next_progress_ && n_done_ < plan_.size())) {
      return;
    }
    next_progress_ = now + kBetweenProgress;
    const auto here = static_cast<double>(n_done_ - result_.n_from_journal);
    const double seconds = std::chrono::duration<double>(now - began_).count();
    options_.progress(
        {plan_.size(), n_done_, n_not_ok_, seconds / here * static_cast<double>(plan_.size() - n_done_)});
  }

  void tell_warnings() {
    struct Seen {
      std::size_t n = 0;
      std::size_t first = 0;
    };
    std::map<std::string, Seen> seen;
    for (std::size_t k = 0; k < result_.runs.size(); ++k) {
      std::string_view rest = result_.runs[k].warnings;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        Seen& code = seen[std::string(rest.substr(0, end))];
        code.first = code.n == 0 ? k + 1 : code.first;
        ++code.n;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    for (const auto& [code, where] : seen) {
      result_.diagnostics.warning(api::kSweepWarnings,
                                  fmt::format("{} of {} runs have the warning '{}', run {} is the first",
                                              where.n, result_.runs.size(), code, where.first),
                                  std::nullopt,
                                  code == api::kVariablesWithoutColumn.name
                                      ? "the table has the variables of the model with its own values; "
                                        "functionals, as final(sum(x)), are for any number of them"
                                      : "'saltus run' with the values of that run tells it in full");
    }
  }

  const Model& model_;
  const SweepOptions& options_;
  const api::SweepPlan& plan_;
  api::SweepOutputs outputs_;
  SimulationOptions base_;
  bool needs_rows_ = false;
  SweepResult result_;
  std::optional<api::SweepJournal> journal_;
  std::atomic<bool> is_halted_{false};
  std::mutex mutex_;  // for what follows
  Diagnostics unwritten_;
  Reason halted_by_ = Reason::none;
  std::size_t n_done_ = 0;
  std::size_t n_not_ok_ = 0;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_progress_{};
};

Result<SweepResult> sweep_in_team(const Model& model, const SweepOptions& options) {
  Result<api::SweepPlan> plan = api::SweepPlan::make(options);
  if (!plan) {
    return Unexpected(std::move(plan).error());
  }
  const WorkLimits limits{options.simulation.stop_requested, options.simulation.max_time,
                          options.simulation.began.value_or(Clock::now())};
  const auto prepare = [&]() -> Result<api::SweepOutputs> {
    if (Diagnostics problems = check_names(model, plan->names(), options.simulation.set);
        problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    return api::SweepOutputs::make(model, options.columns, plan->names(), options.simulation.set);
  };
  Result<api::SweepOutputs> outputs = api::under_limits(
      limits, "before the first run", prepare,
      [](const api::EarlyEnd& end) -> Result<api::SweepOutputs> { return Unexpected(end.diagnostics()); });
  if (!outputs) {
    return Unexpected(outputs.error());
  }
  return Sweep(model, options, *plan, *std::move(outputs)).run();
}

}  // namespace

Result<SweepResult> sweep(const Model& model, const SweepOptions& options) {
  Result<SweepResult> result = sweep_in_team(model, options);
  if (!result && options.team != nullptr) {
    leave_team(*options.team, first_error(result.error(), "it cannot begin"));
  }
  return result;
}

}  // namespace saltus
