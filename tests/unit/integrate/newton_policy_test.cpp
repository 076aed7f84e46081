#include "integrate/step/newton_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace saltus::integrate {
namespace {

using Verdict = NewtonConvergence::Verdict;

TEST(NewtonConvergence, FastIterationEndsWhereItsErrorIsBelowTheTolerance) {
  NewtonConvergence convergence({.tolerance = 1e-3});
  convergence.begin();
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on);
  // θ = 0.01: the error left is about 0.01 · 0.01.
  EXPECT_EQ(convergence.after(0.01), Verdict::converged);
  EXPECT_DOUBLE_EQ(convergence.rate(), 0.01);
  EXPECT_EQ(convergence.iterations(), 2);
  // The rate serves the first iteration of the next step: η = 0.0101^0.8 = 0.025.
  convergence.begin();
  EXPECT_EQ(convergence.after(0.03), Verdict::converged);
  convergence.begin();
  EXPECT_EQ(convergence.after(0.03), Verdict::go_on) << "η grows back towards 1 while no rate is seen";
  convergence.forget();
  convergence.begin();
  EXPECT_EQ(convergence.after(0.002), Verdict::go_on);
}

TEST(NewtonConvergence, ARateOfAnotherMatrixIsNotBelieved) {
  NewtonConvergence convergence({.tolerance = 0.1});
  convergence.begin();
  EXPECT_EQ(convergence.after(1e3), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e-6), Verdict::converged);
  convergence.begin(0.2);
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on) << "0.25 are left";
  EXPECT_EQ(convergence.after(0.2), Verdict::converged);
}

TEST(NewtonConvergence, AStepThatConvergedAtOnceIsNotBelievedBlindly) {
  NewtonConvergence convergence({.tolerance = 1.0});
  convergence.begin();
  EXPECT_EQ(convergence.after(1e9), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e-5), Verdict::converged);
  convergence.begin();
  EXPECT_EQ(convergence.after(2e7), Verdict::go_on) << "a correction of 2e7 tolerances is not the last one";
}

// Fixed steps: corrections of 1e-12 of the size are far from the end where they still shrink, and the end where they do not.
TEST(NewtonConvergence, FixedStepsGoOnUntilCorrectionsShrinkNoMore) {
  NewtonConvergence convergence(fixed_step_newton(4));
  convergence.begin_step(true);
  convergence.begin();
  EXPECT_EQ(convergence.after(1e6), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e3), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.01), Verdict::converged) << "left: 0.01 θ/(1 - θ) of 1e-12, below rounding";
  convergence.begin();
  EXPECT_EQ(convergence.after(1e3), Verdict::go_on) << "every system measures its rates";
  EXPECT_EQ(convergence.after(1e2), Verdict::go_on);
  EXPECT_EQ(convergence.after(5.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.5), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.48), Verdict::converged) << "rounding";
}

// A matrix with slopes far too large makes all corrections small, of whatever size the residual is.
TEST(NewtonConvergence, FirstCorrectionEndsNoStepThatHasNoRate) {
  NewtonConvergence convergence({.tolerance = 1e-3, .noise = 1e-12});
  convergence.begin_step(false);
  convergence.begin();
  EXPECT_EQ(convergence.after(1e-9), Verdict::go_on) << "it says nothing of the distance to the solution";
  EXPECT_EQ(convergence.after(1e-9), Verdict::diverges);
  convergence.begin_step(false);
  convergence.begin();
  EXPECT_EQ(convergence.after(1e-9), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e-10), Verdict::converged);
  // The next stage has that rate to go by, the next step has not.
  convergence.begin();
  EXPECT_EQ(convergence.after(1e-9), Verdict::converged);
  convergence.begin_step(false);
  convergence.begin();
  EXPECT_EQ(convergence.after(1e-9), Verdict::go_on);
  convergence.begin_step(false);
  convergence.begin();
  EXPECT_EQ(convergence.after(1e-12), Verdict::converged) << "rounding";
}

// The first quotient is small because linear equations are solved by the first correction, whatever the others do.
TEST(NewtonConvergence, CarefulStepsHaveTwoRatesInEachStage) {
  NewtonConvergence convergence({.tolerance = 0.03, .noise = 1e-12});
  convergence.begin_step(true);
  for (int stage = 0; stage < 2; ++stage) {
    convergence.begin();
    EXPECT_EQ(convergence.after(460.0), Verdict::go_on);
    EXPECT_EQ(convergence.after(1.0), Verdict::go_on) << stage;
    EXPECT_EQ(convergence.after(0.01), Verdict::converged) << stage;
  }
  convergence.begin();
  EXPECT_EQ(convergence.after(460.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.99), Verdict::go_on) << "the mean is 0.046, and the error left 99 of 0.99";
  EXPECT_EQ(convergence.after(0.985), Verdict::diverges);
  convergence.begin();
  EXPECT_EQ(convergence.after(460.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e-13), Verdict::converged) << "all equations are linear";
}

TEST(NewtonConvergence, IterationThatSlowsDownEndsByItsLastQuotient) {
  NewtonConvergence convergence({.tolerance = 0.03});
  convergence.begin_step(false);
  convergence.begin();
  EXPECT_EQ(convergence.after(9.4), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.064), Verdict::converged);
  convergence.begin_step(true);
  convergence.begin();
  EXPECT_EQ(convergence.after(9.4), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.064), Verdict::go_on);
  // The mean of 0.0068 and 0.5 would leave 0.002; it is 0.032.
  EXPECT_EQ(convergence.after(0.032), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.016), Verdict::converged);
}

TEST(NewtonConvergence, RateOfAStepIsTheLargestOfItsStages) {
  NewtonConvergence convergence({.tolerance = 1e-2});
  convergence.begin_step(false);
  for (const double quotient : {1e-4, 5e-3, 1e-5}) {
    convergence.begin();
    EXPECT_EQ(convergence.after(100.0), Verdict::go_on);
    EXPECT_EQ(convergence.after(100.0 * quotient), Verdict::converged);
  }
  EXPECT_DOUBLE_EQ(convergence.rate(), 1e-5);
  EXPECT_DOUBLE_EQ(convergence.step_rate().value(), 5e-3);
  convergence.begin_step(false);
  EXPECT_FALSE(convergence.step_rate().has_value());
}

TEST(NewtonConvergence, CorrectionsMayShrinkInEveryOtherIteration) {
  NewtonConvergence patient({.max_iterations = 25, .tolerance = 1.0, .judged_from = 3});
  patient.begin();
  for (const double norm : {5e5, 7e5, 7e3, 4e3, 60.0, 20.0}) {
    EXPECT_EQ(patient.after(norm), Verdict::go_on) << norm;
  }
  EXPECT_EQ(patient.after(0.4), Verdict::converged);
  NewtonConvergence hasty({.max_iterations = 25, .tolerance = 1.0});
  hasty.begin();
  EXPECT_EQ(hasty.after(5e5), Verdict::go_on);
  EXPECT_EQ(hasty.after(7e5), Verdict::diverges);
}

TEST(NewtonConvergence, CorrectionOfZeroHasConverged) {
  NewtonConvergence convergence({.tolerance = 1e-3});
  convergence.begin();
  EXPECT_EQ(convergence.after(0.0), Verdict::converged);
  EXPECT_EQ(convergence.rate(), 0.0);
}

TEST(NewtonConvergence, DivergenceHalvesTheStep) {
  NewtonConvergence convergence({.tolerance = 1e-3});
  convergence.begin();
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.995), Verdict::diverges);
  EXPECT_EQ(convergence.step_factor(), 0.5);
  convergence.begin();
  EXPECT_EQ(convergence.after(std::numeric_limits<double>::quiet_NaN()), Verdict::diverges);
  EXPECT_EQ(convergence.step_factor(), 0.5);
}

TEST(NewtonConvergence, SlowIterationIsGivenUpEarlyWithASizeFromItsRate) {
  NewtonConvergence convergence({.max_iterations = 7, .tolerance = 1e-3});
  convergence.begin();
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on);
  // θ = 0.8: after the four iterations that are left the error is 4 · 0.8 · 0.8⁴ = 1.31.
  EXPECT_EQ(convergence.after(0.8), Verdict::too_slow);
  EXPECT_NEAR(convergence.step_factor(), 0.8 * std::pow(20.0, -1.0 / 8.0), 1e-12);
}

TEST(NewtonConvergence, RateIsTheGeometricMeanOfTheLastTwo) {
  NewtonConvergence convergence({.tolerance = 1e-11});
  convergence.begin();
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e-2), Verdict::go_on);
  EXPECT_EQ(convergence.after(1e-6), Verdict::go_on);
  EXPECT_NEAR(convergence.rate(), 1e-3, 1e-15);
}

TEST(NewtonConvergence, LastIterationDecidesWithoutANewRate) {
  NewtonConvergence convergence({.max_iterations = 2, .tolerance = 1e-6});
  convergence.begin();
  EXPECT_EQ(convergence.after(1.0), Verdict::go_on);
  EXPECT_EQ(convergence.after(0.5), Verdict::too_slow);
  EXPECT_EQ(convergence.step_factor(), 0.5);
}

TEST(NewtonTolerance, IsTheSquareRootBetweenTheBoundsOfRadau5) {
  EXPECT_DOUBLE_EQ(newton_tolerance(1e-6), 1e-3);
  EXPECT_DOUBLE_EQ(newton_tolerance(1e-1), 0.03);
  EXPECT_GT(newton_tolerance(1e-14), 0.1);
}

TEST(NewtonNoise, IsRoundingInUnitsOfTheTolerance) {
  EXPECT_NEAR(newton_noise(1e-3), 2.2e-11, 1e-12);
  EXPECT_TRUE(std::isfinite(newton_noise(0.0)));
}

TEST(JacobianPolicy, JacobianIsKeptWhileTheIterationIsFast) {
  JacobianPolicy policy;
  EXPECT_TRUE(policy.needs_jacobian());
  policy.jacobian_evaluated();
  EXPECT_FALSE(policy.needs_jacobian());
  EXPECT_TRUE(policy.is_current());
  EXPECT_TRUE(policy.needs_factorization(0.1));
  policy.factorized(0.1);
  EXPECT_FALSE(policy.needs_factorization(0.1));
  EXPECT_TRUE(policy.needs_factorization(0.1001));
  EXPECT_TRUE(policy.needs_factorization(-0.1));
  policy.step_accepted(5e-4);
  EXPECT_FALSE(policy.needs_jacobian());
  EXPECT_FALSE(policy.is_current());
  EXPECT_FALSE(policy.needs_factorization(0.1));
  policy.step_accepted(2e-3);
  EXPECT_TRUE(policy.needs_jacobian());
}

TEST(JacobianPolicy, AStepWithoutARateSaysNothingOfItsJacobian) {
  JacobianPolicy policy;
  policy.jacobian_evaluated();
  policy.step_accepted(std::nullopt);
  EXPECT_TRUE(policy.needs_jacobian());
}

// What comes into the result many times is solved for as many times as well, where the tolerance alone does not ask for it.
TEST(NewtonTolerance, IsThatOfTheResult) {
  EXPECT_EQ(newton_tolerance(1e-2), 0.03);
  EXPECT_NEAR(newton_tolerance(1e-2, 45.0) * 45.0, 0.03, 1e-12);
  EXPECT_EQ(newton_tolerance(1e-8, 45.0), newton_tolerance(1e-8)) << "1e-4 there is 0.0045 in the result";
  EXPECT_EQ(newton_tolerance(1e-13, 1e6), newton_tolerance(1e-13)) << "rounding";
}

TEST(JacobianPolicy, FailedStepBlamesOnlyAnOldJacobian) {
  JacobianPolicy policy;
  policy.jacobian_evaluated();
  policy.step_failed();
  EXPECT_FALSE(policy.needs_jacobian());
  policy.step_accepted(0.0);
  policy.step_failed();
  EXPECT_TRUE(policy.needs_jacobian());
}

TEST(JacobianPolicy, RestartKeepsNothingAndAConstantJacobianStays) {
  JacobianPolicy policy;
  policy.jacobian_evaluated();
  policy.factorized(0.1);
  policy.restarted(true);
  EXPECT_TRUE(policy.needs_jacobian());
  EXPECT_TRUE(policy.needs_factorization(0.1));
  policy.jacobian_evaluated();
  policy.step_accepted(0.5);
  EXPECT_FALSE(policy.needs_jacobian());
  EXPECT_TRUE(policy.is_current());
}

}  // namespace
}  // namespace saltus::integrate
