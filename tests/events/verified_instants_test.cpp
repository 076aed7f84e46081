// Runs whose every instant and step is compared with the model as written, and solutions that end where they end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

constexpr const char* kMethods[] = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

std::string model_of(const std::string& declarations, const std::string& equations) {
  return "model M\n  " + declarations + "\nequation\n  " + equations + "\nend M;\n";
}

// y = x/3 for x > 0; below, y = -x: beyond x = 0 nothing.
TEST(Kinks, ASolutionThatNoSideContinuesEnds) {
  const std::string spellings[] = {"y + 2*abs(y) = x;", "x = max(3*y, -y);", "y - max(-2*y, 2*y)*(-1) = x;",
                                   "y + 2*smooth(0, if y > 0 then y else -y) = x;"};
  for (const std::string& spelling : spellings) {
    for (const std::string method : kMethods) {
      for (const char* rate : {"-1", "-0.3*(1 + time)", "-exp(-x)"}) {
        const HybridRun run = run_text(model_of("Real x(start = 1, fixed = true), y(start = 1/3);",
                                                "der(x) = " + std::string(rate) + "; " + spelling),
                                       {{"stop", "4"}, {"method", method}});
        SCOPED_TRACE(spelling + " " + method + " " + rate);
        EXPECT_EQ(run.result.status, SimulationStatus::failed) << run.log();
        EXPECT_EQ(run.result.reason, "impasse") << run.log();
        EXPECT_NEAR(run.final("x"), 0.0, 1e-6);
        EXPECT_THAT(run.result.message, HasSubstr("y"));
      }
    }
  }
}

TEST(Kinks, ASolutionThatEndsInTimeAloneEnds) {
  for (const std::string method : kMethods) {
    const HybridRun run = run_text(model_of("Real y(start = 1/3);", "y + 2*abs(y) = 1 - time;"),
                                   {{"stop", "2"}, {"method", method}});
    EXPECT_EQ(run.result.reason, "impasse") << run.log();
    EXPECT_NEAR(run.result.end, 1.0, 1e-9);
  }
}

// Kinks in implicit equations that the solution passes.
TEST(Kinks, OthersArePassed) {
  for (const std::string method : kMethods) {
    const HybridRun run = run_text(
        model_of("Real x(start = 1, fixed = true), y(start = 0.7);", "der(x) = -1; y + 0.5*abs(y) = x;"),
        {{"stop", "2"}, {"method", method}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_NEAR(run.final("y"), -2.0, 1e-5);
  }
}

// Two kinks at once, each in the equation of the other: y + 0.3|z| = x, z + 0.3|y| = x.
TEST(Kinks, TwoAtOnceArePassedTogether) {
  for (const std::string method : kMethods) {
    const HybridRun run =
        run_text(model_of("Real x(start = 1, fixed = true), y(start = 0.7), z(start = 0.7);",
                          "der(x) = -1; y + 0.3*abs(z) = x; z + 0.3*abs(y) = x;"),
                 {{"stop", "2"}, {"method", method}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_NEAR(run.final("y"), -1.0 / 0.7, 1e-5);
  }
}

TEST(SingularPoints, SeveralSolutionsThroughOneEndTheRunUnlessAskedFor) {
  const std::string text =
      model_of("Real x(start = 1, fixed = true);", "(time - 0.5)*der(x) = x - 2*(time - 0.5);");
  for (const std::string method : kMethods) {
    const HybridRun run = run_text(text, {{"method", method}});
    EXPECT_EQ(run.result.reason, "singular_point") << run.log();
    EXPECT_NEAR(run.result.end, 0.5, 1e-9);
    EXPECT_THAT(run.result.message, HasSubstr("der(x)"));
    const HybridRun passed = run_text(text, {{"method", method}, {"singular", "pass"}, {"interval", "0.3"}});
    EXPECT_TRUE(passed.result.reason != "singular_point") << passed.log();
  }
}

// A condition in a branch that is not taken is no event, whatever the branch is taken by.
TEST(Branches, WhatIsNotReadIsNoEvent) {
  const HybridRun idle =
      run_text(model_of("Real x(start = 0, fixed = true);",
                        "der(x) = if time > 100 then (if x > 0.5 then 1 else 2) + x else 1;"),
               {});
  EXPECT_EQ(idle.events.size(), 0U) << idle.log();
  const HybridRun later = run_text(model_of("Real x(start = 0, fixed = true);",
                                            "der(x) = if time > 0.8 then (if x > 0.5 then 1 else 2) else 1;"),
                                   {});
  ASSERT_EQ(later.events.size(), 1U) << later.log();
  EXPECT_NEAR(later.events[0].time, 0.8, 1e-12);
  EXPECT_NEAR(later.final("x"), 1.0, 1e-6);
  const HybridRun taken = run_text(model_of("Real x(start = 0, fixed = true);",
                                            "der(x) = if time > 0.2 then (if x > 0.5 then 1 else 2) else 1;"),
                                   {});
  EXPECT_EQ(taken.events.size(), 2U) << taken.log();
}

// The structure of an instant moves y and is gone with it: an event all the same.
TEST(Jumps, ThatAStructureMakesForAnInstantAreEvents) {
  const HybridRun run =
      run_text(model_of("Real x(start = 0.5, fixed = true), y(start = -1, fixed = true);",
                        "der(x) = y; if x > 0 then der(y) = -2*(y + 1); else y = 1.5; end if;"),
               {{"stop", "3"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.events.size(), 3U) << run.log();
  EXPECT_NEAR(run.events[0].time, 0.5, 1e-8);
  EXPECT_NEAR(run.events[1].time, 1.6158059, 1e-6);
  EXPECT_NEAR(run.events[2].time, 2.7316119, 1e-6);
  EXPECT_NEAR(run.final("x"), 0.2508245, 1e-6);
}

// In minus y = c: x rises at once and the run is back in plus in the same instant, however long the run is.
TEST(Jumps, ThatLeadBackAreTakenBackInTheSameInstant) {
  for (const char* stop : {"1", "3", "1000"}) {
    const HybridRun run = run_text(
        "model M\n  Real x(start = 0.5, fixed = true), y(start = -1, fixed = true);\nequation\n  der(x) = "
        "y;\ninitial mode "
        "plus\n  equation\n    der(y) = -2*(y + 1);\n  transition to minus when x < 0;\nend plus;\nmode "
        "minus\n  equation\n "
        "   y = 2 - time;\n  transition to plus when x > 0;\nend minus;\nend M;\n",
        {{"stop", stop}, {"interval", "0.5"}, {"tolerance", "1e-9"}, {"verify", "full"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_GE(run.events.size(), 2U) << run.log();
    EXPECT_NEAR(run.events[0].time, 0.5, 1e-8);
    EXPECT_NEAR(run.events[1].time, 0.5, 1e-8);
    for (const RowRecord& row : run.rows) {
      if (row.time == 1.0) {
        EXPECT_NEAR(run.value(row, "x"), 0.2901507, 1e-7) << stop;
      }
      if (row.time == 3.0) {
        EXPECT_NEAR(run.value(row, "x"), -0.5, 1e-6) << stop;
      }
    }
  }
}

// A peak that touches the next whole number at the instant of another crossing is no change of it.
TEST(WholeNumbers, APeakThatTouchesIsNoChange) {
  const HybridRun run = run_text(
      model_of("Integer i1, i2;", "i1 = integer(10*sin(10*time) + 30); i2 = integer(10*cos(10*time) + 15);"),
      {{"stop", "1"}, {"max-events", "1000"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.final("i1"), 24);
  EXPECT_EQ(run.final("i2"), 6);
  EXPECT_EQ(run.events.size(), 62U + 58U + 1U);
}

// 2|sin t| touches 0 where its kink is, and 2 at its peaks; 5 sin t and 5 cos t cross whole numbers at the same instants.
TEST(WholeNumbers, OverAKinkAreThoseOfItsNewSide) {
  const HybridRun run =
      run_text(model_of("Integer i, j, k;",
                        "i = integer(5*sin(time)); j = integer(5*cos(time)); k = floor(2*abs(sin(time)));"),
               {{"stop", "20"}, {"max-events", "1000"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const auto changes = [&run](const std::string& guard) {
    return std::count_if(run.events.begin(), run.events.end(),
                         [&](const EventRecord& event) { return event.guard == guard; });
  };
  // Crossings of whole numbers from -4 to 4, and 5 to 4 at the start.
  EXPECT_EQ(changes("5*sin(time)"), 58);
  EXPECT_EQ(changes("5*cos(time)"), 56 + 1);
  EXPECT_EQ(changes("2*abs(sin(time))"), 13);
  EXPECT_EQ(run.events.size(), 58U + 57U + 13U);
}

// |x1| + |x2| falls by 4 each second: the switches accumulate where both are zero, and there the solution rests.
TEST(Accumulation, OfARelayThatSpiralsIntoTwoSurfacesRestsThere) {
  for (const char* gain : {"26", "5", "2"}) {
    const HybridRun run =
        run_text(model_of("Real x1(start = 3, fixed = true), x2(start = 3, fixed = true);",
                          "der(x1) = 2*(-sign(x1) + " + std::string(gain) + "*sign(x2)); der(x2) = 2*(-" +
                              gain + "*sign(x1) - sign(x2));"),
                 {{"stop", "1.999"}, {"tolerance", "1e-8"}, {"max-events", "20000"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << gain << run.result.message;
    EXPECT_NEAR(run.final("x1"), 0.0, 1e-9);
    EXPECT_NEAR(run.final("x2"), 0.0, 1e-9);
    EXPECT_NEAR(run.events.back().time, 1.5, 1e-6);
  }
}

// A circuit of ideal diodes whose start needs ranks, and whose source then jumps: what a mode by ranks makes of it is compared with its equations,
// too. It may be refused; no row may have a voltage over a diode that conducts.
TEST(Verification, LooksAtModesByRanks) {
  const std::string text = model_of(
      "parameter Real R1 = 3.437, R2 = 10.478, R3 = 2.216, R4 = 1.683, C1 = 0.1643, R5 = 0.408, R6 = 1.303; "
      "parameter Real R7 = 0.152, R8 = 1.198, R9 = 1.112; "
      "Real p1, p2, p3, p4, p5, p6, p7, p8, iR1, iR2, iR3, iI1, iV1, iR4; "
      "Real vC1(start = 64.4, fixed = true, nominal = 1e+02), iC1, iR5, iD1, vD1, sD1, iD2, vD2, sD2, iD3; "
      "Real vD3, sD3, iR7, iD4, vD4, sD4, iD5, vD5, sD5, iD6, vD6, sD6; ",
      "R1*iR1 = p1; R2*iR2 = p1; R3*iR3 = p2; "
      "iI1 = (if mod(time + 0, 0.1356) < 0.0875976 then 118.9 else -118.9); p3 = 74.1; "
      "R4*iR4 = p3 - p1; vC1 = p1 - p4; C1*der(vC1) = iC1; R5*iR5 = p4 - p2; vD1 = p2; "
      "vD1 = if sD1 < 0 then sD1 else 0; iD1 = if sD1 < 0 then 0 else sD1; vD2 = -p5; "
      "vD2 = if sD2 < 0 then sD2 else 0; iD2 = if sD2 < 0 then 0 else sD2; vD3 = -p6; "
      "vD3 = if sD3 < 0 then sD3 else 0; iD3 = if sD3 < 0 then 0 else sD3; R7*iR7 = p6 - p2; vD4 = -p7; "
      "vD4 = if sD4 < 0 then sD4 else 0; iD4 = if sD4 < 0 then 0 else sD4; vD5 = p1 - p2; "
      "vD5 = if sD5 < 0 then sD5 else 0; iD5 = if sD5 < 0 then 0 else sD5; vD6 = p2 - p8; "
      "vD6 = if sD6 < 0 then sD6 else 0; iD6 = if sD6 < 0 then 0 else sD6; "
      "iR1 + iR2 - iR4 + iC1 + iD5 - (p8 - p1)/R9 = 0; "
      "iR3 + iI1 - iR5 + iD1 - (p5 - p2)/R6 - iR7 - (p7 - p2)/R8 - iD5 + iD6 = 0; iV1 + iR4 = 0; "
      "-iC1 + iR5 = 0; -iD2 + (p5 - p2)/R6 = 0; -iD3 + iR7 = 0; -iD4 + (p7 - p2)/R8 = 0; "
      "-iD6 + (p8 - p1)/R9 = 0; ");
  for (const char* method : kMethods) {
    const HybridRun run = run_text(text, {{"stop", "0.1"}, {"method", method}});
    for (const RowRecord& row : run.rows) {
      // D1 is ideal and stands between p2 and the ground.
      EXPECT_LE(run.value(row, "p2"), 1e-4) << method << " " << row.time << run.log();
    }
  }
}

}  // namespace
}  // namespace saltus::test
