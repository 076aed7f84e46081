#include "api/model/time_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "api/model/number_option.hpp"
#include "api/model/read_file.hpp"
#include "base/csv_text.hpp"

namespace saltus::api {
namespace {

constexpr std::string_view kTime = "time";
constexpr const char* kFirstRow = "the first row has the names of the columns, one of them 'time'";

class TableReader {
 public:
  TableReader(const std::string& path, const std::vector<CsvRow>& rows, const TimeTableRules& rules)
      : path_(path), rows_(rows), rules_(rules) {}

  Result<TimeTable> run() {
    if (rows_.empty()) {
      complain(1, "the file has no rows", kFirstRow);
    } else {
      read_names(rows_.front());
    }
    for (std::size_t i = 1; i < rows_.size() && problems_.items().size() < kMostProblems; ++i) {
      read_row(rows_[i]);
    }
    if (!problems_.has_errors() && table_.times.empty()) {
      complain(table_.line, "there are no values below the names");
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(table_);
  }

 private:
  void complain(int line, const std::string& message, std::string hint = {}) {
    problems_.error(rules_.code, fmt::format("{}:{}: {}", path_, line, message), std::nullopt,
                    std::move(hint));
  }

  void read_names(const CsvRow& row) {
    table_.line = row.line;
    const auto begin = row.cells.begin();
    const auto time = std::find(begin, row.cells.end(), kTime);
    if (time == row.cells.end()) {
      complain(row.line, "no column is named 'time'", kFirstRow);
      return;
    }
    time_ = static_cast<std::size_t>(time - begin);
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      const std::string& name = row.cells[k];
      const auto here = begin + static_cast<std::ptrdiff_t>(k);
      if (name.empty()) {
        complain(row.line, fmt::format("column {} has no name", k + 1));
      } else if (std::find(begin, here, name) != here) {
        complain(row.line, fmt::format("two columns are named '{}'", name));
      } else if (k != time_) {
        table_.columns.push_back({name, {}});
      }
    }
    if (rules_.needs_columns && table_.columns.empty() && !problems_.has_errors()) {
      complain(row.line, "there is no column besides 'time'");
    }
  }

  [[nodiscard]] std::optional<double> value_of(const std::string& cell, bool is_time) const {
    if (rules_.takes_truths && (cell == "true" || cell == "false")) {
      return cell == "true" ? 1.0 : 0.0;
    }
    if (rules_.takes_gaps && cell.empty() && !is_time) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return parse_number(cell);
  }

  // Nothing is kept of a row in which anything is wrong, nor behind wrong names.
  void read_row(const CsvRow& row) {
    const std::vector<std::string>& names = rows_.front().cells;
    if (row.cells.size() != names.size()) {
      complain(row.line,
               fmt::format("the row has {} cells, and there are {} columns", row.cells.size(), names.size()));
      return;
    }
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string& cell = row.cells[k];
      const std::optional<double> value = value_of(cell, k == time_);
      if (!value) {
        complain(row.line, cell.empty() ? fmt::format("'{}' has no value", names[k])
                                        : fmt::format("'{}' of '{}' is not a finite number", cell, names[k]));
        return;
      }
      values.push_back(*value);
    }
    if (problems_.has_errors()) {
      return;
    }
    table_.times.push_back(values[time_]);
    table_.lines.push_back(row.line);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(time_));
    for (std::size_t k = 0; k < values.size(); ++k) {
      table_.columns[k].values.push_back(values[k]);
    }
  }

  const std::string& path_;
  const std::vector<CsvRow>& rows_;
  const TimeTableRules& rules_;
  std::size_t time_ = 0;
  TimeTable table_;
  Diagnostics problems_;
};

}  // namespace

Result<TimeTable> read_time_table(const std::string& path, const TimeTableRules& rules) {
  const Result<std::string> text = read_file(path, rules.what);
  if (!text) {
    return Unexpected(text.error());
  }
  const std::variant<std::vector<CsvRow>, CsvProblem> read = read_csv(*text);
  if (const CsvProblem* const problem = std::get_if<CsvProblem>(&read)) {
    Diagnostics problems;
    problems.error(rules.code, fmt::format("{}:{}: {}", path, problem->line, problem->message));
    return Unexpected(std::move(problems));
  }
  return TableReader(path, std::get<std::vector<CsvRow>>(read), rules).run();
}

}  // namespace saltus::api
