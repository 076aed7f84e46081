// Laws by which surfaces are reached, and formulations that are made for comparison (docs/math/formulations.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/source_folder.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

std::string example(const std::string& name) {
  std::ifstream file(source_folder() + "/examples/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A bead beside a circle: S = D F + σ F with F = x² + y² - 1. `s` and `f` are shown by the model itself.
constexpr const char* kBeside = R"(model Beside
  Real x(start = 0.6, fixed = true), y(start = -0.9, fixed = true), vx(start = 0, fixed = true), vy(start = 0, fixed = true);
  Real lambda;
  Real f = x^2 + y^2 - 1;
  Real s = 2*x*vx + 2*y*vy + 10*f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = lambda*x;
  der(vy) = lambda*y - 9.81;
  x^2 + y^2 = 1;
end Beside;
)";
constexpr double kStartSurface = 10.0 * (0.6 * 0.6 + 0.9 * 0.9 - 1.0);

// [Com01] 3.6.3 with the law as printed: times and energy of an independent program (compere.md 3.5).
TEST(ReachingRaw, ReachesSurfacesWhenTheIndependentProgramDoes) {
  for (const std::string method : {"dopri5", "radau5"}) {
    const HybridRun run = run_text(example("rolling_sphere.mo"), {{"stop", "4"},
                                                                  {"tolerance", "1e-9"},
                                                                  {"method", method},
                                                                  {"formulation", "reaching:raw"},
                                                                  {"reaching-rate", "0.02,0.01,0.5"},
                                                                  {"set", "rho0=0.7"},
                                                                  {"set", "fphi=1.2"},
                                                                  {"set", "ftheta=1.5"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    const std::vector<EventRecord> reached = run.of_kind("slide_enter");
    ASSERT_EQ(reached.size(), 3U) << run.log();
    EXPECT_NEAR(reached[0].time, 0.362869, 1e-6);
    EXPECT_NEAR(reached[1].time, 0.453023, 1e-6);
    EXPECT_NEAR(reached[2].time, 2.0, 1e-6);
    EXPECT_NEAR(run.final("E"), 8.9605e-3, 1e-7);
  }
}

// The force of one constraint: DS = -(GB)·η·sign(S) with GB = 2(x² + y²), whatever the sign is with which λ is written.
TEST(ReachingRaw, TakesTheModelsOwnMultiplier) {
  for (const std::string force : {"lambda", "(-lambda)", "3*lambda"}) {
    std::string text = kBeside;
    for (std::size_t at = text.find("lambda*"); at != std::string::npos; at = text.find("lambda*", at)) {
      text.replace(at, 6, force);
      at += force.size();
    }
    const HybridRun run =
        run_text(text, {{"stop", "0.01"}, {"tolerance", "1e-10"}, {"formulation", "reaching:raw"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    // d/dt S at the start, by the rows.
    const RowRecord& row = run.rows[5];
    const double slope = (run.value(row, "s") - kStartSurface) / row.time;
    const double gain = 2.0 * (0.6 * 0.6 + 0.9 * 0.9) * (force == "3*lambda" ? 3.0 : 1.0);
    EXPECT_NEAR(slope, -gain, 1e-2) << force;
  }
}

// A rod with both constraints of its hinge: DS = -GB·(η₁, η₂) for S > 0, GB = [1 + 3 sin², -3 sin cos; -3 sin cos, 1 + 3 cos²]/m at the angle θ.
TEST(ReachingRaw, CouplesSurfacesByTheMassMatrix) {
  const std::string text = R"(model M
  parameter Real m = 2;
  Real x(start = 0.6, fixed = true), y(start = 0.5, fixed = true), theta(start = 0.5, fixed = true);
  Real vx(start = 0, fixed = true), vy(start = 0, fixed = true), omega(start = 0, fixed = true), lambda1, lambda2;
  Real s1 = vx + sin(theta)*omega/2 + 10*(x - cos(theta)/2);
  Real s2 = vy - cos(theta)*omega/2 + 10*(y - sin(theta)/2);
equation
  der(x) = vx;
  der(y) = vy;
  der(theta) = omega;
  m*der(vx) = m*9.81 + lambda1;
  m*der(vy) = lambda2;
  m/12*der(omega) = sin(theta)/2*lambda1 - cos(theta)/2*lambda2;
  x - cos(theta)/2 = 0;
  y - sin(theta)/2 = 0;
end M;
)";
  const double s = std::sin(0.5);
  const double c = std::cos(0.5);
  const double t = 1e-4;
  const HybridRun run = run_text(text, {{"stop", number(t)},
                                        {"tolerance", "1e-11"},
                                        {"formulation", "reaching:raw"},
                                        {"reaching-rate", "3,1"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const auto slope = [&](const char* name) {
    return (run.final(name) - run.value(run.rows.front(), name)) / t;
  };
  EXPECT_NEAR(slope("s1"), -((1.0 + 3.0 * s * s) * 3.0 - 3.0 * s * c * 1.0) / 2.0, 1e-3);
  EXPECT_NEAR(slope("s2"), -(-3.0 * s * c * 3.0 + (1.0 + 3.0 * c * c) * 1.0) / 2.0, 1e-3);
}

// der(v) = a: the multiplier is the acceleration, GB is the identity, and the laws are one.
TEST(ReachingRaw, KnowsAccelerationsThatAreMultipliers) {
  const std::string text = R"(model M
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), a;
equation
  der(x) = v;
  der(v) = a;
  x = 0;
end M;
)";
  for (const std::string formulation : {"reaching", "reaching:raw"}) {
    const HybridRun run =
        run_text(text, {{"stop", "4"}, {"formulation", formulation}, {"reaching-rate", "4"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_EQ(run.count("slide_enter"), 1U) << run.log();
    EXPECT_NEAR(run.times("slide_enter")[0], 10.0 / 4.0, 1e-6) << formulation;
  }
}

TEST(ReachingRaw, RefusesForcesThatBelongToNoConstraint) {
  // Two beads on one rod and one circle each: both multipliers act on both.
  const std::string text = R"(model M
  Real x(start = 1, fixed = true), y(start = 2, fixed = true), vx, vy, a, b;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = a + b;
  der(vy) = a - b;
  x + 2*y = 5;
  2*x - y = 0;
end M;
)";
  const std::string problems = problems_of(text, {{"formulation", "reaching:raw"}});
  EXPECT_THAT(problems, HasSubstr("formulation-not-supported"));
  EXPECT_THAT(problems, HasSubstr("a and b"));
  EXPECT_EQ(problems_of(text, {{"formulation", "reaching"}, {"stop", "0.1"}}), "");
}

// After S = 0 is reached F = F₀ exp(-σ t), each constraint with its own σ.
TEST(ConstraintRates, AreThoseOfEachConstraint) {
  const std::string text = R"(model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), vx(start = 0, fixed = true), vy(start = 0, fixed = true), a, b;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = a;
  der(vy) = b;
  x = 0;
  y = 0;
end M;
)";
  const HybridRun run = run_text(text, {{"stop", "3"},
                                        {"tolerance", "1e-9"},
                                        {"interval", "0.5"},
                                        {"formulation", "reaching"},
                                        {"constraint-rate", "2,5"},
                                        {"reaching-rate", "4,10"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const std::vector<double> times = run.times("slide_enter");
  ASSERT_EQ(times.size(), 2U) << run.log();  // 2/4 and 5/10: both at once
  EXPECT_NEAR(times[0], 0.5, 1e-7);
  EXPECT_EQ(times[1], times[0]);
  const auto ratio = [&](const char* name) {
    return run.value(run.rows_at(2.0).back(), name) / run.value(run.rows_at(1.0).back(), name);
  };
  EXPECT_NEAR(ratio("x"), std::exp(-2.0), 1e-6);
  EXPECT_NEAR(ratio("y"), std::exp(-5.0), 1e-5);
  EXPECT_THAT(problems_of(text, {{"formulation", "reaching"}, {"constraint-rate", "1,2,3"}}),
              HasSubstr("--constraint-rate has 3 values and the model 2 constraints"));
  EXPECT_THAT(problems_of(text, {{"formulation", "baumgarte"}, {"constraint-rate", "1,-2"}}),
              HasSubstr("wrong-option-value"));
}

// Two positions that were pushed off after the start: the formulas of Baumgarte with σ₁ ≠ σ₂, and post-stabilisation takes both as well.
TEST(ConstraintRates, AreThereInEveryFormulationThatHasOne) {
  for (const std::string formulation : {"baumgarte", "equivalent-control", "post-stabilized",
                                        "post-stabilized:holonomic", "post-stabilized:mass"}) {
    const HybridRun one = run_text(
        example("compound_pendulum.mo"),
        {{"method", "dopri5"}, {"stop", "1"}, {"formulation", formulation}, {"constraint-rate", "7"}});
    const HybridRun same = run_text(
        example("compound_pendulum.mo"),
        {{"method", "dopri5"}, {"stop", "1"}, {"formulation", formulation}, {"constraint-rate", "7,7"}});
    const HybridRun other = run_text(
        example("compound_pendulum.mo"),
        {{"method", "dopri5"}, {"stop", "1"}, {"formulation", formulation}, {"constraint-rate", "7,70"}});
    EXPECT_EQ(one.final("theta"), same.final("theta")) << formulation;
    EXPECT_NE(one.final("theta"), other.final("theta")) << formulation;
    EXPECT_NEAR(one.final("theta"), other.final("theta"), 1e-5) << formulation;
  }
}

// Linear down to the width of the layer, then like exp(-η t/δ).
TEST(BoundaryLayer, IsTheClosedFormOfItsLaw) {
  const double eta = 4.0;
  const double width = 0.2;
  const double reached = (kStartSurface - width) / eta;
  const HybridRun run = run_text(kBeside, {{"stop", "1"},
                                           {"tolerance", "1e-10"},
                                           {"formulation", "boundary-layer"},
                                           {"reaching-rate", number(eta)},
                                           {"boundary-layer", number(width)}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  for (const RowRecord& row : run.rows) {
    const double exact = row.time < reached ? kStartSurface - eta * row.time
                                            : width * std::exp(-eta * (row.time - reached) / width);
    EXPECT_NEAR(run.value(row, "s"), exact, 1e-8) << row.time;
  }
  EXPECT_THAT(problems_of(kBeside, {{"formulation", "boundary-layer"}, {"boundary-layer", "0"}}),
              HasSubstr("wrong-option-value"));
}

// Without events the surface is crossed again and again: what is left is of the order of η h, where reaching leaves rounding.
TEST(SlidingMode, ChattersByTheSizeOfItsSteps) {
  const auto residual = [](const std::string& formulation, double h) {
    const HybridRun run = run_text(kBeside, {{"stop", "2"},
                                             {"step", number(h)},
                                             {"method", "kutta3"},
                                             {"interval", "steps"},
                                             {"formulation", formulation},
                                             {"verify", "some"},
                                             {"reaching-rate", "4"}});
    EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
    double most = 0.0;
    for (const RowRecord& row : run.rows) {
      most = row.time > 1.0 ? std::max(most, std::abs(run.value(row, "s"))) : most;
    }
    return most;
  };
  const double coarse = residual("sliding-mode", 0.01);
  const double fine = residual("sliding-mode", 0.001);
  EXPECT_GT(coarse, 0.1 * 4.0 * 0.01);
  EXPECT_LT(coarse, 2.0 * 4.0 * 0.01);
  EXPECT_GT(fine, 0.1 * 4.0 * 0.001);
  EXPECT_LT(fine, 2.0 * 4.0 * 0.001);
  EXPECT_LT(residual("reaching", 0.01), 1e-10);
  EXPECT_THAT(problems_of(kBeside, {{"formulation", "sliding-mode"}}),
              HasSubstr("give a fixed size with --step"));
}

// Positions are never put onto a constraint that is still away: they decay, without a jump ([Com01] 3.27 would make one of η/σ²).
TEST(Reaching, LeavesPositionsToTheSurface) {
  const HybridRun run = run_text(kBeside, {{"stop", "3"},
                                           {"tolerance", "1e-10"},
                                           {"interval", "0.01"},
                                           {"formulation", "reaching"},
                                           {"reaching-rate", "2"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const double reached = kStartSurface / 2.0;
  const double left = run.value(run.rows_at(reached, 1e-6).back(), "f");
  EXPECT_NEAR(left, 2.0 / 100.0, 2e-3);  // η/σ², as the linear decrease of S ends
  for (const RowRecord& row : run.rows) {
    if (row.time > reached) {
      EXPECT_NEAR(run.value(row, "f"), left * std::exp(-10.0 * (row.time - reached)), 1e-8) << row.time;
    }
  }
}

}  // namespace
}  // namespace saltus::test
