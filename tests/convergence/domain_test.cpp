// Solutions that come to rest at zero from one side, beyond which others begin that leave for good: an error within the tolerance must
// not carry a run there. Robertson's reaction with loose tolerances was at -5e7 instead of 2e-8 once.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr const char* kRobertson =
    "model M\n"
    "  Real y1(start = 1, fixed = true), y2(start = 0, fixed = true, nominal = 1e-4), y3;\n"
    "equation\n"
    "  der(y1) = -0.04*y1 + 1e4*y2*y3;\n"
    "  der(y2) = 0.04*y1 - 1e4*y2*y3 - 3e7*y2^2;\n"
    "  y1 + y2 + y3 = 1;\n"
    "end M;\n";

TEST(Domain, RobertsonsReactionKeepsItsSigns) {
  for (const char* const method : {"radau5", "sdirk4", "bdf", "auto"}) {
    for (const char* const tolerance : {"1e-2", "1e-3", "1e-4", "1e-5", "1e-6"}) {
      for (const char* const stop : {"1e7", "1e9", "1e11"}) {
        const HybridRun run = run_text(
            kRobertson, {{"method", method}, {"tolerance", tolerance}, {"stop", stop}, {"interval", stop}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << method << tolerance << stop << run.log();
        // y1 ≈ 2083/t late in the reaction.
        const double exact = 1.0 / (4.8e-4 * std::stod(stop));
        EXPECT_NEAR(run.final("y1"), exact, 10.0 * std::stod(tolerance)) << method << tolerance << stop;
        EXPECT_NEAR(run.final("y3"), 1.0, 10.0 * std::stod(tolerance) + exact) << method << tolerance << stop;
      }
    }
  }
}

// The same with two slaved species, a sink of third order, and the mirror image.
TEST(Domain, SlowDecaysWithSlavedStatesKeepTheirSigns) {
  const std::string text =
      "model M\n  parameter Real s = 1;\n"
      "  Real x(start = s, fixed = true), y(start = s, fixed = true), z(start = s, fixed = true);\n"
      "equation\n  der(x) = -s*x*y;\n  der(y) = 1e4*(x - y) + 1e2*(z - x);\n  der(z) = -1e6*(z - x);\nend "
      "M;\n";
  for (const char* const sign : {"1", "-1"}) {
    for (const char* const method : {"radau5", "sdirk4", "bdf"}) {
      for (const char* const tolerance : {"1e-2", "1e-3", "1e-4", "1e-6"}) {
        const HybridRun run = run_text(text, {{"method", method},
                                              {"tolerance", tolerance},
                                              {"set", std::string("s=") + sign},
                                              {"stop", "1e9"},
                                              {"interval", "1e9"}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << method << tolerance << run.log();
        EXPECT_NEAR(run.final("x"), 0.0, 10.0 * std::stod(tolerance)) << sign << method << tolerance;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
