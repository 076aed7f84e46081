#include "nonlinear/damped_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace saltus::nonlinear {
namespace {

// One equation in one unknown; a value that is not finite counts as none.
struct Scalar {
  std::function<double(double)> r;
  std::function<double(double)> slope;
  double z;
  double d = 0.0;
  double simplified = 0.0;
  double trial = 0.0;
  double kept = 0.0;
  double matrix = 0.0;
  double smallest_taken = 1.0;
  int n_trials = 0;
  bool took_correction = false;
  bool took_simplified = false;

  bool correct(CorrectionSize& size) {
    matrix = slope(z);
    if (matrix == 0.0 || !std::isfinite(r(z))) {
      return false;
    }
    d = -r(z) / matrix;
    size.part = size.length = std::abs(d) / std::max(std::abs(z), 1.0);
    return true;
  }
  std::optional<double> try_step(double damping) {
    ++n_trials;
    trial = z + damping * d;
    if (!std::isfinite(r(trial))) {
      return std::nullopt;
    }
    simplified = r(trial) / matrix;
    return std::abs(simplified) / std::max(std::abs(z), 1.0);
  }
  double take_trial(double damping, double /*length*/, double /*next*/) {
    smallest_taken = std::min(smallest_taken, damping);
    z = trial;
    return 1.0;
  }
  void keep() { kept = z; }
  void return_to_kept() { z = kept; }
  void take_correction() {
    took_correction = true;
    z += d;
  }
  void take_simplified() {
    took_simplified = true;
    z -= simplified;
  }
};

constexpr NewtonPolicy kPolicy = {.noise = 1e-7, .contraction = 0.1};

TEST(DampedNewton, ComesFromWhereFullStepsDiverge) {
  Scalar problem{[](double z) { return std::atan(z - 2.0); },
                 [](double z) { return 1.0 / (1.0 + (z - 2.0) * (z - 2.0)); }, 30.0};
  const NewtonOutcome outcome = damped_newton(problem, kPolicy);
  EXPECT_EQ(outcome.end, NewtonEnd::arrived);
  EXPECT_DOUBLE_EQ(problem.z, 2.0);
  EXPECT_LT(problem.smallest_taken, 1.0);
}

TEST(DampedNewton, TheDemandDecidesWhichStepsAreTaken) {
  // ‖d̄‖/‖d‖ of the full step from 1.3 is about 0.9: enough for none, too much for a half.
  const auto run = [](double demand) {
    Scalar problem{[](double z) { return std::atan(z); }, [](double z) { return 1.0 / (1.0 + z * z); }, 1.3};
    NewtonPolicy policy = kPolicy;
    policy.demand = demand;
    EXPECT_EQ(damped_newton(problem, policy).end, NewtonEnd::arrived);
    return problem.smallest_taken;
  };
  EXPECT_EQ(run(0.01), 1.0);
  EXPECT_EQ(run(0.5), 0.5);
}

TEST(DampedNewton, StepsOutOfTheDomainAreHalved) {
  // From 5 the full step leads to 5 - 5·log 5 < 0.
  Scalar problem{[](double z) { return std::log(z); }, [](double z) { return 1.0 / z; }, 5.0};
  EXPECT_EQ(damped_newton(problem, kPolicy).end, NewtonEnd::arrived);
  EXPECT_DOUBLE_EQ(problem.z, 1.0);
  EXPECT_EQ(problem.smallest_taken, 0.5);
}

TEST(DampedNewton, HowItEnds) {
  // No root: r ≥ 1.
  Scalar none{[](double z) { return z * z + 1.0; }, [](double z) { return 2.0 * z; }, 1.0};
  const NewtonEnd end = damped_newton(none, kPolicy).end;
  EXPECT_TRUE(end == NewtonEnd::no_damping || end == NewtonEnd::failed);
  Scalar flat{[](double) { return 1.0; }, [](double) { return 0.0; }, 1.0};
  EXPECT_EQ(damped_newton(flat, kPolicy).end, NewtonEnd::failed);
  // z³ converges linearly: by 2/3 a step, which full steps with a demand of a quarter are taken for.
  Scalar slow{[](double z) { return z * z * z; }, [](double z) { return 3.0 * z * z; }, 1.0};
  NewtonPolicy few = kPolicy;
  few.most_steps = 5;
  few.demand = 0.25;
  const NewtonOutcome outcome = damped_newton(slow, few);
  EXPECT_EQ(outcome.end, NewtonEnd::too_many_steps);
  EXPECT_EQ(outcome.n_steps, 5);
}

TEST(DampedNewton, TheLastCorrectionIsAppliedOrNot) {
  const auto square = [](double z) { return z * z - 2.0; };
  const auto slope = [](double z) { return 2.0 * z; };
  Scalar taken{square, slope, 1.5};
  EXPECT_EQ(damped_newton(taken, kPolicy).end, NewtonEnd::arrived);
  EXPECT_TRUE(taken.took_correction);
  EXPECT_DOUBLE_EQ(taken.z, std::sqrt(2.0));
  Scalar left{square, slope, 1.5};
  NewtonPolicy leaves = {.exact = 1e-5, .takes_last = false};
  EXPECT_EQ(damped_newton(left, leaves).end, NewtonEnd::arrived);
  EXPECT_FALSE(left.took_correction);
  EXPECT_NE(left.z, std::sqrt(2.0));
  EXPECT_NEAR(left.z, std::sqrt(2.0), 1e-5);
  // The simplified correction saves the last matrix.
  Scalar simplified{square, slope, 1.5};
  NewtonPolicy saves = kPolicy;
  saves.left_behind = 0x1p-54;
  EXPECT_EQ(damped_newton(simplified, saves).end, NewtonEnd::arrived);
  EXPECT_TRUE(simplified.took_simplified);
  EXPECT_FALSE(simplified.took_correction);
  EXPECT_DOUBLE_EQ(simplified.z, std::sqrt(2.0));
}

TEST(DampedNewton, RoundingEndsIt) {
  // Values in units of 1e-9: corrections come to rest at that size.
  Scalar problem{[](double z) { return std::round((z - 1.0) * 1e9) * 1e-9 + 4e-10; },
                 [](double) { return 1.0; }, 1.1};
  EXPECT_EQ(damped_newton(problem, kPolicy).end, NewtonEnd::arrived);
  EXPECT_NEAR(problem.z, 1.0, 2e-9);
}

// From afar small solutions look like one multiple root: corrections shrink by a fixed factor, whatever is left of them.
TEST(DampedNewton, SmallSolutionsOfPowers) {
  for (const int power : {2, 3, 4, 5}) {
    for (const double root : {1e-3, 1e-6, 2e-8, 3e-9, 1e-10}) {
      for (const double factor : {1e-9, 1.0, 1e9}) {
        const double right = factor * std::pow(root, power);
        Scalar problem{[=](double z) { return factor * std::pow(z, power) - right; },
                       [=](double z) { return factor * power * std::pow(z, power - 1); }, 1.0};
        NewtonPolicy policy = kPolicy;
        policy.most_steps = 300;
        policy.demand = 0.25;
        policy.left_behind = 0x1p-54;
        EXPECT_EQ(damped_newton(problem, policy).end, NewtonEnd::arrived) << power << " " << root;
        EXPECT_NEAR(problem.z, root, 1e-9 * root) << power;
      }
    }
  }
}

// From the other side the iteration passes zero, where the slope vanishes, by a step that is longer than those before.
TEST(DampedNewton, SmallSolutionsBehindZero) {
  for (const double root : {1e-6, 2e-8, 1e-9}) {
    for (const double start : {-0.5, -1.0, -3.0}) {
      Scalar problem{[=](double z) { return z * z * z - root * root * root; },
                     [](double z) { return 3.0 * z * z; }, start};
      NewtonPolicy policy = kPolicy;
      policy.most_steps = 300;
      policy.left_behind = 0x1p-54;
      if (damped_newton(problem, policy).end == NewtonEnd::arrived) {
        EXPECT_NEAR(problem.z, root, 1e-9 * root) << start;
      }
    }
  }
}

// A slope that vanishes at the root leaves half of the digits: the iteration ends where rounding makes corrections grow.
TEST(DampedNewton, DoubleRootEndsAtItsRounding) {
  Scalar problem{[](double z) { return z * z - 2.0 * z + 1.0; }, [](double z) { return 2.0 * z - 2.0; }, 3.0};
  EXPECT_EQ(damped_newton(problem, kPolicy).end, NewtonEnd::arrived);
  EXPECT_NEAR(problem.z, 1.0, 1e-7);
  // A fold: two solutions meet, with rounding of 3.
  for (const double start : {-2.0, -1.7, -1.2}) {
    Scalar fold{[](double z) { return z * z * z - 3.0 * z - 2.0; },
                [](double z) { return 3.0 * z * z - 3.0; }, start};
    EXPECT_EQ(damped_newton(fold, kPolicy).end, NewtonEnd::arrived);
    EXPECT_NEAR(fold.z, -1.0, 1e-7) << start;
  }
}

}  // namespace
}  // namespace saltus::nonlinear
