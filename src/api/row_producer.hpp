/// Fills the output grid from dense segments: states by interpolation, all other variables by the equations, in blocks
/// as wide as the evaluator takes them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "record/output_grid.hpp"
#include "saltus/trajectory.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/segment.hpp"

namespace saltus::api {

class RowProducer {
 public:
  /// Called with finished rows in their order; false ends the run.
  using Consumer = std::function<bool(const OutputRows&)>;

  enum class Outcome { ok, refused, evaluation_failed };

  /// `locked` outlives the producer. `guess`: see LockedDae::make_evaluator.
  RowProducer(const record::OutputGrid& grid, const system::LockedDae& locked, std::size_t n_variables,
              Consumer consumer, std::span<const double> guess = {});

  /// The row of the first grid time, at the start of the run.
  [[nodiscard]] Outcome start(std::span<const double> x);
  /// Whether a step that ends at t_end holds a grid time: without one nobody needs its interpolant.
  [[nodiscard]] bool wants(double t_end) const;
  /// All grid times of a step that follows the last one. A grid time at its end gets `x_end` itself, which the
  /// interpolant meets only up to rounding.
  [[nodiscard]] Outcome add(const trajectory::SegmentView& segment, std::span<const double> x_end);
  /// After every accepted step: outputs that are found by iterations are followed from step to step, so that rows far
  /// apart stay on the solution of the run, whatever the grid.
  [[nodiscard]] Outcome follow(double t, std::span<const double> x);
  /// Writes out what is left; with a point at which the run ended before its time: one row more, there.
  [[nodiscard]] Outcome finish(double t_end, std::span<const double> x_end);

  /// Time and states of the last row: where a run ends whose rows are cut short within a step.
  [[nodiscard]] double last_time() const { return last_time_; }
  [[nodiscard]] std::span<const double> last_state() const { return last_state_; }

  /// Of the row that could not be evaluated.
  [[nodiscard]] const system::Evaluation& failure() const { return failure_; }
  /// That evaluates the rows: it can describe a failure, and stands where the last row or follow() was.
  [[nodiscard]] system::Evaluator& evaluator() { return *evaluator_; }
  [[nodiscard]] double failure_time() const { return failure_time_; }
  [[nodiscard]] std::int64_t n_rows() const { return n_rows_; }

 private:
  void put_point(double t, std::span<const double> x);
  [[nodiscard]] Outcome flush();
  [[nodiscard]] Outcome flush_one_by_one();
  [[nodiscard]] bool consume(std::size_t n);

  record::OutputGrid grid_;
  std::unique_ptr<system::Evaluator> evaluator_;
  bool follows_;
  std::size_t width_;
  std::size_t n_variables_;
  Consumer consumer_;
  std::int64_t next_ = 0;  // next grid time
  std::size_t filled_ = 0;
  double last_time_ = 0.0;
  std::vector<double> last_state_;
  std::vector<double> times_;   // [point]
  std::vector<double> states_;  // [state][point]
  std::vector<double> values_;  // [variable][point]
  std::vector<double> x_;
  std::vector<double> row_;  // one point
  system::Evaluation failure_;
  double failure_time_ = 0.0;
  std::int64_t n_rows_ = 0;
};

}  // namespace saltus::api
