#include "reduce/nonlinear/constraint_grades.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "reduce/project/constraint_projection.hpp"
#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::reduce {
namespace {

using test::FunctionEquations;
using test::FunctionRow;
using test::kVx;
using test::kVy;
using test::kX;
using test::kY;

// The pendulum with a variable w of its own for the velocity along x, as 1000·w = 1000·x'.
constexpr Index kW = 4;

std::shared_ptr<const FunctionEquations> pendulum_with_velocity() {
  std::vector<system::SlotInfo> slots = test::pendulum_slots(false);
  slots.push_back({"w", 3, 0, 1.0});
  std::vector<FunctionRow> rows = test::pendulum_constraint_rows();
  rows.push_back({"1000*w = 1000*der(x)", 0, {kVx, kW}, [](double, auto s) {
                    return 1000.0 * s[kW] - 1000.0 * s[kVx];
                  }});
  return std::make_shared<const FunctionEquations>(std::move(slots), std::move(rows));
}

std::vector<double> scales(const FunctionEquations& constraints) {
  const std::vector<double> nominal(static_cast<std::size_t>(constraints.n_slots()), 1.0);
  return scales_by_grade(std::array{ConstraintBlock{&constraints}}, nominal);
}

TEST(ConstraintGrades, CountFromTheLastDerivativeOfEachEquation) {
  const std::vector<system::RowInfo> rows{{.text = "a", .equation = 0, .order = 0},
                                          {.text = "a'", .equation = 0, .order = 1},
                                          {.text = "b", .equation = 3, .order = 0}};
  EXPECT_EQ(grades_of_constraints(rows), (std::vector<int>{-2, -1, -1}));
}

TEST(ConstraintGrades, VelocitiesTiedByAnEquationAreVelocities) {
  EXPECT_EQ(scales(*pendulum_with_velocity()), (std::vector<double>{1.0, 1.0, 100.0, 100.0, 100.0}));
}

// Where y = 0 nearly, an error along x must not be put right along y.
TEST(ConstraintGrades, ATiedVelocityIsPutRightItself) {
  ConstraintProjection projection(pendulum_with_velocity(), std::vector<double>(5, 1.0));
  const double y = -1e-3;
  std::vector<double> x{std::sqrt(1.0 - y * y), y, 1e-6, 0.5, 1e-6};
  ASSERT_TRUE(projection.project(0.0, x).ok());
  EXPECT_NEAR(x[kVy], 0.5, 1e-5);
  EXPECT_NEAR(x[kX] * x[kVx] + x[kY] * x[kVy], 0.0, 1e-11);
  EXPECT_NEAR(x[kVx], x[kW], 1e-11);
}

// Rows of one system say nothing about the scales of another beside it.
TEST(ConstraintGrades, PartsDoNotDependOnEachOther) {
  const FunctionEquations constraints(
      {{"a", 0, 0, 2.0}, {"b", 1, 0, 3.0}, {"x", 2, 0, 1.0}, {"der(x)", 2, 1, 1.0}, {"free", 3, 0, 5.0}},
      {{"a = b", 0, {0, 1}, [](double, auto s) { return s[0] - s[1]; }},
       {"x = 1", 0, {2}, [](double, auto s) { return s[2] - 1.0; }},
       {"der(x) = 0", 1, {3}, [](double, auto s) { return s[3]; }, 1}});
  const std::vector<double> nominal{2.0, 3.0, 1.0, 1.0, 5.0};
  EXPECT_EQ(scales_by_grade(std::array{ConstraintBlock{&constraints}}, nominal), nominal);
}

// Two modes, the slots of the second in other places: a state has the lower grade of the two.
TEST(ConstraintGrades, BlocksOfTwoModesCountTogether) {
  const auto pendulum = test::pendulum_constraints();
  const FunctionEquations held({{"v", 0, 0, 1.0}}, {{"v = 0", 0, {0}, [](double, auto s) { return s[0]; }}});
  const std::vector<Index> places{kVx};
  const std::vector<double> nominal(4, 1.0);
  EXPECT_EQ(
      scales_by_grade(std::array{ConstraintBlock{pendulum.get()}, ConstraintBlock{&held, places}}, nominal),
      (std::vector<double>{1.0, 1.0, 100.0, 100.0}));
}

}  // namespace
}  // namespace saltus::reduce
