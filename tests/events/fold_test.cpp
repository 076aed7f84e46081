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

// Where y² = 1 - x folds: away from events, behind one that changes the equations, shortly after one, at one that has nothing to do with it, and where an
// event leads onto the fold or beyond it. Whatever the method, the run ends there and names what has no solution.
TEST(Fold, AtAndBetweenEventsEndsTheRunByName) {
  struct Case {
    const char* equations;
    double end;
  };
  const Case cases[] = {{"y^2 = 1 - x; der(z) = 1;", 1.0},
                        {"y^2 = if x > 0.5 then 2*(1 - x) else 1 - x; der(z) = 1;", 1.0},
                        {"y^2 = 1 - x; der(z) = if x > 0.999999999 then 2 else 1;", 1.0},
                        {"y^2 = 1 - x; der(z) = if x > 1 then 2 else 1;", 1.0},
                        {"y^2 = if x > 0.5 then 0.5 - x else 1 - x; der(z) = 1;", 0.5},
                        {"y^2 = if x > 0.5 then 0.2 - x else 1 - x; der(z) = 1;", 0.5}};
  for (const Case& item : cases) {
    for (const std::string& method : methods()) {
      OptionList options{{"stop", "2"}, {"method", method}};
      if (method == "kutta3" || method == "rk4") {
        options.emplace_back("step", "0.001");
      }
      const HybridRun run = run_text(
          "model M\n  Real x(start = 0, fixed = true), y(start = 1), z(start = 0, fixed = true);\nequation\n "
          " der(x) = 1; " +
              std::string(item.equations) + "\nend M;\n",
          options);
      SCOPED_TRACE(std::string(item.equations) + " " + method + "\n" + run.log());
      EXPECT_EQ(run.result.status, SimulationStatus::failed);
      EXPECT_TRUE(run.result.reason == "impasse" || run.result.reason == "no_convergence");
      EXPECT_NE(run.result.message.find("equations for y"), std::string::npos) << run.result.message;
      EXPECT_NEAR(run.result.end, item.end, 2e-3);
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
