// saltus run with events: every kind of event, the files, limits, endings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kBall = R"(model Ball "bouncing ball"
  parameter Real e = 0.7;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  discrete Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 and v < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  annotation(experiment(StopTime = 1, Interval = 0.1, Tolerance = 1e-9));
end Ball;
)";

constexpr const char* kRelay = R"(model Relay
  Real x(start = 0.5, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = if x > 0 then -1 else 1;
  annotation(experiment(StopTime = 20, Interval = 0.5, Tolerance = 1e-9));
end Relay;
)";

constexpr const char* kStick = R"(model Stick
  Real v(start = 0.1, fixed = true);
equation
  der(v) = 2*sin(time) - 1.2*sign(v);
  annotation(experiment(StopTime = 6));
end Stick;
)";

constexpr const char* kModes = R"(model Modes
  Real x(start = 0, fixed = true);
initial mode up
  Real own;
  equation
    der(x) = 1;
    own = 2*x;
  transition to middle when x > 1;
end up;
mode middle
  equation
    der(x) = 1;
  transition to down when x > 0.5;
end middle;
mode down
  equation
    der(x) = -1;
end down;
annotation(experiment(StopTime = 2, Interval = 0.5));
end Modes;
)";

constexpr const char* kTimes = R"(model Times
  Real x(start = 0, fixed = true);
  discrete Real u(start = 0, fixed = true);
equation
  der(x) = u;
  when sample(0.25, 0.5) then
    u = pre(u) + 1;
  end when;
  when x > 0.6 then
    terminate("far enough");
  end when;
  annotation(experiment(StopTime = 5, Interval = 0.5));
end Times;
)";

// Fields of a line as in RFC 4180.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(fields_of(line));
  }
  return rows;
}

std::set<std::string> kinds(const std::vector<std::vector<std::string>>& events) {
  std::set<std::string> found;
  for (std::size_t k = 1; k < events.size(); ++k) {
    found.insert(events[k][2]);
  }
  return found;
}

TEST(Events, ABallHasItsRowsEventsAndSummary) {
  const Program saltus;
  const ProcessResult result = saltus({"run", saltus.write("ball.mo", kBall), "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const double fall = std::sqrt(2 / 9.81);
  const auto events = table(saltus.read("out/events.csv"));
  ASSERT_EQ(events[0],
            (std::vector<std::string>{"time", "segment", "kind", "from", "to", "guard", "detail"}));
  ASSERT_GE(events.size(), 2U);
  EXPECT_NEAR(std::stod(events[1][0]), fall, 1e-8);
  EXPECT_EQ(events[1][1], "1");
  EXPECT_EQ(events[1][2], "when");
  const auto rows = table(saltus.read("out/trajectory.csv"));
  std::size_t k = 1;
  while (k < rows.size() && rows[k][0] != events[1][0]) {
    ++k;
  }
  ASSERT_LT(k + 1, rows.size());
  EXPECT_EQ(rows[k + 1][0], rows[k][0]);
  EXPECT_EQ(rows[k][1], "0");
  EXPECT_EQ(rows[k + 1][1], "1");
  EXPECT_NEAR(std::stod(rows[k + 1][4]), -0.7 * std::stod(rows[k][4]), 1e-12);
  EXPECT_EQ(rows[k + 1][5], "1");
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["events_total"], events.size() - 1);
  EXPECT_EQ(summary["events_truncated"], false);
  EXPECT_EQ(summary["events"][0]["time"].get<double>(), std::stod(events[1][0]));
  EXPECT_EQ(summary["events"][0]["kind"], "when");
  EXPECT_EQ(summary["statistics"]["events"], events.size() - 1);
  EXPECT_GT(summary["statistics"]["guard_evaluations"], 0);
  EXPECT_THAT(result.out, HasSubstr("events     "));
  EXPECT_THAT(result.out, HasSubstr("when"));
}

TEST(Events, ConditionsOfEquations) {
  const Program saltus;
  const ProcessResult result = saltus({"run", saltus.write("relay.mo", kRelay), "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto events = table(saltus.read("out/events.csv"));
  // x = ±(1/2 - t²/2) between: crossings at 1, 3, 5, …, 19
  ASSERT_EQ(events.size(), 11U);
  for (std::size_t k = 1; k < events.size(); ++k) {
    EXPECT_NEAR(std::stod(events[k][0]), 2.0 * static_cast<double>(k) - 1.0, 1e-8);
    EXPECT_EQ(events[k][2], "condition");
    EXPECT_EQ(events[k][3], k % 2 == 1 ? "> 0" : "< 0");
    EXPECT_EQ(events[k][5], "x");
  }
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["modes"].size(), 1U);
  EXPECT_EQ(summary["modes"][0]["mode"], "main");
}

TEST(Events, SlidingIsEnteredLeftAndNamed) {
  const Program saltus;
  const ProcessResult result = saltus({"run", saltus.write("stick.mo", kStick), "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto events = table(saltus.read("out/events.csv"));
  EXPECT_EQ(events[1][2], "slide_enter");
  EXPECT_EQ(events[2][2], "slide_exit");
  // Held until 2 sin(t) = 1.2.
  EXPECT_NEAR(std::stod(events[2][0]), std::asin(0.6), 1e-5);
  const std::string rows = saltus.read("out/trajectory.csv");
  EXPECT_THAT(rows, HasSubstr(",main sliding on v,"));
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["modes"][1]["mode"], "main sliding on v");
  EXPECT_EQ(summary["modes"][1]["from"].get<double>(), std::stod(events[1][0]));
  EXPECT_EQ(summary["modes"][1]["to"].get<double>(), std::stod(events[2][0]));
  EXPECT_GT(summary["statistics"]["accepted_sliding_steps"], 0);
  EXPECT_THAT(result.out, HasSubstr("sliding    "));
}

TEST(Events, TransitionsImmediateOnesAndVariablesThatDoNotExist) {
  const Program saltus;
  const ProcessResult result = saltus({"run", saltus.write("modes.saltus", kModes), "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto events = table(saltus.read("out/events.csv"));
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1][2], "transition");
  EXPECT_EQ(events[1][3], "up");
  EXPECT_EQ(events[1][4], "middle");
  EXPECT_EQ(events[2][2], "immediate");
  EXPECT_EQ(events[2][4], "down");
  EXPECT_EQ(events[2][0], events[1][0]);
  const auto rows = table(saltus.read("out/trajectory.csv"));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k][4].empty(), rows[k][2] != "up") << k;
  }
  const auto summary = saltus.json("out/summary.json");
  EXPECT_TRUE(summary["final"]["own"].is_null());
  EXPECT_NEAR(summary["final"]["x"].get<double>(), 0.0, 1e-6);
  EXPECT_EQ(summary["modes"].size(), 2U);
  EXPECT_EQ(summary["modes"][1]["mode"], "down");
  EXPECT_THAT(result.out, HasSubstr("has no value here"));
}

TEST(Events, TimeEventsAndTerminate) {
  const Program saltus;
  const ProcessResult result = saltus({"run", saltus.write("times.mo", kTimes), "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto events = table(saltus.read("out/events.csv"));
  EXPECT_THAT(kinds(events), ::testing::IsSupersetOf({"time", "terminate"}));
  EXPECT_EQ(events[1][0], "0.25");
  EXPECT_EQ(events[2][0], "0.75");
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["status"], "terminated");
  EXPECT_THAT(summary["message"].get<std::string>(), HasSubstr("far enough"));
  // x = (t - 1/4) up to 3/4, then slope 2: 0.6 at 0.8.
  EXPECT_NEAR(summary["end"].get<double>(), 0.8, 1e-6);
}

TEST(Events, AccumulatingEventsStopTheRunIfAsked) {
  const Program saltus;
  const ProcessResult result =
      saltus({"run", saltus.write("ball.mo", kBall), "--stop", "10", "--zeno", "stop", "-o", "out"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("[zeno]"));
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["reason"], "zeno");
  // fall·(1 + e)/(1 - e)
  const double accumulation = std::sqrt(2 / 9.81) * 1.7 / 0.3;
  EXPECT_NEAR(summary["end"].get<double>(), accumulation, 1e-5);
  const auto events = table(saltus.read("out/events.csv"));
  EXPECT_EQ(events.back()[2], "zeno");
}

TEST(Events, LimitsAndExplanations) {
  const Program saltus;
  saltus.write("relay.mo", kRelay);
  const ProcessResult few = saltus({"run", "relay.mo", "--max-events", "3", "-o", "out"});
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_EQ(saltus.json("out/summary.json")["reason"], "event_limit");
  const ProcessResult explained = saltus({"run", "relay.mo", "--explain-event", "2", "--quiet"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("x"));
  EXPECT_NE(explained.out, "");
  const ProcessResult beyond = saltus({"run", "relay.mo", "--explain-event", "99", "--quiet"});
  EXPECT_EQ(beyond.out, "event 99: the run had 10 events only\n");
}

TEST(Events, ATableOfManyEventsIsCut) {
  const Program saltus;
  const ProcessResult result =
      saltus({"run", saltus.write("relay.mo", kRelay), "--stop", "100", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("events     50\n"));
  EXPECT_THAT(result.out, HasSubstr("… 38 more in events.csv"));
  EXPECT_LT(std::count(result.out.begin(), result.out.end(), '\n'), 30);
}

TEST(Events, FilesAreWholeAfterAnInterrupt) {
  const Program saltus;
  saltus.write("relay.mo", kRelay);
  ProcessOptions options;
  options.when = [&] { return saltus.exists("relay_results"); };
  const ProcessResult result =
      saltus({"run", "relay.mo", "--stop", "1e9", "--interval", "1e6", "--max-events", "1e9"}, options);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 1) << result.signal;
  const auto summary = saltus.json("relay_results/summary.json");
  EXPECT_EQ(summary["reason"], "interrupted");
  const auto events = table(saltus.read("relay_results/events.csv"));
  EXPECT_EQ(summary["events_total"], events.size() - 1);
  const std::string rows = saltus.read("relay_results/trajectory.csv");
  EXPECT_EQ(rows.back(), '\n');
  for (const auto& row : table(rows)) {
    ASSERT_EQ(row.size(), 5U);
  }
  for (const auto& event : events) {
    ASSERT_EQ(event.size(), 7U);
  }
}

TEST(Events, FilesAreWholeAfterAFailureInTheMiddle) {
  const Program saltus;
  saltus.write(
      "broken.mo",
      "model Broken\n  Real x(start = -1, fixed = true);\n  Real y;\nequation\n  der(x) = 1;\n"
      "  y = if x > 0 then sqrt(0.5 - x) else 1;\n  annotation(experiment(StopTime = 2, Interval = 0.1));\n"
      "end Broken;\n");
  const ProcessResult result = saltus({"run", "broken.mo", "-o", "out"});
  EXPECT_EQ(result.exit_code, 1);
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["status"], "failed");
  EXPECT_EQ(summary["reason"], "not_finite");
  const auto events = table(saltus.read("out/events.csv"));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_NEAR(std::stod(events[1][0]), 1.0, 1e-6);
  const auto rows = table(saltus.read("out/trajectory.csv"));
  EXPECT_GE(std::stod(rows.back()[0]), 1.3);
  EXPECT_THAT(saltus.read("out/report.html"), HasSubstr("not_finite"));
}

TEST(Events, AnAssertionEndsTheRunAsFailed) {
  const Program saltus;
  saltus.write(
      "tank.mo",
      "model Tank\n  Real level(start = 1, fixed = true);\nequation\n  der(level) = -0.5;\n"
      "  assert(level > 0.25, \"the tank is empty\");\n  annotation(experiment(StopTime = 5));\nend Tank;\n");
  const ProcessResult result = saltus({"run", "tank.mo", "-o", "out"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the tank is empty"));
  const auto summary = saltus.json("out/summary.json");
  EXPECT_EQ(summary["reason"], "assert");
  EXPECT_NEAR(summary["end"].get<double>(), 1.5, 1e-6);
}

TEST(Events, WrongOptionsAreRefused) {
  const Program saltus;
  saltus.write("relay.mo", kRelay);
  const ProcessResult result =
      saltus({"run", "relay.mo", "--sliding", "maybe", "--dwell", "-1", "--detection", "1", "--order", "7"});
  EXPECT_EQ(result.exit_code, 2);
  for (const char* part :
       {"--sliding takes one of on, off, hysteresis, not 'maybe'", "--dwell must not be negative",
        "--detection takes bound, ends, stages", "there is no method of order 7"}) {
    EXPECT_THAT(result.err, HasSubstr(part));
  }
  EXPECT_FALSE(saltus.exists("relay_results"));
}

TEST(Events, TheReportHoldsThem) {
  const Program saltus;
  ASSERT_EQ(saltus({"run", saltus.write("stick.mo", kStick), "-o", "out"}).exit_code, 0);
  const std::string page = saltus.read("out/report.html");
  EXPECT_THAT(page, HasSubstr("slide_enter"));
  EXPECT_THAT(page, HasSubstr("main sliding on v"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_LT(page.size(), 200'000U);
}

}  // namespace
}  // namespace saltus::test
