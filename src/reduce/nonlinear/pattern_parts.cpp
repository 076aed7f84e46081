#include "reduce/nonlinear/pattern_parts.hpp"

#include <algorithm>

#include "base/disjoint_sets.hpp"

namespace saltus::reduce {

Index PatternParts::largest() const {
  std::size_t most = 0;
  for (const Part& part : parts) {
    most = std::max({most, part.rows.size(), part.columns.size()});
  }
  return static_cast<Index>(most);
}

PatternParts find_parts(const system::RectangularPattern& pattern, std::span<const std::uint8_t> takes_part,
                        std::span<const std::uint8_t> counts) {
  const auto n_columns = static_cast<std::size_t>(pattern.n_columns);
  PatternParts result;
  result.of_row.assign(static_cast<std::size_t>(pattern.n_rows), -1);
  result.of_column.assign(n_columns, -1);
  const auto is_in = [&](std::size_t column) { return takes_part.empty() || takes_part[column] != 0; };
  // First the unknown of each row that stands for its set, in of_row.
  DisjointSets sets(n_columns);
  for (std::size_t j = 0; j < n_columns; ++j) {
    for (Index e = pattern.column_starts[j]; is_in(j) && e < pattern.column_starts[j + 1]; ++e) {
      const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]);
      if (!counts.empty() && counts[row] == 0) {
        continue;
      }
      if (result.of_row[row] < 0) {
        result.of_row[row] = static_cast<Index>(j);
      } else {
        sets.join(static_cast<std::size_t>(result.of_row[row]), j);
      }
    }
  }
  for (std::size_t j = 0; j < n_columns; ++j) {
    if (!is_in(j)) {
      continue;
    }
    Index& part = result.of_column[sets.of(j)];
    if (part < 0) {
      part = std::ssize(result.parts);
      result.parts.emplace_back();
    }
    result.of_column[j] = part;
    result.parts[static_cast<std::size_t>(part)].columns.push_back(static_cast<Index>(j));
  }
  for (std::size_t i = 0; i < result.of_row.size(); ++i) {
    if (result.of_row[i] >= 0) {
      const Index part = result.of_column[static_cast<std::size_t>(result.of_row[i])];
      result.of_row[i] = part;
      result.parts[static_cast<std::size_t>(part)].rows.push_back(static_cast<Index>(i));
    }
  }
  return result;
}

}  // namespace saltus::reduce
