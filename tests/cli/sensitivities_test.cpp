// saltus run --sens: the files, the summary, the words, the check by differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kBall = R"(model Ball
  parameter Real g = 9.81;
  parameter Real e = 0.7;
  parameter Real 'a,b' = 1;
  parameter Real w[2] = {1, 2};
  Real h(start = 1, fixed = true);
  Real v(start = -0.5, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation(experiment(StopTime = 0.8, Interval = 0.2, Tolerance = 1e-8));
end Ball;
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(SensitivityRun, WritesFilesAndSummary) {
  const Program saltus;
  saltus.write("ball.mo", kBall);
  const ProcessResult result =
      saltus({"run", "ball.mo", "--sens", "g,e", "--sens", "'a,b',w,h", "--sens-check", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("most influential"));
  EXPECT_THAT(result.out, HasSubstr("without influence: a,b, w[1], w[2]"));
  EXPECT_THAT(result.out, HasSubstr("sensitivities.csv, sensitivities.html"));
  const std::vector<std::string> rows = lines_of(saltus.read("out/sensitivities.csv"));
  const std::vector<std::string> trajectory = lines_of(saltus.read("out/trajectory.csv"));
  EXPECT_EQ(rows[0],
            "time,segment,mode,d(h)/d(g),d(h)/d(e),\"d(h)/d(a,b)\",d(h)/d(w[1]),d(h)/d(w[2]),d(h)/d(h),"
            "d(v)/d(g),d(v)/d(e),\"d(v)/d(a,b)\",d(v)/d(w[1]),d(v)/d(w[2]),d(v)/d(h)");
  ASSERT_EQ(rows.size(), trajectory.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto place = [](const std::string& line) { return line.substr(0, line.find(",main")); };
    EXPECT_EQ(place(rows[i]), place(trajectory[i]));
  }
  const std::vector<std::string> events = lines_of(saltus.read("out/events.csv"));
  EXPECT_THAT(events[0], HasSubstr(",detail,d(time)/d(g),d(time)/d(e),\"d(time)/d(a,b)\",d(time)/d(w[1])"));
  const nlohmann::json summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["sensitivity_parameters"], (nlohmann::json{"g", "e", "a,b", "w[1]", "w[2]", "h"}));
  EXPECT_EQ(summary["zero_sensitivities"], (nlohmann::json{"a,b", "w[1]", "w[2]"}));
  // h + v t - g t²/2 = 0: ∂t/∂h = -1/v before the event.
  const double before = -std::sqrt(0.25 + 2.0 * 9.81);
  const double t = (-0.5 - before) / 9.81;
  EXPECT_NEAR(summary["events"][0]["time"], t, 1e-9);
  EXPECT_NEAR(summary["events"][0]["sensitivities"]["h"], -1.0 / before, 1e-7);
  EXPECT_NEAR(summary["events"][0]["sensitivities"]["e"], 0.0, 1e-12);
  // h(T) = -e·v⁻·(T - t) - g(T - t)²/2 after it.
  EXPECT_NEAR(summary["final_sensitivities"]["h"]["e"], -before * (0.8 - t), 1e-6);
  EXPECT_NEAR(summary["final_sensitivities"]["v"]["e"], -before, 1e-6);
  EXPECT_EQ(summary["most_influential"].size(), 6U);
  EXPECT_EQ(summary["sens_check"].size(), 6U);
  for (const nlohmann::json& item : summary["sens_check"]) {
    EXPECT_LT(item["largest_difference"], 1e-6) << item;
  }
  EXPECT_THAT(saltus.read("out/sensitivities.html"), HasSubstr("p\u00b7d(h)/d(g)"));
}

TEST(SensitivityRun, LeavesNoTraceWhereNobodyAsks) {
  const Program saltus;
  saltus.write("ball.mo", kBall);
  const ProcessResult result = saltus({"run", "ball.mo", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("influen")));
  EXPECT_FALSE(saltus.exists("out/sensitivities.csv"));
  EXPECT_FALSE(saltus.exists("out/sensitivities.html"));
  EXPECT_THAT(saltus.read("out/summary.json"), Not(HasSubstr("sensitiv")));
  EXPECT_THAT(saltus.read("out/events.csv"), Not(HasSubstr("d(time)")));
  EXPECT_EQ(saltus({"run", "ball.mo", "--sens", "all", "-o", "with"}).exit_code, 0);
  EXPECT_EQ(saltus.read("out/trajectory.csv"), saltus.read("with/trajectory.csv"));
}

TEST(SensitivityRun, ColumnsAreVariablesOnly) {
  const Program saltus;
  saltus.write("ball.mo", kBall);
  EXPECT_EQ(saltus({"run", "ball.mo", "--columns", "der(v),v", "--sens", "g", "--format", "csv", "-o", "out"})
                .exit_code,
            0);
  EXPECT_EQ(lines_of(saltus.read("out/sensitivities.csv"))[0], "time,segment,mode,d(v)/d(g)");
  EXPECT_FALSE(saltus.exists("out/sensitivities.html"));
}

TEST(SensitivityRun, WhatIsUndefinedIsEmptyAndTold) {
  const Program saltus;
  saltus.write(
      "coil.mo",
      "model Coil\n  parameter Real L = 0, u = 2;\n  Real i(start = 1);\n  Real q(start = 0, fixed = true);\n"
      "equation\n  L*der(i) = u - i;\n  der(q) = i;\nend Coil;\n");
  const ProcessResult result = saltus({"run", "coil.mo", "--sens", "L,u", "--sens-check", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("[sensitivity-undefined]"));
  EXPECT_THAT(result.out, HasSubstr("not compared"));
  EXPECT_THAT(lines_of(saltus.read("out/sensitivities.csv"))[1], StartsWith("0,0,main,,"));
  const nlohmann::json summary = saltus.json("out/summary.json");
  EXPECT_TRUE(summary["final_sensitivities"]["q"]["L"].is_null());
  EXPECT_NEAR(summary["final_sensitivities"]["q"]["u"].get<double>(), 1.0, 1e-9);
  EXPECT_TRUE(summary["sens_check"][0]["largest_difference"].is_null());
}

// Steps that are far too long for the equations: the runs beside it have steps half as long.
TEST(SensitivityRun, TheCheckWarnsWhereDifferencesSayOtherwise) {
  const Program saltus;
  saltus.write("swing.mo",
               "model Swing\n  parameter Real w = 3;\n  Real x(start = 1, fixed = true);\n"
               "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n  der(v) = -w^2*x;\n"
               "  annotation(experiment(StopTime = 3));\nend Swing;\n");
  const ProcessResult result = saltus(
      {"run", "swing.mo", "--method", "rk4", "--step", "0.3", "--sens", "w", "--sens-check", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("[sensitivity-check]"));
}

TEST(SensitivityRun, TheCheckTellsOfRunsWithOtherEvents) {
  const Program saltus;
  saltus.write(
      "close.mo",
      "model Close\n  parameter Real p = 1;\n  Real x(start = 0, fixed = true);\n"
      "  Real y(start = 0, fixed = true);\nequation\n  der(x) = p;\n"
      "  der(y) = if x > 1.0001 then 5 else 0;\n  annotation(experiment(StopTime = 1));\nend Close;\n");
  const ProcessResult result = saltus({"run", "close.mo", "--sens", "p", "--sens-check", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("not compared: the run with another value has other events"));
}

}  // namespace
}  // namespace saltus::test
