// Modes and structures whose matrix is singular where they are entered: by ranks from there on (docs/semantics.md 5.10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

// In the second mode x1 + x2 = sin t, differentiated cos t = -x1: the structure shows the first constraint only, and the factor that
// depends on a state keeps it from being combined with the other equation.
constexpr const char* kHidden =
    "  (2 + x1^2)*(der(x1) + der(x2)) = -(2 + x1^2)*x1;\n  x1 + x2 = sin(time);\n";
constexpr const char* kHiddenWithNumbers = "  der(x1) + der(x2) = -x1;\n  x1 + x2 = sin(time);\n";

std::string two_modes(const std::string& there, const std::string& back, const char* hidden = kHidden) {
  return "model M\n  Real x1(start = 1, fixed = true), x2(start = 2, fixed = true);\ninitial mode "
         "m1\nequation\n"
         "  der(x1) = x2;\n  der(x2) = -x1;\n  transition to m2 when " +
         there + ";\nend m1;\nmode m2\nequation\n" + hidden + back + "end m2;\n";
}

std::size_t told_by_ranks(const HybridRun& run) {
  std::size_t count = 0;
  for (const Diagnostic& diagnostic : run.result.diagnostics.items()) {
    count += diagnostic.code == "goes-on-by-ranks" ? 1U : 0U;
  }
  return count;
}

void expect_hidden_constraints(const HybridRun& run, double from) {
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  std::size_t n_rows = 0;
  for (const RowRecord& row : run.rows) {
    // The row before the event has the same time.
    if (row.time > from || (row.time == from && row.segment > 0)) {
      ++n_rows;
      EXPECT_NEAR(run.value(row, "x1"), -std::cos(row.time), 1e-8) << row.time;
      EXPECT_NEAR(run.value(row, "x2"), std::sin(row.time) + std::cos(row.time), 1e-8) << row.time;
    }
  }
  EXPECT_GT(n_rows, 10U);
}

TEST(RankEntry, ModeThatATransitionLeadsTo) {
  const HybridRun run = run_text(two_modes("time > 1", "") + "end M;\n",
                                 {{"stop", "3"}, {"tolerance", "1e-9"}, {"interval", "0.1"}});
  expect_hidden_constraints(run, 1.0);
  EXPECT_EQ(told_by_ranks(run), 1U) << run.words();
  EXPECT_THAT(run.words(), HasSubstr("of mode 'm2' does not show their index at t = 1"));
}

// The derivative of the constraint and the other equation have a combination without derivatives: no ranks are needed.
TEST(RankEntry, IsNotNeededWhereDerivativesOfConstraintsCombine) {
  const HybridRun run = run_text(two_modes("time > 1", "", kHiddenWithNumbers) + "end M;\n",
                                 {{"stop", "3"}, {"tolerance", "1e-9"}, {"interval", "0.1"}});
  expect_hidden_constraints(run, 1.0);
  EXPECT_EQ(told_by_ranks(run), 0U) << run.words();
}

TEST(RankEntry, StructureThatAConditionAsksFor) {
  const std::string text =
      "model M\n  Real x1(start = 1, fixed = true), x2(start = 2, fixed = true);\nequation\n"
      "  if time < 1 then\n    der(x1) = x2;\n    der(x2) = -x1;\n  else\n" +
      std::string(kHidden) + "  end if;\nend M;\n";
  const HybridRun run = run_text(text, {{"stop", "3"}, {"tolerance", "1e-9"}, {"interval", "0.1"}});
  expect_hidden_constraints(run, 1.0);
  EXPECT_EQ(told_by_ranks(run), 1U) << run.words();
}

TEST(RankEntry, IsRememberedAndToldOnce) {
  const HybridRun run =
      run_text(two_modes("sin(2*time) < 0", "  transition to m1 when sin(2*time) > 0;\n") + "end M;\n",
               {{"stop", "9"}, {"tolerance", "1e-9"}, {"interval", "0.1"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  EXPECT_EQ(run.count("transition"), 5U) << run.log();
  EXPECT_EQ(told_by_ranks(run), 1U) << run.words();
  for (const RowRecord& row : run.rows) {
    if (row.mode == "m2") {
      EXPECT_NEAR(run.value(row, "x1"), -std::cos(row.time), 1e-7) << row.time;
    }
  }
}

// With the constraint of the structure alone x1 would be 1.41 and the mode left at once; it is -cos 1.
TEST(RankEntry, HiddenConstraintsAreMetBeforeTransitionsAreAsked) {
  const HybridRun run = run_text(two_modes("time > 1", "  transition to m3 when x1 > 0;\n") +
                                     "mode m3\nequation\n  der(x1) = 1;\n  der(x2) = 0;\nend m3;\nend M;\n",
                                 {{"stop", "3"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  ASSERT_EQ(run.events.size(), 2U) << run.log();
  EXPECT_EQ(run.events[1].kind, "transition");
  EXPECT_NEAR(run.events[1].time, std::acos(0.0), 1e-8);
}

// x1 stands in no derivative: it is solved for. m2 means x1 + x2 = 1 and x3 = 3, and both equations keep x2 + x3 at 0.
TEST(RankEntry, AlgebraicVariablesAreSolvedFor) {
  const HybridRun run = run_text(R"(model M
  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true), x3(start = 0, fixed = true);
initial mode m1
equation
  der(x1) = 3;
  der(x2) = 0;
  der(x3) = 0;
  transition to m2 when time > 1;
end m1;
mode m2
equation
  der(x2) + der(x3) = -x1;
  2*der(x2) + 2*der(x3) = -x1 + x2 - 1;
  0 = x1 + x2 + x3 - 4;
end m2;
end M;
)",
                                 {{"stop", "2"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  const std::vector<RowRecord> rows = run.rows_at(1.0, 1e-9);
  ASSERT_EQ(rows.size(), 2U) << run.log();
  EXPECT_NEAR(run.value(rows[1], "x1"), 4.0, 1e-9);
  EXPECT_NEAR(run.value(rows[1], "x2"), -3.0, 1e-9);
  EXPECT_NEAR(run.value(rows[1], "x3"), 3.0, 1e-9);
}

// m2 means x1 + x2 + 2 x3 = 2: what the body has set holds, x1 and x2 give way alike.
TEST(RankEntry, ValuesOfBodiesHold) {
  const HybridRun run = run_text(R"(model M
  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true), x3(start = 0, fixed = true);
initial mode m1
equation
  der(x1) = 1;
  der(x2) = 0;
  der(x3) = 0;
  transition to m2 when time > 1 then
    reinit(x3, 1);
  end transition;
end m1;
mode m2
equation
  der(x1) + der(x2) + der(x3) = 1;
  2*der(x1) + 2*der(x2) + 2*der(x3) = 4 - x1 - x2 - 2*x3;
  der(x1) = 1;
end m2;
end M;
)",
                                 {{"stop", "2"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  const std::vector<RowRecord> rows = run.rows_at(1.0, 1e-9);
  ASSERT_EQ(rows.size(), 2U) << run.log();
  EXPECT_NEAR(run.value(rows[1], "x1"), 0.5, 1e-9);
  EXPECT_NEAR(run.value(rows[1], "x2"), -0.5, 1e-9);
  EXPECT_EQ(run.value(rows[1], "x3"), 1.0);
}

// The structure stays, its numbers become singular: by a condition, and by a discrete variable. With the second the coefficients are fixed
// in the instant, and both equations keep x1 + x2; a factor that is an unknown itself leaves x2 to the least change.
TEST(RankEntry, NumbersThatAnEventMakesSingular) {
  const std::string equations = "  der(x1) + k*der(x2) = -x1;\n  der(x1) + der(x2) = cos(time);\nend M;\n";
  const std::string states = "model M\n  Real x1(start = 1, fixed = true), x2(start = 2, fixed = true)";
  for (const std::string& k :
       {std::string(", k;\nequation\n  k = if time < 1 then 2 else 1;\n"),
        std::string(
            ";\n  Integer k(start = 2, fixed = true);\nequation\n  when time > 1 then k = 1; end when;\n")}) {
    const HybridRun run = run_text(states + k + equations, {{"stop", "2"}, {"tolerance", "1e-9"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
    EXPECT_EQ(told_by_ranks(run), 1U) << run.words();
    EXPECT_EQ(run.count("structure"), 1U) << run.log();
    const std::vector<RowRecord> rows = run.rows_at(1.0, 1e-9);
    ASSERT_EQ(rows.size(), 3U) << run.log();  // before, with the new k, on the hidden constraint
    EXPECT_NEAR(run.value(rows[2], "x1"), -std::cos(1.0), 1e-9);
    const bool is_fixed = k.find("Integer") != std::string::npos;
    const double moved = is_fixed ? run.value(rows[2], "x1") - run.value(rows[0], "x1") : 0.0;
    EXPECT_NEAR(run.value(rows[2], "x2"), run.value(rows[0], "x2") - moved, 1e-9) << k;
    EXPECT_NEAR(run.final("x1"), -std::cos(2.0), 1e-8);
  }
}

}  // namespace
}  // namespace saltus::test
