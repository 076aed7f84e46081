/// What a saltus::Trajectory shares between its copies.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/options/columns.hpp"
#include "api/results/configuration_log.hpp"
#include "api/results/extra_values.hpp"
#include "api/results/text_table.hpp"
#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "saltus/trajectory.hpp"
#include "system/hybrid_system.hpp"
#include "trajectory/trajectory.hpp"

namespace saltus::api {

class TrajectoryData {
 public:
  std::vector<std::string> names;                            ///< of the columns
  std::unordered_map<std::string_view, std::size_t> places;  ///< of the names above

  std::vector<double> times;   ///< of the rows
  std::vector<double> values;  ///< [row][column]

  trajectory::Trajectory dense;
  std::shared_ptr<const system::HybridSystem> system;
  hybrid::Options options;    ///< for the evaluators of stretches that slide
  std::vector<double> guess;  ///< of evaluators
  std::vector<double>
      solutions;  ///< [segment][as guess] of the outputs at the end of each, up to the last that iterates
  /// The row after an event at the very end; empty if the run ended otherwise.
  std::vector<double> end_values;

  void set_columns(const Columns& columns);
  void append(const OutputRows& rows);
  /// The number of the segment and the name of the mode of a row.
  [[nodiscard]] std::int64_t segment_of_row(std::size_t row) const;
  [[nodiscard]] std::string_view mode_of_row(std::size_t row) const;

  /// The segments that follow belong to it.
  void begin_stretch(const hybrid::Stretch& stretch);
  /// The segment just accepted; `evaluator` stands at its end, none if its outputs are not found by iterations.
  void append(const trajectory::SegmentView& segment, const system::Evaluator* evaluator);
  void evaluate(double t, trajectory::Side side, std::span<double> out) const;

  void fields(Archive& a);

 private:
  // Consecutive rows with the same segment and mode.
  struct RowGroup {
    std::size_t first_row;
    std::int64_t segment;
    std::uint32_t mode;

    void fields(Archive& a) { a(first_row, segment, mode); }
  };
  struct Stretch {
    Index first_segment;
    std::size_t first_surface;  // in surfaces_, up to that of the next
    double level;               // hybrid::Stretch::level
    system::StructureId structure;
  };

  [[nodiscard]] bool is_sound() const;  // after loading
  [[nodiscard]] const RowGroup& group_of(std::size_t row) const;
  [[nodiscard]] std::size_t stretch_of(Index segment) const;
  [[nodiscard]] system::Evaluator* evaluator_of(std::size_t stretch) const;

  // All columns at a point of the stretch that the evaluator is set to; false: it has no values.
  [[nodiscard]] bool evaluate_columns(system::Evaluator& evaluator, double t, std::span<double> out) const;

  Columns columns_;
  std::vector<RowGroup> row_groups_;
  TextTable modes_;
  std::vector<Stretch> stretches_;
  std::vector<Index> surfaces_;
  ConfigurationLog configurations_;  // by stretch

  mutable std::mutex mutex_;  // guards what follows
  mutable std::unique_ptr<system::Evaluator> evaluator_;
  mutable std::shared_ptr<const system::LockedDae> locked_;  // of evaluator_
  mutable system::StructureId structure_;
  mutable std::size_t stretch_ = 0;  // that evaluator_ is set to
  mutable std::vector<double> x_;
  mutable std::vector<double> computed_;  // a row before columns are chosen
  mutable std::optional<ExtraValues> extra_;
};

}  // namespace saltus::api
