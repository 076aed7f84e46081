#include "expr/operation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace saltus::expr {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Operation, PowerIntegerFollowsTheDocumentedOrder) {
  const double x = 1.1;
  EXPECT_EQ(power_integer(x, 0), 1.0);
  EXPECT_EQ(power_integer(x, 1), x);
  EXPECT_EQ(power_integer(x, 2), x * x);
  EXPECT_EQ(power_integer(x, 3), x * (x * x));
  EXPECT_EQ(power_integer(x, 6), (x * x) * ((x * x) * (x * x)));
  EXPECT_EQ(power_integer(x, -3), 1.0 / (x * (x * x)));
}

TEST(Operation, PowerIntegerAtEdges) {
  EXPECT_EQ(power_integer(kNan, 0), 1.0);
  EXPECT_EQ(power_integer(0.0, 0), 1.0);
  EXPECT_EQ(power_integer(-0.0, -3), -kInfinity);
  EXPECT_EQ(power_integer(-2.0, 3), -8.0);
  EXPECT_EQ(power_integer(-2.0, -2), 0.25);
  EXPECT_EQ(power_integer(1e-200, -2), kInfinity);
  EXPECT_TRUE(std::signbit(power_integer(-0.0, 1)));
}

TEST(Operation, PowerIntegerIsAsCloseAsItsRoundings) {
  for (int n = -32; n <= 32; ++n) {
    const double exact = std::pow(0.7, n);
    EXPECT_NEAR(power_integer(0.7, n) / exact, 1.0, 33 * 1.2e-16) << n;
  }
}

TEST(Operation, NanIsHandedOn) {
  for (const Op op : {Op::minimum, Op::maximum, Op::add, Op::atan2, Op::power}) {
    EXPECT_TRUE(std::isnan(apply(op, kNan, 2.0))) << name_of(op);
    EXPECT_TRUE(std::isnan(apply(op, 2.0, kNan))) << name_of(op);
  }
  for (const Op op : {Op::sign, Op::abs, Op::floor, Op::sqrt, Op::tanh}) {
    EXPECT_TRUE(std::isnan(apply(op, kNan))) << name_of(op);
  }
  EXPECT_EQ(apply(Op::less, kNan, 1.0), 0.0);
  EXPECT_EQ(apply(Op::not_equal, kNan, kNan), 1.0);
}

TEST(Operation, EveryOperationIsDispatched) {
  EXPECT_EQ(apply(Op::subtract, 5, 3), 2);
  EXPECT_EQ(apply(Op::divide, 6, 3), 2);
  EXPECT_EQ(apply(Op::power, 2, 0.5), std::pow(2, 0.5));
  EXPECT_EQ(apply(Op::power_integer, 2, 5), 32);
  EXPECT_EQ(apply(Op::log10, 1000), std::log10(1000.0));
  EXPECT_EQ(apply(Op::sign, -3), -1);
  EXPECT_FALSE(std::signbit(apply(Op::sign, -0.0)));
  EXPECT_EQ(apply(Op::floor, -1.5), -2);
  EXPECT_EQ(apply(Op::ceil, -1.5), -1);
  EXPECT_EQ(apply(Op::truncate, -1.5), -1);
  EXPECT_EQ(apply(Op::atan2, 1, -1), std::atan2(1, -1));
  EXPECT_EQ(apply(Op::minimum, 1, 2), 1);
  EXPECT_EQ(apply(Op::maximum, 1, 2), 2);
  EXPECT_EQ(apply(Op::less_equal, 2, 2), 1);
  EXPECT_EQ(apply(Op::equal, 2, 2), 1);
  EXPECT_EQ(apply(Op::logical_and, 1, 0), 0);
  EXPECT_EQ(apply(Op::logical_or, 1, 0), 1);
  EXPECT_EQ(apply(Op::select, 1, 2, 3), 2);
  EXPECT_EQ(apply(Op::select, 0, 2, 3), 3);
  EXPECT_TRUE(std::isnan(apply(Op::time, 0)));
}

TEST(Operation, TruthBetweenZeroAndOneIsBlended) {
  EXPECT_EQ(apply(Op::select, 0.25, 2.0, 10.0), 8.0);
  EXPECT_EQ(apply(Op::logical_and, 0.5, 0.25), 0.125);
  EXPECT_EQ(apply(Op::logical_or, 0.5, 0.25), 0.625);
  EXPECT_EQ(apply(Op::logical_not, 0.25), 0.75);
  EXPECT_TRUE(std::isnan(apply(Op::select, 0.5, kNan, 1.0)));
}

TEST(Operation, LogicIsExactOnTruthValues) {
  for (const double a : {0.0, 1.0}) {
    EXPECT_EQ(apply(Op::logical_not, a), 1.0 - a);
    for (const double b : {0.0, 1.0}) {
      EXPECT_EQ(apply(Op::logical_and, a, b), a == 1.0 && b == 1.0 ? 1.0 : 0.0);
      EXPECT_EQ(apply(Op::logical_or, a, b), a == 1.0 || b == 1.0 ? 1.0 : 0.0);
    }
  }
}

TEST(Operation, SideThatIsNotChosenDoesNotLeak) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(apply(Op::select, 1.0, 3.0, bad), 3.0);
    EXPECT_EQ(apply(Op::select, 0.0, bad, 3.0), 3.0);
  }
}

}  // namespace
}  // namespace saltus::expr
