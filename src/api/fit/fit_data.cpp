// Measured data from a CSV file.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/fit/diagnostic_codes.hpp"
#include "api/model/number_option.hpp"
#include "api/model/read_file.hpp"
#include "base/csv_text.hpp"
#include "saltus/fit.hpp"

namespace saltus {
namespace {

constexpr std::string_view kTime = "time";
constexpr const char* kFirstRow = "the first row has the names of the columns, one of them 'time'";
// The rest of a file in which every row is wrong says nothing more.
constexpr std::size_t kMostProblems = 10;

class DataReader {
 public:
  DataReader(const std::string& path, const std::vector<CsvRow>& rows) : path_(path), rows_(rows) {}

  Result<FitData> run() {
    data_.source = path_;
    if (rows_.empty()) {
      complain(1, "the file has no rows", kFirstRow);
    } else {
      read_names(rows_.front());
    }
    const bool has_names = !problems_.has_errors();
    for (std::size_t i = 1; has_names && i < rows_.size() && problems_.items().size() < kMostProblems; ++i) {
      read_row(rows_[i]);
    }
    if (!problems_.has_errors() && data_.times.empty()) {
      complain(data_.line, "there are no values below the names");
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(data_);
  }

 private:
  void complain(int line, const std::string& message, std::string hint = {}) {
    problems_.error(api::kWrongDataFile, fmt::format("{}:{}: {}", path_, line, message), std::nullopt,
                    std::move(hint));
  }

  void read_names(const CsvRow& row) {
    data_.line = row.line;
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
        data_.columns.push_back({name, {}});
      }
    }
    if (data_.columns.empty() && !problems_.has_errors()) {
      complain(row.line, "there is no column besides 'time'");
    }
  }

  // Nothing is kept of a row in which anything is wrong.
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
      std::optional<double> value = api::parse_number(cell);
      if (!value && cell.empty() && k != time_) {
        value = std::numeric_limits<double>::quiet_NaN();
      }
      if (!value) {
        complain(row.line, cell.empty() ? "'time' has no value"
                                        : fmt::format("'{}' of '{}' is not a finite number", cell, names[k]));
        return;
      }
      values.push_back(*value);
    }
    const double t = values[time_];
    if (!data_.times.empty() && !(t > data_.times.back())) {
      complain(row.line,
               fmt::format("'time' {} {} {} of line {}", t,
                           t == data_.times.back() ? "is the same as" : "is before", data_.times.back(),
                           data_.lines.back()),
               "times must ascend; give repeated measurements as several --data files");
      return;
    }
    data_.times.push_back(t);
    data_.lines.push_back(row.line);
    for (std::size_t k = 0, column = 0; k < values.size(); ++k) {
      if (k != time_) {
        data_.columns[column++].values.push_back(values[k]);
      }
    }
  }

  const std::string& path_;
  const std::vector<CsvRow>& rows_;
  std::size_t time_ = 0;
  FitData data_;
  Diagnostics problems_;
};

}  // namespace

Result<FitData> read_fit_data(const std::string& path) {
  const Result<std::string> text = api::read_file(path, "a file of data");
  if (!text) {
    return Unexpected(text.error());
  }
  const std::variant<std::vector<CsvRow>, CsvProblem> read = read_csv(*text);
  if (const CsvProblem* const problem = std::get_if<CsvProblem>(&read)) {
    Diagnostics problems;
    problems.error(api::kWrongDataFile, fmt::format("{}:{}: {}", path, problem->line, problem->message));
    return Unexpected(std::move(problems));
  }
  return DataReader(path, std::get<std::vector<CsvRow>>(read)).run();
}

}  // namespace saltus
