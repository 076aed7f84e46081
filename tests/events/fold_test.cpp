// Solutions that end in a fold of the equations for their rates.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr const char* kMethods[] = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

// x = 1 - (1 - t/2)²; from t = 2 on x = 1 is a solution too, and leaves it whenever it likes.
TEST(Fold, OfRatesEndsTheRun) {
  for (const std::string method : kMethods) {
    for (const char* tolerance : {"1e-4", "1e-6", "1e-8"}) {
      const HybridRun run =
          run_text("model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x)^2 = 1 - x;\nend M;\n",
                   {{"stop", "5"}, {"interval", "0.1"}, {"method", method}, {"tolerance", tolerance}});
      SCOPED_TRACE(method + " " + tolerance + "\n" + run.log());
      EXPECT_EQ(run.result.status, SimulationStatus::failed);
      if (method != "sdirk4") {
        EXPECT_EQ(run.result.reason, "impasse");
        EXPECT_NE(run.result.message.find("der(x)"), std::string::npos) << run.result.message;
        EXPECT_LT(run.rows.back().time, 2.01);
      }
      // With loose tolerances sdirk4 may stay at x = 1 for a while before its iteration fails.
      for (const RowRecord& row : run.rows) {
        if (row.time > 2.0) {
          break;
        }
        EXPECT_NEAR(run.value(row, "x"), 1.0 - (1.0 - 0.5 * row.time) * (1.0 - 0.5 * row.time), 3e-3);
      }
    }
  }
}

// The determinant 2|q| vanishes where the tank comes to rest, at t = 2: the run gets there from a guess at which it vanishes too.
TEST(Fold, QuadraticFrictionComesToRest) {
  for (const std::string method : {"dopri5", "sdirk4", "bdf"}) {
    const HybridRun run = run_text(
        "model M\n  Real level(start = 1, fixed = true);\nequation\n  der(level)*abs(der(level)) = -level;\n"
        "end M;\n",
        {{"stop", "2.5"}, {"interval", "0.1"}, {"method", method}});
    EXPECT_GE(run.result.end, 1.999) << method << "\n" << run.log();
    EXPECT_NEAR(run.final("level"), 0.0, 1e-6) << method;
    for (const RowRecord& row : run.rows) {
      EXPECT_NEAR(run.value(row, "level"), row.time < 2 ? std::pow(1 - row.time / 2, 2) : 0.0, 2e-5)
          << method;
    }
  }
}

// A rate that is given by a third power passes zero with one real solution on both sides.
TEST(Fold, ThirdPowersHaveNone) {
  for (const std::string method : kMethods) {
    const HybridRun run = run_text(
        "model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x)^3 + der(x) = cos(time);\nend M;\n",
        {{"stop", "6"}, {"interval", "0.1"}, {"method", method}});
    EXPECT_EQ(run.result.status, SimulationStatus::success) << method << "\n" << run.log();
  }
}

}  // namespace
}  // namespace saltus::test
