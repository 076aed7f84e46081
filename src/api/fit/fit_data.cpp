// Measured data from a CSV file.

#include <fmt/format.h>

#include <utility>

#include "api/fit/diagnostic_codes.hpp"
#include "api/model/time_table.hpp"
#include "saltus/fit.hpp"

namespace saltus {
namespace {

Diagnostics times_that_do_not_ascend(const std::string& path, const api::TimeTable& table) {
  Diagnostics problems;
  for (std::size_t i = 1; i < table.times.size() && problems.items().size() < api::kMostProblems; ++i) {
    const double t = table.times[i];
    const double before = table.times[i - 1];
    if (!(t > before)) {
      problems.error(api::kWrongDataFile,
                     fmt::format("{}:{}: 'time' {} {} {} of line {}", path, table.lines[i], t,
                                 t == before ? "is the same as" : "is before", before, table.lines[i - 1]),
                     std::nullopt, "times must ascend; give repeated measurements as several --data files");
    }
  }
  return problems;
}

}  // namespace

Result<FitData> read_fit_data(const std::string& path) {
  Result<api::TimeTable> read = api::read_time_table(
      path,
      {.code = api::kWrongDataFile, .what = "a file of data", .takes_gaps = true, .needs_columns = true});
  if (!read) {
    return Unexpected(std::move(read).error());
  }
  if (Diagnostics problems = times_that_do_not_ascend(path, *read); problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  FitData data;
  data.source = path;
  data.line = read->line;
  data.times = std::move(read->times);
  data.lines = std::move(read->lines);
  for (api::TimeTable::Column& column : read->columns) {
    data.columns.push_back({std::move(column.name), std::move(column.values)});
  }
  return data;
}

}  // namespace saltus
