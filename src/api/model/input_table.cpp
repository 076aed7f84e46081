// A table of inputs from a CSV file.

#include "saltus/input_table.hpp"

#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/time_table.hpp"

namespace saltus {

Result<InputTable> read_input_table(const std::string& path) {
  Result<api::TimeTable> read = api::read_time_table(
      path, {.code = api::kWrongInputFile, .what = "a table of inputs", .takes_truths = true});
  if (!read) {
    return Unexpected(std::move(read).error());
  }
  InputTable table;
  table.source = path;
  table.times = std::move(read->times);
  for (api::TimeTable::Column& column : read->columns) {
    table.columns.push_back({std::move(column.name), std::move(column.values)});
  }
  return table;
}

}  // namespace saltus
