// A pulse far shorter than a step lies between its stages, and no estimate sees it. A guard does: the search for events looks at the equations
// between them. Then the step that knows nothing of the pulse must not be kept, in whatever way the pulse enters the equations and the guard.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class SeenPulses : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Methods, SeenPulses,
                         ::testing::Values("dopri5", "fehlberg45", "fehlberg78", "rk23", "radau5", "sdirk4",
                                           "bdf", "auto"),
                         [](const auto& given) { return std::string(given.param); });

struct Spelling {
  const char* name;
  const char* declarations;
  const char* equations;  // of u, the pulse p and der(x) = p
};

// The level of each guard is half of the pulse.
constexpr Spelling kSpellings[] = {
    {"rate", "", " der(x) = p;\n when der(x) > 0.5*A then n = pre(n) + 1; end when;\n"},
    {"variable", " Real y;\n", " y = p;\n der(x) = y;\n when y > 0.5*A then n = pre(n) + 1; end when;\n"},
    {"implicit", " Real y(start = 0);\n",
     " y + (y/A)^3 = p + (p/A)^3;\n der(x) = y;\n when y > 0.5*A then n = pre(n) + 1; end when;\n"},
    {"linear", " Real y, z;\n",
     " y + 2*z = 3*p;\n 2*y - z = p;\n der(x) = y;\n when z > 0.5*A then n = pre(n) + 1; end when;\n"},
    {"choice", " Real b;\n",
     " der(x) = p;\n b = if p > 0.5*A then 1 else 0;\n when b > 0.5 then n = pre(n) + 1; end when;\n"},
    {"beside", " Real v(start = 1, fixed = true);\n",
     " der(x) = p;\n der(v) = -v;\n when p + 0.01*v > 0.5*A then n = pre(n) + 1; end when;\n"},
};

constexpr double kMostTolerances = 60.0;

void expect_seen(const char* method, const char* tolerance, const std::string& text, double exact,
                 int n_events) {
  const HybridRun run = run_text(text, {{"stop", "5"}, {"tolerance", tolerance}, {"method", method}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const RowRecord& last = run.rows.back();
  EXPECT_NEAR(run.value(last, "x"), exact, kMostTolerances * std::stod(tolerance) * (1.0 + std::abs(exact)))
      << text;
  EXPECT_EQ(run.value(last, "n"), n_events) << text;
}

// p = A/(1 + u²)
TEST_P(SeenPulses, HoweverTheyAreWritten) {
  for (const Spelling& spelling : kSpellings) {
    for (const double width : {1e-3, 1e-4}) {
      for (const double at : {3.17, 2.03}) {
        const double size = 0.01 / width;
        const double exact = 0.01 * (std::atan((5.0 - at) / width) + std::atan(at / width));
        expect_seen(GetParam(), "1e-6",
                    "model Pulse\n parameter Real A = " + number(size) + ", w = " + number(width) +
                        ", c = " + number(at) +
                        ";\n Real u, p, x(start = 0, fixed = true);\n discrete Integer n(start = 0, fixed = "
                        "true);\n" +
                        spelling.declarations + "equation\n u = (time - c)/w;\n p = A/(1 + u^2);\n" +
                        spelling.equations + "end Pulse;\n",
                    exact, 1);
      }
    }
  }
}

// A pulse without tails, and a guard that ends it far down its flanks: what tells of it lies between both, where the first step after the first
// event passes over.
TEST_P(SeenPulses, BetweenTheFlanksOfAPulse) {
  for (const std::string tolerance : {"1e-4", "1e-6"}) {
    for (const double level : {0.5, 1e-3, 1e-6}) {
      const double exact = 0.02 * std::sqrt(std::numbers::pi);
      expect_seen(
          GetParam(), tolerance.c_str(),
          "model Pulse\n parameter Real w = 2e-4;\n Real p, b, x(start = 0, fixed = true);\n discrete "
          "Integer n(start = 0, fixed = true);\nequation\n p = 0.02/w*exp(-((time - 3.17)/w)^2);\n "
          "der(x) = p;\n b = if p > 0.02/w*" +
              number(level) +
              " then 1 else 0;\n when {b > 0.5, b < 0.5} then n = pre(n) + 1; end when;\nend Pulse;\n",
          exact, 2);
    }
  }
}

}  // namespace
}  // namespace saltus::test
