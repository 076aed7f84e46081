#include "reduce/consistent/impulse_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "reduce/consistent/linear_rows.hpp"

namespace saltus::reduce {
namespace {

using Rows = std::vector<SparseRow>;

// x0, x1 known; y2, y3 eliminated.
TEST(SparseElimination, KeepsTheCombinationsWithoutWhatIsEliminated) {
  const SparseElimination found(Rows{{{0, 1.0}, {2, 1.0}}, {{1, 3.0}, {2, -1.0}}, {{2, 2.0}, {3, 1.0}}},
                                {0, 0, 1, 1});
  ASSERT_EQ(found.kept().size(), 1U);
  const SparseRow& row = found.kept()[0];
  EXPECT_NEAR(row.at(1) / row.at(0), 3.0, 1e-15);
  std::vector<double> values{-3.0, 1.0, 0.0, 0.0};
  found.solve(values);
  EXPECT_NEAR(values[2], 3.0, 1e-15);
  EXPECT_NEAR(values[3], -6.0, 1e-15);
}

TEST(SparseElimination, WhatNothingDeterminesIsNotANumber) {
  const SparseElimination found(Rows{{{0, 1.0}, {1, 1.0}, {2, 1.0}}}, {0, 1, 1});
  EXPECT_TRUE(found.kept().empty());
  std::vector<double> values{1.0, 0.0, 0.0};
  found.solve(values);
  EXPECT_TRUE(std::isnan(values[1]) && std::isnan(values[2]));
}

TEST(SparseElimination, RoundingIsNoRow) {
  const SparseElimination found(Rows{{{0, 0.1 + 0.2}, {1, 1.0}}, {{0, 0.3}, {1, 1.0}}}, {0, 1});
  EXPECT_TRUE(found.kept().empty());
}

// C1·v1' + i = 0, 3·v2' - i = 0, with slots v1, v2, i, v1', v2'.
std::shared_ptr<const system::WrittenCoefficients> capacitors(std::vector<Index> of_i) {
  auto written = std::make_shared<system::WrittenCoefficients>();
  written->equations =
      make_linear_rows({{"v1", 0, 0}, {"v2", 1, 0}, {"i", 2, 0}, {"der(v1)", 0, 1}, {"der(v2)", 1, 1}},
                       {{.terms = {{3, 1.0}, {2, 1.0}}}, {.terms = {{4, 3.0}, {2, -1.0}}}});
  // Entries by column: i in both rows, then the derivatives.
  written->slots = of_i;
  const auto n = static_cast<Index>(of_i.size());
  written->starts = {0, n, n, n, n};
  return written;
}

TEST(ImpulseLaw, ConservesChargeAndGivesTheImpulse) {
  ImpulseLaw law(capacitors({}));
  ASSERT_TRUE(law.pose({}, 0.0, std::vector<double>(5, 0.0), std::vector<std::uint8_t>(5, 0)));
  ASSERT_EQ(law.conserved().size(), 1U);
  EXPECT_NEAR(law.conserved()[0].at(1) / law.conserved()[0].at(0), 3.0, 1e-15);
  EXPECT_NEAR(law.impulses(std::vector<double>{-3.0, 1.0, 0.0, 0.0, 0.0})[2], 3.0, 1e-15);
}

// A coefficient over the unknown itself, another algebraic one, or what jumps: then each charge stays by itself.
TEST(ImpulseLaw, ACoefficientThatIsNotFixedBounds) {
  const std::vector<double> at(5, 0.0);
  const std::vector<std::uint8_t> none(5, 0);
  for (const Index slot : {2, 3}) {
    ImpulseLaw law(capacitors({slot}));
    ASSERT_TRUE(law.pose({}, 0.0, at, none));
    EXPECT_EQ(law.bounded()[2], 1);
    EXPECT_EQ(law.conserved().size(), 2U);
  }
  ImpulseLaw law(capacitors({0}));
  ASSERT_TRUE(law.pose({}, 0.0, at, none));
  EXPECT_EQ(law.conserved().size(), 1U);
  ASSERT_TRUE(law.pose({}, 0.0, at, std::vector<std::uint8_t>{1, 0, 0, 0, 0}));
  EXPECT_EQ(law.conserved().size(), 2U);
}

}  // namespace
}  // namespace saltus::reduce
