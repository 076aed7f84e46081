// Quadratures ẋ = f(t), alone, beside other states, and nearly: estimates of some pairs do not see their errors (Fehlberg's 7(8) is zero
// for every f), and steps of any length would pass.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr const char* kMethods[] = {"dopri5", "fehlberg45", "fehlberg78", "rk23", "radau5", "sdirk4", "bdf"};

TEST(Quadrature, EveryMethodSeesItsErrors) {
  for (const char* const method : kMethods) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const HybridRun run = run_text(
          "model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = sin(50*time);\nend M;\n",
          {{"method", method}, {"tolerance", number(tolerance)}, {"stop", "3"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
      EXPECT_NEAR(run.final("x"), (1.0 - std::cos(150.0)) / 50.0, 50.0 * tolerance) << method << tolerance;
    }
  }
}

TEST(Quadrature, BesideAnotherStateAndNearly) {
  // der(y) = -y carries the estimate in the norm; the third is a quadrature but for 1e-9.
  const std::string text =
      "model M\n  Real x(start = 0, fixed = true), y(start = 1, fixed = true), z(start = 0, fixed = "
      "true);\nequation\n"
      "  der(x) = cos(20*time);\n  der(y) = -y;\n  der(z) = 20*cos(20*time) + 1e-9*(z - sin(20*time));\nend "
      "M;\n";
  for (const char* const method : kMethods) {
    const HybridRun run = run_text(text, {{"method", method}, {"tolerance", "1e-6"}, {"stop", "3"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    EXPECT_NEAR(run.final("x"), std::sin(60.0) / 20.0, 5e-5) << method;
    EXPECT_NEAR(run.final("y"), std::exp(-3.0), 5e-5) << method;
    EXPECT_NEAR(run.final("z"), std::sin(60.0), 2e-4) << method;
  }
}

}  // namespace
}  // namespace saltus::test
