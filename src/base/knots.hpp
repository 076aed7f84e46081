/// Segments of a table: n knots k₀ < k₁ < … cut the line into n + 1 segments; segment i is [kᵢ₋₁, kᵢ), the outer ones have no end.
/// Checked by   tests/unit/settle/held_number_test.cpp, tests/unit/flat/table_test.cpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace saltus {

using Numbers = std::vector<double>;
using SharedNumbers = std::shared_ptr<const Numbers>;

/// The number of the segment in which `value` lies.
[[nodiscard]] inline double segment_at(const Numbers& knots, double value) {
  return static_cast<double>(std::upper_bound(knots.begin(), knots.end(), value) - knots.begin());
}

/// Where segment `number` begins and ends; infinite for the outer ones.
[[nodiscard]] inline double segment_begin(const Numbers& knots, double number) {
  return number >= 1.0 ? knots[static_cast<std::size_t>(number) - 1]
                       : -std::numeric_limits<double>::infinity();
}
[[nodiscard]] inline double segment_end(const Numbers& knots, double number) {
  const auto place = static_cast<std::size_t>(number);
  return place < knots.size() ? knots[place] : std::numeric_limits<double>::infinity();
}

/// The knot that is nearest to `value`.
[[nodiscard]] inline double nearest_knot(const Numbers& knots, double value) {
  const double number = segment_at(knots, value);
  const double begin = segment_begin(knots, number);
  const double end = segment_end(knots, number);
  return value - begin <= end - value ? begin : end;
}

/// What belongs to a segment; not a number where there is no such segment (it is not known yet).
[[nodiscard]] inline double number_of_segment(const Numbers& numbers, double segment) {
  const bool exists = segment >= 0.0 && segment < static_cast<double>(numbers.size());
  return exists ? numbers[static_cast<std::size_t>(segment)] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace saltus
