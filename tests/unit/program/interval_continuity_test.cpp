// What sets alone do not say: where an operation is not defined over all of its operands, or jumps among them.
#include "program/vm/interval_continuity.hpp"

#include <gtest/gtest.h>

#include "program/guards/guard_partial.hpp"

namespace saltus::program {
namespace {

using expr::Op;

Continuity level(Op op, Interval a, Interval b = {1.0, 1.0}) {
  return continuity_of(op, a, b, apply_operation(op, a, b, b));
}

TEST(IntervalContinuity, DomainsEndWhereTheyEnd) {
  EXPECT_EQ(level(Op::sqrt, {0.0, 4.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::sqrt, {-1.0, 1.0}), Continuity::partial);
  EXPECT_EQ(level(Op::sqrt, {-2.0, -1.0}), Continuity::partial);
  EXPECT_EQ(level(Op::log, {1e-300, 4.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::log, {0.0, 4.0}), Continuity::partial);
  EXPECT_EQ(level(Op::asin, {-1.0, 1.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::acos, {0.0, 1.0000001}), Continuity::partial);
  EXPECT_EQ(level(Op::power, {0.0, 2.0}, {0.5, 0.5}), Continuity::continuous);
  EXPECT_EQ(level(Op::power, {-0.1, 2.0}, {0.5, 0.5}), Continuity::partial);
}

TEST(IntervalContinuity, PolesAndJumps) {
  EXPECT_EQ(level(Op::divide, {1.0, 2.0}, {0.5, 1.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::divide, {1.0, 2.0}, {-0.5, 1.0}), Continuity::may_jump);
  EXPECT_EQ(level(Op::power_integer, {-1.0, 1.0}, {-2.0, -2.0}), Continuity::may_jump);
  EXPECT_EQ(level(Op::power_integer, {-1.0, 1.0}, {3.0, 3.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::tan, {1.0, 2.0}), Continuity::may_jump);
  EXPECT_EQ(level(Op::tan, {-1.0, 1.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::atan2, {-0.1, 0.1}, {-2.0, -1.0}), Continuity::may_jump);
  EXPECT_EQ(level(Op::atan2, {-0.1, 0.1}, {1.0, 2.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::sign, {-1.0, 1.0}), Continuity::may_jump);
  EXPECT_EQ(level(Op::sign, {0.5, 1.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::floor, {0.5, 1.5}), Continuity::may_jump);
  EXPECT_EQ(level(Op::less, {0.0, 1.0}, {2.0, 3.0}), Continuity::continuous);
  EXPECT_EQ(level(Op::less, {0.0, 1.0}, {0.5, 3.0}), Continuity::may_jump);
  EXPECT_EQ(level(Op::abs, {-1.0, 1.0}), Continuity::continuous) << "a kink is continuous";
  EXPECT_EQ(level(Op::minimum, {-1.0, 1.0}, {0.0, 0.0}), Continuity::continuous);
}

// √x in a branch that is not taken says nothing of the value.
TEST(IntervalContinuity, TheSideThatIsNotChosenDoesNotCount) {
  const auto chosen = [](Interval condition) {
    const Interval operands[3] = {condition, {1.0, 2.0}, {0.0, 1.0}};
    const Continuity levels[3] = {Continuity::continuous, Continuity::continuous, Continuity::partial};
    return continuity_of(Op::select, operands, levels, {0.0, 2.0});
  };
  EXPECT_EQ(chosen({1.0, 1.0}), Continuity::continuous);
  EXPECT_EQ(chosen({0.0, 0.0}), Continuity::partial);
  EXPECT_EQ(chosen({0.5, 0.5}), Continuity::partial) << "blended: both sides count";
  EXPECT_EQ(chosen({0.0, 1.0}), Continuity::may_jump);
}

TEST(IntervalContinuity, TheWorstOperandCounts) {
  const Interval operands[3] = {{1.0, 2.0}, {3.0, 4.0}, {0.0, 0.0}};
  const Continuity levels[3] = {Continuity::partial, Continuity::continuous, Continuity::may_jump};
  EXPECT_EQ(continuity_of(Op::add, operands, levels, {4.0, 6.0}), Continuity::partial)
      << "the third is no operand of a sum";
}

}  // namespace
}  // namespace saltus::program
