// The two continuous extensions of a step as a measure of its error.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/integration_fixture.hpp"
#include "support/problems/rotating_decay.hpp"

namespace saltus::test {
namespace {

using integrate::DenseOutput;

// Error of the extension of order 5 at θ of the step of size h that starts at t.
double error_of_full_extension(Integration& run, const Problem& problem, double theta, double tolerance) {
  trajectory::SegmentView segment;
  EXPECT_TRUE(run.stepper.dense_output(DenseOutput::full, segment).ok());
  std::vector<double> x(2);
  segment.evaluate(theta, x);
  const std::vector<double> exact = problem.exact(segment.start_time() + theta * segment.step());
  return std::hypot(x[0] - exact[0], x[1] - exact[1]) / (std::sqrt(2.0) * tolerance);
}

// Both meet the end of the step, whose error is the estimate's; in between and where events are extrapolated to, their
// difference is the error of the one of lower order.
TEST(ExtensionError, BoundsTheErrorOfTheFullExtension) {
  const Problem problem = rotating_decay();
  constexpr double kStep = 0.1;
  constexpr double kTolerance = 1e-3;
  for (const double start : {0.0, 0.4, 0.8, 1.2, 1.6}) {
    Integration run(problem, "dopri5", tolerances(2, 0.0, kTolerance));
    ASSERT_TRUE(run.stepper.restart(trajectory::CompensatedTime(start), problem.exact(start)).ok());
    const integrate::StepAttempt attempt = run.stepper.attempt(kStep);
    ASSERT_TRUE(attempt.good());
    for (const double theta : {0.2, 0.4, 0.6, 0.8, 1.1, 1.2, 1.3}) {
      const double error = error_of_full_extension(run, problem, theta, kTolerance);
      EXPECT_LE(error, run.stepper.extension_error(theta) + attempt.error) << start << " " << theta;
    }
    EXPECT_LE(run.stepper.extension_error(1.0), 1e-9);
  }
}

// Both measures are errors of solutions of order 4, made comparable by the principal terms: on the mean they agree.
TEST(ExtensionError, SecondErrorIsOfTheSizeOfTheEstimate) {
  const Problem problem = rotating_decay();
  constexpr double kTolerance = 1e-3;
  double log_sum = 0.0;
  int n = 0;
  for (double start = 0.0; start < 2.0; start += 0.1) {
    Integration run(problem, "dopri5", tolerances(2, 0.0, kTolerance));
    ASSERT_TRUE(run.stepper.restart(trajectory::CompensatedTime(start), problem.exact(start)).ok());
    const integrate::StepAttempt attempt = run.stepper.attempt(0.05);
    ASSERT_TRUE(attempt.good());
    log_sum += std::log(run.stepper.second_error() / attempt.error);
    ++n;
  }
  EXPECT_GT(std::exp(log_sum / n), 0.3);
  EXPECT_LT(std::exp(log_sum / n), 3.0);
}

TEST(ExtensionError, IsNotKnownWithOneExtensionOrWithoutAnErrorTest) {
  const Problem problem = rotating_decay();
  Integration other(problem, "fehlberg45", tolerances(2, 1e-3, 1e-3));
  ASSERT_TRUE(other.stepper.attempt(0.1).good());
  EXPECT_EQ(other.stepper.extension_error(0.5), 0.0);
  EXPECT_EQ(other.stepper.second_error(), 0.0);
  Integration fixed = fixed_step_integration(problem, "dopri5", 0.1);
  ASSERT_TRUE(fixed.stepper.attempt(0.1).good());
  EXPECT_EQ(fixed.stepper.second_error(), 0.0);
}

}  // namespace
}  // namespace saltus::test
