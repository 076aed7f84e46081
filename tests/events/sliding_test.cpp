// Sliding, chattering and accumulation over whole runs: what must come out whatever the method of solution.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Sliding, AThousandTangentialExitsGiveNoReentry) {
  // The weight is 1.5 sin t while sliding; each half period it reaches ±1 and the surface is left tangentially.
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1.5*sin(time) - sign(x);\nend M;\n",
      {{"stop", "3200"}, {"tolerance", "1e-7"}, {"interval", "100"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success);
  const std::vector<double> exits = run.times("slide_exit");
  const std::vector<double> entries = run.times("slide_enter");
  ASSERT_GE(exits.size(), 1000U);
  ASSERT_TRUE(entries.size() == exits.size() || entries.size() == exits.size() + 1) << entries.size();
  EXPECT_EQ(run.events.size(), exits.size() + entries.size());
  for (std::size_t k = 0; k < exits.size(); ++k) {
    EXPECT_NEAR(exits[k], std::asin(2.0 / 3) + M_PI * static_cast<double>(k), 1e-6) << k;
    if (k + 1 < entries.size()) {
      EXPECT_GT(entries[k + 1] - exits[k], 1.0) << "re-entry after exit " << k;
    }
  }
}

TEST(Sliding, TwentyBlocksWithSpringsAndCoulombFrictionSettle) {
  const HybridRun run = run_text(
      "model Blocks\n parameter Integer N = 20;\n parameter Real k = 4, mu = 0.3;\n Real x[N](each start = "
      "0, each fixed = true);\n"
      " Real v[N](start = {(if i == 10 then 3 else sin(i)) for i in 1:N}, each fixed = true);\n Real "
      "f[N];\nequation\n"
      " der(x) = v;\n for i in 1:N loop\n  f[i] = k*((if i > 1 then x[max(i - 1, 1)] else 0) - 2*x[i] + (if "
      "i < N then x[min(i + 1, N)] else 0));\n"
      "  der(v[i]) = f[i] - mu*sign(v[i]);\n end for;\nend Blocks;\n",
      {{"stop", "60"}, {"tolerance", "1e-8"}, {"interval", "1"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  for (int i = 1; i <= 20; ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    EXPECT_NEAR(run.final("v" + index), 0.0, 1e-12) << "block " << i << " still moves";
    EXPECT_LE(std::abs(run.final("f" + index)), 0.3 + 1e-9) << "block " << i << " should not stick";
  }
}

TEST(Sliding, OtherSideLeavesWhenItsForceGrows) {
  // Coulomb friction under a force that grows: sticks until F = mu, then x″ = F − mu. F = t/2, mu = 1: t = 2.
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), v(start = 0, fixed = true);\n Real friction = "
      "sign(v);\nequation\n"
      " der(x) = v;\n der(v) = time/2 - friction;\nend M;\n",
      {{"stop", "4"}, {"tolerance", "1e-10"}, {"interval", "0.25"}});
  EXPECT_THAT(run.times("slide_exit"), ElementsAre(DoubleNear(2.0, 1e-10))) << run.log();
  EXPECT_NEAR(run.final("v"), 1.0, 1e-9);
  for (const RowRecord& row : run.rows) {
    if (row.time < 2 - 1e-9 && row.segment > 0) {
      EXPECT_NEAR(run.value(row, "friction"), row.time / 2, 1e-12);
      EXPECT_EQ(run.value(row, "v"), 0.0);
    }
  }
}

TEST(Sliding, CoulombPendulumStopsWithinTheBand) {
  // x″ = −x − sign(x′)/4 from x = 2: each half swing loses 1/2; turning points 2, −1.5, 1, −0.5, 0 …
  const HybridRun run = run_text(
      "model M\n Real x(start = 2, fixed = true), v(start = 0, fixed = true);\nequation\n der(x) = v;\n"
      " der(v) = -x - 0.25*sign(v);\nend M;\n",
      {{"stop", "20"}, {"tolerance", "1e-11"}});
  // At t = 0 the block starts to move at once; turns at kπ; after the fourth half swing |x| ≤ 1/4: it sticks.
  EXPECT_NEAR(run.final("x"), 0.0, 1e-9) << run.log();
  EXPECT_EQ(run.final("v"), 0.0);
  ASSERT_EQ(run.count("slide_enter"), 1U) << run.log();
  EXPECT_NEAR(run.times("slide_enter")[0], 4 * M_PI, 1e-9);
}

TEST(Sliding, OnACurvedSurfaceTheOrderIsKept) {
  // g = x² + y² − 1 attracts; on it the angle turns with speed one: (cos, sin).
  const std::string text =
      "model M\n Real x(start = 1.5, fixed = true), y(start = 0, fixed = true);\n Real s = sign(x^2 + y^2 - "
      "1);\n"
      "equation\n der(x) = -y - 2*s*x;\n der(y) = x - 2*s*y;\nend M;\n";
  const HybridRun run = run_text(text, {{"stop", "5"}, {"tolerance", "1e-10"}, {"interval", "0.5"}});
  EXPECT_NEAR(run.final("x"), std::cos(5.0), 1e-8) << run.log();
  EXPECT_NEAR(run.final("y"), std::sin(5.0), 1e-8);
  EXPECT_NEAR(std::hypot(run.final("x"), run.final("y")), 1.0, 1e-15) << "held to rounding";
  ASSERT_EQ(run.count("slide_enter"), 1U);
  EXPECT_NEAR(run.times("slide_enter")[0], std::log(1.5) / 2, 1e-10);
}

TEST(Sliding, ASurfaceReachedFromOneSideIsReachedToTheTolerance) {
  // Neither side has values beyond the surface (|g|^1.5), and steps towards it are rejected the nearer they end: without a
  // test of the extension beyond its step the times are wrong by up to 85 tolerances instead of 40.
  const std::string text =
      "model M\n Real y1(start = -0.75, fixed = true), y2(start = -1 - sin(1.5), fixed = true);\n"
      " Real g = y2 - 0.2 - sin(2*y1);\nequation\n der(y1) = y2 - sin(2*y1);\n"
      " der(y2) = 2*cos(2*y1)*(y2 - sin(2*y1)) - y1 - sign(g)/(1 + abs(g)^1.5);\nend M;\n";
  // By DOP853 with relative tolerance 1e-13 and location by iteration.
  const std::vector<double> entries = {1.496487398074, 16.059329037990, 24.869552459312};
  for (const double tolerance : {1e-8, 8e-9}) {
    const HybridRun run =
        run_text(text, {{"stop", "30"}, {"tolerance", std::to_string(tolerance * 1e9) + "e-9"}});
    ASSERT_EQ(run.count("slide_enter"), entries.size()) << run.log();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      EXPECT_NEAR(run.times("slide_enter")[k], entries[k], 60 * tolerance) << k << " at " << tolerance;
    }
  }
}

TEST(Sliding, AJumpOffTheSurfaceEndsItAndIsNotDrawnBack) {
  // Slides from t = 1 on; at t = 2 the jump puts x to 1/2, from where it takes 1/2 to come back.
  for (const char* condition : {"time >= 2", "y > 2"}) {
    const HybridRun run = run_text(
        "model M\n Real x(start = 1, fixed = true), y(start = 0, fixed = true);\nequation\n der(x) = "
        "-sign(x);\n"
        " der(y) = 1;\n when " +
            std::string(condition) + " then\n  reinit(x, pre(x) + 0.5);\n end when;\nend M;\n",
        {{"stop", "3"}});
    EXPECT_THAT(run.times("slide_enter"), ElementsAre(DoubleNear(1, 1e-14), DoubleNear(2.5, 1e-14)))
        << run.log();
    EXPECT_THAT(run.times("slide_exit"), ElementsAre(DoubleNear(2, 1e-14))) << run.log();
  }
}

TEST(Sliding, AJumpOffTheSurfaceBetweenTwoModesEndsIt) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true), y(start = 0, fixed = true);\nequation\n der(y) = 1;\n"
      " when y > 2 then\n  reinit(x, pre(x) - 0.5);\n end when;\ninitial mode plus\n equation\n  der(x) = "
      "-1;\n"
      " transition to minus when x < 0;\nend plus;\nmode minus\n equation\n  der(x) = 1;\n transition to "
      "plus when x > 0;\n"
      "end minus;\nend M;\n",
      {{"stop", "3"}});
  EXPECT_THAT(run.times("slide_enter"), ElementsAre(DoubleNear(1, 1e-14), DoubleNear(2.5, 1e-14)))
      << run.log();
  EXPECT_EQ(run.count("slide_exit"), 1U) << run.log();
  EXPECT_NEAR(run.final("x"), 0, 1e-15);
}

TEST(Sliding, DenseOutputWhileSlidingIsOnTheRightSideOfEvents) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real u = sign(x);\nequation\n der(x) = -u;\nend M;\n",
      {{"stop", "3"}});
  ASSERT_TRUE(run.result.trajectory.is_dense());
  EXPECT_NEAR(run.result.trajectory.at(0.5, "x"), 0.5, 1e-14);
  EXPECT_EQ(run.result.trajectory.at(0.5, "u"), 1.0);
  EXPECT_NEAR(run.result.trajectory.at(2.0, "x"), 0.0, 1e-15);
  EXPECT_NEAR(run.result.trajectory.at(2.0, "u"), 0.0, 1e-14);
}

TEST(Relay, TenThousandSwitchesStayExact) {
  // x″ = −sign(x) from (0, 1): parabolas, a switch every 2 seconds, v = ±1 there.
  const HybridRun run = run_text(
      "model Relay\n Real x(start = 0, fixed = true), v(start = 1, fixed = true);\nequation\n der(x) = v;\n"
      " der(v) = -sign(x);\nend Relay;\n",
      {{"stop", "20001"}, {"tolerance", "1e-9"}, {"interval", "5000"}});
  // One at the start (zero and moving), then one every two seconds.
  ASSERT_EQ(run.count("condition"), 10001U) << run.events.size();
  EXPECT_EQ(run.events.size(), 10001U);
  EXPECT_NEAR(run.events.back().time, 20000, 1e-8);
  EXPECT_NEAR(run.final("x"), 0.5, 1e-8);
  EXPECT_NEAR(run.final("v"), 0.0, 1e-8);
}

const char* const kBall =
    "model Ball\n parameter Real e = 0.5;\n Real h(start = 0.5, fixed = true), v(start = 0, fixed = true);\n"
    " Integer n(start = 0, fixed = true);\nequation\n der(h) = v;\n der(v) = if time < 4 then -1 else time - "
    "5;\n"
    " when h <= 0 and v < 0 then\n  reinit(v, -e*pre(v));\n  n = pre(n) + 1;\n end when;\nend Ball;\n";

TEST(Zeno, AccumulationIsDetectedEstimatedAndStopsTheRun) {
  // Contacts at 1 and then after 2·e, 2·e², …: they accumulate at 1 + 2·e/(1 − e) = 3.
  const HybridRun run = run_text(kBall, {{"stop", "5"}, {"tolerance", "1e-8"}, {"zeno", "stop"}});
  EXPECT_EQ(run.result.status, SimulationStatus::stopped) << run.log();
  EXPECT_EQ(run.result.reason, "zeno");
  ASSERT_EQ(run.count("zeno"), 1U) << run.log();
  EXPECT_GE(run.count("when"), 8U);
  EXPECT_NEAR(run.result.end, 3.0, 1e-5);
  // Not before the remainder is below 1e-6 of the first interval: 2·e^k/(1 − e) < 1e-6·1.
  EXPECT_GE(run.count("when"), 20U);
  EXPECT_TRUE(run.says("3") || run.of_kind("zeno")[0].detail.find("3") != std::string::npos ||
              run.of_kind("zeno")[0].detail.find("2.99") != std::string::npos)
      << run.log();
}

TEST(Zeno, RestHoldsTheGuardUntilTheMultiplierChangesItsSign) {
  // At rest until the force time − 5 becomes positive at t = 5; then h = (t − 5)³/6.
  const HybridRun run = run_text(kBall, {{"stop", "6"}, {"tolerance", "1e-9"}, {"interval", "0.5"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.count("zeno"), 1U);
  EXPECT_NEAR(run.final("h"), 1.0 / 6, 1e-5) << run.log();
  EXPECT_NEAR(run.final("v"), 0.5, 1e-5);
  for (const RowRecord& row : run.rows) {
    if (row.time > 3.1 && row.time < 4.9) {
      EXPECT_NEAR(run.value(row, "h"), 0.0, 1e-6) << row.time;
      EXPECT_NEAR(run.value(row, "v"), 0.0, 1e-6) << row.time;
    }
  }
}

TEST(Zeno, ContinueEndsAtALimitAndNeverHangs) {
  const HybridRun run =
      run_text(kBall, {{"stop", "5"}, {"tolerance", "1e-8"}, {"zeno", "continue"}, {"max-events", "2000"}});
  EXPECT_LE(run.events.size(), 2001U);
  EXPECT_GE(run.count("when"), 20U);
}

TEST(Zeno, ASlowlyConvergingBallIsNotStoppedEarly) {
  // e = 0.9: contacts at 1 and then after 2·0.9ᵏ, which accumulate at 19. At 18.9 about fifty have been.
  const HybridRun run = run_text(
      "model Ball\n Real h(start = 0.5, fixed = true), v(start = 0, fixed = true);\nequation\n der(h) = v;\n "
      "der(v) = -1;\n"
      " when h <= 0 and v < 0 then\n  reinit(v, -0.9*pre(v));\n end when;\nend Ball;\n",
      {{"stop", "18.9"}, {"tolerance", "1e-8"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.count("zeno"), 0U);
  EXPECT_EQ(run.count("when"), 50U) << "1 + Σ 2·0.9ᵏ ≤ 18.9 for k ≤ 49";
}

TEST(Zeno, RegularEventsAreNone) {
  const HybridRun run = run_text(
      "model Ball\n Real h(start = 0.5, fixed = true), v(start = 0, fixed = true);\nequation\n der(h) = v;\n "
      "der(v) = -1;\n"
      " when h <= 0 and v < 0 then\n  reinit(v, -pre(v));\n end when;\nend Ball;\n",
      {{"stop", "400"}, {"tolerance", "1e-9"}, {"interval", "50"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << to_string(run.result.reason);
  EXPECT_EQ(run.count("when"), 200U);
}

TEST(Detection, EndsMissWhatTheBoundFinds) {
  const std::string text =
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\n"
      " when (x - 0.48)*(x - 0.52) < 0 then\n  n = pre(n) + 1;\n end when;\nend M;\n";
  EXPECT_EQ(run_text(text, {{"step", "0.25"}, {"method", "dopri5"}}).final("n"), 1);
  EXPECT_EQ(run_text(text, {{"step", "0.25"}, {"method", "dopri5"}, {"detection", "ends"}}).final("n"), 1)
      << "0.5 is an end of a step";
  EXPECT_EQ(run_text(text, {{"step", "0.3"}, {"method", "dopri5"}, {"detection", "ends"}}).final("n"), 0);
  EXPECT_EQ(run_text(text, {{"step", "0.3"}, {"method", "dopri5"}, {"detection", "40"}}).final("n"), 1);
}

TEST(Concurrency, BilateralEventsWithinTheRegionHappenTogether) {
  const std::string text =
      "model M\n Real x(start = 0, fixed = true), y(start = 0, fixed = true);\nequation\n der(x) = 1;\n"
      " der(y) = (if x > 0.5 then 1 else 0) + (if x > 0.5001 then 1 else 0) + (if x > 0.6 then 1 else "
      "0);\nend M;\n";
  const HybridRun apart = run_text(text);
  const HybridRun together = run_text(text, {{"concurrency", "0.001,0.01"}});
  const auto instants = [](const HybridRun& run) {
    std::size_t count = 0;
    double last = -1;
    for (const EventRecord& event : run.events) {
      count += event.time != last ? 1U : 0U;
      last = event.time;
    }
    return count;
  };
  EXPECT_EQ(instants(apart), 3U) << apart.log();
  EXPECT_EQ(instants(together), 2U) << together.log();
  EXPECT_NEAR(together.events.front().time, 0.5001, 1e-12) << "at the latest of the roots";
}

TEST(Limits, TheLimitOfEventsEndsTheRun) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\n"
      " when sample(0, 0.001) then\n  n = pre(n) + 1;\n end when;\nend M;\n",
      {{"max-events", "100"}});
  EXPECT_EQ(run.result.status, SimulationStatus::stopped) << to_string(run.result.reason);
  EXPECT_EQ(run.result.reason, "event_limit");
  EXPECT_NEAR(run.result.end, 0.1, 2e-3);
}

// More surfaces than speeds: two blocks that stick to the floor and to each other; weights are not unique, the motion is.
TEST(SlidingOnDependentSurfaces, BlocksStickToTheFloorAndToEachOther) {
  for (const char* method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
    for (const char* start : {"0", "0.4"}) {
      const std::string text =
          std::string("model M\n Real x(start = 0.1, fixed = true), v(start = ") + start +
          ", fixed = true);\n Real y(start = 0.05, fixed = true), w(start = 0, fixed = true), f;\n"
          " Real z(start = 0, fixed = true), u(start = 0.3, fixed = true);\nequation\n"
          " f = 0.3*sign(v - w);\n der(x) = v; 1.3*der(v) = -2*x - 0.9*sign(v) - f + 0.1*sin(time);\n"
          " der(y) = w; 0.7*der(w) = -3*y - 0.7*sign(w) + f;\n"
          " der(z) = u; der(u) = -0.2*sign(u - 0.1);\nend M;\n";
      const HybridRun run = run_text(text, {{"stop", "3"}, {"method", method}, {"tolerance", "1e-8"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.words();
      EXPECT_NEAR(run.final("v"), 0.0, 1e-12) << method;
      EXPECT_NEAR(run.final("w"), 0.0, 1e-12) << method;
      EXPECT_NEAR(run.final("u"), 0.1, 1e-12) << method;
      // At rest from the start they stay where they are.
      if (start[1] == '\0') {
        EXPECT_NEAR(run.final("x"), 0.1, 1e-12) << method;
        EXPECT_NEAR(run.final("y"), 0.05, 1e-12) << method;
      }
    }
  }
}

// At rest on y = z = 0, where the weight of y alone keeps z; then a body throws y off, and z falls with it.
TEST(Sliding, WhatOneSurfaceKeepsOnAnotherLeavesWithIt) {
  struct Law {
    const char* rates;
    double y, z;  // at 10.1
  };
  const std::vector<Law> laws = {
      {"der(y) = 0.5*sign(z) - 0.3*sign(y);\n der(z) = if y > 0 then -2 else 2;", 0.42, -0.2},
      {"der(y) = 0.5*sign(z) - 0.3*sign(y);\n der(z) = -2*sign(y);", 0.42, -0.2},
      {"der(z) = if y <= 0 then 2 else -2;\n der(y) = 0.5*sign(z) - 0.3*sign(y);", 0.42, -0.2},
      {"der(y) = 0.5*sign(z) - 0.3*sign(y);\n der(z) = (if y > 0 then -2 else 2) - 0.5*sign(z);", 0.42,
       -0.15},
      {"der(y) = -sign(y);\n der(z) = -sign(z) + 2*sign(y);", 0.4, 0.1},
  };
  for (const char* const method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
    for (const Law& law : laws) {
      for (const char* const throws : {"reinit(y, 0.5)", "reinit(y, 0.5); reinit(z, 0)"}) {
        const HybridRun run = run_text(
            std::string(
                "model M\n Real y(start = 0.1, fixed = true), z(start = 0.2, fixed = true);\nequation\n ") +
                law.rates + "\n when time > 10 then\n  " + throws + ";\n end when;\nend M;\n",
            {{"stop", "10.1"}, {"method", method}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << method << law.rates << throws << run.log();
        EXPECT_NEAR(run.final("y"), law.y, 1e-6) << method << law.rates << throws;
        EXPECT_NEAR(run.final("z"), law.z, 1e-6) << method << law.rates << throws;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
