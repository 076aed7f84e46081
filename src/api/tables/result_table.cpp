#include "saltus/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <variant>

#include "api/model/read_file.hpp"
#include "api/tables/diagnostic_codes.hpp"
#include "api/tables/table_formats.hpp"
#include "base/csv_text.hpp"
#include "base/name_list.hpp"
#include "base/number_text.hpp"
#include "base/similar_name.hpp"
#include "record/csv_writer.hpp"
#include "record/output_file.hpp"

namespace saltus {
namespace api {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30U;

// Files of results have infinities; an empty cell is no value.
std::optional<double> read_cell(std::string_view text) {
  if (text.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (text == "true" || text == "false") {
    return text == "true" ? 1.0 : 0.0;
  }
  text.remove_prefix(text.front() == '+' ? 1 : 0);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class CsvTableReader {
 public:
  explicit CsvTableReader(const std::string& name) : name_(name) {}

  Result<ResultTable> read(const std::vector<CsvRow>& rows) {
    if (rows.empty() || rows.front().cells.empty()) {
      return wrong_file(name_, "the file has no rows");
    }
    const std::vector<std::string>& names = rows.front().cells;
    if (names[0] != "time" && names[0] != "Time" && names[0] != "run") {
      return wrong_file(name_, fmt::format("the first column is '{}' and not 'time'", names[0]));
    }
    table_.abscissa = names[0] == "run" ? "run" : "time";
    has_modes_ = names.size() >= 3 && names[1] == "segment" && names[2] == "mode";
    first_ = has_modes_ ? 3 : 1;
    for (std::size_t k = first_; k < names.size(); ++k) {
      table_.columns.push_back({names[k], "", "", {}});
    }
    table_.source = name_;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (const std::string problem = read_row(rows[i]); !problem.empty()) {
        return wrong_file(fmt::format("{}:{}", name_, rows[i].line), problem);
      }
    }
    return std::move(table_);
  }

 private:
  std::string read_row(const CsvRow& row) {
    if (row.cells.size() != first_ + table_.columns.size()) {
      return fmt::format("the row has {} cells, and there are {} columns", row.cells.size(),
                         first_ + table_.columns.size());
    }
    const std::optional<double> time = read_cell(row.cells[0]);
    if (!time || !std::isfinite(*time)) {
      return fmt::format("'{}' is not a time", row.cells[0]);
    }
    table_.times.push_back(*time);
    if (has_modes_) {
      std::int64_t segment = 0;
      const std::string& text = row.cells[1];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), segment);
      if (error != std::errc{} || end != text.data() + text.size()) {
        return fmt::format("'{}' is not a segment", text);
      }
      table_.segments.push_back(segment);
      const auto found = std::find(table_.mode_names.begin(), table_.mode_names.end(), row.cells[2]);
      table_.modes.push_back(static_cast<std::size_t>(found - table_.mode_names.begin()));
      if (found == table_.mode_names.end()) {
        table_.mode_names.push_back(row.cells[2]);
      }
    }
    for (std::size_t k = 0; k < table_.columns.size(); ++k) {
      const std::optional<double> value = read_cell(row.cells[first_ + k]);
      if (!value) {
        return fmt::format("'{}' of '{}' is not a number", row.cells[first_ + k], table_.columns[k].name);
      }
      table_.columns[k].values.push_back(*value);
    }
    return "";
  }

  const std::string& name_;
  ResultTable table_;
  bool has_modes_ = false;
  std::size_t first_ = 1;
};

// What every reader of a table relies on.
Result<ResultTable> checked(const std::string& name, Result<ResultTable> table) {
  if (!table) {
    return table;
  }
  std::set<std::string_view> names;
  for (const ResultTable::Column& column : table->columns) {
    if (!names.insert(column.name).second) {
      return wrong_file(name, fmt::format("two columns are named '{}'", column.name));
    }
  }
  const std::vector<double>& times = table->times;
  const bool is_backwards = !times.empty() && times.back() < times.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) {
      return wrong_file(name, fmt::format("row {} has no {}", i + 1, table->abscissa));
    }
    if (i > 0 && (is_backwards ? times[i] > times[i - 1] : times[i] < times[i - 1])) {
      return wrong_file(name, fmt::format("row {} is of {} {} and the one before of {}", i + 1,
                                          table->abscissa, times[i], times[i - 1]));
    }
  }
  return table;
}

}  // namespace

Unexpected<Diagnostics> wrong_file(const std::string& name, const std::string& message) {
  Diagnostics problems;
  problems.error(kWrongResultFile, fmt::format("{}: {}", name, message));
  return Unexpected(std::move(problems));
}

Result<ResultTable> read_csv_table(const std::string& name, std::string_view bytes) {
  const std::variant<std::vector<CsvRow>, CsvProblem> read = read_csv(bytes);
  if (const CsvProblem* const problem = std::get_if<CsvProblem>(&read)) {
    return wrong_file(fmt::format("{}:{}", name, problem->line), problem->message);
  }
  return CsvTableReader(name).read(std::get<std::vector<CsvRow>>(read));
}

// Segments and modes stand there if both are known: what a file does not have is not made up.
Diagnostics write_csv_table(const ResultTable& table, const std::string& path) {
  Result<record::OutputFile> file = record::OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  const bool has_modes = !table.segments.empty() && !table.modes.empty();
  std::string line = table.abscissa + (has_modes ? ",segment,mode" : "");
  for (const ResultTable::Column& column : table.columns) {
    line += "," + record::csv_field(column.name);
  }
  file->write(line + "\n");
  for (std::size_t i = 0; i < table.times.size() && file->ok(); ++i) {
    line = number_text(table.times[i]);
    if (has_modes) {
      line += fmt::format(",{},{}", table.segments[i], record::csv_field(table.mode_names[table.modes[i]]));
    }
    for (const ResultTable::Column& column : table.columns) {
      line += ',' + (std::isnan(column.values[i]) ? std::string() : number_text(column.values[i]));
    }
    file->write(line + "\n");
  }
  return file->commit();
}

std::vector<std::size_t> columns_meant(const ResultTable& table, const std::vector<std::string>& items,
                                       Diagnostics& problems) {
  std::vector<std::size_t> places;
  const auto add = [&](std::size_t place) {
    if (std::find(places.begin(), places.end(), place) == places.end()) {
      places.push_back(place);
    }
  };
  std::vector<std::string> names;
  for (const std::string& list : items) {
    for (std::string& item : split_names(list)) {
      names.push_back(std::move(item));
    }
  }
  for (const std::string& item : names) {
    const std::string_view name = unquoted(item);
    const bool is_pattern = name == item && item.find('*') != std::string::npos;
    const std::size_t before = places.size();
    bool is_known = false;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (table.columns[k].name == name || table.columns[k].name == item ||
          (is_pattern && matches(item, table.columns[k].name))) {
        is_known = true;
        add(k);
      }
    }
    if (!is_known && places.size() == before) {
      std::vector<std::string_view> candidates;
      for (const ResultTable::Column& column : table.columns) {
        candidates.push_back(column.name);
      }
      problems.error(kUnknownResultColumn, fmt::format("{} has no column '{}'", table.source, item),
                     std::nullopt, did_you_mean(name, candidates));
    }
  }
  return places;
}

}  // namespace api

const ResultTable::Column* ResultTable::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

Result<ResultTable> read_result_table(const std::string& path) {
  std::filesystem::path file(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    file /= "trajectory.csv";
  }
  const std::string ending = file.extension().string();
  if (ending != ".csv" && ending != ".mat" && ending != ".npz") {
    Diagnostics problems;
    problems.error(api::kUnknownResultFormat,
                   fmt::format("'{}' is neither a folder of results nor a .csv, .mat or .npz file", path));
    return Unexpected(std::move(problems));
  }
  const Result<std::string> bytes = api::read_file(file.string(), "a file of results", api::kMostBytes);
  if (!bytes) {
    return Unexpected(bytes.error());
  }
  const std::string name = file.string();
  return api::checked(name, ending == ".csv"   ? api::read_csv_table(name, *bytes)
                            : ending == ".mat" ? api::read_mat_table(name, *bytes)
                                               : api::read_npz_table(name, *bytes));
}

Diagnostics write_result_table(const ResultTable& table, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".csv") {
    return api::write_csv_table(table, path);
  }
  if (ending == ".mat") {
    return api::write_mat_table(table, path);
  }
  if (ending == ".npz") {
    return api::write_npz_table(table, path);
  }
  Diagnostics problems;
  problems.error(api::kUnknownResultFormat, fmt::format("'{}' ends in none of .csv, .mat and .npz", path));
  return problems;
}

}  // namespace saltus
