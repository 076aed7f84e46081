// atan2 across its cut (docs/language.md, 4): an event there, and right values wherever a point goes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr double kPi = std::numbers::pi;
const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

// ∫ of the angle of (cos, sin)(w t + p) from 0 to t.
double turned(double angle) {
  const double turns = std::floor((angle + kPi) / (2.0 * kPi));
  const double rest = angle - 2.0 * kPi * turns;
  return rest * rest / 2.0;  // each whole turn adds nothing
}

HybridRun run_angle(const std::string& declarations, const std::string& equations, const std::string& method,
                    const std::string& stop = "3.3") {
  return run_text("model M\n  Real s(start = 0, fixed = true), a(start = 0, fixed = true);\n" + declarations +
                      "equation\n  der(s) = 20;\n" + equations + "end M;\n",
                  {{"stop", stop}, {"method", method}, {"tolerance", "1e-8"}});
}

TEST(Angles, AreIntegratedOverManyTurns) {
  const std::vector<std::string> spellings = {
      "  der(a) = atan2(sin(s + 0.3), cos(s + 0.3));\n",
      "  der(a) = -atan2(-sin(s + 0.3), cos(s + 0.3));\n",
      "  der(a) = atan2(2*sin(s + 0.3), 2*cos(s + 0.3));\n",
      "  der(a) = b;\n  b = atan2(y, x);\n  y = sin(s + 0.3);\n  x = cos(s + 0.3);\n",
      "  der(a) = if s > -1 then atan2(sin(s + 0.3), cos(s + 0.3)) else 0;\n",
      "  der(a) = f(sin(s + 0.3), cos(s + 0.3));\n",
      "  y = sin(s + 0.3);\n  x = cos(s + 0.3);\n  b = atan2(y, x);\n  der(a) = atan2(y, x);\n",
  };
  const double exact = (turned(20.0 * 3.3 + 0.3) - turned(0.3)) / 20.0;
  for (const std::string& method : kMethods) {
    for (const std::string& spelling : spellings) {
      const std::string more = spelling.find("b =") != std::string::npos ? "  Real b, x, y;\n" : "";
      const std::string text =
          "function f\n  input Real y;\n  input Real x;\n  output Real r;\nalgorithm\n  r := atan2(y, x);\n"
          "end f;\nmodel M\n  Real s(start = 0, fixed = true), a(start = 0, fixed = true);\n" +
          more + "equation\n  der(s) = 20;\n" + spelling + "end M;\n";
      const HybridRun run = run_text(text, {{"stop", "3.3"}, {"method", method}, {"tolerance", "1e-8"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << text << run.log();
      EXPECT_NEAR(run.final("a"), exact, 1e-6) << method << text;
    }
  }
}

// Every line through x = y = 0: the angle jumps by half a turn, and by none where the point turns back.
TEST(Angles, JumpByHalfATurnWhereAPointGoesThroughZero) {
  for (const std::string& method : kMethods) {
    for (const double direction : {0.0, 0.5, kPi / 2.0, 2.0, kPi, -0.7, -kPi / 2.0, -2.5}) {
      const auto number = [](double value) { return std::to_string(std::abs(value) < 1e-9 ? 0.0 : value); };
      const HybridRun run =
          run_angle("  Real u, x, y;\n",
                    "  u = 1 - time;\n  x = u*(" + number(std::cos(direction)) + ");\n  y = u*(" +
                        number(std::sin(direction)) + ");\n  der(a) = atan2(y, x);\n",
                    method, "3");
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << direction << run.log();
      const double opposite = direction > 0.0 ? direction - kPi : direction + kPi;
      // On the cut itself the angle is π.
      EXPECT_NEAR(run.final("a"), direction + 2.0 * opposite, 2e-5) << method << direction;
    }
  }
}

TEST(Angles, WithoutACutInReachHaveNoEvents) {
  for (const std::string& method : kMethods) {
    for (const char* const x : {"2", "1.5 + 0.1*sin(s)", "exp(cos(s))"}) {
      const HybridRun run = run_angle("", "  der(a) = atan2(sin(s)/10, " + std::string(x) + ");\n", method);
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << x << run.log();
      EXPECT_TRUE(run.events.empty()) << method << x;
    }
  }
}

constexpr const char* kTurns =
    "model M\n  Real x(start = 1, fixed = true), y(start = 0, fixed = true), phi, w;\n"
    "  Real turned(start = 0, fixed = true);\nequation\n  der(x) = -3*y;\n  der(y) = 3*x;\n";

TEST(Angles, HaveRatesThatKnowNoCut) {
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(
        std::string(kTurns) + "  phi = atan2(y, x);\n  w = der(atan2(y, x));\n  der(turned) = w;\nend M;\n",
        {{"stop", "5"}, {"method", method}, {"tolerance", "1e-9"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    EXPECT_NEAR(run.final("turned"), 15.0, 1e-6) << method;
    EXPECT_NEAR(run.final("phi"), 15.0 - 4.0 * kPi, 1e-6) << method;
  }
}

// What is integrated from der(phi) would jump with phi: no step leads across the cut, or phi jumps alone.
TEST(Angles, WhoseRatesAreTakenMakeNothingJumpAtTheirCut) {
  const std::vector<std::string> laws = {
      "  phi = atan2(y, x);\n  w = der(phi);\n  der(turned) = w;\n",
      "  phi = atan2(y, x)/2 + 1;\n  w = 2*der(phi);\n  der(turned) = w;\n",
      "  tan(0) = phi - atan2(y, x);\n  der(w) = 0*der(phi);\n  der(turned) = der(phi);\n",
      "  phi = atan2(y, x);\n  w = der(der(phi));\n  der(turned) = der(phi);\n",
  };
  for (const std::string& method : kMethods) {
    for (const std::string& law : laws) {
      const HybridRun before =
          run_text(kTurns + law + "end M;\n", {{"stop", "1"}, {"method", method}, {"tolerance", "1e-8"}});
      ASSERT_EQ(before.result.status, SimulationStatus::success) << method << law << before.log();
      EXPECT_NEAR(before.final("turned"), 3.0, 1e-6) << method << law;
      const HybridRun run =
          run_text(kTurns + law + "end M;\n", {{"stop", "5"}, {"method", method}, {"tolerance", "1e-8"}});
      if (run.result.status == SimulationStatus::success) {
        EXPECT_NEAR(run.final("turned"), 15.0, 1e-5) << method << law;
      } else {
        EXPECT_NEAR(run.rows.back().time, kPi / 3.0, 1e-4) << method << law << run.log();
      }
    }
  }
}

// Both sides of the cut lead to it.
TEST(Angles, AreSlidOnWhereBothSidesLeadToTheCut) {
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(
        "model M\n  Real y(start = 1, fixed = true), z;\nequation\n  der(y) = 0.5 - z;\n  z = atan2(y, "
        "-1);\nend M;\n",
        {{"stop", "2"}, {"method", method}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    EXPECT_NEAR(run.final("y"), 0.0, 1e-12) << method;
    EXPECT_NEAR(run.final("z"), 0.5, 1e-9) << method;
  }
}

TEST(Angles, AreComparedOnTheirOwnSide) {
  for (const std::string& method : kMethods) {
    const HybridRun run =
        run_angle("  Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
                  "  der(a) = 0;\n  when atan2(sin(s), cos(s)) > 1 then\n    n = pre(n) + 1;\n  end when;\n"
                  "  when atan2(sin(s), cos(s)) < -3 then\n    m = pre(m) + 1;\n  end when;\n",
                  method);
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    EXPECT_EQ(run.final("n"), 11.0) << method;  // 66 rad: 1 + 2πk, k = 0 … 10
    EXPECT_EQ(run.final("m"), 11.0) << method;  // π + 2πk
  }
}

}  // namespace
}  // namespace saltus::test
