// Guards that mean something only where the constraints are met: over multipliers beside stiff terms that vanish on the constraints
// (docs/math/event_location.md). Across the constraints they are as steep as these terms, along them they are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

class ReadingConstraints : public ::testing::TestWithParam<std::tuple<std::string, double, double>> {
 protected:
  [[nodiscard]] HybridRun run_of(const std::string& declarations, const std::string& equations,
                                 const std::string& clauses) const {
    const auto& [method, stiffness, tolerance] = GetParam();
    return run_text(
        "model M\n parameter Real K = " + number(stiffness) + ";\n" + declarations +
            (clauses.empty() ? "" : " Integer n(start = 0, fixed = true);\n") + "equation\n" + equations +
            clauses + "end M;\n",
        {{"stop", "9.5"}, {"interval", "0.5"}, {"method", method}, {"tolerance", number(tolerance)}});
  }
  // What projections leave of the constraints, as the guard sees it.
  [[nodiscard]] static double near() { return 1e-8 + 1e-11 * std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Methods, ReadingConstraints,
                         ::testing::Combine(::testing::Values("auto", "rk23", "radau5", "sdirk4", "bdf"),
                                            ::testing::Values(1e2, 1e4, 1e6), ::testing::Values(1e-4, 1e-6)),
                         [](const auto& given) {
                           return std::get<0>(given.param) + "_K1e" +
                                  std::to_string(std::lround(std::log10(std::get<1>(given.param)))) + "_1e" +
                                  std::to_string(-std::lround(std::log10(std::get<2>(given.param))));
                         });

const std::string kBead =
    " Real x(start = 1, fixed = true), y(start = 0), vx(start = 0), vy(start = 1.5, fixed = true), T;\n";
// A bead on a circle beside a spring to the circle, pushed outwards by cos(2t)/2: the circle holds it with T = v² + cos(2t)/2.
const std::string kOnCircle =
    " der(x) = vx;\n der(y) = vy;\n"
    " der(vx) = (0.5*cos(2*time) - K*(x^2 + y^2 - 1) - T)*x;\n"
    " der(vy) = (0.5*cos(2*time) - K*(x^2 + y^2 - 1) - T)*y;\n";
// cos(2t)/2 = 0.2 and back.
const double kFirst = std::acos(0.4) / 2;
std::vector<double> downwards() {
  return {kFirst, kFirst + M_PI, kFirst + 2 * M_PI};
}
std::vector<double> upwards() {
  return {M_PI - kFirst, 2 * M_PI - kFirst, 3 * M_PI - kFirst};
}

TEST_P(ReadingConstraints, ForceOfACircleThatAStiffSpringRepeats) {
  const HybridRun run =
      run_of(kBead + " Integer m(start = 0, fixed = true);\n", kOnCircle + " x^2 + y^2 = 1;\n",
             " when T - vx^2 - vy^2 > 0.2 then\n  n = pre(n) + 1;\n end when;\n"
             " when T - vx^2 - vy^2 < 0.2 then\n  m = pre(m) + 1;\n end when;\n");
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  std::vector<double> expected = downwards();
  for (const double time : upwards()) {
    expected.push_back(time);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_THAT(run.times("when"), ::testing::Pointwise(DoubleNear(near()), expected)) << run.log();
  EXPECT_EQ(run.final("n"), 3);
  EXPECT_EQ(run.final("m"), 3);
}

// The same constraint of velocities (index 2), beside a stiff damper.
TEST_P(ReadingConstraints, ForceOfAConstraintOfVelocitiesThatAStiffDamperRepeats) {
  const HybridRun run =
      run_of(kBead,
             " der(x) = vx;\n der(y) = vy;\n"
             " der(vx) = (0.5*cos(2*time) - K*(x*vx + y*vy) - T)*x;\n"
             " der(vy) = (0.5*cos(2*time) - K*(x*vx + y*vy) - T)*y;\n x*vx + y*vy = 0;\n",
             " when T - (vx^2 + vy^2)/(x^2 + y^2) > 0.2 then\n  n = pre(n) + 1;\n end when;\n");
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_THAT(run.times("when"), ::testing::Pointwise(DoubleNear(near()), upwards())) << run.log();
}

// Written out: a polynomial of the states, and a product with a function.
TEST_P(ReadingConstraints, GuardsOverStates) {
  for (const std::string guard :
       {"K*(x^2 + y^2 - 1) + 0.5*cos(2*time) > 0.2", "sin(0.5*cos(2*time) + K*(x*vx + y*vy)) > sin(0.2)"}) {
    const HybridRun run = run_of(kBead, kOnCircle + " x^2 + y^2 = 1;\n",
                                 " when " + guard + " then\n  n = pre(n) + 1;\n end when;\n");
    ASSERT_EQ(run.result.status, SimulationStatus::success) << guard << run.log();
    EXPECT_THAT(run.times("when"), ::testing::Pointwise(DoubleNear(near()), upwards())) << guard << run.log();
  }
}

// A guard that begins at zero and leaves it, and comes back.
TEST_P(ReadingConstraints, GuardsThatBeginAtZero) {
  const HybridRun run =
      run_of(kBead, kOnCircle + " x^2 + y^2 = 1;\n",
             " when T - vx^2 - vy^2 - 0.5*cos(2*time) < -0.5*sin(2*time) then\n  n = pre(n) + "
             "1;\n end when;\n");
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_THAT(run.times("when"), ElementsAre(DoubleNear(M_PI / 2, near()), DoubleNear(3 * M_PI / 2, near()),
                                             DoubleNear(5 * M_PI / 2, near())))
      << run.log();
}

// A contact that opens where the circle would have to pull: the bead flies off along its tangent.
TEST_P(ReadingConstraints, AContactEndsWhereItsForceIsZero) {
  const auto& [method, stiffness, tolerance] = GetParam();
  const HybridRun run =
      run_text("model M\n parameter Real K = " + number(stiffness) + ";\n" + kBead +
                   "equation\n der(x) = vx;\n der(y) = vy;\n"
                   " der(vx) = (2*cos(time) - K*(x^2 + y^2 - 1) - T)*x;\n"
                   " der(vy) = (2*cos(time) - K*(x^2 + y^2 - 1) - T)*y;\n"
                   "initial mode held\n equation\n  x^2 + y^2 = 1;\n  transition to free when T < vx^2 + "
                   "vy^2 - 1;\nend "
                   "held;\nmode free\n equation\n  T = 2*cos(time) - K*(x^2 + y^2 - 1);\nend free;\nend M;\n",
               {{"stop", "3"}, {"interval", "0.5"}, {"method", method}, {"tolerance", number(tolerance)}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const double opens = std::acos(-0.5);
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_NEAR(run.events[0].time, opens, near());
}

// What keeps the run: the speed does not change, whatever the circle and the spring do. Equations of stages that are not solved well enough add
// up, step after step, where it is they that keep steps short.
TEST_P(ReadingConstraints, TheSpeedIsKept) {
  const HybridRun run = run_of(kBead, kOnCircle + " x^2 + y^2 = 1;\n", "");
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const double allowed =
      std::get<2>(GetParam()) * (1 + 1.5) * static_cast<double>(run.result.statistics.accepted_steps);
  for (const RowRecord& row : run.rows) {
    ASSERT_NEAR(std::hypot(run.value(row, "vx"), run.value(row, "vy")), 1.5, allowed) << row.time;
  }
}

}  // namespace
}  // namespace saltus::test
