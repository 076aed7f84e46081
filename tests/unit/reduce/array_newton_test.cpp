#include "reduce/ranks/array_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reduce/ranks/array_layout.hpp"
#include "support/linear_dae.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;
using test::JetModel;
using test::JetPoint;
using test::Series;

// x² + y² = 1 and x' = z: one state more than conditions.
JetModel circle() {
  JetModel model;
  model.orders = {1, 1, 1};
  model.n_equations = 2;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0, p.x(0, 1) - p.x(2)};
  };
  return model;
}

std::unique_ptr<ArrayNewton> make_newton(const JetModel& model, int level, ArrayLayout& layout,
                                         bool least_rates = false, StateOrder order = StateOrder::all_alike) {
  const auto array = std::make_shared<test::JetArray>(std::make_shared<const JetModel>(model), level);
  layout = make_array_layout(*array, level);
  return std::make_unique<ArrayNewton>(array, newton_groups(layout, order, least_rates),
                                       std::vector<double>(array->slots().size(), 1.0));
}

TEST(ArrayNewton, StatesMoveOntoTheConditionsAndNoFurther) {
  ArrayLayout layout;
  const auto newton = make_newton(circle(), 1, layout);
  std::vector<double> z(layout.variable.size(), 0.0);
  z[0] = 1.2;
  z[1] = 1.6;
  z[2] = 5.0;
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  ASSERT_TRUE(newton->solve(0.0, z).ok());
  EXPECT_NEAR(z[0], 0.6, 1e-12);
  EXPECT_NEAR(z[1], 0.8, 1e-12);
  EXPECT_NEAR(z[2], 5.0, 1e-12);    // in no condition on states: does not move
  EXPECT_NEAR(z[3], 5.0, 1e-12);    // x'
  EXPECT_NEAR(z[4], -3.75, 1e-12);  // y' from x·x' + y·y' = 0
  EXPECT_FALSE(newton->miss().is_contradiction());
}

// A matrix made elsewhere on the circle moves the states along it before it is given up; the one that is made on the way takes that back, and
// the states end beside where they began.
TEST(ArrayNewton, StatesGoToTheNearestPointHoweverTheyGetThere) {
  for (const double angle : {1.1, 1.3, 1.45, -1.2}) {
    for (const double distance : {0.01, 0.03, -0.02}) {
      ArrayLayout layout;
      const auto newton = make_newton(circle(), 1, layout);
      std::vector<double> z(layout.variable.size(), 0.0);
      z[0] = 1.0;
      ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
      ASSERT_TRUE(newton->solve(0.0, z).ok());
      const auto n_before = newton->n_matrices();
      z[0] = (1.0 + distance) * std::cos(angle);
      z[1] = (1.0 + distance) * std::sin(angle);
      ASSERT_TRUE(newton->solve(0.0, z).ok());
      EXPECT_GT(newton->n_matrices(), n_before) << angle << ' ' << distance;
      EXPECT_NEAR(std::hypot(z[0], z[1]), 1.0, 1e-12);
      EXPECT_NEAR(std::atan2(z[1], z[0]), angle, 0.1 * std::abs(distance)) << angle << ' ' << distance;
    }
  }
}

TEST(ArrayNewton, AlgebraicStatesMoveFirst) {
  ArrayLayout layout;
  const auto newton = make_newton(circle(), 1, layout, false, StateOrder::algebraic_first);
  std::vector<double> z(layout.variable.size(), 0.0);
  z[0] = 0.6;
  z[1] = 2.0;
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  ASSERT_TRUE(newton->solve(0.0, z).ok());
  EXPECT_NEAR(z[0], 0.6, 1e-14);
  EXPECT_NEAR(z[1], 0.8, 1e-12);
  // No y fits beside x = 1.2.
  z[0] = 1.2;
  EXPECT_EQ(newton->solve(0.0, z).status, Evaluation::Status::no_convergence);
}

TEST(ArrayNewton, MatrixIsKeptNearby) {
  ArrayLayout layout;
  const auto newton = make_newton(circle(), 1, layout);
  std::vector<double> z(layout.variable.size(), 0.0);
  z[0] = 0.6;
  z[1] = 0.8;
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  ASSERT_TRUE(newton->solve(0.0, z).ok());
  const auto before = newton->n_matrices();
  for (int i = 1; i <= 10; ++i) {
    const double angle = std::atan2(0.8, 0.6) + 1e-3 * i;
    z[0] = std::cos(angle);
    z[1] = std::sin(angle) + 1e-6;
    ASSERT_TRUE(newton->solve(0.0, z).ok());
    EXPECT_NEAR(std::hypot(z[0], z[1]), 1.0, 1e-12);
  }
  EXPECT_LE(newton->n_matrices(), before + 2);
}

TEST(ArrayNewton, RatesThatNothingDeterminesAreZero) {
  ArrayLayout layout;
  const auto newton = make_newton(circle(), 1, layout, true);
  std::vector<double> z(layout.variable.size(), 0.0);
  z[0] = 1.0;
  z[2] = 2.0;
  z[5] = 7.0;  // z' from an earlier point
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  // x' = 2 at (1, 0) contradicts x·x' + y·y' = 0: z moves to 0.
  ASSERT_TRUE(newton->solve(0.0, z).ok());
  EXPECT_NEAR(z[2], 0.0, 1e-10);
  EXPECT_NEAR(z[5], 0.0, 1e-10);
}

// y = sin(x)·cos(x), x + y = 0: the slope of x + sin(2x)/2 nearly vanishes at x = 1.5, a full step goes far astray.
TEST(ArrayNewton, FarAwayItIsDamped) {
  JetModel model;
  model.orders = {1, 1};
  model.n_equations = 2;
  model.equations = [](const JetPoint& p) {
    const auto [sine, cosine] = test::sin_cos(p.x(0));
    return std::vector<Series>{p.x(1) - sine * cosine, p.x(0) + p.x(1)};
  };
  ArrayLayout layout;
  const auto newton = make_newton(model, 0, layout);
  std::vector<double> z = {1.5, -1.0, 0.0, 0.0};
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  newton->clear_ranks();
  ASSERT_TRUE(newton->solve(0.0, z).ok());
  EXPECT_NEAR(z[0], 0.0, 1e-12);
  EXPECT_NEAR(z[1], 0.0, 1e-12);
}

// x² = -1 has no solution; the row is named.
TEST(ArrayNewton, NoSolution) {
  JetModel model;
  model.orders = {1};
  model.n_equations = 1;
  model.equations = [](const JetPoint& p) { return std::vector<Series>{p.x(0) * p.x(0) + 1.0}; };
  ArrayLayout layout;
  const auto newton = make_newton(model, 0, layout);
  std::vector<double> z = {0.7, 0.0};
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  const Evaluation evaluation = newton->solve(0.0, z);
  EXPECT_EQ(evaluation.status, Evaluation::Status::no_convergence);
  EXPECT_EQ(evaluation.culprit, 0);
}

TEST(ArrayNewton, ContradictionsAreSeen) {
  ArrayLayout layout;
  // x = 1 and x = 3: the least squares solution is 2, and both rows are missed.
  const auto newton =
      make_newton(test::linear_model({{{1.0}, {1.0}}, {{0.0}, {0.0}}},
                                     [](const Series& t) {
                                       return std::vector<Series>{t.constant(1.0), t.constant(3.0)};
                                     }),
                  0, layout);
  std::vector<double> z = {0.0, 0.0};
  ASSERT_TRUE(newton->decide_ranks(0.0, z).ok());
  ASSERT_TRUE(newton->solve(0.0, z).ok());
  EXPECT_NEAR(z[0], 2.0, 1e-14);
  EXPECT_TRUE(newton->miss().is_contradiction());
  EXPECT_NEAR(std::abs(newton->miss().residual), 1.0, 1e-14);
}

TEST(ArrayNewton, RanksAreCompared) {
  ArrayLayout layout;
  // t·x' = x: at t = 0 the rate is in no equation.
  const auto newton = make_newton(test::first_order_model({{test::kTime}}, {{1.0}}), 0, layout);
  std::vector<double> z = {0.0, 0.0};
  ASSERT_TRUE(newton->decide_ranks(1.0, z).ok());
  EXPECT_EQ(newton->ranks(), (std::vector<Index>{0, 0, 1, 0}));
  bool is_same = false;
  ASSERT_TRUE(newton->compare_ranks(0.5, z, is_same).ok());
  EXPECT_TRUE(is_same);
  ASSERT_TRUE(newton->compare_ranks(0.0, z, is_same).ok());
  EXPECT_FALSE(is_same);
}

}  // namespace
}  // namespace saltus::reduce
