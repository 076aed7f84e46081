// Rest after events that accumulate (docs/semantics.md 9.3): one, several, beside sliding, thrown again, in another mode, and where nothing can rest.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

/// Balls that fall from rest with gravity 2 from these heights: the first impact is at √h, flights last 2eᵏ√h.
std::string balls(const std::vector<double>& heights, double e, const std::string& more = "") {
  const std::string n = std::to_string(heights.size());
  std::string starts;
  for (const double height : heights) {
    starts += (starts.empty() ? "" : ", ") + number(height);
  }
  return "model M\n Real h[" + n + "](start = {" + starts + "}, each fixed = true), v[" + n +
         "](each start = 0, each fixed = true);\nequation\n der(h) = v;\n for i in 1:" + n +
         " loop\n  der(v[i]) = -2;\n  when h[i] < 0 then reinit(v[i], -" + number(e) +
         "*pre(v[i])); end when;\n end for;\n" + more + "end M;\n";
}

double accumulation(double height, double e) {
  return std::sqrt(height) * (1.0 + e) / (1.0 - e);
}

// Heights equal and different: several come to rest at one instant, others bounce while some rest.
TEST(Rest, EveryBallLiesWhereItsBouncesEnd) {
  const std::vector<double> heights = {1.0, 2.0, 1.0, 0.3};
  for (const std::string& method : kMethods) {
    for (const char* const tolerance : {"1e-4", "1e-6", "1e-9", "1e-12"}) {
      for (const double e : {1e-12, 1e-6, 1e-4, 3e-4, 0.001, 0.01, 0.06, 0.2, 0.8}) {
        const HybridRun run =
            run_text(balls(heights, e),
                     {{"stop", "20"}, {"interval", "0.5"}, {"method", method}, {"tolerance", tolerance}});
        ASSERT_EQ(run.result.status, SimulationStatus::success)
            << method << ' ' << tolerance << to_string(run.result.reason);
        EXPECT_EQ(run.count("zeno"), heights.size()) << method << ' ' << tolerance << ' ' << e;
        for (const RowRecord& row : run.rows) {
          for (std::size_t i = 0; i < heights.size(); ++i) {
            if (row.time > accumulation(heights[i], e) + 1e-6) {
              const std::string place = "[" + std::to_string(i + 1) + "]";
              EXPECT_NEAR(run.value(row, "h" + place), 0.0, 1e-12)
                  << method << ' ' << tolerance << ' ' << row.time;
              EXPECT_NEAR(run.value(row, "v" + place), 0.0, 1e-12)
                  << method << ' ' << tolerance << ' ' << row.time;
            }
          }
        }
      }
    }
  }
}

// What throws one ball leaves the other lying; it comes to rest a second time. Pushed downwards it bounces at once.
TEST(Rest, AJumpEndsTheRestOfWhatItMoves) {
  const double e = 0.5;
  for (const std::string& method : kMethods) {
    const HybridRun up = run_text(balls({1.0, 1.0}, e, " when time > 6 then reinit(v[1], 1); end when;\n"),
                                  {{"stop", "6.25"}, {"method", method}});
    ASSERT_EQ(up.result.status, SimulationStatus::success) << method << up.log();
    EXPECT_NEAR(up.final("h[1]"), 0.25 - 0.0625, 1e-6) << method;
    EXPECT_NEAR(up.final("v[1]"), 0.5, 1e-6) << method;
    EXPECT_EQ(up.final("h[2]"), 0.0) << method;
    const HybridRun again = run_text(balls({1.0, 1.0}, e, " when time > 6 then reinit(v[1], 1); end when;\n"),
                                     {{"stop", "12"}, {"method", method}});
    ASSERT_EQ(again.result.status, SimulationStatus::success) << method << again.log();
    EXPECT_EQ(again.count("zeno"), 3U) << method;
    EXPECT_NEAR(again.final("h[1]"), 0.0, 1e-12) << method;
    const HybridRun down = run_text(balls({1.0, 1.0}, e, " when time > 6 then reinit(v[1], -2); end when;\n"),
                                    {{"stop", "6.25"}, {"method", method}});
    ASSERT_EQ(down.result.status, SimulationStatus::success) << method << down.log();
    EXPECT_NEAR(down.final("v[1]"), 0.5, 1e-6) << method << down.log();
  }
}

// On a plate that moves: the ball moves with it, and leaves it where the plate falls faster than it does.
TEST(Rest, FollowsAPlateAndLeavesIt) {
  const std::string text =
      "model M\n Real h(start = 0.2, fixed = true), v(start = 0, fixed = true);\n Real p = sin(time), q = "
      "cos(time);\n"
      "equation\n der(h) = v;\n der(v) = -0.8;\n when h < p then reinit(v, q - 0.2*(pre(v) - q)); end "
      "when;\nend M;\n";
  for (const std::string& method : kMethods) {
    const HybridRun run =
        run_text(text, {{"stop", "9"}, {"method", method}, {"tolerance", "1e-8"}, {"interval", "0.01"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    ASSERT_GE(run.count("zeno"), 1U) << method << run.log();
    const double rests = run.of_kind("zeno")[0].time;
    // The plate falls with -sin t: its force ends where that reaches -0.8.
    const double turn = 2.0 * std::acos(-1.0);
    const double leaves = std::asin(0.8) + turn * std::ceil((rests - std::asin(0.8)) / turn);
    ASSERT_LT(rests, leaves) << method << run.log();
    for (const RowRecord& row : run.rows) {
      if (row.time > rests + 1e-6 && row.time < leaves) {
        EXPECT_NEAR(run.value(row, "h"), std::sin(row.time), 1e-7) << method << ' ' << row.time;
        EXPECT_NEAR(run.value(row, "v"), std::cos(row.time), 1e-7) << method << ' ' << row.time;
      } else if (row.time > leaves && row.time < leaves + 0.5) {
        const double t = row.time - leaves;
        EXPECT_NEAR(run.value(row, "h"), std::sin(leaves) + t * std::cos(leaves) - 0.4 * t * t, 1e-6)
            << method;
      }
    }
  }
}

// Dry friction sideways: u = 1 - t to 0, then stuck until it is pulled from t = 5 on.
TEST(Rest, BesideWhatSlides) {
  const std::string text = balls(
      {1.0}, 0.5, " der(x) = u;\n der(u) = -(if u > 0 then 1 else -1) + (if time > 5 then 2 else 0);\n");
  const std::size_t place = text.find(";\nequation");
  const std::string model =
      text.substr(0, place) + ", x(start = 0, fixed = true), u(start = U, fixed = true)" + text.substr(place);
  for (const std::string& method : kMethods) {
    for (const double u : {1.0, 4.0}) {  // stuck before the ball lies, and after
      std::string started = model;
      started.replace(started.find("start = U"), 9, "start = " + number(u));
      const HybridRun run = run_text(started, {{"stop", "6"}, {"method", method}, {"tolerance", "1e-8"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
      EXPECT_NEAR(run.final("x"), u * u / 2.0 + 0.5, 1e-6) << method;
      EXPECT_NEAR(run.final("u"), 1.0, 1e-6) << method;
      EXPECT_NEAR(run.final("h[1]"), 0.0, 1e-12) << method;
      EXPECT_NEAR(run.final("v[1]"), 0.0, 1e-12) << method;
    }
  }
}

TEST(Rest, HoldsInAModeWithTheSameStates) {
  const std::string text =
      "model M\n Real h(start = 1), v(start = 0), w(start = 0);\nequation\n der(h) = v;\n der(v) = -2;\n"
      " when h < 0 then reinit(v, -0.5*pre(v)); end when;\ninitial mode first\n equation\n  der(w) = 1;\n"
      " transition to second when time > 5;\nend first;\nmode second\n equation\n  der(w) = -1;\nend "
      "second;\nend M;\n";
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(text, {{"stop", "7"}, {"method", method}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    EXPECT_NEAR(run.final("w"), 3.0, 1e-6) << method;
    EXPECT_NEAR(run.final("h"), 0.0, 1e-12) << method << run.log();
    EXPECT_NEAR(run.final("v"), 0.0, 1e-12) << method;
  }
}

// A counter whose steps halve, and a pendulum against a wall, whose rod would not know of the force of the wall.
TEST(Rest, WhereNothingCanRestTheRunStops) {
  const HybridRun counter = run_text(
      "model M\n Real x(start = 0, fixed = true);\n discrete Real next(start = 1, fixed = true), d(start = "
      "1, fixed = "
      "true);\nequation\n der(x) = 1;\n when x > pre(next) then\n  d = 0.5*pre(d);\n  next = pre(next) + "
      "d;\n end "
      "when;\nend M;\n",
      {{"stop", "10"}});
  EXPECT_EQ(counter.result.status, SimulationStatus::stopped) << counter.log();
  EXPECT_EQ(counter.result.reason, "zeno");
  EXPECT_NEAR(counter.result.end, 2.0, 1e-5);
  const HybridRun pendulum = run_text(
      "model M\n Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, "
      "lambda;\nequation\n der(x) = vx;\n der(y) = vy;\n der(vx) = -lambda*x - 2;\n der(vy) = -lambda*y - "
      "9.81;\n x^2 + "
      "y^2 = 1;\n when x < 0.2 then reinit(vx, -0.5*pre(vx)); end when;\nend M;\n",
      {{"stop", "6"}});
  EXPECT_EQ(pendulum.result.status, SimulationStatus::stopped) << pendulum.log();
  EXPECT_EQ(pendulum.result.reason, "zeno");
}

}  // namespace
}  // namespace saltus::test
