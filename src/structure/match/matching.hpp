/// Assignment of equations to unknowns.
///
/// Problem    a largest set of pairs (row, column) of an incidence, no row and no column twice.
/// Method     Hopcroft and Karp [HK73]: phases of breadth-first layers from all free rows and depth-first search for
///            disjoint shortest augmenting paths; before the first phase every row takes its first free column.
/// Contract   extend_matching keeps every row and column matched that was matched before (their partners may change), so
///            calls in order of priority give the best row set for that priority (rows that can be matched together
///            form a matroid: greedy is optimal). Deterministic: rows and columns are tried in ascending order.
/// Cost       O(E·√V) in the worst case, in practice a few passes; no recursion.
/// Checked by tests/unit/structure/matching_test.cpp (brute force on small graphs)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/match/incidence.hpp"

namespace saltus::structure {

struct Matching {
  std::vector<std::uint32_t> column_of_row;
  std::vector<std::uint32_t> row_of_column;
};

/// Nothing matched.
[[nodiscard]] Matching empty_matching(const Incidence& incidence);

/// Matches as many of `rows` as possible, using only columns below `n_allowed_columns`. Returns how many of them are
/// matched now.
std::size_t extend_matching(const Incidence& incidence, std::span<const std::uint32_t> rows,
                            std::uint32_t n_allowed_columns, Matching& matching);

/// Rows and columns that belong together, both ascending.
struct Part {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> columns;
};

/// The rows that compete with an unmatched row for the same columns: one row more than columns. The smallest such set
/// that contains the row (Dulmage and Mendelsohn [DM58]: its piece of the overdetermined part).
[[nodiscard]] Part overdetermined_part(const Incidence& incidence, const Matching& matching,
                                       std::uint32_t row);
/// The same from an unmatched column: one column more than rows that contain them.
[[nodiscard]] Part underdetermined_part(const Incidence& transposed, const Matching& matching,
                                        std::uint32_t column);

}  // namespace saltus::structure
