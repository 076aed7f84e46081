// Guards that leave their surface slowly: value, rate and second derivative are zero when a contact ends, and for a while the guard is smaller
// than the error of the extension on which it is looked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class SlowDeparture : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, SlowDeparture,
                         ::testing::Values("dopri5", "radau5", "bdf", "sdirk4", "rk23"),
                         [](const auto& given) { return given.param; });

std::string shaker(double omega) {
  return "model M\n parameter Real g = 9.81, a = 0.05, omega = " + number(omega) +
         ";\n Real table = a*sin(omega*time), speed = a*omega*cos(omega*time);\n"
         " Real y(start = 0), v(start = a*omega), force;\nequation\n der(y) = v;\n der(v) = force - g;\n"
         "initial mode resting\n equation\n  y = table;\n transition to flying when force < 0;\nend "
         "resting;\n"
         "mode flying\n equation\n  force = 0;\n transition to resting when y < table then\n  v = speed;\n "
         "end "
         "transition;\nend flying;\nend M;\n";
}

// Between 15 and 18 rad/s a flight is shorter than a period: the same two events in each.
TEST_P(SlowDeparture, AContactEndsOnceInEachPeriod) {
  for (const double omega : {15.0, 16.0, 16.5, 17.0, 17.5}) {
    const HybridRun run = run_text(shaker(omega), {{"stop", number(10 * M_PI / omega)},
                                                   {"tolerance", "1e-8"},
                                                   {"interval", "1"},
                                                   {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_EQ(run.events.size(), 10U) << omega << '\n' << run.log();
    const double lift = std::asin(9.81 / (0.05 * omega * omega)) / omega;
    for (std::size_t k = 0; k < run.events.size(); k += 2) {
      EXPECT_EQ(run.events[k].to, "flying");
      EXPECT_NEAR(run.events[k].time, lift + static_cast<double>(k) * M_PI / omega, 1e-7);
      EXPECT_EQ(run.events[k + 1].to, "resting");
    }
  }
}

// A guard that really turns back is found, however slowly it has left.
TEST_P(SlowDeparture, AReturnIsFound) {
  const HybridRun run = run_text(
      "model M\n Real w(start = 0, fixed = true), z;\n Integer n(start = 0, fixed = true);\nequation\n "
      "der(w) = "
      "1;\n z = w^3*(0.125 - w);\n when z < 0 then\n  n = pre(n) + 1;\n end when;\nend M;\n",
      {{"stop", "1"}, {"interval", "1"}, {"tolerance", "1e-8"}, {"method", GetParam()}});
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_THAT(run.times("when"), ::testing::ElementsAre(::testing::DoubleNear(0.125, 1e-9)));
}

// The force of a contact has roots of the depth, which begins at zero or, by rounding, at ±1e-18: slopes have no value there, or one that says
// nothing about the step (examples/structural_pounding.mo).
const std::string kPounding =
    "model M\n parameter Real c = 2.47e6, gap = 0.005;\n Real y(start = 0, fixed = true), v(start = 0, fixed "
    "= "
    "true), force;\nequation\n der(y) = v;\n 2*der(v) = -4.1*v - 210.125*y - force - 2*sin(14*time);\n"
    " force = if y > gap then (if v > 0 then c*(y - gap)^1.5 + 1.98*sqrt(2*c*sqrt(y - gap))*v else c*(y - "
    "gap)^1.5) else 0;\nend M;\n";

// The end is that of dopri5, fehlberg78 and radau5 at tolerance 1e-11.
TEST_P(SlowDeparture, ADepthUnderARoot) {
  for (const char* const tolerance : {"1e-4", "1e-6", "1e-8"}) {
    const HybridRun run = run_text(
        kPounding, {{"stop", "3"}, {"interval", "1"}, {"tolerance", tolerance}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_EQ(run.events.size(), 18U) << tolerance << '\n' << run.log();
    EXPECT_NEAR(run.final("v"), 0.140098436, 30 * std::stod(tolerance)) << tolerance;
  }
}

// At loose tolerances the iteration of an implicit method with such slopes makes corrections of 1e-9 tolerances towards a force of any size: the
// building went through its neighbour (y = 0.43) or lost its speed at one contact of six (times off by 0.03 to 0.1). How many tolerances it
// takes to see that is a matter of luck. Looser ones than 5e-3, the size of y itself, say nothing about y. Times by tests/support/problems/event_references.py.
TEST(DepthUnderARoot, NoImplicitMethodIsFooledAtLooseTolerances) {
  const std::vector<double> contacts = {0.400664756134, 0.417245728742, 0.838484367555, 0.854389921411,
                                        1.281876571795, 1.297836666697, 1.730749440686, 1.746758180164,
                                        2.179904134163, 2.195913203885, 2.628720925781, 2.644726931478};
  for (const char* const method : {"sdirk4", "radau5", "bdf"}) {
    for (const char* const tolerance :
         {"5e-3", "3e-3", "2e-3", "1e-3", "7e-4", "5e-4", "3e-4", "2e-4", "1e-4"}) {
      const HybridRun run = run_text(
          kPounding, {{"stop", "3"}, {"interval", "1"}, {"tolerance", tolerance}, {"method", method}});
      ASSERT_EQ(run.events.size(), 18U) << method << ' ' << tolerance << '\n' << run.log();
      std::vector<double> times;
      for (const auto& event : run.events) {
        if (event.guard == "y - gap") {
          times.push_back(event.time);
        }
      }
      EXPECT_THAT(times, ::testing::Pointwise(::testing::DoubleNear(5 * std::stod(tolerance)), contacts))
          << method << ' ' << tolerance;
    }
  }
}

}  // namespace
}  // namespace saltus::test
