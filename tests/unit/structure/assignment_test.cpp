#include "structure/match/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "structure/match/offsets.hpp"

namespace saltus::structure {
namespace {

constexpr int kAbsent = -1000;

Signature signature_of(const std::vector<std::vector<int>>& sigma) {
  Signature signature;
  signature.n_columns = static_cast<std::uint32_t>(sigma.empty() ? 0 : sigma[0].size());
  for (const std::vector<int>& row : sigma) {
    for (std::uint32_t j = 0; j < row.size(); ++j) {
      if (row[j] != kAbsent) {
        signature.columns.push_back(j);
        signature.orders.push_back(row[j]);
      }
    }
    signature.row_starts.push_back(static_cast<std::uint32_t>(signature.columns.size()));
  }
  return signature;
}

// The largest sum over all permutations; less than 0 if each meets an absent entry.
int largest_sum(const std::vector<std::vector<int>>& sigma) {
  std::vector<std::size_t> permutation(sigma.size());
  std::iota(permutation.begin(), permutation.end(), 0U);
  int best = -1;
  do {
    int sum = 0;
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      sum += sigma[i][permutation[i]];
    }
    best = std::max(best, sum);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return best;
}

std::vector<std::vector<int>> random_matrix(std::mt19937& random, std::size_t n) {
  std::uniform_int_distribution<int> order(0, 3);
  std::bernoulli_distribution present(0.45);
  std::vector<std::vector<int>> sigma(n, std::vector<int>(n, kAbsent));
  for (auto& row : sigma) {
    for (int& entry : row) {
      entry = present(random) ? order(random) : kAbsent;
    }
  }
  return sigma;
}

void expect_feasible(const std::vector<std::vector<int>>& sigma, const Matching& matching,
                     const std::vector<int>& c, const std::vector<int>& d) {
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    EXPECT_GE(c[i], 0);
    for (std::size_t j = 0; j < sigma.size(); ++j) {
      EXPECT_GE(d[j] - c[i], sigma[i][j]);
    }
    const std::uint32_t partner = matching.column_of_row[i];
    ASSERT_LT(partner, sigma.size());
    EXPECT_EQ(matching.row_of_column[partner], i);
    EXPECT_EQ(d[partner] - c[i], sigma[i][partner]);
  }
}

TEST(Assignment, FindsTheHighestValueOfRandomMatrices) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  int n_singular = 0;
  int n_differentiated = 0;
  for (int trial = 0; trial < 600; ++trial) {
    SCOPED_TRACE(trial);
    const auto sigma = random_matrix(random, 1 + static_cast<std::size_t>(trial % 6));
    const auto assignment = highest_value_transversal(signature_of(sigma));
    const int best = largest_sum(sigma);
    if (best < 0) {
      EXPECT_FALSE(assignment.has_value());
      ++n_singular;
      continue;
    }
    ASSERT_TRUE(assignment.has_value());
    EXPECT_EQ(assignment->value, best);
    expect_feasible(sigma, assignment->matching, assignment->row_duals, assignment->column_duals);
    const Offsets offsets = smallest_offsets(signature_of(sigma), assignment->matching);
    expect_feasible(sigma, assignment->matching, offsets.differentiations, offsets.highest_orders);
    EXPECT_EQ(offsets.degrees_of_freedom(), best);
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      EXPECT_LE(offsets.differentiations[i], assignment->row_duals[i]);  // the smallest of all
      n_differentiated += offsets.differentiations[i] > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(n_singular, 50);
  EXPECT_GT(n_differentiated, 50);
}

TEST(Assignment, RowsAndColumnsMustBeAsMany) {
  EXPECT_FALSE(highest_value_transversal(signature_of({{0, 1}})).has_value());
}

TEST(Assignment, NothingToAssign) {
  const auto assignment = highest_value_transversal(signature_of({}));
  ASSERT_TRUE(assignment.has_value());
  EXPECT_EQ(smallest_offsets({}, assignment->matching).structural_index(), 0);
}

}  // namespace
}  // namespace saltus::structure
