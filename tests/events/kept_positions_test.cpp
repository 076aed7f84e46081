// Velocities that bodies set never move positions that fit, however the constraints are written (docs/semantics.md 5.8).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

struct Form {
  std::string more, equations;
};

const std::string kMotion = "der(x) = vx; der(y) = vy; ";
const std::string kForces = "m*der(vx) = -2*x*L; 4*m*der(vy) = -2*y*L - 4*m*g; ";
const std::string kOnCircle = "x^2 + y^2 = 1; ";
const std::string kAlongCircle = "x*vx + y*vy = 0; ";
const std::string kStabilised = "der(x) = vx - 2*x*mu; der(y) = vy - 2*y*mu; ";

// A bead on a circle, of index 3, of index 2 (the circle is an integral), as Gear, Gupta and Leimkuhler write it, with one equation too
// many, and with a constraint that is there twice.
std::vector<Form> forms() {
  return {{"", kMotion + kForces + kOnCircle},
          {"", kMotion + kForces + kAlongCircle},
          {", mu", kStabilised + kForces + kOnCircle + kAlongCircle},
          {", mu", kAlongCircle + kOnCircle + kForces + kStabilised},
          {", mu", kStabilised + kForces + "2*x*der(x) + 2*y*der(y) = 0; " + kAlongCircle},
          {"", kMotion + kForces + kOnCircle + kAlongCircle},
          {", L2", kMotion + "m*der(vx) = -2*x*(L + L2); 4*m*der(vy) = -2*y*(L + L2) - 4*m*g; " + kOnCircle +
                       "2*x^2 + 2*y^2 = 2; "}};
}

class KeptPositions : public ::testing::TestWithParam<std::string> {};

TEST_P(KeptPositions, AVelocityThatIsSetMovesVelocitiesAlone) {
  for (const Form& form : forms()) {
    for (const double m : {1.0, 100.0}) {
      for (const std::string dialect : {"", "mode only equation end only;"}) {
        SCOPED_TRACE(form.equations + dialect);
        const HybridRun run = run_text("model M parameter Real g = 10, m = " + std::to_string(m) +
                                           ";\n Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start "
                                           "= 0, fixed = true), vy(start = 0), L" +
                                           form.more + ";\nequation " + form.equations +
                                           "\n when time >= 0.5 then reinit(vx, 2); end when;\n" +
                                           (dialect.empty() ? "" : "initial " + dialect) + "\nend M;",
                                       {{"stop", "0.6"}, {"tolerance", "1e-9"}, {"method", GetParam()}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
        const RowRecord before = run.rows_at(0.5).front();
        const RowRecord after = run.rows_at(0.5).back();
        const double x = run.value(before, "x");
        const double y = run.value(before, "y");
        EXPECT_NEAR(run.value(after, "x"), x, 1e-12);
        EXPECT_NEAR(run.value(after, "y"), y, 1e-12);
        EXPECT_NEAR(run.value(after, "vx"), 2.0, 1e-12);
        EXPECT_NEAR(run.value(after, "vy"), -2.0 * x / y, 1e-9);
      }
    }
  }
}

// A position that is set takes the other one with it, onto the circle, and the velocities after them.
TEST_P(KeptPositions, APositionThatIsSetMovesTheOther) {
  for (const Form& form : forms()) {
    if (form.equations.find(kOnCircle) == std::string::npos) {
      continue;
    }
    SCOPED_TRACE(form.equations);
    const HybridRun run = run_text(
        "model M parameter Real g = 10, m = 1; Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start "
        "= 0, fixed = true), "
        "vy(start = 0), L" +
            form.more + ";\nequation " + form.equations +
            "\n when time >= 0.5 then reinit(x, 0.5); end when; end M;",
        {{"stop", "0.6"}, {"tolerance", "1e-9"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    const RowRecord after = run.rows_at(0.5).back();
    EXPECT_NEAR(run.value(after, "y"), -std::sqrt(0.75), 1e-9);
    EXPECT_NEAR(0.5 * run.value(after, "vx") + run.value(after, "y") * run.value(after, "vy"), 0.0, 1e-9);
  }
}

// Two bodies on a line, held at a distance by a constraint of velocities: the other body follows in its velocity.
TEST_P(KeptPositions, ConstraintsOfVelocitiesAloneKeepAllPositions) {
  const HybridRun run = run_text(
      "model M Real x1(start = 0, fixed = true), x2(start = 3, fixed = true), v1(start = 1, fixed = true), "
      "v2(start = 1), f;\n"
      "equation der(x1) = v1; der(x2) = v2; der(v1) = -f - x1; 5*der(v2) = f; v1*(1 + x1^2) = v2*(1 + "
      "x1*x2/3);\n"
      " when time >= 0.5 then reinit(v1, -1); end when; end M;",
      {{"stop", "1"}, {"tolerance", "1e-9"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const RowRecord before = run.rows_at(0.5).front();
  const RowRecord after = run.rows_at(0.5).back();
  EXPECT_EQ(run.value(after, "x1"), run.value(before, "x1"));
  EXPECT_EQ(run.value(after, "x2"), run.value(before, "x2"));
  EXPECT_NEAR(run.value(after, "v1"), -1.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, KeptPositions, ::testing::Values("auto", "dopri5", "radau5", "bdf"));

}  // namespace
}  // namespace saltus::test
