#include "program/guards/krawczyk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/allocation_guard.hpp"

namespace saltus::program {
namespace {

// A full pattern of order n.
struct Full {
  explicit Full(std::size_t n) {
    starts.push_back(0);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::uint32_t column = 0; column < n; ++column) {
        columns.push_back(column);
      }
      starts.push_back(static_cast<std::uint32_t>(columns.size()));
    }
  }
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> columns;
};

TEST(Krawczyk, OneUnknownByHand) {
  const Full pattern(1);
  Krawczyk krawczyk(pattern.starts, pattern.columns);
  krawczyk.middle()[0] = 2.0;
  krawczyk.radius()[0] = 0.2;  // slopes from 1.8 to 2.2
  ASSERT_TRUE(krawczyk.prepare(false));
  std::vector<Interval> box(1);
  const std::vector<Interval> b = {{-1.0, 1.0}};
  ASSERT_TRUE(krawczyk.solve(b, {}, box));
  // d = -b/J reaches ±1/1.8; the operator gives ±0.5/(1 - 0.1), which is the same.
  EXPECT_LE(box[0].lower, -1.0 / 1.8);
  EXPECT_GE(box[0].upper, 1.0 / 1.8);
  EXPECT_LT(box[0].upper, 0.6);
}

TEST(Krawczyk, SlopesThroughZeroDoNotContract) {
  const Full pattern(1);
  Krawczyk krawczyk(pattern.starts, pattern.columns);
  krawczyk.middle()[0] = 1.0;
  krawczyk.radius()[0] = 1.0;
  ASSERT_TRUE(krawczyk.prepare(false));
  std::vector<Interval> box(1);
  EXPECT_FALSE(krawczyk.solve(std::vector<Interval>{{-1e-3, 1e-3}}, {}, box));
  krawczyk.middle()[0] = 0.0;
  EXPECT_FALSE(krawczyk.prepare(true)) << "no preconditioner";
}

// Every solution of every system in the intervals lies in the box: members are drawn at random, corners too.
TEST(Krawczyk, HoldsTheSolutionsOfAllSystems) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const std::size_t n : {std::size_t{2}, std::size_t{5}, std::size_t{17}}) {
    const Full pattern(n);
    Krawczyk krawczyk(pattern.starts, pattern.columns);
    linalg::DenseLu lu(static_cast<Index>(n));
    for (int trial = 0; trial < 20; ++trial) {
      for (std::size_t e = 0; e < n * n; ++e) {
        krawczyk.middle()[e] = unit(random) + (e % (n + 1) == 0 ? 4.0 * static_cast<double>(n) : 0.0);
        krawczyk.radius()[e] = 0.05 * std::abs(unit(random));
      }
      std::vector<Interval> b(n);
      for (Interval& side : b) {
        const double middle = unit(random);
        side = {middle - 0.1, middle + 0.1};
      }
      ASSERT_TRUE(
          krawczyk.prepare(trial % 2 == 0));  // every second one with a preconditioner of another matrix
      std::vector<Interval> box(n);
      if (!krawczyk.solve(b, {}, box)) {
        ASSERT_TRUE(krawczyk.prepare(true));
        ASSERT_TRUE(krawczyk.solve(b, {}, box));
      }
      for (int member = 0; member < 30; ++member) {
        const auto draw = [&](double middle, double radius) {
          return middle + radius * (member % 3 == 0 ? std::copysign(1.0, unit(random)) : unit(random));
        };
        std::vector<double> d(n);
        for (std::size_t row = 0; row < n; ++row) {
          for (std::size_t column = 0; column < n; ++column) {
            lu.matrix()[row + column * n] =
                draw(krawczyk.middle()[row * n + column], krawczyk.radius()[row * n + column]);
          }
          d[row] = -draw(0.5 * (b[row].lower + b[row].upper), 0.1);
        }
        ASSERT_TRUE(lu.factorize().ok());
        lu.solve(d);
        for (std::size_t k = 0; k < n; ++k) {
          ASSERT_TRUE(box[k].contains(d[k])) << n << " " << k;
          EXPECT_TRUE(krawczyk.outer()[k].contains(d[k]));
        }
      }
    }
  }
}

// A preconditioner of another place must not cost more than width in proportion: thin equations have a thin solution.
TEST(Krawczyk, APreconditionerOfAnotherMatrixKeepsThinBoxesThin) {
  const Full pattern(2);
  Krawczyk krawczyk(pattern.starts, pattern.columns);
  const auto fill = [&](const std::vector<double>& entries) {
    std::copy(entries.begin(), entries.end(), krawczyk.middle().begin());
  };
  fill({2.0, 0.5, -0.5, 2.0});
  ASSERT_TRUE(krawczyk.prepare(false));
  fill({2.6, 0.4, -0.7, 1.5});  // about a third away
  ASSERT_TRUE(krawczyk.prepare(false));
  std::vector<Interval> box(2);
  for (const double width : {0.0, 1e-12, 1e-6}) {
    const std::vector<Interval> b = {{-1.0 - width, -1.0 + width}, {3.0 - width, 3.0 + width}};
    ASSERT_TRUE(krawczyk.solve(b, {}, box));
    const double determinant = 2.6 * 1.5 + 0.7 * 0.4;
    const double first = (1.5 + 3.0 * 0.4) / determinant;
    const double second = (-3.0 * 2.6 + 0.7) / determinant;
    EXPECT_TRUE(box[0].contains(first) && box[1].contains(second));
    EXPECT_LT(box[0].upper - box[0].lower, 10.0 * width + 1e-4 * std::abs(first));
    EXPECT_LT(box[1].upper - box[1].lower, 10.0 * width + 1e-4 * std::abs(second));
  }
}

TEST(Krawczyk, ErrorsOfThePointAreInTheBox) {
  const Full pattern(1);
  Krawczyk krawczyk(pattern.starts, pattern.columns);
  krawczyk.middle()[0] = 1.0;
  krawczyk.radius()[0] = 0.5;
  ASSERT_TRUE(krawczyk.prepare(false));
  std::vector<Interval> box(1);
  const std::vector<Interval> b(1);
  const std::vector<double> errors = {0.1};
  const saltus::test::AllocationGuard guard;
  ASSERT_TRUE(krawczyk.solve(b, errors, box));
  EXPECT_EQ(guard.count(), 0);
  EXPECT_GE(box[0].upper, 0.1 + 0.5 * 0.1) << "what is beside the zero is multiplied by the contraction too";
}

}  // namespace
}  // namespace saltus::program
