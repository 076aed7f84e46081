#include "reduce/project/constraint_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::reduce {
namespace {

using test::Dual;
using test::FunctionEquations;
using test::FunctionRow;
using Status = system::Evaluation::Status;

const std::vector<double> kOnes{1.0, 1.0, 1.0, 1.0};

double residual_of(const system::EquationSet& set, std::span<const double> x) {
  std::vector<double> values(static_cast<std::size_t>(set.n_rows()));
  EXPECT_TRUE(set.make_runner()->residual(0.0, x, values).ok());
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

TEST(ConstraintProjection, PutsThePendulumOnBothLevels) {
  const auto constraints = test::pendulum_constraints();
  ConstraintProjection projection(constraints, kOnes);
  std::vector<double> x{0.61, -0.8, 1.0, 0.7};
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_LE(residual_of(*constraints, x), 3e-12);
}

// A gradient along the radius, of positions or velocities, loses all of itself; along the circle, nothing; with other nominal values the
// rest is what projections leave of any change: Pᵀg·c = g·Pc.
TEST(ConstraintProjection, KeepsWhatAGradientHasAlongTheConstraints) {
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    const std::vector<double> x{0.6, -0.8, 0.8, 0.6};
    for (const std::vector<double>& nominal : {kOnes, std::vector<double>{1.0, 20.0, 0.3, 4.0}}) {
      ConstraintProjection projection(test::pendulum_constraints(), nominal, algebra);
      const std::vector<double> gradient{3e4, 2e4, -1.0, 0.25};
      std::vector<double> along = gradient;
      projection.keep_along(0.0, x, along);
      for (std::size_t j = 0; j < x.size(); ++j) {
        constexpr double kChange = 1e-5;
        std::vector<double> moved = x;
        moved[j] += kChange;
        ASSERT_TRUE(projection.project(0.0, moved).ok());
        double sum = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          sum += gradient[i] * (moved[i] - x[i]) / kChange;
        }
        EXPECT_NEAR(along[j], sum, 10.0) << "the constraints bend: 3e4 · 1e-5";
      }
    }
    ConstraintProjection projection(test::pendulum_constraints(), kOnes, algebra);
    std::vector<double> radial{0.0, 0.0, 0.6, -0.8};
    projection.keep_along(0.0, x, radial);
    EXPECT_NEAR(std::hypot(radial[2], radial[3]), 0.0, 1e-3) << "but for what positions make up for";
    std::vector<double> tangential{0.0, 0.0, 0.8, 0.6};
    projection.keep_along(0.0, x, tangential);
    EXPECT_NEAR(tangential[2], 0.8, 1e-9);
    EXPECT_NEAR(tangential[3], 0.6, 1e-9);
    EXPECT_EQ(projection.counters().factorisations, 1) << "one for all gradients at a point";
    std::vector<double> again{0.61, -0.8, 0.8, 0.6};
    ASSERT_TRUE(projection.project(0.0, again).ok());
    std::vector<double> fresh{0.61, -0.8, 0.8, 0.6};
    ConstraintProjection other(test::pendulum_constraints(), kOnes, algebra);
    ASSERT_TRUE(other.project(0.0, fresh).ok());
    EXPECT_EQ(again, fresh) << "as if nobody had asked";
  }
}

// Alone, the position moves along its radius and the velocity loses its radial part.
TEST(ConstraintProjection, IsTheNearestPoint) {
  const auto constraints = std::make_shared<const FunctionEquations>(
      test::pendulum_slots(false), std::vector<FunctionRow>{test::pendulum_constraint_rows()[0]});
  ConstraintProjection projection(constraints, kOnes);
  std::vector<double> x{0.6 * 1.001, -0.8 * 1.001, 3.0, 4.0};
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.6, 1e-12);
  EXPECT_NEAR(x[1], -0.8, 1e-12);
  EXPECT_EQ(x[2], 3.0);
  EXPECT_EQ(x[3], 4.0);
}

// A velocity with a radial part of 1e-3 on the circle: it is taken from the velocity; the position moves 1e4 times less.
TEST(ConstraintProjection, VelocitiesMakeUpForVelocities) {
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    ConstraintProjection projection(test::pendulum_constraints(), kOnes, algebra);
    std::vector<double> x{0.6, -0.8, 0.8 + 0.6e-3, 0.6 - 0.8e-3};
    ASSERT_TRUE(projection.project(0.0, x).ok());
    EXPECT_NEAR(x[0], 0.6, 2e-7);
    EXPECT_NEAR(x[1], -0.8, 2e-7);
    EXPECT_NEAR(x[2], 0.8, 2e-6);
    EXPECT_NEAR(x[3], 0.6, 2e-6);
  }
}

TEST(ConstraintProjection, LeavesAPointOfTheSetWhereItIs) {
  const auto constraints = test::pendulum_constraints();
  ConstraintProjection projection(constraints, kOnes);
  std::vector<double> x{0.0, -1.0, 2.0, 0.0};
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_EQ(x, (std::vector<double>{0.0, -1.0, 2.0, 0.0}));
}

// Points that follow each other, as results of steps do: two or three steps suffice, nothing allocates, and where the matrix
// may be kept it is.
TEST(ConstraintProjection, FollowsASolution) {
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    ConstraintProjection projection(test::pendulum_constraints(), kOnes, algebra);
    projection.keep_matrix();
    std::vector<double> x{1e-9, -1.0, 2.0, 1e-9};
    ASSERT_TRUE(projection.project(0.0, x).ok());
    const test::AllocationGuard guard;
    for (int k = 1; k <= 100; ++k) {
      const double phi = 0.01 * k;
      x[0] = std::sin(phi) + 1e-9;
      x[1] = -std::cos(phi);
      x[2] = 2.0 * std::cos(phi);
      x[3] = 2.0 * std::sin(phi) + 1e-9;
      ASSERT_TRUE(projection.project(0.0, x).ok());
      EXPECT_LE(std::abs(x[0] * x[0] + x[1] * x[1] - 1.0), 3e-12);
      EXPECT_LE(std::abs(x[0] * x[2] + x[1] * x[3]), 3e-12);
    }
    if (algebra == LeastChange::Algebra::dense) {
      EXPECT_EQ(guard.count(), 0);
      EXPECT_EQ(projection.counters().factorisations, 101);
    } else {
      EXPECT_LE(projection.counters().factorisations, 40);
    }
    EXPECT_LE(projection.counters().steps, 300);
  }
}

TEST(ConstraintProjection, DependsOnThePointAlone) {
  ConstraintProjection projection(test::pendulum_constraints(), kOnes);
  const std::vector<double> given{0.61, -0.8, 1.0, 0.7};
  std::vector<double> first = given;
  ASSERT_TRUE(projection.project(0.0, first).ok());
  std::vector<double> elsewhere{0.9, 0.5, 0.2, 0.1};
  ASSERT_TRUE(projection.project(0.0, elsewhere).ok());
  std::vector<double> second = given;
  ASSERT_TRUE(projection.project(0.0, second).ok());
  EXPECT_EQ(first, second);
}

TEST(ConstraintProjection, CountsEqualConstraintsOnce) {
  std::vector<FunctionRow> rows = test::pendulum_constraint_rows();
  rows.push_back(rows[0]);
  const auto constraints = std::make_shared<const FunctionEquations>(test::pendulum_slots(false), rows);
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    ConstraintProjection projection(constraints, kOnes, algebra);
    std::vector<double> x{0.6 * 1.0001, -0.8 * 1.0001, 0.8, 0.6};
    ASSERT_TRUE(projection.project(0.0, x).ok());
    EXPECT_TRUE(projection.is_redundant());
    EXPECT_LE(residual_of(*constraints, x), 1e-11);
  }
}

// x = y twice written, and once (x - y)(1 + x) = 0: the rows differ off the set and agree on it.
TEST(ConstraintProjection, TakesRowsThatAgreeOnTheSetOnly) {
  const auto constraints = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
      std::vector<FunctionRow>{
          {"x = y", 0, {0, 1}, [](double, auto s) { return s[0] - s[1]; }},
          {"x + x^2 = y + x*y", 0, {0, 1}, [](double, auto s) { return (s[0] - s[1]) * (1.0 + s[0]); }}});
  ConstraintProjection projection(constraints, std::vector<double>{1.0, 1.0});
  std::vector<double> x{1.0001, 0.9999};
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[0], x[1], 1e-11);
  EXPECT_NEAR(x[0], 1.0, 2e-4);
}

TEST(ConstraintProjection, NamesTheRowThatContradicts) {
  const auto constraints = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
      std::vector<FunctionRow>{
          {"x + y = 1", 0, {0, 1}, [](double, auto s) { return s[0] + s[1] - 1.0; }},
          {"x + y = 1.01", 0, {0, 1}, [](double, auto s) { return s[0] + s[1] - 1.01; }}});
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    ConstraintProjection projection(constraints, std::vector<double>{1.0, 1.0}, algebra);
    std::vector<double> x{0.5, 0.5};
    const system::Evaluation evaluation = projection.project(0.0, x);
    EXPECT_EQ(evaluation.status, Status::no_projection);
    EXPECT_GE(evaluation.culprit, 0);
    EXPECT_EQ(x, (std::vector<double>{0.5, 0.5})) << "left as it was";
  }
}

TEST(ConstraintProjection, NamesAConstraintWithoutSolution) {
  const auto constraints = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
      std::vector<FunctionRow>{{"y = 0", 0, {1}, [](double, auto s) { return s[1]; }},
                               {"x^2 = -1", 0, {0}, [](double, auto s) { return s[0] * s[0] + 1.0; }}});
  ConstraintProjection projection(constraints, std::vector<double>{1.0, 1.0});
  std::vector<double> x{0.3, 0.1};
  const system::Evaluation evaluation = projection.project(0.0, x);
  EXPECT_EQ(evaluation.status, Status::no_projection);
  EXPECT_EQ(evaluation.culprit, 1);
}

// A chain of points at distance 1 from one another: thousands of sparse constraints.
TEST(ConstraintProjection, ALargeChainIsSparse) {
  constexpr Index kLinks = 2000;
  std::vector<system::SlotInfo> slots;
  std::vector<FunctionRow> rows;
  std::vector<double> x;
  for (Index i = 0; i <= kLinks; ++i) {
    slots.push_back({"x", i, 0, 1.0});
    slots.push_back({"y", i, 0, 1.0});
    x.push_back(0.8 * static_cast<double>(i) + 1e-5 * std::sin(static_cast<double>(i)));
    x.push_back(0.6 * static_cast<double>(i) + 1e-5 * std::cos(3.0 * static_cast<double>(i)));
  }
  for (Index i = 0; i < kLinks; ++i) {
    const auto a = static_cast<std::size_t>(2 * i);
    rows.push_back({"link", 0, {2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3}, [a](double, auto s) {
                      const Dual dx = s[a + 2] - s[a];
                      const Dual dy = s[a + 3] - s[a + 1];
                      return dx * dx + dy * dy - 1.0;
                    }});
  }
  const auto constraints = std::make_shared<const FunctionEquations>(slots, rows);
  const std::vector<double> before = x;
  ConstraintProjection projection(constraints, std::vector<double>(x.size(), 1.0));
  ASSERT_TRUE(projection.project(0.0, x).ok());
  // Coordinates up to 1600: differences of neighbours are rounded in units of 2e-13.
  EXPECT_LE(residual_of(*constraints, x), 5e-9);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(x[i], before[i], 1e-2);
  }
}

TEST(ProjectionPolicy, EndsWhereTheRestIsSmallEnough) {
  using Answer = ProjectionPolicy::Answer;
  ProjectionPolicy policy;
  policy.begin();
  EXPECT_EQ(policy.look(1e-6), Answer::go_on);
  EXPECT_EQ(policy.look(1e-8), Answer::go_on) << "1e-10 is left";
  EXPECT_EQ(policy.look(9e-11), Answer::converged) << "less than 1e-12 is left";
  policy.begin();
  EXPECT_EQ(policy.look(1e-13), Answer::converged) << "on the set already";
  policy.begin();
  EXPECT_EQ(policy.look(1e-5), Answer::go_on);
  EXPECT_EQ(policy.look(1e-6), Answer::refresh) << "too slow for a matrix of another point";
  policy.set_fresh();
  EXPECT_EQ(policy.look(1e-7), Answer::go_on);
  EXPECT_EQ(policy.look(1.0), Answer::lost) << "it grows with a new matrix";
}

TEST(ProjectionPolicy, StepsThatAreRoundingEndIt) {
  ProjectionPolicy policy;
  policy.begin();
  policy.set_fresh();
  EXPECT_EQ(policy.look(1e-10), ProjectionPolicy::Answer::go_on);
  EXPECT_EQ(policy.look(0.9e-10), ProjectionPolicy::Answer::converged);
  policy.begin();
  EXPECT_EQ(policy.look(1e-10), ProjectionPolicy::Answer::go_on);
  EXPECT_EQ(policy.look(0.9e-10), ProjectionPolicy::Answer::refresh) << "slow because the matrix is old";
}

// After a second step has shown the curvature, first steps that leave nothing need no second one, for a while.
TEST(ProjectionPolicy, MeasuresTheCurvatureNowAndThen) {
  using Answer = ProjectionPolicy::Answer;
  ProjectionPolicy policy;
  const auto first_step = [&](double size) {
    policy.begin();
    policy.set_fresh();
    return policy.look(size);
  };
  EXPECT_EQ(first_step(1e-8), Answer::go_on);
  EXPECT_EQ(policy.look(1e-13), Answer::converged);
  EXPECT_EQ(first_step(1e-9), Answer::go_on) << "results are to depend on the point alone";
  policy.trust_curvature();
  policy.forget();
  EXPECT_EQ(first_step(1e-8), Answer::go_on) << "nothing is known";
  EXPECT_EQ(policy.look(1e-13), Answer::converged) << "a curvature of 1000";
  for (int i = 0; i < ProjectionPolicy::kMostUnchecked; ++i) {
    EXPECT_EQ(first_step(1e-9), Answer::converged);
    EXPECT_EQ(policy.n_steps(), 1);
  }
  EXPECT_EQ(first_step(1e-9), Answer::go_on) << "to be measured again";
  EXPECT_EQ(policy.look(1e-15), Answer::converged) << "below the noise: at most 1e4";
  EXPECT_EQ(first_step(1e-8), Answer::go_on) << "might leave 1e-12";
  EXPECT_EQ(policy.look(1e-13), Answer::converged);
  EXPECT_EQ(first_step(1e-9), Answer::converged);
  policy.forget();
  EXPECT_EQ(first_step(1e-9), Answer::go_on);
}

}  // namespace
}  // namespace saltus::reduce
