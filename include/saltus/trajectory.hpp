// The solution of a run: rows on the output grid, and the solution at any time between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/event.hpp"

namespace saltus {

struct VariableInfo;

/// Rows of output as they are computed. Values are [column][row]: use value().
struct OutputRows {
  std::span<const double> times;
  std::span<const double> values;
  std::size_t stride = 0;
  std::int64_t segment = 0;  ///< (time, segment) is the order of the rows; grows at every event
  std::string_view mode;     ///< "main" for a model without modes

  [[nodiscard]] double value(std::size_t row, std::size_t column) const {
    return values[column * stride + row];
  }
};

/// A row of sensitivities: Sensitivities::columns and ::parameters say of what.
struct SensitivityRow {
  double time = 0.0;
  std::int64_t segment = 0;
  std::string_view mode;
  std::span<const double> values;  ///< [column][parameter]; NaN: undefined
};

/// Receives the rows of a run one after the other, so that nobody has to hold them all.
class OutputSink {
 public:
  OutputSink() = default;
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;
  virtual ~OutputSink() = default;

  /// Once, before the run: the columns in the order of the values. False: the run does not begin (`stopped`,
  /// reason output_failed).
  [[nodiscard]] virtual bool begin(std::span<const VariableInfo> columns) = 0;
  /// False ends the run (`stopped`, reason output_failed).
  [[nodiscard]] virtual bool rows(const OutputRows& rows) = 0;
  /// Every event, in order, before the rows of the time after it.
  virtual void event(const Event& /*event*/) {}
  /// Where sensitivities are asked for, once, before begin(); false: the run does not begin.
  [[nodiscard]] virtual bool begin_sensitivities(std::span<const std::string> /*columns*/,
                                                 std::span<const std::string> /*parameters*/) {
    return true;
  }
  /// In their order; false ends the run (`stopped`, reason output_failed).
  [[nodiscard]] virtual bool sensitivities(const SensitivityRow& /*row*/) { return true; }
  /// For a checkpoint of the run: what resume() needs, with all rows and events up to here safe; none: this sink cannot go on.
  [[nodiscard]] virtual std::optional<std::string> save() { return std::nullopt; }
  /// In place of begin(), in a run that goes on: rows and events that came after this save() are to be forgotten. False: the run does not
  /// begin (`stopped`, reason output_failed).
  [[nodiscard]] virtual bool resume(std::span<const VariableInfo> /*columns*/, std::string_view /*saved*/) {
    return false;
  }
};

namespace api {
class TrajectoryData;
}

/// Copies are cheap and share everything; all functions may be called from several threads.
class Trajectory {
 public:
  Trajectory() = default;
  explicit Trajectory(std::shared_ptr<const api::TrajectoryData> data) : data_(std::move(data)) {}

  /// Names of the columns, in the order of all values: the variables, unless SimulationOptions::columns says otherwise.
  [[nodiscard]] std::span<const std::string> names() const;
  /// Place of a name in names(), or -1.
  [[nodiscard]] std::ptrdiff_t index(std::string_view name) const;

  // The rows: the output grid, and at every event the values just before it and after each of its rounds, all at one
  // time (empty without SimulationOptions::keep_rows).
  [[nodiscard]] std::size_t n_rows() const;
  [[nodiscard]] std::span<const double> times() const;
  /// All columns in one row; NaN where one does not exist in the mode.
  [[nodiscard]] std::span<const double> row(std::size_t row) const;
  /// All rows, one after the other: [row][column]. Valid, as times() is, as long as a copy of the trajectory.
  [[nodiscard]] std::span<const double> values() const;
  /// (time, segment) is the order of the rows: it grows by one with each round of an event, and when sliding begins or
  /// ends.
  [[nodiscard]] std::int64_t segment(std::size_t row) const;
  /// Name of the mode, followed by " sliding on <guard>" while sliding; valid as long as the trajectory.
  [[nodiscard]] std::string_view mode(std::size_t row) const;
  /// One column in all rows; the name must exist.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;

  // Dense evaluation (without SimulationOptions::keep_dense there is none).
  [[nodiscard]] bool is_dense() const;
  [[nodiscard]] double start_time() const;
  [[nodiscard]] double end_time() const;
  /// Where the accepted steps end, in their order; a step that an event cuts ends at the event.
  [[nodiscard]] std::vector<double> step_ends() const;
  /// All columns at t, which must lie between start_time() and end_time(); at the time of an event, after it. States come from the method's
  /// own interpolant, the others from the equations at these states; NaN where they cannot be evaluated.
  [[nodiscard]] std::vector<double> at(double t) const;
  void at(double t, std::span<double> values) const;
  /// One column at t; the name must exist.
  [[nodiscard]] double at(double t, std::string_view name) const;
  /// The same at the time of an event, just before it; elsewhere as at().
  [[nodiscard]] std::vector<double> before(double t) const;
  void before(double t, std::span<double> values) const;
  [[nodiscard]] double before(double t, std::string_view name) const;

 private:
  std::shared_ptr<const api::TrajectoryData> data_;
};

}  // namespace saltus
