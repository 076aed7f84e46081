// Problem    interpolate(data, x) and interpolate(data, x, y): functions given by points, in the text or in a CSV file.
// Method     flat/table.hpp; the coefficients are conditions over the argument where it is watched. Where it is not (noEvent, bodies of
//            clauses, arguments that change at events only) they are chosen by plain comparisons, halving the points each time.
// Contract   the points are known at compile time: parameters among them become structural. One argument: the first column has x, ascending,
//            the column `column` (a number, or its name in the file; 2) the values. Two: the first column has x from the second row on, the first row y
//            from the second column on.
// Checked by tests/events/table_test.cpp, tests/cli/input_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/csv_text.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {
namespace {

constexpr std::size_t kMostArguments = 3;  // data, x, y

}  // namespace

// What a call of interpolate says, besides its arguments.
struct Elaborator::TableCall {
  std::vector<Numbers> rows;
  std::vector<std::string> names;  ///< of the columns, where a file has them
  flat::Interpolation rule = flat::Interpolation::linear;
  std::size_t column = 1;
  SourceSpan data_span;
};

std::optional<std::vector<Numbers>> Elaborator::table_rows(const Value& data, SourceSpan span) {
  if (data.shape.size() != 2 || (data.type != flat::Type::real && data.type != flat::Type::integer)) {
    error(kWrongType,
          "the data of 'interpolate' are a matrix of numbers, or a String with the name of a file", span);
    return std::nullopt;
  }
  const auto n_columns = static_cast<std::size_t>(data.shape[1]);
  std::vector<Numbers> rows(static_cast<std::size_t>(data.shape[0]));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::optional<double> number = evaluate_now(data[i], span, "an element of a table");
    if (!number) {
      return std::nullopt;
    }
    rows[i / n_columns].push_back(*number);
  }
  return rows;
}

std::optional<std::vector<Numbers>> Elaborator::file_rows(const std::string& name, SourceSpan span,
                                                          std::vector<std::string>& names) {
  if (!options_.read_data) {
    error(kTableFile, fmt::format("the file '{}' cannot be read: the model has no folder", name), span);
    return std::nullopt;
  }
  const DataText text = options_.read_data(name);
  if (!text.problem.empty()) {
    error(kTableFile, text.problem, span, text.hint);
    return std::nullopt;
  }
  const auto read = read_csv(text.text);
  if (const CsvProblem* const problem = std::get_if<CsvProblem>(&read)) {
    error(kTableFile, fmt::format("{}:{}: {}", name, problem->line, problem->message), span);
    return std::nullopt;
  }
  std::vector<Numbers> rows;
  for (const CsvRow& row : std::get<std::vector<CsvRow>>(read)) {
    Numbers numbers;
    std::string wrong;
    for (const std::string& cell : row.cells) {
      double number = 0.0;
      const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
      const char* const end = cell.data() + cell.size();
      const auto [stop, failure] = std::from_chars(begin, end, number);
      // The corner of a table of two arguments may be left empty.
      const bool is_corner = cell.empty() && rows.empty() && numbers.empty();
      if (!is_corner && (failure != std::errc{} || stop != end || !std::isfinite(number)) && wrong.empty()) {
        wrong = cell;
      }
      numbers.push_back(number);
    }
    const std::size_t n_columns = rows.empty() ? names.size() : rows.front().size();
    if (!wrong.empty() && rows.empty() && names.empty()) {
      names = row.cells;
    } else if (!wrong.empty()) {
      error(kTableFile, fmt::format("{}:{}: '{}' is not a finite number", name, row.line, wrong), span);
      return std::nullopt;
    } else if (n_columns != 0 && numbers.size() != n_columns) {
      error(kTableFile,
            fmt::format("{}:{}: the row has {} cells, not {}", name, row.line, numbers.size(), n_columns),
            span);
      return std::nullopt;
    } else {
      rows.push_back(std::move(numbers));
    }
  }
  return rows;
}

bool Elaborator::read_table_option(const Argument& argument, TableCall& table) {
  const std::string_view name = ast_.text(argument.name);
  const Value value = lower(argument.value);
  const SourceSpan span = span_of(argument.value);
  if (value.failed) {
    return false;
  }
  if (name == "rule") {
    const auto rule = value.text ? flat::interpolation_of(*value.text) : std::nullopt;
    if (!rule) {
      error(kWrongArguments, "the rule of 'interpolate' is \"linear\", \"hold\" or \"cubic\"", span);
      return false;
    }
    table.rule = *rule;
    return true;
  }
  if (name != "column") {
    error(kWrongArguments, fmt::format("'interpolate' has no argument {}", quoted(argument.name)),
          argument.span, "its named arguments are rule and column");
    return false;
  }
  if (value.text) {
    const auto found = std::find(table.names.begin(), table.names.end(), *value.text);
    if (found == table.names.end()) {
      error(kWrongArguments, fmt::format("the table has no column '{}'", *value.text), span);
      return false;
    }
    table.column = static_cast<std::size_t>(found - table.names.begin());
    return true;
  }
  const std::optional<Index> number = integer_now(argument.value, "the column of a table");
  const Index n_columns = table.rows.empty() ? 0 : std::ssize(table.rows.front());
  if (number && (*number < 2 || *number > n_columns)) {
    error(kWrongArguments,
          fmt::format("there is no column {} of values: the table has {} columns", *number, n_columns), span);
  }
  table.column = number ? static_cast<std::size_t>(*number) - 1 : 0;
  return number && *number >= 2 && *number <= n_columns;
}

Value Elaborator::lower_interpolate(const Call& call, SourceSpan span) {
  const auto arguments = ast_[call.arguments];
  std::vector<Value> values;
  for (const Argument& argument : arguments) {
    if (!argument.name.valid()) {
      values.push_back(lower(argument.value));
      if (values.back().failed) {
        return failed_value();
      }
    }
  }
  if (values.size() < 2 || values.size() > kMostArguments || arguments[0].name.valid()) {
    return fail(
        kWrongArguments,
        fmt::format("'interpolate' takes data and one or two arguments, not {} in all", values.size()), span,
        "interpolate(data, x), interpolate(data, x, y)");
  }
  TableCall table;
  table.data_span = span_of(arguments[0].value);
  const std::optional<std::vector<Numbers>> rows =
      values[0].type == flat::Type::string && values[0].text
          ? file_rows(*values[0].text, table.data_span, table.names)
          : table_rows(values[0], table.data_span);
  if (!rows) {
    return failed_value();
  }
  table.rows = *rows;
  for (const Argument& argument : arguments) {
    if (argument.name.valid() && !read_table_option(argument, table)) {
      return failed_value();
    }
  }
  for (std::size_t i = 1; i < values.size(); ++i) {
    const bool is_number = values[i].type == flat::Type::real || values[i].type == flat::Type::integer;
    if (!is_number || !values[i].is_scalar()) {
      return fail(kWrongType, "the arguments of 'interpolate' are scalar numbers", span);
    }
  }
  if (table.rows.empty() || table.rows.front().size() < 2) {
    return fail(kWrongArguments, "a table has rows of at least two numbers", table.data_span);
  }
  const Scalar result = values.size() == 2
                            ? interpolate_line(table, values[1].scalar, span)
                            : interpolate_plane(table, values[1].scalar, values[2].scalar, span);
  return result.defined() ? scalar_value(flat::Type::real, result) : failed_value();
}

bool Elaborator::check_points(std::string_view argument, const Numbers& points, const TableCall& table) {
  const std::string wrong = flat::table_problem(argument, points, table.rule);
  if (!wrong.empty()) {
    error(kWrongArguments, wrong, table.data_span);
  }
  return wrong.empty();
}

// Tables of the same points share their knots, so that one argument has one guard.
const flat::Pieces& Elaborator::pieces(const Numbers& points, const std::vector<Numbers>& columns,
                                       flat::Interpolation rule) {
  TableKey key{points, columns, rule};
  const auto found = tables_.find(key);
  return found != tables_.end()
             ? found->second
             : tables_.emplace(std::move(key), flat::pieces_of(points, columns, rule)).first->second;
}

NodeId Elaborator::interpolant_of(const flat::Pieces& pieces, std::size_t column, const Scalar& argument,
                                  SourceSpan span) {
  const RelationContext context = relation_context(span);
  return flat::interpolant(
      model_.graph, arithmetic_.node(argument), pieces, column,
      [&](const SharedNumbers& knots, const SharedNumbers& numbers, int continuity) {
        return arithmetic_.node(conditions_.segment(argument, {knots, numbers, continuity}, context));
      });
}

Scalar Elaborator::interpolate_line(const TableCall& table, const Scalar& x, SourceSpan span) {
  Numbers points;
  Numbers column;
  for (const Numbers& row : table.rows) {
    points.push_back(row[0]);
    column.push_back(row[table.column]);
  }
  if (!check_points("x", points, table)) {
    return {};
  }
  return node_scalar(interpolant_of(pieces(points, {column}, table.rule), 0, x, span));
}

Scalar Elaborator::interpolate_plane(const TableCall& table, const Scalar& x, const Scalar& y,
                                     SourceSpan span) {
  const Numbers y_points(table.rows.front().begin() + 1, table.rows.front().end());
  Numbers x_points;
  std::vector<Numbers> rows(y_points.size());  // over x, one for each point of y
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    x_points.push_back(table.rows[i][0]);
    for (std::size_t j = 0; j < y_points.size(); ++j) {
      rows[j].push_back(table.rows[i][j + 1]);
    }
  }
  if (!check_points("x", x_points, table) || !check_points("y", y_points, table)) {
    return {};
  }
  std::vector<Numbers> units(y_points.size(), Numbers(y_points.size(), 0.0));
  for (std::size_t j = 0; j < units.size(); ++j) {
    units[j][j] = 1.0;
  }
  const flat::Pieces& along_x = pieces(x_points, rows, table.rule);
  const flat::Pieces& along_y = pieces(y_points, units, table.rule);
  NodeId sum = model_.graph.constant(0.0);
  for (std::size_t j = 0; j < units.size(); ++j) {
    sum = model_.graph.add(
        sum, model_.graph.multiply(interpolant_of(along_y, j, y, span), interpolant_of(along_x, j, x, span)));
  }
  return node_scalar(sum);
}

}  // namespace saltus::lang
