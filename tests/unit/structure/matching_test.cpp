#include "structure/match/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace saltus::structure {
namespace {

Incidence make(std::uint32_t n_columns, const std::vector<std::vector<std::uint32_t>>& rows) {
  Incidence incidence;
  incidence.n_columns = n_columns;
  for (const auto& row : rows) {
    incidence.columns.insert(incidence.columns.end(), row.begin(), row.end());
    incidence.row_starts.push_back(static_cast<std::uint32_t>(incidence.columns.size()));
  }
  return incidence;
}

std::vector<std::uint32_t> all_rows(const Incidence& incidence) {
  std::vector<std::uint32_t> rows(incidence.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// Largest matching by trying every choice: row by row, over sets of used columns.
std::size_t brute_force(const Incidence& incidence, std::uint32_t row, unsigned used) {
  if (row == incidence.n_rows()) {
    return 0;
  }
  std::size_t best = brute_force(incidence, row + 1, used);
  for (const std::uint32_t column : incidence.row(row)) {
    if ((used >> column & 1U) == 0) {
      best = std::max(best, 1 + brute_force(incidence, row + 1, used | 1U << column));
    }
  }
  return best;
}

void expect_consistent(const Incidence& incidence, const Matching& matching) {
  for (std::uint32_t row = 0; row < incidence.n_rows(); ++row) {
    const std::uint32_t column = matching.column_of_row[row];
    if (column != kNone) {
      EXPECT_EQ(matching.row_of_column[column], row);
      const auto entries = incidence.row(row);
      EXPECT_NE(std::find(entries.begin(), entries.end(), column), entries.end());
    }
  }
}

Incidence random_incidence(std::mt19937& random, std::uint32_t n_rows, std::uint32_t n_columns,
                           double density) {
  std::bernoulli_distribution present(density);
  std::vector<std::vector<std::uint32_t>> rows(n_rows);
  for (auto& row : rows) {
    for (std::uint32_t column = 0; column < n_columns; ++column) {
      if (present(random)) {
        row.push_back(column);
      }
    }
  }
  return make(n_columns, rows);
}

TEST(Matching, IsAsLargeAsBruteForceFinds) {
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  std::uniform_int_distribution<std::uint32_t> size(1, 7);
  std::uniform_real_distribution<double> density(0.1, 0.6);
  for (int trial = 0; trial < 600; ++trial) {
    SCOPED_TRACE(trial);
    const Incidence incidence = random_incidence(random, size(random), size(random), density(random));
    Matching matching = empty_matching(incidence);
    const std::size_t found = extend_matching(incidence, all_rows(incidence), incidence.n_columns, matching);
    EXPECT_EQ(found, brute_force(incidence, 0, 0));
    expect_consistent(incidence, matching);
  }
}

TEST(Matching, KeepsEarlierTiersAndReachesTheMaximum) {
  constexpr unsigned kSeed = 12;
  std::mt19937 random(kSeed);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const Incidence incidence = random_incidence(random, 8, 6, 0.3);
    const std::vector<std::uint32_t> first = {5, 6, 7};
    const std::vector<std::uint32_t> second = {0, 1, 2, 3, 4};
    Matching matching = empty_matching(incidence);
    extend_matching(incidence, first, 4, matching);
    const std::size_t n_first = extend_matching(incidence, first, 6, matching);
    const std::vector<std::uint32_t> before = matching.column_of_row;
    const std::size_t n_second = extend_matching(incidence, second, 6, matching);
    for (const std::uint32_t row : first) {
      EXPECT_EQ(before[row] == kNone, matching.column_of_row[row] == kNone);
    }
    EXPECT_EQ(n_first + n_second, brute_force(incidence, 0, 0));
    expect_consistent(incidence, matching);
  }
}

TEST(Matching, FindsTheLongAugmentingPath) {
  // Row i contains columns i and i+1, the last row only column 0: the first choice of every row must move.
  constexpr std::uint32_t kSize = 2000;
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t i = 0; i + 1 < kSize; ++i) {
    rows.push_back({i, i + 1});
  }
  rows.push_back({0});
  const Incidence incidence = make(kSize, rows);
  Matching matching = empty_matching(incidence);
  EXPECT_EQ(extend_matching(incidence, all_rows(incidence), kSize, matching), kSize);
  EXPECT_EQ(matching.column_of_row[0], 1U);
  EXPECT_EQ(matching.column_of_row[kSize - 1], 0U);
}

TEST(Matching, NamesThePartWithTooManyRows) {
  // Rows 0, 1, 2 share columns 0, 1; row 3 has column 2 for itself.
  const Incidence incidence = make(3, {{0, 1}, {0}, {1}, {1, 2}});
  Matching matching = empty_matching(incidence);
  extend_matching(incidence, all_rows(incidence), 3, matching);
  const auto left_over = std::find(matching.column_of_row.begin(), matching.column_of_row.end(), kNone) -
                         matching.column_of_row.begin();
  ASSERT_LT(left_over, 3);
  const Part part = overdetermined_part(incidence, matching, static_cast<std::uint32_t>(left_over));
  EXPECT_EQ(part.rows, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(part.columns, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Matching, NamesThePartWithTooManyColumns) {
  const Incidence incidence = make(4, {{0}, {1, 2, 3}, {2, 3}});
  Matching matching = empty_matching(incidence);
  extend_matching(incidence, all_rows(incidence), 4, matching);
  ASSERT_EQ(matching.row_of_column[3], kNone);
  const Part part = underdetermined_part(transpose(incidence), matching, 3);
  EXPECT_EQ(part.rows, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(part.columns, (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace saltus::structure
