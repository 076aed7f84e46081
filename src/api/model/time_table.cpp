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

class TableReader {
 public:
  TableReader(const std::string& path, const NumberTableRules& rules, bool has_time)
      : path_(path), rules_(rules), has_time_(has_time) {}

  Result<NumberTable> read(const std::vector<CsvRow>& rows) {
    if (rows.empty()) {
      complain(1, "the file has no rows", hint());
    } else {
      read_names(rows.front());
    }
    for (std::size_t i = 1; i < rows.size() && problems_.items().size() < kMostProblems; ++i) {
      read_row(rows[i]);
    }
    if (!problems_.has_errors() && table_.lines.empty()) {
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

  [[nodiscard]] std::string hint() const {
    return has_time_ ? "the first row has the names of the columns, one of them 'time'"
                     : "the first row has the names of the columns";
  }

  void read_names(const CsvRow& row) {
    table_.line = row.line;
    const auto begin = row.cells.begin();
    n_cells_ = row.cells.size();
    if (has_time_ && std::find(begin, row.cells.end(), kTime) == row.cells.end()) {
      complain(row.line, "no column is named 'time'", hint());
      return;
    }
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      const std::string& name = row.cells[k];
      const auto here = begin + static_cast<std::ptrdiff_t>(k);
      if (name.empty()) {
        complain(row.line, fmt::format("column {} has no name", k + 1));
      } else if (std::find(begin, here, name) != here) {
        complain(row.line, fmt::format("two columns are named '{}'", name));
      }
      table_.columns.push_back({name, {}});
    }
    if (rules_.needs_columns && has_time_ && table_.columns.size() == 1 && !problems_.has_errors()) {
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
    if (row.cells.size() != n_cells_) {
      complain(row.line,
               fmt::format("the row has {} cells, and there are {} columns", row.cells.size(), n_cells_));
      return;
    }
    std::vector<double> values;
    for (std::size_t k = 0; k < table_.columns.size(); ++k) {
      const std::string& cell = row.cells[k];
      const std::string& name = table_.columns[k].name;
      const std::optional<double> value = value_of(cell, has_time_ && name == kTime);
      if (!value) {
        complain(row.line, cell.empty() ? fmt::format("'{}' has no value", name)
                                        : fmt::format("'{}' of '{}' is not a finite number", cell, name));
        return;
      }
      values.push_back(*value);
    }
    if (problems_.has_errors()) {
      return;
    }
    table_.lines.push_back(row.line);
    for (std::size_t k = 0; k < values.size(); ++k) {
      table_.columns[k].values.push_back(values[k]);
    }
  }

  const std::string& path_;
  const NumberTableRules& rules_;
  bool has_time_;
  std::size_t n_cells_ = 0;
  NumberTable table_;
  Diagnostics problems_;
};

Result<NumberTable> read_table(const std::string& path, const NumberTableRules& rules, bool has_time) {
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
  return TableReader(path, rules, has_time).read(std::get<std::vector<CsvRow>>(read));
}

}  // namespace

Result<NumberTable> read_number_table(const std::string& path, const NumberTableRules& rules) {
  return read_table(path, rules, false);
}

Result<TimeTable> read_time_table(const std::string& path, const NumberTableRules& rules) {
  Result<NumberTable> read = read_table(path, rules, true);
  if (!read) {
    return Unexpected(std::move(read).error());
  }
  TimeTable table{read->line, {}, std::move(read->lines), std::move(read->columns)};
  const auto time = std::find_if(table.columns.begin(), table.columns.end(),
                                 [](const NumberTable::Column& column) { return column.name == kTime; });
  table.times = std::move(time->values);
  table.columns.erase(time);
  return table;
}

}  // namespace saltus::api
