/// Whether two results are the same curves.
///
/// Problem      rows of two results lie at other times, events at times that differ a little: values at one time say nothing at a jump
/// Method       a tube around each curve: the values that its straight lines take within w of a time, and r more up and down; w = tol·(length of the run),
///              r = tol·(range of the column in the first result), at least kSizeFloor of its largest value. Every row of each curve must lie in the
///              tube of the other, so that a pulse which one of them does not have is seen in both orders. Least and largest values in a moving window by
///              queues that stay sorted (D. Lemire, Nordic J. Computing 13, 2006).
/// Fails when   rows are so far apart that straight lines between them are not the curve: then curves differ that are the same
/// Cost         linear in the number of rows
/// Checked by   tests/tables/compare_test.cpp

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "api/tables/diagnostic_codes.hpp"
#include "api/tables/linear_value.hpp"
#include "api/tables/table_formats.hpp"
#include "saltus/result_table.hpp"

namespace saltus {
namespace {

/// Rooms below this part of the largest value are rounding and tolerance of the runs.
constexpr double kSizeFloor = 1e-6;
/// Columns that stay below it are zero.
constexpr double kZeroColumn = 1e-9;

struct Curve {
  std::vector<double> times;
  std::vector<double> values;
};

// What has no value is left out; where that is, has_gap tells.
Curve curve_of(const std::vector<double>& times, const std::vector<double>& values, double sign) {
  Curve curve;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(values[i])) {
      curve.times.push_back(sign * times[i]);
      curve.values.push_back(values[i]);
    }
  }
  return curve;
}

double value_at(const Curve& curve, double t) {
  return api::linear_value(curve.times, curve.values, t);
}

struct Outside {
  double distance = 0.0;
  double time = 0.0;
};

// The row of `of` that is furthest outside of the tube around the other.
Outside furthest_outside(const Curve& of, const Curve& around, double width, double room) {
  std::deque<std::size_t> low;
  std::deque<std::size_t> high;
  std::size_t right = 0;
  std::size_t left = 0;
  Outside worst;
  for (std::size_t i = 0; i < of.times.size(); ++i) {
    const double t = of.times[i];
    for (; right < around.times.size() && around.times[right] <= t + width; ++right) {
      while (!low.empty() && around.values[low.back()] >= around.values[right]) {
        low.pop_back();
      }
      while (!high.empty() && around.values[high.back()] <= around.values[right]) {
        high.pop_back();
      }
      low.push_back(right);
      high.push_back(right);
    }
    for (; left < right && around.times[left] < t - width; ++left) {
    }
    while (!low.empty() && low.front() < left) {
      low.pop_front();
    }
    while (!high.empty() && high.front() < left) {
      high.pop_front();
    }
    double least = value_at(around, t - width);
    double largest = least;
    for (const double value :
         {value_at(around, t), value_at(around, t + width), low.empty() ? least : around.values[low.front()],
          high.empty() ? least : around.values[high.front()]}) {
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
    const double distance = std::max(least - room - of.values[i], of.values[i] - largest - room);
    if (distance > worst.distance) {
      worst = {distance, t};
    }
  }
  return worst;
}

// Where one has a value and the other none: the first time beyond `width` of any value of the other.
std::optional<double> missing_in(const Curve& of, const Curve& other, double width) {
  for (const double t : of.times) {
    const auto near = std::lower_bound(other.times.begin(), other.times.end(), t - width);
    const bool is_between = near != other.times.begin() && near != other.times.end();
    if (!is_between && (near == other.times.end() || *near > t + width)) {
      return t;
    }
  }
  return std::nullopt;
}

Comparison::Column compare_column(const std::string& name, const Curve& first, const Curve& second,
                                  double tolerance, double width, double sign) {
  Comparison::Column column{name, 0.0, 0.0, ""};
  if (first.values.empty() && second.values.empty()) {
    return column;
  }
  if (const auto missing = missing_in(first, second, width) ? missing_in(first, second, width)
                                                            : missing_in(second, first, width)) {
    column.deviation = std::numeric_limits<double>::infinity();
    column.time = sign * *missing;
    column.problem = "one of them has no value there";
    return column;
  }
  const auto [least, largest] = std::minmax_element(first.values.begin(), first.values.end());
  const double size = std::max(std::abs(*least), std::abs(*largest));
  const double range = std::max({*largest - *least, kSizeFloor * size, kZeroColumn});
  const double room = std::max({tolerance * (*largest - *least), kSizeFloor * size, kZeroColumn});
  for (const Outside& outside :
       {furthest_outside(second, first, width, room), furthest_outside(first, second, width, room)}) {
    if (outside.distance / range > column.deviation) {
      column.deviation = outside.distance / range;
      column.time = sign * outside.time;
      column.problem = fmt::format("{:.2g} of its range outside", column.deviation);
    }
  }
  return column;
}

}  // namespace

bool Comparison::is_same() const {
  return problem.empty() && std::all_of(columns.begin(), columns.end(),
                                        [](const Column& column) { return column.problem.empty(); });
}

Result<Comparison> compare(const ResultTable& first, const ResultTable& second,
                           const ComparisonOptions& options) {
  Diagnostics problems;
  const std::vector<std::size_t> places = api::columns_meant(
      first, options.columns.empty() ? std::vector<std::string>{"*"} : options.columns, problems);
  for (const ResultTable* table : {&first, &second}) {
    if (table->times.empty()) {
      problems.error(api::kWrongResultFile, fmt::format("{}: there are no rows", table->source));
    }
  }
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  Comparison comparison;
  // Backwards in time: the same with the other sign.
  const double sign = first.times.back() < first.times.front() ? -1.0 : 1.0;
  const double length = std::abs(first.times.back() - first.times.front());
  const double width = options.tolerance * length;
  for (const auto& [which, a, b] : {std::tuple("begin", first.times.front(), second.times.front()),
                                    std::tuple("end", first.times.back(), second.times.back())}) {
    if (std::abs(a - b) > width && comparison.problem.empty()) {
      comparison.problem = fmt::format("they {} at {} and at {}", which, a, b);
    }
  }
  for (const std::size_t place : places) {
    const ResultTable::Column& column = first.columns[place];
    const ResultTable::Column* const other = second.find(column.name);
    if (other == nullptr) {
      comparison.columns.push_back({column.name, std::numeric_limits<double>::infinity(), 0.0,
                                    fmt::format("{} does not have it", second.source)});
      continue;
    }
    comparison.columns.push_back(compare_column(column.name, curve_of(first.times, column.values, sign),
                                                curve_of(second.times, other->values, sign),
                                                options.tolerance, width, sign));
  }
  return comparison;
}

std::string render_text(const Comparison& comparison) {
  std::string text = comparison.problem.empty() ? "" : comparison.problem + "\n";
  std::size_t n_different = 0;
  for (const Comparison::Column& column : comparison.columns) {
    if (!column.problem.empty()) {
      ++n_different;
      text += fmt::format("{}: {}{}\n", column.name, column.problem,
                          column.problem.ends_with("have it") ? "" : fmt::format(" at {:.9g}", column.time));
    }
  }
  return text + (n_different == 0
                     ? fmt::format("{} columns are the same\n", comparison.columns.size())
                     : fmt::format("{} of {} columns differ\n", n_different, comparison.columns.size()));
}

}  // namespace saltus
