/// One run of a system from start to stop: initial values, steps, rows of output, and how it ended.
///
/// The loop over steps and events is hybrid::RunLoop; RunRecorder takes down what it tells. This joins the two with options,
/// limits and the words in which a run reports.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/instance.hpp"
#include "api/options/columns.hpp"
#include "api/options/motion_method.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/checkpoint_file.hpp"
#include "api/results/run_recorder.hpp"
#include "api/sensitivity/sensitivity_recorder.hpp"
#include "api/sensitivity/targets.hpp"
#include "hybrid/run_loop.hpp"
#include "saltus/simulate.hpp"
#include "saltus/simulation.hpp"
#include "sensitivity/adjoint/go_back.hpp"
#include "sensitivity/adjoint/tape.hpp"
#include "sensitivity/forward.hpp"

namespace saltus::api {

/// A run that somebody leads: begin() once, advance() again and again, conclude() once, whatever happened before. All that it is given
/// outlives it.
class Run {
 public:
  Run(const Instance& instance, const RunSettings& settings, const Columns& columns,
      const SimulationOptions& hooks, SimulationResult& result, FinalPoint* point = nullptr);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Before begin(); result.sensitivities has its names.
  void ask_sensitivities(std::vector<SensitivityTarget> targets) { targets_ = std::move(targets); }
  /// In place of it: keeps what the way back needs, and values at instants up to `last_instant`; at a time pieces of this many numbers.
  struct TapeWish {
    std::int64_t last_instant = 0;
    std::size_t most_numbers = 0;
  };
  void ask_tape(std::vector<SensitivityTarget> targets, TapeWish wish) {
    targets_ = std::move(targets);
    tape_wish_ = wish;
  }
  /// With them, for every instant that has events.
  void ask_instants(SensitivityRecorder::InstantTaker taker) { taker_ = std::move(taker); }

  /// What happens at the present time is kept there, from now on; before begin().
  void keep_rounds(std::vector<Simulation::Round>* rounds) { rounds_ = rounds; }
  [[nodiscard]] EventList events() const { return recorder_->events(); }

  /// False: the run has ended, as for all of these.
  [[nodiscard]] bool begin();
  /// In place of begin(): goes on from a checkpoint that fits the run.
  [[nodiscard]] bool resume(const Checkpoint& from);
  [[nodiscard]] bool advance(double horizon, hybrid::RunLoop::Until until);
  [[nodiscard]] bool set_outside(std::span<const settle::OutsideValue> values);
  /// Writes a checkpoint; says what kept it from that. Between two calls of advance().
  [[nodiscard]] Diagnostics save(const std::string& path);
  /// Fills the result.
  void conclude();

  /// Where it stands; begin() has returned true once.
  [[nodiscard]] hybrid::RunLoop& loop() { return *loop_; }
  [[nodiscard]] const Instance& instance() const { return instance_; }
  /// How what was asked moves the parameters.
  [[nodiscard]] const sensitivity::Setup& setup() const { return setup_; }
  /// Null: none was asked for, or the run has not begun.
  [[nodiscard]] const sensitivity::Tape* tape() const { return tape_ ? &*tape_ : nullptr; }
  /// After conclude(), over the tape.
  [[nodiscard]] sensitivity::AdjointAnswer go_back(const sensitivity::AdjointQuestion& question) const;
  /// Of the tape; all but the last are recorded again on the way back.
  [[nodiscard]] std::size_t n_pieces() const { return cuts_.size() + 1; }

 private:
  struct SavedCut {
    std::string state;
    sensitivity::TapeCut cut;
  };
  struct PieceWish {
    const SavedCut* from = nullptr;  // none: the start
    std::int64_t to = 0;
  };

  template <class Work>
  void guarded(Work work);
  [[nodiscard]] bool start();
  [[nodiscard]] bool begin_sink();
  [[nodiscard]] bool prepare();
  [[nodiscard]] hybrid::RunObserver& observer();
  [[nodiscard]] bool load(const Checkpoint& from);
  [[nodiscard]] std::string state(std::string& problem);
  [[nodiscard]] bool save_cut(sensitivity::TapeCut cut);
  [[nodiscard]] bool replay(const PieceWish& wish);
  void be_patient();
  [[nodiscard]] std::optional<Ending> save_if_due();
  void save_ending();
  [[nodiscard]] std::string place() const;
  void end(Ending ending);
  void cannot_start(Diagnostics problems);
  [[nodiscard]] integrate::Tolerances tolerances_of(const system::LockedDae& locked);
  [[nodiscard]] hybrid::Options options_for(const system::LockedDae& locked);
  void warn_of_unused_tolerances(const std::vector<hybrid::Bound>& bounds);
  [[nodiscard]] std::vector<WatchedGuard> watched_guards(const hybrid::RunOutcome& outcome) const;
  void fill_result(const hybrid::RunOutcome& outcome);
  void report(const hybrid::RunOutcome& outcome);

  Instance instance_;  // its system may be built anew
  const RunSettings& settings_;
  const Columns& columns_;
  const SimulationOptions& hooks_;
  SimulationResult& result_;
  FinalPoint* point_;
  std::vector<Simulation::Round>* rounds_ = nullptr;
  RunMonitor monitor_;
  std::vector<double> largest_steps_;  // by mode, of the method 'exact'; empty: none
  Motion motion_;
  std::vector<bool> is_used_;                                       // by item of settings_.atol_of
  RunIdentity identity_;                                            // where checkpoints are written or read
  std::optional<std::chrono::steady_clock::time_point> next_save_;  // none: nothing was saved
  bool has_told_unsaved_ = false;
  std::optional<system::InitialPoint> initial_;
  std::optional<hybrid::Options> options_;
  std::optional<RunRecorder> recorder_;
  std::vector<SensitivityTarget> targets_;  // none: no sensitivities
  SensitivityRecorder::InstantTaker taker_;
  sensitivity::Setup setup_;
  std::optional<SensitivityRecorder> sensitivities_;
  std::unique_ptr<sensitivity::ForwardRun> forward_;  // between the run and its recorder
  std::optional<TapeWish> tape_wish_;
  std::optional<sensitivity::Tape> tape_;  // there, too
  std::vector<SavedCut> cuts_;             // of the tape
  std::optional<PieceWish> piece_wish_;    // a piece of another run is recorded again
  std::optional<hybrid::RunLoop> loop_;
};

/// Fills everything of `result` that belongs to the run; its `variables` and `columns` are known. `hooks` says what is kept, where
/// rows go and who may stop the run; all else comes from `settings`. `point`: filled, if it is given. `from`: where the run goes on. `targets`:
/// result.sensitivities has their names.
void run(const Instance& instance, const RunSettings& settings, const Columns& columns,
         const SimulationOptions& hooks, SimulationResult& result, FinalPoint* point = nullptr,
         const Checkpoint* from = nullptr, std::vector<SensitivityTarget> targets = {});

/// What SimulationOptions::resume names, if it fits; none: the run begins at its start.
[[nodiscard]] Result<std::optional<Checkpoint>> checkpoint_to_resume(const Instance& instance,
                                                                     const RunSettings& settings,
                                                                     const SimulationOptions& hooks);

/// Since when a run has been at work.
class WallClock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// run() with everything around it. `warnings` are those of the options. The error: columns that there are not.
[[nodiscard]] Result<SimulationResult> simulate(const Instance& instance, const RunSettings& settings,
                                                const SimulationOptions& hooks, Diagnostics warnings,
                                                const WallClock& clock);

}  // namespace saltus::api
