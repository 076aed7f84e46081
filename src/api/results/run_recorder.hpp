/// Takes down a run while it goes on: rows, dense solution, events, modes, warnings.
///
/// Contract   Everything the run tells is recorded in its order. What cannot go on (output that cannot be written, a row
///            that cannot be evaluated, a request from outside between two rows of one step) ends the run; ending() says
///            why.
/// Choices    Rows are computed with evaluators of their own, one for each mode, because a block of rows is evaluated
///            after the run has gone on. Stretches that slide use the evaluator of the run, step by step.
/// Cost       Nothing is allocated for an event but growth of vectors; texts of events are kept once.
/// Checked by tests/unit/api/event_rows_test.cpp
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/instance.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/constraint_monitor.hpp"
#include "api/results/event_log.hpp"
#include "api/results/index_check.hpp"
#include "api/results/mode_timeline.hpp"
#include "api/results/row_producer.hpp"
#include "api/results/run_monitor.hpp"
#include "api/results/trajectory_data.hpp"
#include "api/results/work_guard.hpp"
#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "saltus/simulation.hpp"

namespace saltus::api {

/// Where a run ended, for whoever goes on from there.
struct FinalPoint {
  system::Configuration configuration;
  std::vector<system::StateInfo> states;
  std::vector<double> x;
  std::string mode;      ///< as in trajectory.csv
  bool is_held = false;  ///< sliding, or at rest on a surface
};

/// Why and how a run ended.
struct Ending {
  SimulationStatus status = SimulationStatus::success;
  std::string reason;
  std::string message;
};

class RunRecorder final : public hybrid::RunObserver {
 public:
  /// All outlive the recorder; `result` has its variables.
  RunRecorder(const Instance& instance, const RunSettings& settings, const Columns& columns,
              const SimulationOptions& hooks, const system::InitialPoint& initial, RunMonitor& monitor,
              SimulationResult& result);

  bool begin_stretch(const hybrid::Stretch& stretch) override;
  [[nodiscard]] bool wants_segment(double t_end) override;
  bool step(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) override;
  bool instant(double t, std::int64_t segment, std::string_view mode,
               std::span<const double> values) override;
  void event(const hybrid::Event& event) override;
  void warning(Diagnostic diagnostic) override;

  /// Is called before every step and instant; what it answers ends the run.
  void call_between_steps(std::function<std::optional<Ending>()> call) { between_steps_ = std::move(call); }
  bool between_steps() override {
    if (between_steps_) {
      ending_ = between_steps_();
    }
    return !ending_;
  }
  /// What goes beside the rows could not be written: the run ends.
  void refuse_output();
  /// Where the run is, from now on; null: nobody asks.
  void keep_point(FinalPoint* point) { point_ = point; }
  /// Rows of the present instant, from now on; null: nobody asks.
  void keep_rounds(std::vector<Simulation::Round>* rounds) { rounds_ = rounds; }
  [[nodiscard]] EventList events() const { return EventList(log_); }
  /// Sensitivities of the times of events follow event(): whoever takes events gets each when they are there, or when the next thing happens.
  void expect_event_sensitivities(std::size_t n_parameters);
  void set_event_sensitivities(std::span<const double> sigma);
  /// [event][parameter]
  [[nodiscard]] const std::vector<double>& event_sensitivities() const { return log_->sensitivities(); }
  /// By variable, the largest absolute value in the rows so far; none of them: nobody asks.
  void keep_scales() { scales_.assign(result_.variables.size(), 0.0); }
  [[nodiscard]] const std::vector<double>& scales() const { return scales_; }
  /// Fills `result`; `outcome` is what the run says.
  void conclude(const hybrid::RunOutcome& outcome);

  /// For polls between two steps.
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] std::int64_t n_steps() const { return n_steps_; }
  [[nodiscard]] std::int64_t n_events() const { return static_cast<std::int64_t>(log_->size()); }

  /// That ended the run from here; none if the run goes on or ended by itself.
  [[nodiscard]] const std::optional<Ending>& ending() const { return ending_; }

  void fields(Archive& a);

 private:
  [[nodiscard]] bool take(const OutputRows& rows);
  [[nodiscard]] bool write(const OutputRows& rows);
  [[nodiscard]] bool check(RowProducer::Outcome outcome);
  [[nodiscard]] bool end_if_asked(double t);
  void pass_event();
  [[nodiscard]] system::Evaluator* own_evaluator(const hybrid::Stretch& stretch);
  void own_extra(const hybrid::Stretch& stretch, RowStretch& rows);
  // recorder_saved.cpp
  void own_fields(Archive& a);
  void sliding_extra_fields(Archive& a);
  [[nodiscard]] bool check_index(const hybrid::Stretch& stretch);
  void conclude_values(const hybrid::RunOutcome& outcome);
  void fill_final_values(const hybrid::RunOutcome& outcome);

  const Instance& instance_;
  const RunSettings& settings_;
  const Columns& columns_;
  const SimulationOptions& hooks_;
  const system::InitialPoint& initial_;
  RunMonitor& monitor_;
  SimulationResult& result_;
  std::shared_ptr<TrajectoryData> data_ = std::make_shared<TrajectoryData>();
  std::shared_ptr<EventLog> log_ = std::make_shared<EventLog>();
  RangeCheck range_check_;
  IndexCheck index_check_;
  ModeTimeline timeline_;
  ConstraintMonitor constraints_;
  RowProducer rows_;
  TextTable mode_names_;  // rows hold views of them
  struct OwnEvaluator {
    system::StructureId structure;
    std::shared_ptr<const system::LockedDae> locked;
    std::unique_ptr<system::Evaluator> evaluator;
    std::unique_ptr<system::Evaluator> extra;  // made when it is needed
  };
  std::vector<OwnEvaluator> own_;  // of rows
  /// Of extra values: while sliding; where a stretch begins whose ranks are decided anew.
  struct Slide {
    system::Configuration configuration;
    std::vector<Index> surfaces;
    double level = 0.0;
  };
  Slide slide_;  // of sliding_extra_, where it began
  std::unique_ptr<system::Evaluator> sliding_extra_;
  std::unique_ptr<system::Evaluator> last_sliding_extra_;
  std::unique_ptr<system::Evaluator> extra_at_begin_;
  bool is_first_system_ =
      true;  // the present stretch has the structure of the initial values: their guess is for it
  FinalPoint* point_ = nullptr;
  std::vector<Simulation::Round>* rounds_ = nullptr;
  std::function<std::optional<Ending>()> between_steps_;
  bool expects_sensitivities_ = false;  // of events
  bool has_held_event_ = false;         // the last event waits for them
  std::vector<double> scales_;
  bool is_sliding_ = false;
  bool follows_ = false;  // outputs of the present stretch are found by iterations
  bool has_begun_ = false;
  double t_ = 0.0;
  std::vector<double> x_;  // at the end of the last step …
  std::vector<double> values_;
  bool is_at_instant_ = false;    // … unless values_ came later
  std::vector<double> chosen_;    // columns of the rows being written
  std::vector<double> last_row_;  // of an instant
  std::int64_t n_steps_ = 0;
  bool is_concluding_ = false;
  bool is_within_step_ = false;      // its rows are being made
  bool is_cut_within_step_ = false;  // ended from outside between two rows of one step …
  double cut_time_ = 0.0;            // … at the last of them, with values_
  std::optional<Ending> ending_;
  Diagnostics warnings_;
  system::StructureId first_structure_;  // of the initial values
};

/// The stable word and the sentence for an evaluation that failed; `otherwise` is the word where the evaluation itself is
/// fine and the solution is not.
[[nodiscard]] Ending evaluation_ending(const system::Evaluator& evaluator,
                                       const system::Evaluation& evaluation, std::string_view otherwise,
                                       double t);
/// … for what ends a run from outside.
[[nodiscard]] Ending outside_ending(const RunSettings& settings, integrate::EndReason reason, double t);
[[nodiscard]] Ending ending_of(EarlyEnd end);

}  // namespace saltus::api
