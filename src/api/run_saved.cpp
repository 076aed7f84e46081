// A run that is saved, and one that goes on (docs/checkpoints.md).
#include <fmt/format.h>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/start_point.hpp"
#include "api/run.hpp"
#include "base/work_watch.hpp"

namespace saltus::api {
namespace {

using Clock = std::chrono::steady_clock;

// A run that is saved and asked to end may go on for so long to come to the end of its step. Most steps are much shorter.
constexpr std::chrono::seconds kPatience{1};

Clock::duration seconds(double number) {
  constexpr double kLongestInterval = 1e9;  // what a clock can count
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(number, kLongestInterval)));
}

}  // namespace

void Run::be_patient() {
  if (WorkWatch* const watch = current_watch(); watch != nullptr && !hooks_.checkpoint.empty()) {
    watch->set_patience(kPatience);
  }
}

// Empty: `problem` says what keeps it from being saved.
std::string Run::state(std::string& problem) {
  Archive a;
  a(instance_.start_by_ranks, *initial_, *loop_, *recorder_);
  problem = a.problem();
  return a.ok() ? a.saved() : std::string();
}

Diagnostics Run::save(const std::string& path) {
  std::string problem;
  std::string saved = state(problem);
  const std::optional<std::string> sink = hooks_.sink == nullptr ? std::string() : hooks_.sink->save();
  if (!sink && problem.empty()) {
    problem = "what takes the rows cannot go on later";
  }
  if (!problem.empty()) {
    Diagnostics problems;
    problems.error(kCheckpointUnsupported,
                   fmt::format("the run cannot be saved at time {}: {}", recorder_->time(), problem));
    return problems;
  }
  if (identity_.empty()) {
    identity_ = identity_of(instance_, settings_, hooks_);
  }
  return write_checkpoint(path, {identity_, "", recorder_->time(), std::move(saved), *sink});
}

// The first one shows whether the run can be saved at all: without it a run that was to be saved does not go on.
std::optional<Ending> Run::save_if_due() {
  if (next_save_ && Clock::now() < *next_save_) {
    return std::nullopt;
  }
  Diagnostics problems = save(hooks_.checkpoint);
  const bool is_first = !next_save_;
  next_save_ = Clock::now() + seconds(settings_.checkpoint_interval);
  if (!problems.has_errors()) {
    return std::nullopt;
  }
  const Diagnostic& first = problems.items()[0];
  if (is_first) {
    std::optional<Ending> ending = Ending{SimulationStatus::stopped, "checkpoint_failed", first.message};
    result_.diagnostics.append(std::move(problems));
    return ending;
  }
  if (!has_told_unsaved_) {
    has_told_unsaved_ = true;
    result_.diagnostics.warning(DiagnosticCode{first.code}, first.message, std::nullopt,
                                "the checkpoint before stays; reported once in a run");
  }
  return std::nullopt;
}

// A run that is over is not to go on once more from somewhere before its end. Whose rows go to a sink is over when the sink has completed
// them (ResultFiles::finish): until then a process that is killed would leave half of its results and no way to the rest.
void Run::save_ending() {
  if (hooks_.checkpoint.empty() || hooks_.sink != nullptr || !next_save_ ||
      result_.status == SimulationStatus::stopped ||
      (result_.status == SimulationStatus::success && result_.end != settings_.stop)) {
    return;
  }
  result_.diagnostics.append(close_checkpoint(hooks_.checkpoint, result_));
}

bool Run::load(const Checkpoint& from) {
  Archive a(from.state);
  a.limit<ModeId>(instance_.system->modes().size());
  a.limit<GuardId>(instance_.system->guards().size());
  a.limit<VariableId>(instance_.system->variables().size());
  ModeId by_ranks;
  a(by_ranks);
  if (!a.ok() || !rebuild_system(instance_, settings_.start_rule, by_ranks)) {
    a.refuse("the system cannot be built again");
  }
  initial_.emplace();
  a(*initial_);
  const system::Configuration& configuration = initial_->configuration;
  if (a.ok() && (configuration.latched.size() != instance_.system->guards().size() ||
                 configuration.discrete.size() != instance_.system->discrete().size() ||
                 initial_->values.size() != instance_.system->variables().size())) {
    a.refuse("the start of the run does not fit");
  }
  if (a.ok() && prepare() && loop_->resume(*initial_, a)) {
    a(*recorder_);
    next_save_ = Clock::now() + seconds(settings_.checkpoint_interval);
  }
  if (a.ok() && !a.is_at_end()) {
    a.refuse("there is more in it than a run has");
  }
  const bool fits = a.ok() && recorder_.has_value();
  if (fits && (hooks_.sink == nullptr || hooks_.sink->resume(result_.columns, from.sink))) {
    result_.end = recorder_->time();
    return true;
  }
  // Nothing of it is to be taken for a result.
  loop_.reset();
  recorder_.reset();
  if (fits) {
    end({SimulationStatus::stopped, "output_failed", "the output could not be continued"});
  } else {
    result_.diagnostics.error(kCheckpointDamaged,
                              fmt::format("the checkpoint does not fit the run: {}", a.problem()));
    end({SimulationStatus::failed, "checkpoint_damaged", a.problem()});
  }
  return false;
}

Result<std::optional<Checkpoint>> checkpoint_to_resume(const Instance& instance, const RunSettings& settings,
                                                       const SimulationOptions& hooks) {
  if (hooks.resume.empty()) {
    return std::optional<Checkpoint>();
  }
  Result<Checkpoint> read = read_checkpoint(hooks.resume);
  if (!read) {
    return Unexpected(std::move(read).error());
  }
  if (Diagnostics problems = check_fits(hooks.resume, *read, identity_of(instance, settings, hooks));
      problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return std::optional<Checkpoint>(*std::move(read));
}

}  // namespace saltus::api
