/// The rows of a run in their order: the output grid, filled from dense segments, and what happens at instants.
///
/// Method     States at grid times by interpolation, moved onto the constraints where they have any, all other variables by the equations, in blocks as wide as the
///            evaluator takes them. A block holds rows of one stretch.
/// Contract   A grid time that is the same instant as an event gets no row besides those of the event. Therefore the row
///            of a grid time at the end of a step waits until it is known what follows.
///            Extra values (extra_values.hpp) stand behind the variables. A row of an instant has them where a stretch ends or begins there:
///            the row after the last round therefore waits for the stretch that follows; rounds between have none.
/// Checked by tests/unit/api/output_times_test.cpp, tests/unit/api/event_rows_test.cpp, tests/unit/api/columns_test.cpp
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/results/extra_values.hpp"
#include "api/results/text_table.hpp"
#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "record/output_grid.hpp"
#include "saltus/trajectory.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/segment.hpp"

namespace saltus::api {

/// What rows of a stretch are computed with.
struct RowStretch {
  std::int64_t segment = 0;
  std::string_view mode;  ///< outlives the producer
  const system::LockedDae* locked = nullptr;
  system::Evaluator* evaluator = nullptr;
  /// Set in the evaluator before it is asked; null: the evaluator is the run's own, which must be asked during the
  /// calls of the run and needs nothing.
  const system::Configuration* configuration = nullptr;
  double from = 0.0;               ///< where it begins …
  std::span<const double> x = {};  ///< … and the state there; read by begin_stretch() alone
  /// Evaluates extra values, so that rows are the same numbers with and without them; null: `evaluator` does. It takes the configuration.
  system::Evaluator* extra = nullptr;
  /// The same where the stretch begins, during begin_stretch() alone.
  system::Evaluator* extra_at_begin = nullptr;
};

class RowProducer {
 public:
  /// Called with finished rows in their order; false ends the run.
  using Consumer = std::function<bool(const OutputRows&)>;

  enum class Outcome { ok, refused, evaluation_failed };

  /// `scale`: the largest |time| of the run.
  RowProducer(const record::OutputGrid& grid, const Columns& columns, double scale, Consumer consumer);

  /// What was put before is finished with the stretch before. Copies the configuration.
  [[nodiscard]] Outcome begin_stretch(const RowStretch& stretch);
  /// The row of the first grid time, unless an event took place there.
  [[nodiscard]] Outcome start(std::span<const double> x);
  /// Whether a step that ends at t_end holds a grid time: without one nobody needs its interpolant.
  [[nodiscard]] bool wants(double t_end) const;
  /// All grid times of a step that follows the last one. A grid time at its end gets `x_end` itself, which the
  /// interpolant meets only up to rounding.
  [[nodiscard]] Outcome add(const trajectory::SegmentView& segment, std::span<const double> x_end);
  /// The end of a step as if it were a grid time, unless there is a row already.
  [[nodiscard]] Outcome add_end(double t, std::span<const double> x_end);
  /// After every accepted step: outputs that are found by iterations are followed from step to step, so that rows far
  /// apart stay on the solution of the run, whatever the grid. What the method has found itself is taken over.
  [[nodiscard]] Outcome follow(const hybrid::StepEnd& end);
  /// After every step, where there are extra values: those at its end are kept for an instant there, and followed from step to step.
  [[nodiscard]] Outcome keep_end(double t, std::span<const double> x);
  /// Evaluates what has been put so far, while the evaluator of the run is at hand.
  [[nodiscard]] Outcome flush_now();
  /// A row at an instant, with values of all variables; all grid times there are passed.
  [[nodiscard]] Outcome instant(double t, std::int64_t segment, std::string_view mode,
                                std::span<const double> values);
  /// Writes out what is left; with a point at which the run ended before its time: one row more, there. `values`: all
  /// variables there as the run knows them, for a stretch whose evaluator is gone with the run.
  [[nodiscard]] Outcome finish(double t_end, std::span<const double> x_end, std::span<const double> values);

  /// Instead of finish(), for a run that ended while rows were made: those that lie before the place are written.
  void give_up();

  /// All variables and the extra values at a point of the present stretch.
  [[nodiscard]] system::Evaluation evaluate(double t, std::span<const double> x, std::span<double> values);

  /// Of the row that could not be evaluated.
  [[nodiscard]] const system::Evaluation& failure() const { return failure_; }
  /// That evaluates the rows: it can describe a failure, and stands where the last row or follow() was.
  [[nodiscard]] system::Evaluator& evaluator() { return *stretch_.evaluator; }
  [[nodiscard]] double failure_time() const { return failure_time_; }
  [[nodiscard]] std::int64_t n_rows() const { return n_rows_; }

  /// `modes`: where the names of modes are kept. Evaluators and systems of the stretch are known to the archive.
  void fields(Archive& a, TextTable& modes);

 private:
  // The evaluator belongs to the run.
  [[nodiscard]] bool is_borrowed() const { return stretch_.configuration == nullptr; }
  [[nodiscard]] Outcome put_point(double t, std::span<const double> x);
  [[nodiscard]] Outcome put_waiting();
  [[nodiscard]] Outcome put_values(double t, std::span<const double> values);
  [[nodiscard]] Outcome hold(double t, std::int64_t segment, std::string_view mode,
                             std::span<const double> values);
  [[nodiscard]] Outcome put_held();
  // The extra values of a point into the row that `values` is.
  void fill_extra(double t, std::span<const double> x, std::span<double> values);
  [[nodiscard]] system::Evaluation evaluate_row(double t, std::span<const double> x,
                                                std::span<double> values);
  void skip_grid_times(double t);
  void configure();
  // Whether states between steps must be moved onto constraints; sliding does it inside its outputs.
  [[nodiscard]] bool projects() const;
  // Moves the points that were put; false: the one numbered failed_point_ cannot be, failure_ says why.
  [[nodiscard]] bool project_points();
  // A point that was put into x_.
  void copy_point(std::size_t k);
  [[nodiscard]] Outcome flush();
  [[nodiscard]] Outcome flush_block();
  [[nodiscard]] Outcome flush_one_by_one();
  [[nodiscard]] bool consume(std::size_t n);

  record::OutputGrid grid_;
  std::size_t n_variables_;
  ExtraValues extra_;
  std::size_t n_values_;  // of a row
  double scale_;
  Consumer consumer_;
  RowStretch stretch_;
  system::Configuration configuration_;  // of the stretch
  bool is_configured_ = false;           // the evaluator has taken it over
  bool follows_ = false;
  std::size_t width_ = 1;
  std::size_t n_states_ = 0;
  std::int64_t next_ = 0;  // next grid time
  std::size_t filled_ = 0;
  std::size_t failed_point_ = 0;
  bool has_waiting_ = false;  // a point at the end of the last step
  double waiting_time_ = 0.0;
  std::vector<double> waiting_state_;
  bool has_waiting_values_ = false;  // they were evaluated while the evaluator of the run was at hand
  std::vector<double> waiting_values_;
  std::vector<double> end_extra_;  // at the end of the last step
  double end_time_ = 0.0;
  struct Held {
    bool is_there = false;
    double t = 0.0;
    std::int64_t segment = 0;
    std::string mode;
    std::vector<double> values;
  };
  Held held_;  // the last row of an instant
  double last_time_ = 0.0;
  std::vector<double> times_;   // [point]
  std::vector<double> states_;  // [state][point]
  std::vector<double> values_;  // [value][point]
  std::vector<double> x_;
  std::vector<double> row_;  // one point
  system::Evaluation failure_;
  double failure_time_ = 0.0;
  std::int64_t n_rows_ = 0;
};

}  // namespace saltus::api
