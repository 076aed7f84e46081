// SimulationOptions::times: rows where they are asked for.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

const char* const kBall = R"(model Ball
  parameter Real g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    reinit(v, -0.8*pre(v));
  end when;
  annotation(experiment(Interval = 0.01));
end Ball;
)";

TEST(GivenTimes, RowsAreThereAndAtEvents) {
  const Model model = Model::from_text("m.mo", kBall).value();
  const SimulationResult run = simulate(model, {.stop = 1.0, .times = {0.25, 0.3, 0.9}}).value();
  std::vector<double> times(run.trajectory.times().begin(), run.trajectory.times().end());
  const double bounce = std::sqrt(2.0 / 9.81);
  ASSERT_EQ(times.size(), 7U);
  EXPECT_EQ(times[0], 0.0);
  EXPECT_EQ(times[1], 0.25);
  EXPECT_EQ(times[2], 0.3);
  EXPECT_NEAR(times[3], bounce, 1e-6);
  EXPECT_EQ(times[3], times[4]);
  EXPECT_EQ(times[5], 0.9);
  EXPECT_EQ(times[6], 1.0);
}

TEST(GivenTimes, MustFollowEachOtherWithinTheRun) {
  const Model model = Model::from_text("m.mo", kBall).value();
  for (const std::vector<double>& times :
       {std::vector<double>{0.5, 0.4}, {0.5, 0.5}, {-1.0}, {2.0}, {std::nan("")}}) {
    EXPECT_TRUE(validate(model, {.stop = 1.0, .times = times}).has_errors());
  }
  EXPECT_TRUE(validate(model, {.stop = 1.0, .interval = 0.1, .times = {0.5}}).has_errors());
  EXPECT_FALSE(validate(model, {.start = 1.0, .stop = 0.0, .times = {0.9, 0.1}}).has_errors());
}

}  // namespace
}  // namespace saltus
