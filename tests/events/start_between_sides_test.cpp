// Relations over algebraic variables that slide from the start on (docs/semantics.md 7.8): no side has values that agree with it, and no row may show
// those of one.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Case {
  std::string declarations;
  std::string equations;
  double weight;  // of u in z = x - weight·u
};

// Every row satisfies z = x - weight·u with |u| ≤ 1, and u = ±1 only with the sign of z.
TEST(StartBetweenSides, EveryRowSatisfiesTheEquations) {
  for (const Case& given :
       {Case{"", " u = if z > 0 then 1 else -1;\n z = x - 2*u;\n", 2},
        Case{"", " z + 2*u = x;\n u = sign(z);\n", 2},
        Case{" Boolean b;\n", " b = z > 0;\n u = if b then 1 else -1;\n z = x - 3*u;\n", 3},
        Case{" Boolean b;\n", " b = z < 0;\n u = if not b then 1 else -1;\n 4*u = x - z;\n", 4}}) {
    for (const std::string rate : {"0.3 - 0.1*u", "1", "-0.2*x"}) {
      for (const std::string method : {"dopri5", "fehlberg45", "fehlberg78", "radau5", "sdirk4", "bdf"}) {
        const HybridRun run =
            run_text("model M\n Real x(start = 0.5, fixed = true), z, u;\n" + given.declarations +
                         "equation\n" + given.equations + " der(x) = " + rate + ";\nend M;\n",
                     {{"stop", "5"}, {"interval", "0.5"}, {"method", method}});
        const std::string what = given.equations + rate + ", " + method + "\n";
        ASSERT_TRUE((run.result.status == SimulationStatus::success)) << what << run.log();
        for (const RowRecord& row : run.rows_at(0.0)) {
          EXPECT_NEAR(run.value(row, "z"), 0.0, 1e-9) << what;
          EXPECT_NEAR(run.value(row, "u"), 0.5 / given.weight, 1e-9) << what;
        }
        ASSERT_FALSE(run.rows_at(0.0).empty());
        EXPECT_NE(run.rows_at(0.0).front().mode.find("sliding"), std::string::npos) << what;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
