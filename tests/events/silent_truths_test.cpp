// Truths that decide something are events, whatever noEvent stands around them (docs/language.md, noEvent).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr double kFirst = std::numbers::pi / 6.0;  // sin(t) = 1/2
constexpr double kTurn = 2.0 * std::numbers::pi;
const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

std::string sine(const std::string& declarations, const std::string& equations) {
  return "model M\n  Real x(start = 0, fixed = true);\n" + declarations +
         "equation\n  der(x) = cos(time);\n" + equations + "end M;\n";
}

// x passes 1/2 upwards at kFirst + k·kTurn.
void expect_firings(const std::string& text, const std::string& method) {
  const HybridRun run = run_text(text, {{"stop", "20"}, {"method", method}, {"tolerance", "1e-8"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << text << run.log();
  EXPECT_EQ(run.final("n"), 4.0) << method << text;
  EXPECT_NEAR(run.final("last"), kFirst + 3.0 * kTurn, 1e-6) << method << text;
}

TEST(SilentTruths, FireWhereTheyAreWritten) {
  const std::string counts =
      "  discrete Real last(start = 0, fixed = true); Integer n(start = 0, fixed = true);\n";
  const std::string body = " then\n    n = pre(n) + 1;\n    last = time;\n  end when;\n";
  for (const std::string& method : kMethods) {
    expect_firings(sine(counts, "  when noEvent(x > 0.5)" + body), method);
    expect_firings(sine(counts, "  when noEvent(0.5 < x)" + body), method);
    expect_firings(sine(counts, "  when {noEvent(x > 0.5), noEvent(x > 2)}" + body), method);
    expect_firings(sine(counts + "  Boolean b;\n", "  b = noEvent(x > 0.5);\n  when b" + body), method);
    expect_firings(sine(counts + "  Boolean b = noEvent(not x <= 0.5);\n", "  when b" + body), method);
    expect_firings(sine(counts + "  Integer k;\n", "  k = noEvent(integer(2*x + 3));\n  when k > 3" + body),
                   method);
    expect_firings(
        sine(counts + "  Integer k;\n", "  k = noEvent(if x > 0.5 then 2 else 1);\n  when k > 1" + body),
        method);
  }
}

TEST(SilentTruths, EndRunsWhereTheyAreViolated) {
  const std::vector<std::string> statements = {
      "assert(noEvent(x < 0.5), \"m\")",
      "assert(noEvent(x < 0.5 or x > 2), \"m\")",
      "assert(noEvent(if x > 0 then log(x) < log(0.5) else true), \"m\")",
      "assert(not noEvent(x >= 0.5), \"m\")",
      "assert(noEvent(abs(x)) < 0.5, \"m\")",
      "if noEvent(x > 0.5) then\n    terminate(\"m\");\n  end if",
  };
  for (const std::string& method : kMethods) {
    for (const std::string& statement : statements) {
      // At the stop all of them hold again.
      const HybridRun run = run_text(sine("", "  " + statement + ";\n"),
                                     {{"stop", "3.1"}, {"method", method}, {"tolerance", "1e-8"}});
      EXPECT_NE(run.result.status, SimulationStatus::success) << method << statement;
      ASSERT_FALSE(run.rows.empty()) << method << statement << run.log();
      EXPECT_NEAR(run.rows.back().time, kFirst, 1e-6) << method << statement << run.log();
    }
    for (const char* const holds : {"if x > 0 then log(x) < 0.1 else true", "x <= 0 or sqrt(x) < 1.1",
                                    "not (x > 0 and log(x) > 0.1)"}) {
      const HybridRun run = run_text(sine("", "  assert(noEvent(" + std::string(holds) + "), \"m\");\n"),
                                     {{"stop", "10"}, {"method", method}});
      EXPECT_EQ(run.result.status, SimulationStatus::success) << method << holds << run.log();
    }
  }
}

// A number that jumps within a step has no root: whoever compares it is told, and a jump that does not reach its level is none.
TEST(SilentTruths, NumbersThatJumpAreRefusedWhereTheyReachALevel) {
  for (const std::string& method : kMethods) {
    for (const double height : {1.0, 0.4}) {
      const HybridRun run = run_text(sine("  Real y; Integer n(start = 0, fixed = true);\n",
                                          "  y = noEvent(if sin(x) > sin(0.5) then " + number(height) +
                                              " else 0);\n  when y > 0.5 then\n    n = "
                                              "pre(n) + 1;\n  end when;\n"),
                                     {{"stop", "20"}, {"method", method}});
      EXPECT_EQ(run.result.status, height > 0.5 ? SimulationStatus::failed : SimulationStatus::success)
          << method << run.log();
      EXPECT_EQ(run.final("n"), 0.0) << method;
    }
  }
}

// A guard over a branch that has values on one side of another guard alone, next to where that one crosses.
TEST(SilentTruths, GuardsOfABranchHaveTheValuesOfTheirSide) {
  struct Case {
    const char* guard;
    double n;
    double first;  // of its firings
  };
  const double up = std::asin(0.1);
  for (const Case& c :
       {Case{"if x > 0 then sqrt(x) - 1.1 else 1", 1.0, up},
        Case{"if x > 0 then sqrt(abs(x)) - 1.1 else 1", 1.0, up},
        Case{"if 0 < (if x > 0 then 1 else 0) then sqrt(x) - 1.1 else 1", 1.0, up},
        Case{"if x > 0 then sqrt(x) - 0.5 else -1", 1.0, std::numbers::pi - std::asin(0.35)},
        Case{"if x > 0 then log(x) else 1", 1.0, up}, Case{"if x > 0 then sqrt(x) else 1", 0.0, 0.0}}) {
    for (const std::string& method : kMethods) {
      const std::string text =
          "model M\n  Real x(start = -0.1, fixed = true); Boolean b;\n  Integer n(start = 0, fixed = "
          "true);\nequation\n  der(x) = cos(time);\n  b = (" +
          std::string(c.guard) + ") < 0;\n  when b then\n    n = pre(n) + 1;\n  end when;\nend M;\n";
      const HybridRun run =
          run_text(text, {{"stop", "5"}, {"method", method}, {"tolerance", "1e-8"}, {"verify", "full"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << text << run.log();
      EXPECT_EQ(run.final("n"), c.n) << method << text;
      if (c.n > 0.0) {
        EXPECT_NEAR(run.times("when").front(), c.first, 1e-6) << method << text;
      }
    }
  }
}

// h'' = -g + c·√δ, δ = max(0, -h): falls from 1, is thrown back without loss. What holds it acts for kHeld, from the integral of
// dδ/√(2g(1 + δ) - 4/3·c·δ^(3/2)) over the way in and out (adaptive quadrature after δ = δ₁(1 - s²), 1e-14).
TEST(SilentTruths, RootsOfWhatTurnsPositive) {
  constexpr double kGravity = 10.0;
  constexpr double kHeld = 0.010179361845904243;
  const double fall = std::sqrt(2.0 / kGravity);
  const std::vector<std::string> depths = {"if h < 0 then -h else 0", "max(0, -h)", "max(-h, 0)"};
  const std::vector<std::string> forces = {
      "1e4*sqrt(d)",         "max(0, 1e4*sqrt(d))",
      "max(1e4*sqrt(d), 0)", "max(0, 1e4*sqrt(d)*(1 - 0*v))",
      "1e4*d^0.5",           "noEvent(if h < 0 then 1e4*sqrt(d) else 0)"};
  for (const std::string& method : kMethods) {
    for (const std::string& depth : depths) {
      for (const std::string& force : forces) {
        const std::string text =
            "model M\n  Real h(start = 1, fixed = true), v(start = 0, fixed = true), f, d;\n  Boolean b;\n"
            "  Integer n(start = 0, fixed = true); discrete Real last(start = 0, fixed = true);\n"
            "equation\n  der(h) = v;\n  der(v) = -10 + f;\n  b = h < 0;\n  d = " +
            depth + ";\n  f = " + force +
            ";\n  when not b then\n    n = pre(n) + 1;\n    last = time;\n  end when;\nend M;\n";
        const HybridRun run = run_text(text, {{"stop", "3"}, {"method", method}, {"tolerance", "1e-8"}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << method << text << run.log();
        EXPECT_EQ(run.final("n"), 3.0) << method << text;
        EXPECT_NEAR(run.final("last"), 5.0 * fall + 3.0 * kHeld, 1e-5) << method << text;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
