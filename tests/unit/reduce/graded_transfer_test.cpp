#include "reduce/consistent/graded_transfer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reduce/consistent/transfer_equations.hpp"
#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::reduce {
namespace {

using test::FunctionEquations;
using test::FunctionRow;
using test::kVx;
using test::kVy;
using test::kX;
using test::kY;

// The pendulum with jump equations behind its constraints: grades -2 and -1.
TransferProblem pendulum(std::vector<double> before, std::vector<FunctionRow> jumps = {},
                         std::vector<Index> given = {}) {
  std::vector<FunctionRow> rows = test::pendulum_constraint_rows();
  rows.insert(rows.end(), jumps.begin(), jumps.end());
  TransferProblem problem;
  problem.equations = std::make_shared<const FunctionEquations>(test::pendulum_slots(false), std::move(rows));
  problem.guess = std::move(before);
  problem.hold.assign(4, Hold::held);
  problem.grade = {-2, -1};
  problem.given = std::move(given);
  return problem;
}

TransferValues solved(const TransferProblem& problem) {
  Result<TransferValues> result = transfer_by_grades(problem, 0.0);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().items()[0].message);
  return result ? *std::move(result) : TransferValues{.slots = problem.guess, .grade = {}, .open_slots = {}};
}

TEST(GradedTransfer, AVelocityThatDoesNotFitLeavesPositionsToTheLastBit) {
  const TransferProblem problem = pendulum({0.6, -0.8, 1.0, 1.0});
  const TransferValues values = solved(problem);
  EXPECT_EQ(values.slots[kX], 0.6);
  EXPECT_EQ(values.slots[kY], -0.8);
  // The radial part (0.6·1 - 0.8·1) = -0.2 is taken away.
  EXPECT_NEAR(values.slots[kVx], 1.0 + 0.2 * 0.6, 1e-15);
  EXPECT_NEAR(values.slots[kVy], 1.0 - 0.2 * 0.8, 1e-15);
  EXPECT_EQ(values.grade, (std::vector<int>{-2, -2, -1, -1}));
}

TEST(GradedTransfer, WhatFitsStaysToTheLastBit) {
  const std::vector<double> before{0.6, -0.8, 0.4, 0.3};
  EXPECT_EQ(solved(pendulum(before)).slots, before);
}

TEST(GradedTransfer, AGivenVelocityIsExactAndTheOtherOneFollows) {
  TransferProblem problem = pendulum(
      {0.6, -0.8, 0.4, 0.3}, {{"vx = -0.1", 0, {kVx}, [](double, auto s) { return s[kVx] + 0.1; }}}, {kVx});
  problem.hold[kVx] = Hold::jumping;
  const TransferValues values = solved(problem);
  EXPECT_EQ(values.slots[kVx], -0.1);
  EXPECT_NEAR(values.slots[kVy], -0.1 * 0.6 / 0.8, 1e-15);
  EXPECT_EQ(values.slots[kX], 0.6);
  EXPECT_EQ(values.slots[kY], -0.8);
}

TEST(GradedTransfer, AGivenPositionMovesTheOtherOneThenVelocities) {
  TransferProblem problem = pendulum(
      {0.6, -0.8, 0.4, 0.3}, {{"x = 0.8", 0, {kX}, [](double, auto s) { return s[kX] - 0.8; }}}, {kX});
  problem.hold[kX] = Hold::jumping;
  const TransferValues values = solved(problem);
  EXPECT_EQ(values.slots[kX], 0.8);
  EXPECT_NEAR(values.slots[kY], -0.6, 1e-14);
  EXPECT_NEAR(values.slots[kX] * values.slots[kVx] + values.slots[kY] * values.slots[kVy], 0.0, 1e-14);
  // Of all velocities along the circle the nearest one: (0.4, 0.3) without its radial part.
  EXPECT_NEAR(values.slots[kVx], 0.4 - 0.8 * (0.8 * 0.4 - 0.6 * 0.3), 1e-13);
}

// One jump equation for two velocities, the constraint is the other.
TEST(GradedTransfer, ConstraintsDetermineWhatJumpEquationsLeaveOpen) {
  TransferProblem problem =
      pendulum({0.6, -0.8, 1.0, 2.0},
               {{"angular momentum",
                 0,
                 {kX, kY, kVx, kVy},
                 [](double, auto s) { return s[kX] * (s[kVy] - 2.0) - s[kY] * (s[kVx] - 1.0); }}},
               {-1});
  problem.hold[kVx] = problem.hold[kVy] = Hold::jumping;
  const TransferValues values = solved(problem);
  const double momentum = 0.6 * 2.0 + 0.8 * 1.0;
  EXPECT_NEAR(values.slots[kVx], 0.8 * momentum, 1e-14);
  EXPECT_NEAR(values.slots[kVy], 0.6 * momentum, 1e-14);
  EXPECT_EQ(values.slots[kX], 0.6);
}

TEST(GradedTransfer, AContradictionNamesJumpEquationsAndConstraints) {
  TransferProblem problem = pendulum({0.0, -1.0, 0.0, 0.0},
                                     {{"vx = 1", 0, {kVx}, [](double, auto s) { return s[kVx] - 1.0; }},
                                      {"vy = 1", 0, {kVy}, [](double, auto s) { return s[kVy] - 1.0; }}},
                                     {kVx, kVy});
  problem.hold[kVx] = problem.hold[kVy] = Hold::jumping;
  const auto result = transfer_by_grades(problem, 0.0);
  ASSERT_FALSE(result.has_value());
  const Diagnostic& first = result.error().items()[0];
  EXPECT_EQ(first.code, "jump-contradiction");
  EXPECT_NE(first.message.find("'vy = 1'"), std::string::npos) << first.message;
  EXPECT_NE(first.message.find("'2*x*der(x) + 2*y*der(y) = 0'"), std::string::npos) << first.message;
  // vx = 1 fits and is not to blame.
  EXPECT_EQ(first.message.find("'vx = 1'"), std::string::npos) << first.message;
}

TEST(GradedTransfer, AStateWithoutValueThatNothingDeterminesIsListed) {
  TransferProblem problem = pendulum({0.6, -0.8, 0.0, 0.3});
  problem.hold[kVx] = Hold::open;
  EXPECT_TRUE(solved(problem).open_slots.empty());
  EXPECT_NEAR(solved(problem).slots[kVx], 0.4, 1e-14);
  problem.hold[kVy] = Hold::open;
  EXPECT_EQ(solved(problem).open_slots, (std::vector<Index>{kVx, kVy}));
}

// Steps are sparse here; what no row asks for stays to the last bit all the same.
TEST(GradedTransfer, ManyPendulumsOfWhichOneIsHit) {
  constexpr Index kCount = 60;
  std::vector<system::SlotInfo> slots;
  std::vector<FunctionRow> rows;
  TransferProblem problem;
  for (Index k = 0; k < kCount; ++k) {
    const std::string number = std::to_string(k);
    for (const char* name : {"x", "y", "vx", "vy"}) {
      slots.push_back({name + number, static_cast<Index>(slots.size()), 0, 1.0});
    }
    const auto first = static_cast<std::size_t>(4 * k);
    const Index x = 4 * k;
    rows.push_back({"length" + number, 0, {x, x + 1}, [first](double, auto s) {
                      return s[first] * s[first] + s[first + 1] * s[first + 1] - 1.0;
                    }});
    rows.push_back({"speed" + number, 1, {x, x + 1, x + 2, x + 3}, [first](double, auto s) {
                      return s[first] * s[first + 2] + s[first + 1] * s[first + 3];
                    }});
    problem.grade.insert(problem.grade.end(), {-2, -1});
    problem.guess.insert(problem.guess.end(), {0.6, -0.8, 0.4, 0.3});
  }
  rows.push_back({"vx3 = -0.4", 0, {14}, [](double, auto s) { return s[14] + 0.4; }});
  problem.given = {14};
  problem.hold.assign(slots.size(), Hold::held);
  problem.hold[14] = Hold::jumping;
  std::vector<double> expected = problem.guess;
  problem.equations = std::make_shared<const FunctionEquations>(std::move(slots), std::move(rows));
  const TransferValues values = solved(problem);
  EXPECT_EQ(values.slots[14], -0.4);
  EXPECT_NEAR(values.slots[15], -0.3, 1e-12);
  expected[14] = values.slots[14];
  expected[15] = values.slots[15];
  EXPECT_EQ(values.slots, expected);
}

// Jump equations bring the equation of a force along and say what the force becomes.
TEST(TransferEquations, JumpEquationsMayReadWhatTheEquationsOfTheModeGive) {
  TransferParts parts;
  parts.constraints = test::pendulum_constraints();
  std::vector<system::SlotInfo> slots = test::pendulum_slots(false);
  slots.push_back({"force", 7, 0, 1.0});
  parts.jumps = std::make_shared<const FunctionEquations>(
      slots, std::vector<FunctionRow>{
                 {"not chosen", 0, {kX}, [](double, auto s) { return s[kX] / test::Dual(0.0); }},
                 {"force = 5", 0, {4}, [](double, auto s) { return s[4] - 5.0; }},
                 {"force = vx^2 + vy^2", 0, {kVx, kVy, 4}, [](double, auto s) {
                    return s[4] - s[kVx] * s[kVx] - s[kVy] * s[kVy];
                  }}});
  parts.n_jump_rows = 2;
  parts.chosen = {1};
  const TransferEquations joined = join_for_transfer(std::move(parts));
  EXPECT_EQ(joined.n_constraints, 2);
  EXPECT_EQ(joined.n_of_mode, 1);
  ASSERT_EQ(joined.equations->n_rows(), 4);
  EXPECT_EQ(joined.equations->rows()[3].text, "force = 5");
  TransferProblem problem;
  problem.equations = joined.equations;
  problem.guess = {0.0, -1.0, 1.0, 0.0, 1.0};
  problem.hold = {Hold::held, Hold::held, Hold::held, Hold::held, Hold::solved};
  problem.grade = {-2, -1, 0};
  problem.given = {-1};
  const TransferValues values = solved(problem);
  EXPECT_NEAR(values.slots[4], 5.0, 1e-12);
  EXPECT_NEAR(values.slots[kVx], std::sqrt(5.0), 1e-10);
  EXPECT_NEAR(values.slots[kVy], 0.0, 1e-10);
}

}  // namespace
}  // namespace saltus::reduce
