#include "structure/match/strong_components.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace saltus::structure {
namespace {

// Row i is matched to column i; `needs[i]` are the rows that row i needs.
struct System {
  Incidence incidence;
  Matching matching;
};

System make(const std::vector<std::vector<std::uint32_t>>& needs) {
  System system;
  system.incidence.n_columns = static_cast<std::uint32_t>(needs.size());
  for (std::uint32_t i = 0; i < needs.size(); ++i) {
    std::vector<std::uint32_t> row = needs[i];
    row.push_back(i);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    system.incidence.columns.insert(system.incidence.columns.end(), row.begin(), row.end());
    system.incidence.row_starts.push_back(static_cast<std::uint32_t>(system.incidence.columns.size()));
  }
  system.matching = empty_matching(system.incidence);
  std::iota(system.matching.column_of_row.begin(), system.matching.column_of_row.end(), 0U);
  std::iota(system.matching.row_of_column.begin(), system.matching.row_of_column.end(), 0U);
  return system;
}

TEST(StrongComponents, AreClassesOfMutualNeedInOrder) {
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    constexpr std::uint32_t kSize = 9;
    std::bernoulli_distribution present(0.15);
    std::vector<std::vector<std::uint32_t>> needs(kSize);
    std::vector<std::vector<bool>> reach(kSize, std::vector<bool>(kSize, false));
    for (std::uint32_t i = 0; i < kSize; ++i) {
      reach[i][i] = true;
      for (std::uint32_t j = 0; j < kSize; ++j) {
        if (present(random)) {
          needs[i].push_back(j);
          reach[i][j] = true;
        }
      }
    }
    // Transitive closure by Warshall.
    for (std::uint32_t k = 0; k < kSize; ++k) {
      for (std::uint32_t i = 0; i < kSize; ++i) {
        for (std::uint32_t j = 0; j < kSize; ++j) {
          reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
        }
      }
    }
    const System system = make(needs);
    const Components components = strong_components(system.incidence, system.matching);
    ASSERT_EQ(components.rows.size(), kSize);
    for (std::uint32_t i = 0; i < kSize; ++i) {
      for (std::uint32_t j = 0; j < kSize; ++j) {
        const bool together = components.component_of_row[i] == components.component_of_row[j];
        EXPECT_EQ(together, reach[i][j] && reach[j][i]);
        if (reach[i][j]) {
          EXPECT_GE(components.component_of_row[i], components.component_of_row[j]);
        }
      }
    }
  }
}

TEST(StrongComponents, DeepChainsNeedNoStack) {
  constexpr std::uint32_t kSize = 200000;
  std::vector<std::vector<std::uint32_t>> needs(kSize);
  for (std::uint32_t i = 0; i + 1 < kSize; ++i) {
    needs[i] = {i + 1};
  }
  System system = make(needs);
  EXPECT_EQ(strong_components(system.incidence, system.matching).size(), kSize);
  needs[kSize - 1] = {0};
  system = make(needs);
  EXPECT_EQ(strong_components(system.incidence, system.matching).size(), 1U);
}

}  // namespace
}  // namespace saltus::structure
