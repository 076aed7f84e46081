/// Columns of numbers from a CSV file: the first row has names, the cells below are numbers. With a column `time`: columns over time.
///
/// Contract   messages have the file and the line. Whether times ascend and whose names the columns are is the matter of the caller.
/// Fails when there is no column `time` where one is asked for, a column has no name or that of another, a row has not as many cells, a cell is
///            no number: up to kMostProblems errors
/// Checked by tests/unit/api_fit/fit_setup_test.cpp, tests/cli/input_test.cpp, tests/cli/sweep_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "saltus/result.hpp"

namespace saltus::api {

struct NumberTable {
  struct Column {
    std::string name;
    std::vector<double> values;  ///< by row; NaN: the cell is empty
  };
  int line = 1;            ///< of the names
  std::vector<int> lines;  ///< by row
  std::vector<Column> columns;
};

struct TimeTable {
  using Column = NumberTable::Column;
  int line = 1;  ///< of the names
  std::vector<double> times;
  std::vector<int> lines;       ///< by time
  std::vector<Column> columns;  ///< the others
};

struct NumberTableRules {
  DiagnosticCode code;         ///< of errors
  std::string_view what;       ///< "a table of inputs"
  bool takes_truths = false;   ///< `true` and `false` are 1 and 0
  bool takes_gaps = false;     ///< cells may be empty, but those of `time`
  bool needs_columns = false;  ///< besides `time`
};

/// The rest of a file in which every row is wrong says nothing more.
inline constexpr std::size_t kMostProblems = 10;

[[nodiscard]] Result<NumberTable> read_number_table(const std::string& path, const NumberTableRules& rules);
/// One of the columns is `time`.
[[nodiscard]] Result<TimeTable> read_time_table(const std::string& path, const NumberTableRules& rules);

}  // namespace saltus::api
