// How far the rows of a run are from the solution, estimated by a second run at a tighter tolerance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace saltus {

/// |value in the run - value in the second run|, for every row and column of SimulationResult::trajectory.
///
/// Where the events of the two runs are the same, in order, rows are compared on the same side of each event: the row before it with
/// that before it, the row after it with that after it, though the times differ a little; a row at which one run is before an event and the other
/// after it is compared with the end of its own side. From the first event on that differs, rows are compared by their times.
struct ErrorEstimate {
  bool by_step = false;  ///< the second run has a shorter fixed step instead of tighter tolerances
  double factor = 0.0;   ///< tolerances, or step, of the second run over those of the first
  double end = 0.0;      ///< time that the second run reached
  std::string reason;    ///< why it ended early; empty if it did not
  std::size_t n_columns = 0;
  std::vector<double> values;  ///< [row][column]; NaN where there is none to compare with

  struct Largest {
    double error = 0.0;
    double time = 0.0;  ///< of its row
  };
  std::vector<Largest> largest;  ///< over all rows, by column

  std::int64_t events_compared = 0;       ///< that are the same in both runs
  double event_time = 0.0;                ///< largest difference of their times
  std::optional<double> events_differ{};  ///< time of the first that is not; none if all are

  [[nodiscard]] std::span<const double> row(std::size_t row) const {
    return std::span(values).subspan(row * n_columns, n_columns);
  }
};

struct SimulationResult;

/// How far the rows of `run` are from those of `reference`, another run of the same model from the same start with the same interval of
/// rows; both have rows, and `reference` its dense solution.
[[nodiscard]] ErrorEstimate differences(const SimulationResult& run, const SimulationResult& reference);

}  // namespace saltus
