#include "reduce/consistent/slot_grades.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::reduce {
namespace {

using test::FunctionEquations;
using test::FunctionRow;

// x2' = x4 - x2 and -x2'/2 = x1 + (x2 - x4)/2: x1 = 0, whatever x2 and x4 are. Then x1' = x2 + x3 says that these two, velocities, give way
// alike.
enum Slot : Index { kX1, kRate1, kX2, kRate2, kX3, kX4 };

TransferProblem hidden_position() {
  std::vector<system::SlotInfo> slots;
  for (const auto& [name, variable, order] : {std::tuple{"x1", 0, 0},
                                              {"der(x1)", 0, 1},
                                              {"x2", 1, 0},
                                              {"der(x2)", 1, 1},
                                              {"x3", 2, 0},
                                              {"x4", 3, 0}}) {
    slots.push_back({.name = name, .variable = variable, .order = order});
  }
  std::vector<FunctionRow> rows = {
      {"x2' = x4 - x2", 0, {kX2, kRate2, kX4}, [](double, auto s) { return s[kRate2] - s[kX4] + s[kX2]; }},
      {"-x2'/2 = x1 + (x2 - x4)/2",
       0,
       {kX1, kX2, kRate2, kX4},
       [](double, auto s) { return -0.5 * s[kRate2] - s[kX1] - 0.5 * (s[kX2] - s[kX4]); }},
      {"x1' = x2 + x3", 0, {kRate1, kX2, kX3}, [](double, auto s) { return s[kRate1] - s[kX2] - s[kX3]; }},
      {"x1' = 0", 1, {kRate1}, [](double, auto s) { return s[kRate1]; }}};
  TransferProblem problem;
  problem.equations = std::make_shared<const FunctionEquations>(std::move(slots), std::move(rows));
  problem.guess = {0.25, 0.0, 3.0, 0.0, -1.0, 0.5};
  problem.hold = {Hold::held, Hold::open, Hold::held, Hold::open, Hold::held, Hold::held};
  problem.grade = {-2, -2, -1, -1};
  return problem;
}

TEST(SlotGrades, WhatVanishesWithADerivativeBelongsToLaterGrades) {
  const TransferProblem problem = hidden_position();
  const SlotGrades found = find_slot_grades(problem, 0.0, find_parts(problem.equations->pattern()));
  EXPECT_EQ(found.grade, (std::vector<int>{-2, -1, -1, -2, -1, -1}));
  EXPECT_EQ(found.is_carried_row, (std::vector<std::uint8_t>{1, 1, 0, 0}));
  EXPECT_EQ(found.is_carried_slot, (std::vector<std::uint8_t>{0, 0, 0, 1, 0, 0}));
}

TEST(SlotGrades, VelocitiesOfAHiddenPositionGiveWayAlike) {
  const TransferProblem problem = hidden_position();
  const Result<TransferValues> result = transfer_by_grades(problem, 0.0);
  ASSERT_TRUE(result.has_value()) << result.error().items()[0].message;
  EXPECT_NEAR(result->slots[kX1], 0.0, 1e-14);
  EXPECT_NEAR(result->slots[kX2], 2.0, 1e-14);
  EXPECT_NEAR(result->slots[kX3], -2.0, 1e-14);
  EXPECT_EQ(result->slots[kX4], 0.5);
  EXPECT_NEAR(result->slots[kRate2], -1.5, 1e-14) << "met again after x2 has moved";
}

// x² + y² = 1 at x = 0: the column of x is zero there, but not beside.
TEST(SlotGrades, WhatIsZeroAtThePointOnlyKeepsItsGrade) {
  TransferProblem problem;
  problem.equations = std::make_shared<const FunctionEquations>(test::pendulum_slots(false),
                                                                test::pendulum_constraint_rows());
  problem.guess = {0.0, -1.0, 1.0, 0.5};
  problem.hold.assign(4, Hold::held);
  problem.grade = {-2, -1};
  EXPECT_EQ(find_slot_grades(problem, 0.0, find_parts(problem.equations->pattern())).grade,
            (std::vector<int>{-2, -2, -1, -1}));
}

}  // namespace
}  // namespace saltus::reduce
