// Variables that no rate depends on: where they have no value, or another solution than before, the run ends, whatever rows are asked for.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr const char* kMethods[] = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

struct Ending {
  const char* name;
  const char* declarations;
  const char* equations;
  double end;
  const char* reason;  // "": any
};

void PrintTo(const Ending& ending, std::ostream* out) {
  *out << ending.name;
}

class MissingValues : public testing::TestWithParam<Ending> {};

TEST_P(MissingValues, EndTheRunWhereTheyEnd) {
  const Ending& ending = GetParam();
  const std::string text =
      std::string("model M\n  ") + ending.declarations + "\nequation\n  " + ending.equations + "\nend M;\n";
  for (const std::string method : kMethods) {
    // Rows before and behind the end, or only far behind it.
    for (const char* interval : {"0.07", "20"}) {
      const HybridRun run =
          run_text(text, {{"stop", "20"}, {"interval", interval}, {"method", method}, {"tolerance", "1e-6"}});
      SCOPED_TRACE(method + " " + interval + "\n" + run.log());
      EXPECT_EQ(run.result.status, SimulationStatus::failed);
      EXPECT_NEAR(run.rows.back().time, ending.end, 2e-5);
      if (*ending.reason != '\0') {
        EXPECT_EQ(run.result.reason, ending.reason);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MissingValues,
    testing::Values(
        // y² = 1 - t has no solution beyond t = 1.
        Ending{"FoldInTime", "Real y(start = 1);", "y^2 = 1 - time;", 1.0, "impasse"},
        // Beyond x = 2 an iteration from y = -1 ends at y = 2: another solution.
        Ending{"FoldOfACubic", "Real x(start = -2, fixed = true); Real y(start = -2);",
               "der(x) = 1; y^3 - 3*y = x;", 4.0, "impasse"},
        Ending{"FoldOfTwo", "Real x(start = -2, fixed = true); Real y(start = -2); Real z(start = -2);",
               "der(x) = 1; y^3 - 3*z = x; z - y + 0*z^3 = 0;", 4.0, "impasse"},
        Ending{"RootOfADepth", "Real x(start = 1, fixed = true); Real y;", "der(x) = -1/2; y = sqrt(x);", 2.0,
               "not_finite"},
        Ending{"Logarithm", "Real x(start = 3, fixed = true); Real y;", "der(x) = -1; y = log(x);", 3.0, ""},
        Ending{"ArcOfSine", "Real x(start = 0, fixed = true); Real y;", "der(x) = 1; y = 2*asin(x);", 1.0,
               "not_finite"}),
    [](const testing::TestParamInfo<Ending>& ending) { return ending.param.name; });

// Curves that are followed over many turns are no jumps.
TEST(ValueWatch, CurvesAreFollowed) {
  for (const std::string method : kMethods) {
    const HybridRun run = run_text(
        "model M\n  Real x(start = 0, fixed = true);\n  Real y(start = 0);\nequation\n  der(x) = 1;\n"
        "  y^3 + y = 10*sin(5*x);\nend M;\n",
        {{"stop", "10"}, {"interval", "0.5"}, {"method", method}, {"tolerance", "1e-6"}});
    SCOPED_TRACE(method + "\n" + run.log());
    EXPECT_EQ(run.result.status, SimulationStatus::success);
    for (const RowRecord& row : run.rows) {
      const double y = run.value(row, "y");
      EXPECT_NEAR(y * y * y + y, 10.0 * std::sin(5.0 * row.time), 1e-3);
    }
  }
}

// A value that is missing for one row only does not depend on that row being asked for.
TEST(ValueWatch, AVariableThatIsMissingInBetweenEndsTheRun) {
  const HybridRun run = run_text(
      "model M\n  Real x(start = 0, fixed = true);\n  Real y;\nequation\n  der(x) = 1;\n"
      "  y = sqrt((x - 1)*(x - 1.5));\nend M;\n",
      {{"stop", "3"}, {"interval", "3"}, {"method", "dopri5"}, {"max-step", "0.3"}});
  EXPECT_EQ(run.result.status, SimulationStatus::failed) << run.log();
  EXPECT_NEAR(run.rows.back().time, 1.0, 1e-6);
}

}  // namespace
}  // namespace saltus::test
