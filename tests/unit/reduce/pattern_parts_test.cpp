#include "reduce/nonlinear/pattern_parts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::reduce {
namespace {

// Rows {0, 1}, {1, 2}, {3}, {} in columns 0 … 3.
system::RectangularPattern four_rows() {
  system::RectangularPattern pattern;
  pattern.n_rows = 4;
  pattern.n_columns = 4;
  pattern.column_starts = {0, 1, 3, 4, 5};
  pattern.rows = {0, 0, 1, 1, 2};
  return pattern;
}

TEST(PatternParts, RowsJoinTheirUnknowns) {
  const PatternParts parts = find_parts(four_rows());
  ASSERT_EQ(parts.parts.size(), 2U);
  EXPECT_EQ(parts.parts[0].columns, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(parts.parts[0].rows, (std::vector<Index>{0, 1}));
  EXPECT_EQ(parts.parts[1].columns, (std::vector<Index>{3}));
  EXPECT_EQ(parts.of_row, (std::vector<Index>{0, 0, 1, -1}));
  EXPECT_EQ(parts.largest(), 3);
}

TEST(PatternParts, WhatDoesNotTakePartJoinsNothing) {
  const std::vector<std::uint8_t> takes_part{1, 0, 1, 1};
  const PatternParts held = find_parts(four_rows(), takes_part);
  EXPECT_EQ(held.of_column, (std::vector<Index>{0, -1, 1, 2}));
  const std::vector<std::uint8_t> counts{0, 1, 1, 1};
  const PatternParts without = find_parts(four_rows(), {}, counts);
  EXPECT_EQ(without.of_column, (std::vector<Index>{0, 1, 1, 2}));
  EXPECT_EQ(without.of_row, (std::vector<Index>{-1, 1, 2, -1}));
}

}  // namespace
}  // namespace saltus::reduce
