#include "slide/decide/decision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/switched_evaluator.hpp"

namespace saltus::slide {
namespace {

using test::SwitchedEvaluator;
using test::SwitchedSystem;
using Point = SwitchedSystem::Point;
using Sides = SwitchedSystem::Sides;
using Kind = GuardDecision::Kind;

// x' = plus where s = +1, minus where s = -1, and the blend between; the guard is x.
SwitchedSystem two_sides(double plus, double minus) {
  SwitchedSystem system;
  system.n_states = 1;
  system.guards = {SwitchedSystem::linear({1.0})};
  system.rhs = [plus, minus](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.5 * (1.0 + s[0]) * plus + 0.5 * (1.0 - s[0]) * minus;
  };
  return system;
}

// A system, its evaluator and what is asked of it.
class Case {
 public:
  explicit Case(SwitchedSystem given)
      : system(std::move(given)),
        evaluator(system),
        decider(system.n_states, evaluator.infos),
        x(static_cast<std::size_t>(system.n_states), 0.0) {
    for (std::size_t i = 0; i < system.guards.size(); ++i) {
      zero.push_back(static_cast<Index>(i));
    }
  }
  const Decision& decide(const std::vector<double>& before) {
    point.x = x;
    point.leaving = leaving;
    return decider.decide(evaluator, point, zero, before, evaluator.configuration);
  }

  SwitchedSystem system;
  SwitchedEvaluator evaluator;
  Decider decider;
  std::vector<double> x;
  std::vector<Index> zero;
  std::vector<double> leaving;
  DecisionPoint point;
};

TEST(Classify, SignsOfBothSides) {
  EXPECT_EQ(encounter(1, 1), Encounter::to_plus);
  EXPECT_EQ(encounter(-1, -1), Encounter::to_minus);
  EXPECT_EQ(encounter(-1, 1), Encounter::attracts);
  EXPECT_EQ(encounter(1, -1), Encounter::repels);
  EXPECT_EQ(encounter(0, 1), Encounter::to_plus);
  EXPECT_EQ(encounter(0, -1), Encounter::to_minus);
  EXPECT_EQ(encounter(0, 0), Encounter::undecided);
}

TEST(Classify, FirstDerivativeBeyondItsNoiseDecides) {
  system::GuardDerivatives derivatives;
  derivatives.value = {1e-17, -2.0, 5.0};
  derivatives.noise = {1e-16, 1e-16, 1e-16};
  derivatives.n_known = 3;
  EXPECT_EQ(motion_of(derivatives, 1.0, 0.0).sign, -1);
  EXPECT_EQ(motion_of(derivatives, 1.0, 0.0).order, 2);
  EXPECT_EQ(motion_of(derivatives, -1.0, 0.0).sign, -1);  // even orders do not turn with time
  derivatives.value[1] = 0.0;
  EXPECT_EQ(motion_of(derivatives, -1.0, 0.0).sign, -1);
  derivatives.n_known = 2;
  EXPECT_EQ(motion_of(derivatives, 1.0, 0.0).sign, 0);
}

TEST(Classify, DerivativeThatVanishesWithinTheInstantDecidesNothing) {
  system::GuardDerivatives derivatives;
  derivatives.value = {-1e-13, 31416.0, 0.0};  // a current that begins to flow where its voltage passes zero
  derivatives.noise = {1e-15, 1e-9, 1e-3};
  derivatives.n_known = 3;
  EXPECT_EQ(motion_of(derivatives, 1.0, 0.0).sign, -1);
  EXPECT_EQ(motion_of(derivatives, 1.0, 8e-18).sign, 1);
  EXPECT_EQ(motion_of(derivatives, 1.0, 8e-18).order, 2);
}

// docs/semantics.md 7.2: no jump, one solution, so the side it moves to is enough.
TEST(Decision, CrossingWithoutAJumpTakesOneEvaluation) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}}) {
    SwitchedSystem system;
    system.n_states = static_cast<Index>(n);
    system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
      for (std::size_t i = 0; i < xdot.size(); ++i) {
        xdot[i] = s[i] > 0.0 ? 2.0 : 1.0;
      }
    };
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> row(n, 0.0);
      row[i] = 1.0;
      system.guards.push_back(SwitchedSystem::linear(row));
    }
    Case upward(system);
    for (system::GuardInfo& info : upward.evaluator.infos) {
      info.is_continuous = true;
    }
    const Decision& decision = upward.decide(std::vector<double>(n, -1.0));
    ASSERT_TRUE(decision.ok());
    EXPECT_EQ(upward.evaluator.n_calls, 1);
    ASSERT_TRUE(decision.derivative_known);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(decision.guards[i].value, 1.0);
      EXPECT_EQ(decision.guards[i].encounter, Encounter::to_plus);
      EXPECT_EQ(decision.guards[i].rate_plus, 2.0);
      EXPECT_TRUE(std::isnan(decision.guards[i].rate_minus)) << "not asked for";
      EXPECT_EQ(decision.derivative[i], 2.0);
      EXPECT_EQ(upward.evaluator.configuration.latched[i], 1.0);
      EXPECT_EQ(upward.evaluator.sides()[i], 1.0);
    }
  }
}

TEST(Decision, GuardThatDoesNotMoveToItsNewSideIsDecidedInFull) {
  Case back(two_sides(-1.0, -3.0));
  back.evaluator.infos[0].is_continuous = true;
  const Decision& decision = back.decide({-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].value, -1.0);
  EXPECT_EQ(decision.guards[0].rate_plus, -1.0);
  EXPECT_EQ(decision.guards[0].rate_minus, -3.0);
  EXPECT_EQ(back.evaluator.sides()[0], -1.0);
}

TEST(Decision, CrossingTakesTwoEvaluationsAndKnowsTheNextDerivative) {
  Case upward(two_sides(2.0, 1.0));
  const Decision& decision = upward.decide({-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, Kind::side);
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_EQ(decision.guards[0].encounter, Encounter::to_plus);
  EXPECT_EQ(decision.guards[0].rate_plus, 2.0);
  EXPECT_EQ(decision.guards[0].rate_minus, 1.0);
  EXPECT_EQ(upward.decider.rhs_evaluations(), 2);
  EXPECT_EQ(upward.evaluator.n_calls, 2);
  ASSERT_TRUE(decision.derivative_known);
  EXPECT_EQ(decision.derivative[0], 2.0);
  EXPECT_EQ(upward.evaluator.configuration.latched[0], 1.0);
  EXPECT_EQ(upward.evaluator.sides()[0], 1.0);
  EXPECT_FALSE(decision.slides || decision.is_repelling || decision.is_ambiguous);

  Case downward(two_sides(-2.0, -1.0));
  EXPECT_EQ(downward.decide({1.0}).guards[0].value, -1.0);
}

TEST(Decision, TurningBackStaysOnItsSide) {
  // The other side is reached by a jump onto the surface: both sides move away towards g > 0.
  Case stays(two_sides(2.0, 1.0));
  const Decision& decision = stays.decide({1.0});
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_FALSE(decision.derivative_known);  // the last evaluation was the other side
}

TEST(Decision, SlidingHasFilippovsWeight) {
  Case slides(two_sides(-1.0, 3.0));
  const Decision& decision = slides.decide({-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_TRUE(decision.slides);
  EXPECT_EQ(decision.guards[0].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[0].value, 0.5, 1e-15);  // α = 3/4
  EXPECT_EQ(slides.evaluator.configuration.latched[0], decision.guards[0].value);
  EXPECT_EQ(slides.evaluator.sides()[0], decision.guards[0].value);
}

TEST(Decision, WhatMustNotSlideCrosses) {
  Case off(two_sides(-1.0, 3.0));
  off.point.may_slide = false;
  const Decision& decision = off.decide({-1.0});
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_TRUE(decision.guards[0].is_barred);
  EXPECT_FALSE(decision.slides);

  SwitchedSystem whole = two_sides(-1.0, 3.0);
  whole.guards[0].can_slide = false;
  Case barred(std::move(whole));
  EXPECT_EQ(barred.decide({1.0}).guards[0].value, -1.0);
}

TEST(Decision, RepellingKeepsTheSideBefore) {
  for (const double before : {1.0, -1.0}) {
    Case repels(two_sides(1.0, -1.0));
    const Decision& decision = repels.decide({before});
    EXPECT_TRUE(decision.is_repelling);
    EXPECT_EQ(decision.guards[0].value, before);
  }
}

TEST(Decision, RepellingAtTheStartIsDecidedAsWritten) {
  // sign: zero on the surface, where the blend stays.
  Case sign(two_sides(1.0, -1.0));
  const Decision& stays = sign.decide({0.0});
  EXPECT_TRUE(stays.is_repelling);
  EXPECT_EQ(stays.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(sign.evaluator.configuration.latched[0], 0.0);

  // if x > 0 then 1 else -1: false on the surface.
  SwitchedSystem relation = two_sides(1.0, -1.0);
  relation.rhs = [](double, Point, Sides s, std::span<double> xdot) { xdot[0] = s[0] > 0.0 ? 1.0 : -1.0; };
  Case written(std::move(relation));
  const Decision& decision = written.decide({0.0});
  EXPECT_TRUE(decision.is_repelling);
  EXPECT_EQ(decision.guards[0].kind, Kind::side);
  EXPECT_EQ(decision.guards[0].value, -1.0);
}

TEST(Decision, BackwardsInTimeAttractionAndRepulsionTrade) {
  Case slides(two_sides(1.0, -3.0));
  slides.point.direction = -1.0;
  const Decision& decision = slides.decide({1.0});
  EXPECT_TRUE(decision.slides);
  EXPECT_NEAR(decision.guards[0].value, 0.5, 1e-15);
  Case crosses(two_sides(1.0, 2.0));
  crosses.point.direction = -1.0;
  EXPECT_EQ(crosses.decide({1.0}).guards[0].value, -1.0);
}

// x'' = a(s) with the guard x and x' = 0 there: the second derivative decides.
SwitchedSystem second_order(double plus, double minus, double velocity_jump = 0.0) {
  SwitchedSystem system;
  system.n_states = 2;
  SwitchedSystem::Guard guard = SwitchedSystem::linear({1.0, 0.0});
  const auto acceleration = [plus, minus](Sides s) {
    return 0.5 * (1.0 + s[0]) * plus + 0.5 * (1.0 - s[0]) * minus;
  };
  guard.higher = [acceleration](double, Point, Sides s) { return std::vector<double>{acceleration(s)}; };
  system.guards = {guard};
  system.rhs = [acceleration, velocity_jump](double, Point x, Sides s, std::span<double> xdot) {
    xdot[0] = x[1] + 0.5 * (1.0 - s[0]) * velocity_jump;
    xdot[1] = acceleration(s);
  };
  return system;
}

TEST(Decision, TangencyIsDecidedByTheSecondDerivative) {
  Case up(second_order(1.0, 2.0));
  const Decision& decision = up.decide({-1.0});
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_EQ(decision.guards[0].order, 2);
  EXPECT_EQ(decision.guards[0].rate_plus, 1.0);
  Case down(second_order(-1.0, -2.0));
  EXPECT_EQ(down.decide({1.0}).guards[0].value, -1.0);
}

TEST(Decision, OneSideTangent) {
  // ġ₊ = 0 with g̈₊ > 0, ġ₋ = 1: the exit of a slide, or the last moment of crossing.
  Case leaves(second_order(1.0, 0.0, 1.0));
  EXPECT_EQ(leaves.decide({-1.0}).guards[0].value, 1.0);
  // g̈₊ < 0: the surface attracts from now on; the weight begins at its bound.
  Case stays(second_order(-1.0, 0.0, 1.0));
  const Decision& decision = stays.decide({-1.0});
  EXPECT_EQ(decision.guards[0].kind, Kind::slides);
  EXPECT_LT(decision.guards[0].value, 1.0);
  EXPECT_GT(decision.guards[0].value, 1.0 - 1e-15);
}

TEST(Decision, WeightAtItsBoundLeavesWhateverRoundingSays) {
  for (const double rounding : {-1e-15, 0.0, 1e-15}) {
    Case leaves(two_sides(rounding, 2.0));
    leaves.leaving = {1.0};
    EXPECT_EQ(leaves.decide({0.999}).guards[0].value, 1.0) << rounding;
    Case below(two_sides(-2.0, rounding));
    below.leaving = {-1.0};
    EXPECT_EQ(below.decide({-0.999}).guards[0].value, -1.0) << rounding;
  }
}

TEST(Decision, RestOfSecondOrderStaysZero) {
  // x'' = -sign(x) at rest on the surface.
  Case rest(second_order(-1.0, 1.0));
  const Decision& decision = rest.decide({0.0});
  EXPECT_EQ(decision.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(rest.evaluator.configuration.latched[0], 0.0);
}

TEST(Decision, GuardThatNothingMovesStaysZero) {
  Case idle(two_sides(0.0, 0.0));
  const Decision& decision = idle.decide({1.0});
  EXPECT_EQ(decision.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(decision.guards[0].encounter, Encounter::undecided);
}

// |x - 1|^1.5 locked as (s·(x - 1))^1.5: the side decided has no value where rounding has put x.
TEST(Decision, SideWithoutAValueBeyondTheSurfaceIsEvaluatedOnItsOwnSide) {
  SwitchedSystem system = two_sides(0.0, 0.0);
  system.guards = {SwitchedSystem::linear({1.0}, -1.0)};
  system.rhs = [](double, Point x, Sides s, std::span<double> xdot) {
    xdot[0] = 1.0 + std::pow(s[0] * (x[0] - 1.0), 1.5);
  };
  Case crosses(std::move(system));
  crosses.x = {1.0 - 2e-16};
  const Decision& decision = crosses.decide({-1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].value, 1.0);
  ASSERT_EQ(decision.own_side.size(), 1U);
  EXPECT_GT(decision.own_side[0], 1.0);
  EXPECT_LT(decision.own_side[0], 1.0 + 1e-14);
  crosses.x = {1.0 + 2e-16};
  EXPECT_TRUE(crosses.decide({-1.0}).own_side.empty()) << "nothing to move";
}

TEST(Decision, FailedEvaluationIsReported) {
  Case fails(two_sides(1.0, std::nan("")));
  const Decision& decision = fails.decide({1.0});
  EXPECT_EQ(decision.status, Decision::Status::evaluation_failed);
  EXPECT_EQ(decision.evaluation.status, system::Evaluation::Status::not_finite);
}

TEST(Decision, TwoModesOnOneSurface) {
  const SwitchedSystem right = two_sides(-1.0, -1.0);
  const SwitchedSystem left = two_sides(3.0, 3.0);
  SwitchedEvaluator plus(right);
  SwitchedEvaluator minus(left);
  Decider decider(1, plus.infos);
  const std::vector<double> x = {0.0};
  DecisionPoint point;
  point.x = x;
  const Decision& slides = decider.decide_pair(plus, minus, point, 0, 1.0);
  EXPECT_TRUE(slides.slides);
  EXPECT_NEAR(slides.guards[0].value, 0.5, 1e-15);
  const Decision& crosses = decider.decide_pair(plus, plus, point, 0, 1.0);
  EXPECT_EQ(crosses.guards[0].value, -1.0);
}

// x'' = -2 sign x - sign x' at the origin.
SwitchedSystem twisting() {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0}), SwitchedSystem::linear({0.0, 1.0})};
  system.guards[0].higher = [](double, Point, Sides s) {
    return std::vector<double>{-2.0 * s[0] - s[1], 0.0};
  };
  system.guards[1].higher = [](double, Point, Sides) { return std::vector<double>{0.0, 0.0}; };
  system.rhs = [](double, Point x, Sides s, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -2.0 * s[0] - s[1];
  };
  return system;
}

TEST(Decision, TwistingEndsOnBothSurfaces) {
  for (const double first : {1.0, -1.0}) {
    for (const double second : {1.0, -1.0}) {
      Case twist(twisting());
      const Decision& decision = twist.decide({first, second});
      ASSERT_TRUE(decision.ok());
      EXPECT_EQ(decision.guards[0].kind, Kind::slides);
      EXPECT_EQ(decision.guards[1].kind, Kind::slides);
      EXPECT_EQ(decision.guards[0].order, 2);
      EXPECT_NEAR(2.0 * decision.guards[0].value + decision.guards[1].value, 0.0, 1e-15);
      EXPECT_FALSE(decision.is_ambiguous) << "the weights are not unique but the motion is";
    }
  }
}

// Two surfaces, each with its own sides.
SwitchedSystem independent(double plus1, double minus1, double plus2, double minus2) {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0}), SwitchedSystem::linear({0.0, 1.0})};
  system.rhs = [=](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.5 * (1.0 + s[0]) * plus1 + 0.5 * (1.0 - s[0]) * minus1;
    xdot[1] = 0.5 * (1.0 + s[1]) * plus2 + 0.5 * (1.0 - s[1]) * minus2;
  };
  return system;
}

TEST(Decision, EachSurfaceOnItsOwn) {
  Case mixed(independent(-1.0, 3.0, 2.0, 1.0));
  const Decision& decision = mixed.decide({1.0, -1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[0].value, 0.5, 1e-15);
  EXPECT_EQ(decision.guards[1].kind, Kind::side);
  EXPECT_EQ(decision.guards[1].value, 1.0);
  EXPECT_EQ(decision.guards[1].encounter, Encounter::to_plus);
  EXPECT_NEAR(decision.guards[0].rate_minus, 3.0, 1e-15);
  EXPECT_EQ(mixed.decider.rhs_evaluations(), 4);  // k + 1 patterns and the answer
  EXPECT_FALSE(decision.is_ambiguous);
}

TEST(Decision, BarredGuardsCrossAndTheOthersAreAskedAgain) {
  SwitchedSystem system = independent(-1.0, 3.0, -2.0, 2.0);
  system.guards[0].can_slide = false;
  Case barred(std::move(system));
  const Decision& decision = barred.decide({1.0, 1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].value, -1.0);
  EXPECT_TRUE(decision.guards[0].is_barred);
  EXPECT_EQ(decision.guards[1].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[1].value, 0.0, 1e-15);
}

TEST(Decision, SeveralSolutionsAreReportedAndTheNearestTaken) {
  Case repels(independent(1.0, -1.0, 1.0, -1.0));
  const Decision& decision = repels.decide({1.0, -1.0});
  EXPECT_TRUE(decision.is_ambiguous);
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_EQ(decision.guards[1].value, -1.0);

  Case start(independent(1.0, -1.0, 1.0, -1.0));
  const Decision& written = start.decide({0.0, 0.0});
  EXPECT_TRUE(written.is_ambiguous);
  EXPECT_EQ(written.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(written.guards[1].kind, Kind::stays_zero);
}

TEST(Decision, OneOfTwoSurfacesIsLeft) {
  Case leaves(independent(1e-16, 2.0, -1.0, 1.0));
  leaves.leaving = {1.0, 0.0};
  const Decision& decision = leaves.decide({0.99, 0.2});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].value, 1.0);
  EXPECT_EQ(decision.guards[1].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[1].value, 0.0, 1e-15);
}

TEST(Decision, GuardThatStaysZeroIsNoPartOfTheProblem) {
  Case idle(independent(0.0, 0.0, -1.0, 3.0));
  const Decision& decision = idle.decide({1.0, 1.0});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision.guards[0].kind, Kind::stays_zero);
  EXPECT_EQ(decision.guards[1].kind, Kind::slides);
  EXPECT_NEAR(decision.guards[1].value, 0.5, 1e-15);
}

TEST(Decision, ProductsOfSidesAreSolvedByLinearisingAgain) {
  SwitchedSystem system = independent(0.0, 0.0, 0.0, 0.0);
  system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.1 - s[0] + 0.5 * s[0] * s[1];
    xdot[1] = 0.2 - s[1] + 0.3 * s[0] * s[1];
  };
  Case products(std::move(system));
  const Decision& decision = products.decide({1.0, -1.0});
  ASSERT_TRUE(decision.ok());
  const double a = decision.guards[0].value;
  const double b = decision.guards[1].value;
  EXPECT_EQ(decision.guards[0].kind, Kind::slides);
  EXPECT_NEAR(0.1 - a + 0.5 * a * b, 0.0, 1e-7);
  EXPECT_NEAR(0.2 - b + 0.3 * a * b, 0.0, 1e-7);
}

// Blocks on a table, coupled by springs through their accelerations' loads: one weight each.
TEST(Decision, TwentyBlocksWithFriction) {
  constexpr int kBlocks = 20;
  SwitchedSystem system;
  system.n_states = kBlocks;
  for (int i = 0; i < kBlocks; ++i) {
    std::vector<double> row(kBlocks, 0.0);
    row[static_cast<std::size_t>(i)] = 1.0;
    system.guards.push_back(SwitchedSystem::linear(row));
  }
  const auto load = [](std::size_t i) { return 1.5 * std::sin(3.0 * static_cast<double>(i)); };
  system.rhs = [load](double, Point, Sides s, std::span<double> xdot) {
    for (std::size_t i = 0; i < xdot.size(); ++i) {
      xdot[i] = load(i) - s[i];
    }
  };
  Case blocks(std::move(system));
  const Decision& decision = blocks.decide(std::vector<double>(kBlocks, 1.0));
  ASSERT_TRUE(decision.ok());
  EXPECT_LE(blocks.decider.rhs_evaluations(), kBlocks + 4) << "k + 1 patterns, not 2^k";
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const double expected = std::clamp(load(i), -1.0, 1.0);
    EXPECT_NEAR(decision.guards[i].value, expected, 1e-14) << i;
    EXPECT_EQ(decision.guards[i].kind, std::abs(load(i)) < 1.0 ? Kind::slides : Kind::side) << i;
  }
}

// A hundred contacts at one instant: velocities move the guards, whatever the sides; two evaluations are enough.
TEST(Decision, ContactsThatMeetTogether) {
  constexpr std::size_t kContacts = 100;
  SwitchedSystem system;
  system.n_states = 2 * kContacts;
  for (std::size_t i = 0; i < kContacts; ++i) {
    std::vector<double> row(2 * kContacts, 0.0);
    row[i] = 1.0;
    system.guards.push_back(SwitchedSystem::linear(row));
  }
  const auto velocity = [](std::size_t i) {
    return (i % 2 == 0 ? -1.0 : 1.0) * (1.0 + 0.01 * static_cast<double>(i));
  };
  system.rhs = [velocity](double, Point, Sides s, std::span<double> xdot) {
    for (std::size_t i = 0; i < kContacts; ++i) {
      xdot[i] = velocity(i);
      xdot[kContacts + i] = s[i] > 0.0 ? 0.0 : 100.0;
    }
  };
  std::vector<double> before(kContacts);
  for (std::size_t i = 0; i < kContacts; ++i) {
    before[i] = velocity(i) > 0.0 ? -1.0 : 1.0;
  }
  Case contacts(std::move(system));
  const Decision& decision = contacts.decide(before);
  ASSERT_TRUE(decision.ok());
  EXPECT_FALSE(decision.is_ambiguous);
  EXPECT_EQ(contacts.decider.rhs_evaluations(), 2);
  for (std::size_t i = 0; i < kContacts; ++i) {
    EXPECT_EQ(decision.guards[i].value, -before[i]) << i;
    EXPECT_EQ(decision.derivative[kContacts + i], before[i] > 0.0 ? 100.0 : 0.0) << i;
  }
}

// Random affine problems with a dominant diagonal have one solution; the conditions are checked on the field itself.
TEST(Decision, RandomFrictionProblemsSatisfyTheConditions) {
  constexpr unsigned kSeed = 577215;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 500; ++trial) {
    const auto k = static_cast<std::size_t>(2 + trial % 5);
    std::vector<double> matrix(k * k);
    std::vector<double> load(k);
    std::vector<double> before(k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        matrix[i * k + j] = uniform(random) - (i == j ? static_cast<double>(k) : 0.0);
      }
      load[i] = 2.0 * static_cast<double>(k) * uniform(random);
      before[i] = uniform(random) < 0.0 ? -1.0 : 1.0;
    }
    SwitchedSystem system;
    system.n_states = static_cast<Index>(k);
    for (std::size_t i = 0; i < k; ++i) {
      std::vector<double> row(k, 0.0);
      row[i] = 1.0 + uniform(random) * 0.5;
      system.guards.push_back(SwitchedSystem::linear(row));
    }
    system.rhs = [&matrix, &load, k](double, Point, Sides s, std::span<double> xdot) {
      for (std::size_t i = 0; i < k; ++i) {
        xdot[i] = load[i];
        for (std::size_t j = 0; j < k; ++j) {
          xdot[i] += matrix[i * k + j] * s[j];
        }
      }
    };
    Case problem(std::move(system));
    const Decision& decision = problem.decide(before);
    ASSERT_TRUE(decision.ok()) << "seed " << kSeed << " trial " << trial;
    EXPECT_FALSE(decision.is_ambiguous);
    std::vector<double> xdot(k);
    ASSERT_TRUE(problem.evaluator.rhs(0.0, problem.x, xdot).ok());
    for (std::size_t i = 0; i < k; ++i) {
      const double s = decision.guards[i].value;
      const double violation = s == 1.0 ? -xdot[i] : s == -1.0 ? xdot[i] : std::abs(xdot[i]);
      EXPECT_LE(violation, 1e-12) << "seed " << kSeed << " trial " << trial;
    }
  }
}

TEST(Decision, NothingIsAllocatedTheSecondTime) {
  Case one(two_sides(2.0, 1.0));
  Case several(independent(-1.0, 3.0, 2.0, 1.0));
  ASSERT_TRUE(one.decide({-1.0}).ok());
  ASSERT_TRUE(several.decide({1.0, -1.0}).ok());
  const std::vector<double> before = {-1.0};
  const std::vector<double> both = {1.0, -1.0};
  const test::AllocationGuard allocations;
  ASSERT_TRUE(one.decide(before).ok());
  ASSERT_TRUE(several.decide(both).ok());
  EXPECT_EQ(allocations.count(), 0);
}

TEST(Decision, MotionOfAGuardThatMattersToRoundsAlone) {
  Case rounds(two_sides(-2.0, 1.0));
  rounds.point.x = rounds.x;
  Motion motion;
  rounds.evaluator.set_latched(0, 1.0);
  ASSERT_TRUE(rounds.decider.motion(rounds.evaluator, rounds.point, 0, motion).ok());
  EXPECT_EQ(motion.sign, -1);
  EXPECT_EQ(motion.order, 1);
}

}  // namespace
}  // namespace saltus::slide
