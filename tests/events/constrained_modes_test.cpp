// Modes of different index, entered where guards of the mode are zero together with their first derivatives: what location and
// projection leave over must not decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// A capacitor behind an ideal diode: index 2 while it conducts, 1 while it blocks.
const char* const kPeakDetector = R"(
model PeakDetector
  parameter Real C = 1e-3, R = 100, V = 10, w = 50;
  Real source = V*sin(w*time);
  Real v(start = 0, fixed = true), vd, i;
equation
  source = vd + v;
  C*der(v) = i - v/R;
initial mode conducting
  equation
    vd = 0;
  transition to blocking when i < 0;
end conducting;
mode blocking
  equation
    i = 0;
  transition to conducting when vd > 0;
end blocking;
end PeakDetector;
)";

// Conducting: i = C·V·w·cos(wt) + V·sin(wt)/R, zero at wt = π - arctan(wCR) + 2πk; blocking: v falls with the time RC.
std::vector<double> switching_times(double stop) {
  const double w = 50;
  std::vector<double> times;
  for (int k = 0;; ++k) {
    const double blocks = (std::numbers::pi - std::atan(5.0) + 2 * std::numbers::pi * k) / w;
    const double v = 10 * std::sin(w * blocks);
    const auto vd = [&](double t) { return 10 * std::sin(w * t) - v * std::exp(-(t - blocks) / 0.1); };
    double low = 2 * std::numbers::pi * (k + 1) / w;
    double high = low + 0.5 * std::numbers::pi / w;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (vd(middle) < 0.0 ? low : high) = middle;
    }
    for (const double t : {blocks, low}) {
      if (t >= stop) {
        return times;
      }
      times.push_back(t);
    }
  }
}

class ConstrainedModes : public ::testing::TestWithParam<std::string> {};
// A pendulum of index 3 with another force on each side: back from the end it takes the same transitions at the same times.
TEST_P(ConstrainedModes, TheWayBackIsTheWayThere) {
  const std::string text =
      "model B\n parameter Real side = 1;\n Real x(start=0.6, fixed=true), y(start=-0.8), vx(start=0.5, "
      "fixed=true), "
      "vy(start=0.375), F;\nequation\n der(x) = vx; der(y) = vy; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;\n"
      "initial mode = if side > 0 then right else left;\n"
      "mode right\n equation der(vx) = -F*x - 2;\n transition to left when x < 0;\nend right;\n"
      "mode left\n equation der(vx) = -F*x + 1;\n transition to right when x > 0;\nend left;\nend B;\n";
  const OptionList there_options = {{"method", GetParam()}, {"stop", "3"}, {"tolerance", "1e-9"}};
  const HybridRun there = run_text(text, there_options);
  ASSERT_EQ(there.count("transition"), 3U) << there.log();
  OptionList back_options = {
      {"method", GetParam()}, {"start", "3"}, {"stop", "0"}, {"tolerance", "1e-9"}, {"set", "side=-1"}};
  for (const char* const name : {"x", "y", "vx", "vy"}) {
    char value[64];
    std::snprintf(value, sizeof value, "%s=%.17g", name, there.final(name));
    back_options.push_back({"set", value});
  }
  const HybridRun back = run_text(text, back_options);
  ASSERT_EQ(back.count("transition"), 3U) << back.log();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(back.times("transition")[k], there.times("transition")[2 - k], 1e-6);
    EXPECT_EQ(back.of_kind("transition")[k].from, there.of_kind("transition")[2 - k].to);
  }
  EXPECT_EQ(back.result.end, 0.0);
  EXPECT_NEAR(back.final("x"), 0.6, 1e-5) << back.log();
  EXPECT_NEAR(back.final("vx"), 0.5, 1e-5);
}

// What a run counts adds up, and implicit methods count their own work.
TEST_P(ConstrainedModes, StatisticsAddUp) {
  const std::string method = GetParam();
  const HybridRun run = run_text(kPeakDetector, {{"method", method}, {"stop", "0.5"}, {"tolerance", "1e-6"}});
  const Statistics& counted = run.result.statistics;
  EXPECT_EQ(counted.method, method);
  EXPECT_GT(counted.accepted_steps, 0);
  EXPECT_GT(counted.residual_evaluations, counted.accepted_steps);
  EXPECT_GT(counted.guard_evaluations, 0);
  EXPECT_LE(counted.rejected_by_error + counted.rejected_by_iteration, counted.rejected_steps);
  EXPECT_EQ(counted.events, static_cast<std::int64_t>(run.events.size()));
  EXPECT_EQ(counted.instants, 7);
  EXPECT_GE(counted.restarts, 7);
  const bool is_implicit = method != "dopri5";
  EXPECT_EQ(counted.jacobian_evaluations > 0, is_implicit);
  EXPECT_EQ(counted.factorizations > 0, is_implicit);
  EXPECT_EQ(counted.newton_iterations > 0, is_implicit);
  // The same steps without room for error: every rejection is by the error test.
  const HybridRun rough = run_text(
      kPeakDetector, {{"method", method}, {"stop", "0.03"}, {"tolerance", "1e-9"}, {"initial-step", "0.02"}});
  EXPECT_GT(rough.result.statistics.rejected_by_error + rough.result.statistics.rejected_by_iteration, 0)
      << method;
}

INSTANTIATE_TEST_SUITE_P(Methods, ConstrainedModes, ::testing::Values("dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

// On entry of the blocking mode vd = 0 and vd' = i/C = 0: vd'' decides.
TEST_P(ConstrainedModes, PeakDetectorIsLeftTangentially) {
  for (const char* const tolerance : {"1e-4", "1e-6", "1e-8", "1e-10", "1e-12"}) {
    const HybridRun run =
        run_text(kPeakDetector, {{"method", GetParam()}, {"stop", "0.5"}, {"tolerance", tolerance}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << tolerance << run.log();
    const std::vector<double> expected = switching_times(0.5);
    const std::vector<double> times = run.times("transition");
    ASSERT_EQ(times.size(), expected.size()) << tolerance << run.log();
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(times[k], expected[k], 100 * std::stod(tolerance) + 1e-14) << tolerance;
    }
  }
}

// A ball on a string: index 3 while it is tight, an ordinary differential equation while it flies.
const char* const kStringPendulum = R"(
model StringPendulum
  parameter Real L = 1, g = 9.81;
  Real x(start = 0, fixed = true), y(start = -1, fixed = true), vx(start = 6, fixed = true), vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
initial mode tight
  Real force;
  equation
    der(vx) = -force*x;
    der(vy) = -force*y - g;
    x^2 + y^2 = L^2;
  transition to slack when force < 0;
end tight;
mode slack
  equation
    der(vx) = 0;
    der(vy) = -g;
  transition to tight when x^2 + y^2 > L^2 then
    x*vx + y*vy = 0;
    y*vx - x*vy = y*pre(vx) - x*pre(vy);
  end transition;
end slack;
end StringPendulum;
)";

// On entry of the slack mode x² + y² - L² is zero, and so are its first two derivatives: the third decides.
TEST_P(ConstrainedModes, StringGoesSlackAndTight) {
  const double g = 9.81;
  // The angle from the lowest point as an ordinary differential equation; F = v² - g·y = 0.
  const HybridRun angle = run_text(
      "model M\n Real a(start = 0, fixed = true), w(start = 6, fixed = true);\n Real f = w^2 + 9.81*cos(a);\n"
      "equation\n der(a) = w;\n der(w) = -9.81*sin(a);\n when f < 0 then\n  terminate(\"slack\");\n end "
      "when;\n"
      "end M;\n",
      {{"method", "dopri5"}, {"stop", "1"}, {"tolerance", "1e-13"}});
  const double slack = angle.result.end;
  const double y = (36 - 2 * g) / (3 * g);
  const double vy = std::sqrt(g * y) * std::sqrt(1 - y * y);
  // |r + vτ - gτ²/2 e_y|² = 1 with r·v = 0 and v² = g·y.
  const double tight = slack + 4 * vy / g;
  for (const char* const tolerance : {"1e-4", "1e-6", "1e-8", "1e-10", "1e-12"}) {
    const HybridRun run =
        run_text(kStringPendulum, {{"method", GetParam()}, {"stop", "1.6"}, {"tolerance", tolerance}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << tolerance << run.log();
    const std::vector<double> times = run.times("transition");
    ASSERT_GE(times.size(), 2U) << tolerance << run.log();
    EXPECT_NEAR(times[0], slack, 100 * std::stod(tolerance) + 1e-12) << tolerance;
    EXPECT_NEAR(times[1], tight, 100 * std::stod(tolerance) + 1e-12) << tolerance;
    for (const RowRecord& row : run.rows) {
      EXPECT_LE(std::hypot(run.value(row, "x"), run.value(row, "y")), 1 + 100 * std::stod(tolerance));
    }
  }
}

// Diodes of 1e-3 and 1e-6: rounding errors of the voltages come back as currents a thousand times larger. Two diodes change together
// and must not change back at once.
TEST_P(ConstrainedModes, BlocksOfBadConditionDoNotSwitchBackAndForth) {
  const std::string text = R"(
model BridgeRectifier
  parameter Real V = 20, w = 314.159265358979, Rs = 0.5, C = 2e-3, R = 50, Ron = 1e-3, Goff = 1e-6;
  Real v(start = 0, fixed = true), a, b, line, s[4], i[4], drop[4];
equation
  V*sin(w*time) = Rs*line + a - b;
  drop = {a - v, b - v, -a, -b};
  for k in 1:4 loop
    drop[k] = s[k]*(if s[k] < 0 then 1 else Ron);
    i[k] = s[k]*(if s[k] < 0 then Goff else 1);
  end for;
  line + i[3] = i[1];
  i[4] = i[2] + line;
  C*der(v) = i[1] + i[2] - v/R;
end BridgeRectifier;
)";
  for (const char* const tolerance : {"1e-3", "1e-4", "1e-6", "1e-8"}) {
    const HybridRun run = run_text(
        text, {{"method", GetParam()}, {"stop", "0.04"}, {"tolerance", tolerance}, {"max-steps", "20000"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << tolerance << run.log();
    EXPECT_EQ(run.count("condition"), 14U) << tolerance << run.log();
  }
}

}  // namespace
}  // namespace saltus::test
