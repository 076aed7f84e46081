// Models in which nothing is integrated: steps follow what the variables do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus {
namespace {

using test::HybridRun;
using test::run_text;

const std::string kImplicit =
    "model M\n Real y;\n Integer n(start = 0, fixed = true);\nequation\n y^3 + y = 1 - 4*sin(time);\n when y "
    "< 0 "
    "then\n  n = pre(n) + 1;\n end when;\nend M;\n";

TEST(NoStates, AClauseOnAnImplicitVariable) {
  for (const char* method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
    const HybridRun run = run_text(kImplicit, {{"stop", "100"}, {"method", method}});
    const std::vector<double> times = run.times("when");
    ASSERT_EQ(times.size(), 16U) << method << run.log();
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(times[k], std::asin(0.25) + 2.0 * M_PI * static_cast<double>(k), 1e-9) << method;
    }
    const HybridRun back = run_text(kImplicit, {{"start", "100"}, {"stop", "0"}, {"method", method}});
    EXPECT_EQ(back.times("when").size(), 16U) << method;
  }
}

// y³ - 3y = u has three solutions for |u| < 2: the one of the start is followed as long as it exists, over many periods.
TEST(NoStates, ABranchIsFollowed) {
  const HybridRun run =
      run_text("model M\n Real y(start = 2);\nequation\n y^3 - 3*y = 1.5*sin(7*time);\nend M;\n",
               {{"stop", "50"}, {"interval", "0.37"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  for (const auto& row : run.rows) {
    const double y = row.values[run.column("y")];
    EXPECT_GT(y, 1.0) << row.time;
    EXPECT_NEAR(y * y * y - 3.0 * y, 1.5 * std::sin(7.0 * row.time), 1e-9);
  }
}

// Steps are as long as the variables allow: about as many for a tolerance of 1e-10 as (1e4)^(1/8) times those for 1e-6.
TEST(NoStates, StepsFollowTheTolerance) {
  const auto steps = [](const char* tolerance) {
    return run_text(kImplicit, {{"stop", "100"}, {"tolerance", tolerance}}).result.statistics.accepted_steps;
  };
  EXPECT_LT(steps("1e-6"), 500);
  EXPECT_GT(steps("1e-10"), steps("1e-6"));
  EXPECT_LT(steps("1e-10"), 6 * steps("1e-6"));
}

// A jump that nobody announced does not stop the run.
TEST(NoStates, AJumpWithoutAnEventIsPassed) {
  const HybridRun run =
      run_text("model M\n Real y;\nequation\n y = noEvent(if sin(time) > 0.3 then 1 else 0);\nend M;\n",
               {{"stop", "10"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_LT(run.result.statistics.accepted_steps, 2000);
}

// What can only be evaluated is sampled, and counted.
TEST(NoStates, SampledConditionsAreCounted) {
  const HybridRun run = run_text(
      "model M\n Real y;\n Integer n(start = 0, fixed = true);\nequation\n y^3 + y = noEvent(if time > 60 "
      "then 2 else "
      "1)*exp(-((time - 31.4)/0.2)^2);\n when y > 0.5 then\n  n = pre(n) + 1;\n end when;\nend M;\n",
      {{"stop", "100"}});
  EXPECT_EQ(run.times("when").size(), 1U) << run.log();
  ASSERT_EQ(run.result.statistics.guards.size(), 1U);
  EXPECT_GT(run.result.statistics.guards[0].sampled_steps, 0);
  EXPECT_EQ(run.result.statistics.guards[0].proved_steps, 0);
}

}  // namespace
}  // namespace saltus
