#include "slide/decide/algebraic_sides.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/switched_evaluator.hpp"

namespace saltus::slide {
namespace {

using test::SwitchedEvaluator;
using test::SwitchedSystem;

// g = x - c·s (of its own side) + coupling·(other side); x' = rate.
SwitchedSystem loops(double own, double coupling, double rate, std::size_t n) {
  SwitchedSystem system;
  system.n_states = 1;
  for (std::size_t i = 0; i < n; ++i) {
    SwitchedSystem::Guard guard;
    guard.value = [=](double, SwitchedSystem::Point x, SwitchedSystem::Sides s) {
      return x[0] - own * s[i] + (n > 1 ? coupling * s[(i + 1) % n] : 0.0);
    };
    guard.gradient = [](double, SwitchedSystem::Point, std::span<double> gradient) {
      gradient[0] = 1.0;
      return 0.0;
    };
    system.guards.push_back(guard);
  }
  system.rhs = [rate](double, SwitchedSystem::Point, SwitchedSystem::Sides, std::span<double> xdot) {
    xdot[0] = rate;
  };
  return system;
}

struct Fixture {
  explicit Fixture(const SwitchedSystem& system)
      : evaluator(system), decider(1, evaluator.infos), sides(evaluator.infos) {}
  const Decision& decide(double x_value, std::vector<Index> guards, std::vector<double> before) {
    x = {x_value};
    point.x = x;
    return sides.decide(evaluator, point, decider, guards, before, evaluator.configuration);
  }
  SwitchedEvaluator evaluator;
  Decider decider;
  AlgebraicSides sides;
  std::vector<double> x;
  DecisionPoint point;
};

TEST(AlgebraicSides, GuardsThatDependOnTheirSideAreFound) {
  const SwitchedSystem system = loops(2.0, 0.0, 1.0, 1);
  Fixture fixture(system);
  fixture.x = {0.0};
  fixture.point.x = fixture.x;
  const std::vector<Index> zero{0};
  const std::vector<double> before{1.0};
  ASSERT_TRUE(fixture.sides.find(fixture.evaluator, fixture.point, zero, before).ok());
  EXPECT_EQ(fixture.sides.algebraic().size(), 1U);
  const SwitchedSystem plain = loops(0.0, 0.0, 1.0, 1);
  Fixture other(plain);
  other.x = {0.0};
  other.point.x = other.x;
  ASSERT_TRUE(other.sides.find(other.evaluator, other.point, zero, before).ok());
  EXPECT_TRUE(other.sides.algebraic().empty());
  EXPECT_EQ(other.sides.others().size(), 1U);
}

// g0 = x jumps with nothing, g1 = x + s0 with the side of g0, g2 = x + s3 and g3 = x - s2 with their own sides through each other.
TEST(AlgebraicSides, GuardsThatFollowSidesOfOthersAreNoLoops) {
  SwitchedSystem system = loops(0.0, 0.0, 1.0, 4);
  const auto add = [&system](std::size_t guard, Index side, double factor) {
    system.guards[guard].value = [=](double, SwitchedSystem::Point x, SwitchedSystem::Sides s) {
      return x[0] + factor * s[static_cast<std::size_t>(side)];
    };
    system.guards[guard].sides = std::vector<Index>{side};
  };
  system.guards[0].sides = std::vector<Index>();
  add(1, 0, 1.0);
  add(2, 3, 1.0);
  add(3, 2, -1.0);
  Fixture fixture(system);
  fixture.x = {0.0};
  fixture.point.x = fixture.x;
  const std::vector<Index> zero{0, 1, 2, 3};
  const std::vector<double> before{1.0, 1.0, 1.0, 1.0};
  ASSERT_TRUE(fixture.sides.find(fixture.evaluator, fixture.point, zero, before).ok());
  const auto list = [](std::span<const Index> guards) {
    return std::vector<Index>(guards.begin(), guards.end());
  };
  EXPECT_EQ(list(fixture.sides.others()), (std::vector<Index>{0}));
  EXPECT_EQ(list(fixture.sides.driven()), (std::vector<Index>{1}));
  EXPECT_EQ(list(fixture.sides.algebraic()), (std::vector<Index>{2, 3}));
}

TEST(AlgebraicSides, BetweenSidesThatLeadBackTheWeightIsFound) {
  const SwitchedSystem system = loops(2.0, 0.0, 1.0, 1);
  Fixture fixture(system);
  const Decision& decision = fixture.decide(0.5, {0}, {-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, GuardDecision::Kind::slides);
  EXPECT_EQ(decision.guards[0].order, 0);
  EXPECT_NEAR(decision.guards[0].value, 0.25, 1e-12);
}

TEST(AlgebraicSides, ReachedAtTheEndOfASideItBeginsThere) {
  // On the side -1 g = x + 2 rises through zero at x = -2; on the other side it is -4.
  const SwitchedSystem system = loops(2.0, 0.0, 1.0, 1);
  Fixture fixture(system);
  const Decision& decision = fixture.decide(-2.0, {0}, {-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, GuardDecision::Kind::slides);
  EXPECT_NEAR(decision.guards[0].value, -1.0, 1e-8);
  EXPECT_GT(decision.guards[0].value, -1.0);
}

TEST(AlgebraicSides, TouchedOnlyTheSideStays) {
  const SwitchedSystem system = loops(2.0, 0.0, -1.0, 1);
  Fixture fixture(system);
  const Decision& decision = fixture.decide(-2.0, {0}, {-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, GuardDecision::Kind::side);
  EXPECT_EQ(decision.guards[0].value, -1.0);
}

TEST(AlgebraicSides, TheOtherSideIsTakenWhereItAgrees) {
  const SwitchedSystem system = loops(-2.0, 0.0, 1.0, 1);
  Fixture fixture(system);
  const Decision& decision = fixture.decide(2.0, {0}, {-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, GuardDecision::Kind::side);
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_FALSE(decision.guards[0].is_zero) << "its value has jumped to 4";
}

TEST(AlgebraicSides, CoupledLoopsAreDecidedTogether) {
  // x - 2 s0 - s1 = 0, x - 2 s1 - s0 = 0.
  const SwitchedSystem system = loops(2.0, -1.0, 1.0, 2);
  Fixture fixture(system);
  const Decision& decision = fixture.decide(1.5, {0, 1}, {1.0, 1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_NEAR(decision.guards[0].value, 0.5, 1e-12);
  EXPECT_NEAR(decision.guards[1].value, 0.5, 1e-12);
}

TEST(AlgebraicSides, AWeightAtItsBoundLeavesThere) {
  const SwitchedSystem system = loops(2.0, 0.0, 1.0, 1);
  Fixture fixture(system);
  const std::vector<double> leaving{1.0};
  fixture.point.leaving = leaving;
  const Decision& decision = fixture.decide(2.0, {0}, {0.9});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, GuardDecision::Kind::side);
  EXPECT_EQ(decision.guards[0].value, 1.0);
}

TEST(AlgebraicSides, WithoutSlidingThereIsNoAnswer) {
  const SwitchedSystem system = loops(2.0, 0.0, 1.0, 1);
  Fixture fixture(system);
  fixture.point.may_slide = false;
  const Decision& decision = fixture.decide(0.5, {0}, {-1.0});
  EXPECT_EQ(decision.status, Decision::Status::none);
  EXPECT_TRUE(decision.guards[0].is_barred);
}

}  // namespace
}  // namespace saltus::slide
