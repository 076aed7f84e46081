// A table of inputs from a CSV file.

#include "saltus/input_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/number_option.hpp"
#include "api/model/read_file.hpp"
#include "base/csv_text.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus {
namespace {

constexpr std::string_view kTime = "time";
// The rest of a file in which every row is wrong says nothing more.
constexpr std::size_t kMostProblems = 10;

class TableReader {
 public:
  TableReader(const std::string& path, const std::vector<CsvRow>& rows) : path_(path), rows_(rows) {}

  Result<InputTable> run() {
    table_.source = path_;
    if (rows_.empty()) {
      complain(1, "the file has no rows", "the first row has the names of the columns, one of them 'time'");
    } else {
      read_header(rows_.front());
    }
    for (std::size_t i = 1; i < rows_.size() && problems_.items().size() < kMostProblems; ++i) {
      read_row(rows_[i]);
    }
    if (!problems_.has_errors() && table_.times.empty()) {
      complain(rows_.front().line, "there are no values below the names");
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(table_);
  }

 private:
  void complain(int line, const std::string& message, std::string hint = {}) {
    problems_.error(api::kWrongInputFile, fmt::format("{}:{}: {}", path_, line, message), std::nullopt,
                    std::move(hint));
  }

  void read_header(const CsvRow& row) {
    const auto time = std::find(row.cells.begin(), row.cells.end(), kTime);
    if (time == row.cells.end()) {
      complain(row.line, "no column is named 'time'",
               "the first row has the names of the columns, one of them 'time'");
      return;
    }
    time_ = static_cast<std::size_t>(time - row.cells.begin());
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      const std::string& name = row.cells[k];
      if (name.empty()) {
        complain(row.line, fmt::format("column {} has no name", k + 1));
      } else if (std::find(row.cells.begin(), row.cells.begin() + static_cast<std::ptrdiff_t>(k), name) !=
                 row.cells.begin() + static_cast<std::ptrdiff_t>(k)) {
        complain(row.line, fmt::format("two columns are named '{}'", name));
      } else if (k != time_) {
        table_.columns.push_back({name, {}});
      }
    }
  }

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
      const bool is_truth = cell == "true" || cell == "false";
      const std::optional<double> value =
          is_truth ? std::optional(cell == "true" ? 1.0 : 0.0) : api::parse_number(cell);
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
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(time_));
    for (std::size_t k = 0; k < values.size(); ++k) {
      table_.columns[k].values.push_back(values[k]);
    }
  }

  const std::string& path_;
  const std::vector<CsvRow>& rows_;
  std::size_t time_ = 0;
  InputTable table_;
  Diagnostics problems_;
};

}  // namespace

Result<InputTable> read_input_table(const std::string& path) {
  const Result<std::string> text = api::read_file(path, "a table of inputs");
  if (!text) {
    return Unexpected(text.error());
  }
  const std::variant<std::vector<CsvRow>, CsvProblem> read = read_csv(*text);
  if (const CsvProblem* const problem = std::get_if<CsvProblem>(&read)) {
    Diagnostics problems;
    problems.error(api::kWrongInputFile, fmt::format("{}:{}: {}", path, problem->line, problem->message));
    return Unexpected(std::move(problems));
  }
  return TableReader(path, std::get<std::vector<CsvRow>>(read)).run();
}

}  // namespace saltus
