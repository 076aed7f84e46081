// Levels that meet in finite time, with the law of flow written for the pressure: q·|q| = h1 - h2 (docs/semantics.md 7.9).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

const std::vector<std::string> kMethods{"auto",   "dopri5", "fehlberg45", "fehlberg78",
                                        "radau5", "sdirk4", "bdf"};

HybridRun run_of(const std::string& text, const std::string& method, const std::string& tolerance = "1e-6") {
  return run_text(text, {{"stop", "6"}, {"interval", "0.1"}, {"method", method}, {"tolerance", tolerance}});
}

double at(const HybridRun& run, double t, const std::string& name) {
  return run.value(run.rows_at(t).back(), name);
}

// √x = 1 - t/2 up to 2, then rest.
TEST(ImplicitRootLaws, OneLevelComesToRest) {
  for (const std::string law : {"y*abs(y) = x", "x - abs(y)*y = 0", "3*y*abs(y) = 3*x", "sign(y)*y^2 = x",
                                "(if y > 0 then y^2 else -y^2) = x"}) {
    for (const std::string& method : kMethods) {
      const HybridRun run =
          run_of("model M\n Real x(start = 1, fixed = true), y(start = 1);\nequation\n der(x) = -y;\n " +
                     law + ";\nend M;\n",
                 method);
      const std::string what = law + ", " + method;
      ASSERT_TRUE((run.result.status == SimulationStatus::success)) << what << run.log();
      EXPECT_NEAR(run.final("x"), 0.0, 1e-6) << what;
      EXPECT_NEAR(run.final("y"), 0.0, 2e-3) << what;
      for (const double t : {0.5, 1.0, 1.9}) {
        EXPECT_NEAR(at(run, t, "x"), (1 - t / 2) * (1 - t / 2), 1e-5) << what;
      }
    }
  }
}

TEST(ImplicitRootLaws, TanksInARow) {
  for (const std::string tolerance : {"1e-4", "1e-6", "1e-9"}) {
    for (const std::string& method : kMethods) {
      const HybridRun two = run_of(
          "model M\n Real a(start = 1, fixed = true), b(start = 0.2, fixed = true), p, q;\nequation\n der(a) "
          "= -q;\n"
          " der(b) = q;\n p = a - b;\n q*abs(q) = p;\nend M;\n",
          method, tolerance);
      ASSERT_TRUE((two.result.status == SimulationStatus::success)) << method << tolerance << two.log();
      EXPECT_NEAR(two.final("a"), 0.6, 1e-3 * std::sqrt(std::stod(tolerance))) << method << tolerance;
      const HybridRun three = run_of(
          "model M\n Real a(start = 1, fixed = true), b(start = 0.2, fixed = true), c(start = 0.5, fixed = "
          "true), q, "
          "r;\nequation\n der(a) = -q;\n der(b) = q - r;\n der(c) = r;\n q*abs(q) = a - b;\n r*abs(r) = b - "
          "c;\nend M;\n",
          method, tolerance);
      ASSERT_TRUE((three.result.status == SimulationStatus::success)) << method << tolerance << three.log();
      for (const std::string level : {"a", "b", "c"}) {
        EXPECT_NEAR(three.final(level), 1.7 / 3, 1e-3 * std::sqrt(std::stod(tolerance)))
            << method << tolerance;
      }
    }
  }
}

// Through zero and on: the flow follows a pressure that swings.
TEST(ImplicitRootLaws, FlowTurns) {
  for (const std::string& method : kMethods) {
    const HybridRun run = run_of(
        "model M\n Real p(start = 1, fixed = true), w(start = 0, fixed = true), v(start = 0, fixed = true), "
        "y;\nequation\n"
        " der(p) = w;\n der(w) = -p;\n der(v) = y;\n y*abs(y) = p;\nend M;\n",
        method);
    ASSERT_TRUE((run.result.status == SimulationStatus::success)) << method << run.log();
    EXPECT_NEAR(at(run, 3.0, "y"), -std::sqrt(-std::cos(3.0)), 1e-4) << method;
    EXPECT_NEAR(at(run, 6.0, "y"), std::sqrt(std::cos(6.0)), 1e-4) << method;
  }
}

}  // namespace
}  // namespace saltus::test
