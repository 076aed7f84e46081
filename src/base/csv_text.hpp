/// Rows and cells of a CSV text (RFC 4180): commas between cells, a cell in double quotes may hold commas, line ends and doubled quotes.
///
/// Choices      blanks around cells do not count; empty lines neither; a byte order mark at the beginning is passed over
/// Fails when   a quoted cell does not end, or something follows its closing quote: the message has the line
/// Checked by   tests/unit/base/csv_text_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace saltus {

struct CsvRow {
  int line = 1;  ///< of the text, where the row begins
  std::vector<std::string> cells;
};

struct CsvProblem {
  int line = 1;
  std::string message;
};

[[nodiscard]] std::variant<std::vector<CsvRow>, CsvProblem> read_csv(std::string_view text);

}  // namespace saltus
