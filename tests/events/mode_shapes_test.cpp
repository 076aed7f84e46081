// Modes of other shapes: more or fewer equations than unknowns, other indices (docs/semantics.md 5.8).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// In `open` nothing determines y: it stays. In `redundant` two equations give it and agree.
constexpr const char* kShapes =
    "model Shapes\n Real x(start = 1, fixed = true), y(start = 2), z(start = 0, fixed = true);\nequation\n "
    "der(z) = "
    "1;\n"
    "initial mode full\n equation\n  der(x) = -x;\n  y = 2*x;\n transition to open when time > 1;\nend "
    "full;\n"
    "mode open\n equation\n  der(x) = -0.5*x;\n transition to redundant when time > 2;\nend open;\n"
    "mode redundant\n equation\n  der(x) = -x;\n  y = 3*x;\n  2*y = 6*x;\nend redundant;\nend Shapes;\n";

TEST(ModeShapes, UndeterminedVariablesAreContinuedConstantly) {
  const HybridRun run = run_text(kShapes, {{"stop", "2"}, {"interval", "0.5"}, {"tolerance", "1e-9"}});
  const double x = std::exp(-1.0);
  for (const RowRecord& row : run.rows) {
    if (row.mode == "open") {
      EXPECT_NEAR(run.value(row, "y"), 2 * x, 1e-8) << run.log();
      EXPECT_NEAR(run.value(row, "x"), x * std::exp(-0.5 * (row.time - 1.0)), 1e-8);
    }
  }
  EXPECT_TRUE(run.says("in mode 'open'")) << run.words();
}

TEST(ModeShapes, EquationsThatAgreeMayBeMoreThanTheUnknowns) {
  const HybridRun run = run_text(kShapes, {{"stop", "3"}, {"tolerance", "1e-9"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const double x = std::exp(-1.0 - 0.5 - 1.0);
  EXPECT_NEAR(run.final("x"), x, 1e-8);
  EXPECT_NEAR(run.final("y"), 3 * x, 1e-8);
  EXPECT_NEAR(run.final("z"), 3.0, 1e-12);
  EXPECT_TRUE(run.says("in mode 'redundant': too many equations")) << run.words();
}

}  // namespace
}  // namespace saltus::test
