#include "reduce/project/stacked_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/function_equations.hpp"
#include "support/switched_evaluator.hpp"

namespace saltus::reduce {
namespace {

using test::Dual;
using test::FunctionEquations;
using test::FunctionRow;
using test::SwitchedEvaluator;
using test::SwitchedSystem;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::vector<system::SlotInfo> slots(std::size_t n) {
  std::vector<system::SlotInfo> list(n);
  for (std::size_t i = 0; i < n; ++i) {
    list[i].name = "x" + std::to_string(i);
    list[i].variable = static_cast<Index>(i);
  }
  return list;
}

// The circle of radius 1 in the first two of n states.
std::shared_ptr<const FunctionEquations> circle(std::size_t n) {
  return std::make_shared<const FunctionEquations>(
      slots(n), std::vector<FunctionRow>{{"x^2 + y^2 = 1", 0, {0, 1}, [](double, std::span<const Dual> s) {
                                            return s[0] * s[0] + s[1] * s[1] - 1.0;
                                          }}});
}

// Guards x0 - 0.6 and x0·x1 - 0.48, which meets the first one on the circle.
SwitchedSystem with_guards() {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards.push_back(SwitchedSystem::linear({1.0, 0.0}, -0.6));
  SwitchedSystem::Guard product;
  product.value = [](double, SwitchedSystem::Point x, SwitchedSystem::Sides) { return x[0] * x[1] - 0.48; };
  product.gradient = [](double, SwitchedSystem::Point x, std::span<double> gradient) {
    gradient[0] = x[1];
    gradient[1] = x[0];
    return 0.0;
  };
  system.guards.push_back(product);
  system.rhs = [](double, SwitchedSystem::Point, SwitchedSystem::Sides, std::span<double> xdot) {
    std::fill(xdot.begin(), xdot.end(), 0.0);
  };
  return system;
}

TEST(StackedProjection, ReachesTheSurfaceOnTheConstraint) {
  const SwitchedSystem system = with_guards();
  SwitchedEvaluator evaluator(system);
  StackedProjection projection({{circle(2)}}, std::vector<double>{1.0, 1.0});
  const std::vector<Index> surfaces{0};
  std::vector<double> x{0.62, 0.83};
  projection.begin(evaluator, surfaces, 0.0, 0.0, x);
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.6, 4 * kEpsilon) << "guards to rounding";
  EXPECT_NEAR(x[1], 0.8, 1e-12);
  const std::vector<double> there = x;
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_EQ(x, there) << "a point that is on all of them stays";
}

// Circle and surface leave no direction; the circle alone leaves the tangent.
TEST(StackedProjection, KeepsWhatAGradientHasAlongAll) {
  const SwitchedSystem system = with_guards();
  SwitchedEvaluator evaluator(system);
  StackedProjection projection({{circle(2)}}, std::vector<double>{1.0, 1.0});
  const std::vector<double> x{0.6, 0.8};
  projection.begin(evaluator, std::vector<Index>{0}, 0.0, 0.0, x);
  std::vector<double> gradient{3.0, -1.0};
  projection.keep_along(0.0, x, gradient);
  EXPECT_NEAR(std::hypot(gradient[0], gradient[1]), 0.0, 1e-12);
  projection.begin(evaluator, {}, 0.0, 0.0, x);
  gradient = {3.0, -1.0};
  projection.keep_along(0.0, x, gradient);
  const double along = 3.0 * 0.8 + 1.0 * 0.6;
  EXPECT_NEAR(gradient[0], along * 0.8, 1e-12);
  EXPECT_NEAR(gradient[1], -along * 0.6, 1e-12);
}

TEST(StackedProjection, ALevelShiftsTheFirstSurface) {
  const SwitchedSystem system = with_guards();
  SwitchedEvaluator evaluator(system);
  StackedProjection projection({{circle(2)}}, std::vector<double>{1.0, 1.0});
  const std::vector<Index> surfaces{0};
  std::vector<double> x{0.62, 0.83};
  projection.begin(evaluator, surfaces, 0.2, 0.0, x);
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.8, 4 * kEpsilon);
  EXPECT_NEAR(x[1], 0.6, 1e-12);
}

TEST(StackedProjection, RowsThatSayTheSameCountOnce) {
  const SwitchedSystem system = with_guards();
  SwitchedEvaluator evaluator(system);
  // The constraints of two modes are the same, and two surfaces meet the circle in one point.
  StackedProjection projection({{circle(2)}, {circle(2)}}, std::vector<double>{1.0, 1.0});
  const std::vector<Index> surfaces{0, 1};
  std::vector<double> x{0.601, 0.802};
  projection.begin(evaluator, surfaces, 0.0, 0.0, x);
  EXPECT_EQ(projection.n_constraints(), 1);
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.6, 1e-12);
  EXPECT_NEAR(x[1], 0.8, 1e-12);
}

TEST(StackedProjection, ASurfaceThatMissesTheConstraintIsToldAndNothingMoves) {
  const SwitchedSystem system = with_guards();
  SwitchedEvaluator evaluator(system);
  StackedProjection projection({{circle(2)}}, std::vector<double>{1.0, 1.0});
  const std::vector<Index> surfaces{0};
  std::vector<double> x{0.9, 0.4};
  const std::vector<double> given = x;
  projection.begin(evaluator, surfaces, 1.0, 0.0, x);  // x0 = 1.6
  const system::Evaluation evaluation = projection.project(0.0, x);
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::no_projection);
  EXPECT_EQ(x, given);
}

TEST(StackedProjection, StatesOfASecondModeMayLieElsewhere) {
  const SwitchedSystem system = with_guards();
  SwitchedEvaluator evaluator(system);
  // x0 of the second mode is x1 here: x1 = 0.8.
  const auto second = std::make_shared<const FunctionEquations>(
      slots(1), std::vector<FunctionRow>{
                    {"y = 0.8", 0, {0}, [](double, std::span<const Dual> s) { return s[0] - 0.8; }}});
  StackedProjection projection({{circle(2)}, {second, {1}}}, std::vector<double>{1.0, 1.0});
  std::vector<double> x{0.61, 0.7};
  projection.begin(evaluator, {}, 0.0, 0.0, x);
  Index row = -1;
  EXPECT_NEAR(projection.distance(1, 0.0, x, row), 0.1, 1e-12);
  EXPECT_EQ(projection.row_text(1, row), "'y = 0.8'");
  const std::vector<double> xdot{0.0, 3.0};
  EXPECT_NEAR(projection.leaving_rate(1, 0.0, x, xdot, row), 3.0, 1e-9);
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.6, 1e-12);
  EXPECT_NEAR(x[1], 0.8, 1e-12);
}

TEST(StackedProjection, LargeSystemsTakeTheSparsePathAndKeepItsFactors) {
  constexpr std::size_t kStates = 4000;
  std::vector<FunctionRow> rows;
  for (Index i = 0; i < 40; ++i) {
    rows.push_back({"row", 0, {i, i + 1}, [i](double, std::span<const Dual> s) {
                      return s[static_cast<std::size_t>(i)] - s[static_cast<std::size_t>(i) + 1];
                    }});
  }
  const auto constraints = std::make_shared<const FunctionEquations>(slots(kStates), rows);
  SwitchedSystem system = with_guards();
  system.n_states = kStates;
  std::vector<double> coefficients(kStates, 0.0);
  coefficients[0] = 1.0;
  system.guards[0] = SwitchedSystem::linear(coefficients, -2.0);
  SwitchedEvaluator evaluator(system);
  StackedProjection projection({{constraints}}, std::vector<double>(kStates, 1.0));
  const std::vector<Index> surfaces{0};
  std::vector<double> x(kStates, 1.0);
  projection.begin(evaluator, surfaces, 0.0, 0.0, x);
  projection.keep_matrix();
  for (int k = 0; k < 3; ++k) {
    x.assign(kStates, 1.0 + 0.1 * k);
    ASSERT_TRUE(projection.project(0.0, x).ok());
    EXPECT_NEAR(x[0], 2.0, 1e-12);
    EXPECT_NEAR(x[40], 2.0, 1e-9);
    EXPECT_EQ(x[41], 1.0 + 0.1 * k) << "what no row contains does not move";
  }
  EXPECT_EQ(projection.factorisations(), 1);
}

}  // namespace
}  // namespace saltus::reduce
