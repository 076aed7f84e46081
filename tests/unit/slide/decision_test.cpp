#include "slide/decide/decision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "unit/slide/decision_case.hpp"

namespace saltus::slide {
namespace {

using test::SwitchedEvaluator;
using test::SwitchedSystem;
using Point = SwitchedSystem::Point;
using Sides = SwitchedSystem::Sides;
using Kind = GuardDecision::Kind;

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
