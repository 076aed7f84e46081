// Guards that have a value where they have no slope (√d at d = 0), and guards that leave zero where nothing says so (docs/semantics.md 2.1, 7.1).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class SteepGuards : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, SteepGuards,
                         ::testing::Values("auto", "dopri5", "rk23", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

HybridRun run_of(const std::string& declarations, const std::string& equations, const std::string& method) {
  return run_text("model M\n" + declarations + "equation\n" + equations + "end M;\n",
                  {{"stop", "2"}, {"interval", "0.05"}, {"method", method}, {"verify", "full"}});
}

// A level falls below the ground at t = 1: zero depth up to then, √(t - 1) from there on, at every row.
TEST_P(SteepGuards, ADepthThatBeginsWithoutAnEvent) {
  for (const std::string depth : {"noEvent(if h < 0 then -h else 0)", "noEvent(max(-h, 0))", "max(-h, 0)",
                                  "(abs(h) - h)/2", "if h < 0 then -h else 0"}) {
    for (const std::string flow :
         {"max(0, sqrt(d))", "max(0, d^0.5)", "max(sqrt(d), 0)", "max(0, abs(d)^0.5)",
          "if sqrt(d) > 0 then sqrt(d) else 0", "abs(sqrt(d))"}) {
      const HybridRun run = run_of(" Real h(start = 1, fixed = true), d, f;\n",
                                   " der(h) = -1;\n d = " + depth + ";\n f = " + flow + ";\n", GetParam());
      ASSERT_EQ(run.result.status, SimulationStatus::success) << depth << flow << run.log();
      for (const RowRecord& row : run.rows) {
        const double expected = std::sqrt(std::max(0.0, row.time - 1));
        ASSERT_NEAR(run.value(row, "f"), expected, 1e-6) << depth << " " << flow << " at " << row.time;
      }
    }
  }
}

// The same as a rate: the integral is 2/3 (t - 1)^1.5.
TEST_P(SteepGuards, AsARate) {
  for (const std::string flow : {"max(0, sqrt(d))", "max(0, d^0.5)", "if sqrt(d) > 0 then sqrt(d) else 0"}) {
    const HybridRun run =
        run_of(" Real h(start = 1, fixed = true), d, v(start = 0, fixed = true);\n",
               " der(h) = -1;\n d = noEvent(max(-h, 0));\n der(v) = " + flow + ";\n", GetParam());
    ASSERT_EQ(run.result.status, SimulationStatus::success) << flow << run.log();
    EXPECT_NEAR(run.final("v"), 2.0 / 3.0, 1e-5) << flow;
  }
}

// Clauses fire where what they ask about begins, once.
TEST_P(SteepGuards, ClausesFireWhereTheRootBegins) {
  for (const std::string condition :
       {"sqrt(d) > 0", "d^0.5 > 0", "0 < sqrt(d)", "not sqrt(d) <= 0", "d > 0"}) {
    for (const std::string depth : {"noEvent(max(-h, 0))", "noEvent(if h < 0 then -h else 0)"}) {
      const HybridRun run = run_of(
          " Real h(start = 1, fixed = true), d;\n Integer n(start = 0, fixed = true);\n Real at(start = -1, "
          "fixed = true);\n",
          " der(h) = -1;\n der(at) = 0;\n d = " + depth + ";\n when " + condition +
              " then\n  n = pre(n) + 1;\n  reinit(at, time);\n end when;\n",
          GetParam());
      ASSERT_EQ(run.result.status, SimulationStatus::success) << condition << depth << run.log();
      EXPECT_EQ(run.final("n"), 1) << condition << depth << run.log();
      EXPECT_NEAR(run.final("at"), 1, 1e-6) << condition << depth;
    }
  }
}

// At the start the root begins at once.
TEST_P(SteepGuards, ARootThatBeginsAtTheStart) {
  for (const std::string root : {"sqrt(h)", "h^0.5", "abs(h)^0.5"}) {
    const HybridRun run =
        run_of(" Real h(start = 0, fixed = true), f;\n Integer n(start = 0, fixed = true);\n",
               " der(h) = 1;\n f = max(0, " + root + ");\n when " + root +
                   " > 0 then\n  n = pre(n) + 1;\n end when;\n",
               GetParam());
    ASSERT_EQ(run.result.status, SimulationStatus::success) << root << run.log();
    EXPECT_EQ(run.final("n"), 1) << root;
    EXPECT_NEAR(run.final("f"), std::sqrt(2.0), 1e-6) << root;
  }
  const HybridRun circle =
      run_of(" Real h(start = 0, fixed = true), f, g;\n",
             " der(h) = 1;\n f = max(asin(1 - h/2), 0.5);\n g = max(acos(1 - h/2), 0);\n", GetParam());
  ASSERT_EQ(circle.result.status, SimulationStatus::success) << circle.log();
  EXPECT_NEAR(circle.final("f"), 0.5, 1e-9);
  EXPECT_NEAR(circle.final("g"), std::acos(0.0), 1e-6);
}

// |sin 3t|^0.5 touches zero: no event with `> 0` but the one at the start, and the values are right at every row.
TEST_P(SteepGuards, ARootThatTouchesZero) {
  const HybridRun run = run_of(" Real s(start = 0, fixed = true), c(start = 1, fixed = true), f;\n",
                               " der(s) = 3*c;\n der(c) = -3*s;\n f = max(0, abs(s)^0.5);\n", GetParam());
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  for (const RowRecord& row : run.rows) {
    const double s = std::sin(3 * row.time);
    EXPECT_NEAR(run.value(row, "f"), std::sqrt(std::abs(s)), 1e-5 + 1e-5 / std::sqrt(std::abs(s) + 1e-5));
  }
}

// Short pulses between rests: each is seen where it begins.
TEST_P(SteepGuards, PulsesBetweenRests) {
  const HybridRun run =
      run_of(" Real h(start = 0, fixed = true), d, f;\n Integer n(start = 0, fixed = true);\n",
             " der(h) = 1;\n d = noEvent(max(0, 0.1 - abs(h - 0.7)));\n f = max(0, sqrt(d));\n when d > 0 "
             "then\n  n = "
             "pre(n) + 1;\n end when;\n",
             GetParam());
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.final("n"), 1) << run.log();
  for (const RowRecord& row : run.rows) {
    EXPECT_NEAR(run.value(row, "f"), std::sqrt(std::max(0.0, 0.1 - std::abs(row.time - 0.7))), 1e-6)
        << row.time;
  }
}

}  // namespace
}  // namespace saltus::test
