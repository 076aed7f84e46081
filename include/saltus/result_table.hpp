// Results as files have them: columns over time, in the formats of other tools too; compared and drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/diagnostic.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"

namespace saltus {

/// Rows in the order of the run; several of one time are those of an event.
struct ResultTable {
  struct Column {
    std::string name{};
    std::string unit{};
    std::string description{};
    std::vector<double> values{};  ///< by row; NaN: none
  };
  std::string source{};  ///< where it comes from, for messages
  std::string abscissa = "time";
  std::vector<double> times{};
  std::vector<std::int64_t> segments{};   ///< by row; empty: not known
  std::vector<std::string> mode_names{};  ///< each once
  std::vector<std::size_t> modes{};       ///< by row, places in mode_names; empty: not known
  std::vector<Column> columns{};
  std::vector<NamedValue> parameters{};

  /// Null: there is none of that name.
  [[nodiscard]] const Column* find(std::string_view name) const;
};

/// Reads a folder of results (its trajectory.csv), or a file by the ending of its name: .csv (the first column is `time` or `run`), .mat (the layout of
/// Modelica tools in MATLAB's format 4), .npz (as this library and its Python package write it). Two columns of one name, and times that go back and
/// forth, are errors.
[[nodiscard]] Result<ResultTable> read_result_table(const std::string& path);
/// Writes a file by the ending of its name. MAT files have neither segments nor modes; others have those that are known.
[[nodiscard]] Diagnostics write_result_table(const ResultTable& table, const std::string& path);

struct ComparisonOptions {
  double tolerance = 2e-3;  ///< of the range of a column up and down, of the length of the run left and right
  std::vector<std::string> columns{};  ///< names and patterns; empty: all of the first table
};

struct Comparison {
  struct Column {
    std::string name;
    /// How far the curves leave each other's tube, in units of the range of the first; 0: nowhere. Infinite: one has a value where the other has
    /// none, or does not have the column.
    double deviation = 0.0;
    double time = 0.0;    ///< where that is
    std::string problem;  ///< for a person; empty: none
  };
  std::vector<Column> columns;
  std::string problem;  ///< of all: the runs do not end at the same time; empty: none

  [[nodiscard]] bool is_same() const;
};

/// Tubes around both curves of each column: every row of one must lie within the tolerance of the straight lines between the rows of the other,
/// up, down, left and right. The error: a column that the first does not have, or no rows.
[[nodiscard]] Result<Comparison> compare(const ResultTable& first, const ResultTable& second,
                                         const ComparisonOptions& options = {});
/// For a person.
[[nodiscard]] std::string render_text(const Comparison& comparison);

struct PlotOptions {
  std::vector<std::string> columns{};  ///< names and patterns; at least one
  bool events = false;                 ///< times with several rows are marked
  double width = 640.0;                ///< of the picture
  double height = 400.0;
  std::string title{};
};

/// A picture of columns over time, in SVG: jumps are dotted, what has no value is left out. The error: columns that there are not, no rows.
[[nodiscard]] Result<std::string> plot_svg(const ResultTable& table, const PlotOptions& options);

}  // namespace saltus
