// Jumps that nobody wrote follow the equations integrated over the instant (docs/semantics.md 5.11).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

HybridRun run_with(const std::string& text, const std::string& method, const std::string& stop = "2") {
  return run_text(text, {{"stop", stop}, {"tolerance", "1e-9"}, {"method", method}});
}

RowRecord after(const HybridRun& run, double t) {
  return run.rows_at(t).back();
}

// No warning: the least change was not used.
void expect_law(const HybridRun& run, const std::string& impulse) {
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_FALSE(run.says("jump-moved")) << run.log();
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_THAT(run.events[0].detail, HasSubstr("by the equations integrated over the instant"));
  EXPECT_THAT(run.events[0].detail, HasSubstr(impulse));
}

class Impulses : public ::testing::TestWithParam<std::string> {};

// 4 V on 1 F and 0 V on 3 F, however it is written.
std::vector<std::string> joined_capacitors() {
  const std::string head =
      "model M parameter Real C1 = 1, C2 = 3; Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), "
      "i;\n";
  const std::string joined = " if time < 1 then i = 0; else v1 = v2; end if; end M;";
  return {
      head + "equation C1*der(v1) = -i; C2*der(v2) = i;" + joined,
      head + "equation i = C2*der(v2); C1*der(v1) + i = 0;" + joined,
      head + "equation der(v2) = i/C2; der(v1) = -i/C1;" + joined,
      head +
          "equation if time < 1 then i = 0; else v1 = v2; end if;"
          " C1*der(v1) + C2*der(v2) = 0; C2*der(v2) - C1*der(v1) = 2*i; end M;",
      head +
          "Real q1, q2, d; equation q1 = C1*v1; q2 = C2*v2; der(q1) = -i; der(q2) = i; d = v1 - v2;"
          " if time < 1 then i = 0; else d = 0; end if; end M;",
      head + "Real i1, i2; equation C1*der(v1) = i1; C2*der(v2) = i2; i1 + i2 = 0; i2 = i;" + joined,
      head +
          "discrete Boolean closed(start = false, fixed = true); equation C1*der(v1) = -i; C2*der(v2) = i;"
          " when time >= 1 then closed = true; end when;"
          " if closed then v1 = v2; else i = 0; end if; end M;"};
}

TEST_P(Impulses, JoinedCapacitorsKeepTheirCharge) {
  for (const std::string& text : joined_capacitors()) {
    SCOPED_TRACE(text);
    const HybridRun run = run_with(text, GetParam());
    expect_law(run, "impulse i = 3");
    EXPECT_NEAR(run.value(after(run, 1.0), "v1"), 1.0, 1e-12);
    EXPECT_NEAR(run.value(after(run, 1.0), "v2"), 1.0, 1e-12);
    EXPECT_NEAR(run.final("v1"), 1.0, 1e-9);
  }
}

TEST_P(Impulses, ThreeCapacitorsInMicrofarads) {
  const HybridRun run = run_with(
      "model M parameter Real C1 = 1e-6, C2 = 2e-6, C3 = 3e-6;\n"
      " Real v1(start = 6, fixed = true), v2(start = 0, fixed = true), v3(start = 3, fixed = true), i1, i2, "
      "i3;\n"
      "equation der(v1) = i1/C1; C2*der(v2) = i2; i3 = der(v3)*C3; i1 + i2 + i3 = 0;\n"
      " if time < 1 then i1 = 0; i2 = 0; else v1 = v2; v2 = v3; end if; end M;",
      GetParam());
  expect_law(run, "impulse i1 = -3.5e-06, impulse i2 = 5e-06, impulse i3 = -1.5e-06");
  EXPECT_NEAR(run.value(after(run, 1.0), "v3"), 2.5, 1e-12);
}

// A law that is not linear bounds its own voltage and current, and nothing else.
TEST_P(Impulses, AnExponentialBesideTheCapacitorsTakesNoCharge) {
  const HybridRun run = run_with(
      "model M parameter Real C1 = 1, C2 = 3, Is = 1e-9, VT = 0.5, R = 1e6;\n"
      " Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), i, id, vd(start = 0);\n"
      "equation C1*der(v1) = -i - id; C2*der(v2) = i; vd + R*id = v1; id = Is*(exp(vd/VT) - 1);\n"
      " if time < 1 then i = 0; else v1 = v2; end if; end M;",
      GetParam());
  expect_law(run, "impulse i = 3");
  EXPECT_NEAR(run.value(after(run, 1.0), "v1"), 1.0, 1e-6);
}

TEST_P(Impulses, TwoMassesThatLockKeepTheirMomentum) {
  for (const std::string locked : {"v1 = v2", "v1 - v2 = 0", "w = 0"}) {
    SCOPED_TRACE(locked);
    const HybridRun run = run_with(
        "model M parameter Real m1 = 2, m2 = 3; Real x1(start = 0, fixed = true), x2(start = 1, fixed = "
        "true),\n"
        " v1(start = 5, fixed = true), v2(start = 0, fixed = true), f, w;\n"
        "equation der(x1) = v1; der(x2) = v2; m1*der(v1) = -f; m2*der(v2) = f; w = v1 - v2;\n"
        " if time < 1 then f = 0; else " +
            locked + "; end if; end M;",
        GetParam());
    expect_law(run, "impulse f = 6");
    EXPECT_NEAR(run.value(after(run, 1.0), "v1"), 2.0, 1e-12);
    EXPECT_NEAR(run.value(after(run, 1.0), "x1"), 5.0, 1e-8);
    EXPECT_NEAR(run.final("x1"), 7.0, 1e-8);
  }
}

TEST_P(Impulses, BodiesThatMeetAndStickKeepTheirMomentum) {
  const HybridRun run = run_with(
      "model M parameter Real m1 = 2, m2 = 3; Real x1(start = 0, fixed = true), x2(start = 1, fixed = "
      "true),\n"
      " v1(start = 5, fixed = true), v2(start = 0, fixed = true), f; discrete Boolean stuck(start = false, "
      "fixed = true);\n"
      "equation der(x1) = v1; der(x2) = v2; m1*der(v1) = -f; m2*der(v2) = f;\n"
      " when x1 > x2 then stuck = true; end when; if stuck then x1 = x2; else f = 0; end if; end M;",
      GetParam());
  expect_law(run, "impulse f = 6");
  EXPECT_NEAR(run.final("v1"), 2.0, 1e-9);
  EXPECT_NEAR(run.final("x2"), 4.6, 1e-8);
}

TEST_P(Impulses, InductorsForcedToOneCurrentKeepTheirFlux) {
  const HybridRun run = run_with(
      "model M parameter Real L1 = 0.1, L2 = 0.3; Real i1(start = 2, fixed = true), i2(start = -1, fixed = "
      "true), u, d;\n"
      "equation L1*der(i1) = u; L2*der(i2) = -u; d = i1 - i2;\n"
      " if time < 1 then u = 0; else d = 0; end if; end M;",
      GetParam());
  expect_law(run, "impulse u = -0.225");
  EXPECT_NEAR(run.value(after(run, 1.0), "i1"), -0.25, 1e-12);
}

TEST_P(Impulses, ABodyThatMeetsAStopGivesItsMomentumToTheForce) {
  const HybridRun run = run_with(
      "model M Real x(start = 1, fixed = true), v(start = -1, fixed = true), f; discrete Boolean down(start "
      "= false, fixed = true);\n"
      "equation der(x) = v; 2*der(v) = f - 2*10;\n"
      " when x < 0 then down = true; end when; if down then x = 0; else f = 0; end if; end M;",
      GetParam());
  expect_law(run, "impulse f = 9.16515");  // 2·√(1 + 2·10)
  EXPECT_EQ(run.final("v"), 0.0);
  EXPECT_NEAR(run.final("f"), 20.0, 1e-9);
}

// Masses that differ by direction: the least change would be another velocity. Coefficients at the positions, which stay.
TEST_P(Impulses, AStringThatGetsTightFollowsItsForce) {
  const HybridRun run = run_with(
      "model M Real x(start = 0.6, fixed = true), y(start = 0.3, fixed = true), vx(start = 0, fixed = "
      "true),\n"
      " vy(start = 0, fixed = true), F; discrete Boolean tight(start = false, fixed = true);\n"
      "equation der(x) = vx; der(y) = vy; der(vx) = -F*x; 4*der(vy) = -F*y - 4*10;\n"
      " when x^2 + y^2 > 1 then tight = true; end when; if tight then x^2 + y^2 = 1; else F = 0; end if; end "
      "M;",
      GetParam(), "0.5");
  const double v = std::sqrt(2.0 * 10.0 * 1.1);
  const double impulse = 0.8 * v / (0.36 + 0.16);  // x vx + y vy = 0 with vx = -0.6·F, vy = -v + 0.2·F
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const RowRecord row = after(run, std::sqrt(2.0 * 1.1 / 10.0));
  EXPECT_NEAR(run.value(row, "vx"), -0.6 * impulse, 1e-7);
  EXPECT_NEAR(run.value(row, "vy"), -v + 0.2 * impulse, 1e-7);
  EXPECT_FALSE(run.says("jump-moved")) << run.log();
}

// A current through a resistance alone is bounded: its capacitor keeps its voltage, and the other one takes it.
TEST_P(Impulses, WhatHasNoImpulseStays) {
  const HybridRun run = run_with(
      "model M Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), i, d;\n"
      "equation der(v1) = -v1/1000; 3*der(v2) = i; d = v1 - v2;\n"
      " if time < 1 then i = 0; else d = 0; end if; end M;",
      GetParam());
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.value(after(run, 1.0), "v2"), 4.0 * std::exp(-1e-3), 1e-8);
  EXPECT_NEAR(run.value(after(run, 1.0), "v1"), 4.0 * std::exp(-1e-3), 1e-8);
}

// Bodies that are joined at a distance: the positions meet half way, and the velocities keep the momentum, whether the index is seen
// in the structure or (rows mixed with factors that are states) only in ranks, and whichever rows the law has.
std::vector<std::string> bodies_joined_at_a_distance() {
  const std::string head =
      "model M parameter Real m1 = 1, m2 = 3; Real x1(start = 0, fixed = true), x2(start = 1, fixed = "
      "true),\n"
      " v1(start = 4, fixed = true), v2(start = 0, fixed = true), f;\nequation ";
  const std::string joined = " if time < 0.5 then f = 0; else x1 = x2; end if; end M;";
  const std::string relative = " if time < 0.5 then f = 0; else x1 - x2 = 0; end if; end M;";
  return {
      head + "der(x1) = v1; der(x2) = v2; m1*der(v1) = -f; m2*der(v2) = f;" + joined,
      head + "der(x1) = v1; der(x2) = v2; m1*der(v1) = -f; m2*der(v2) = f;" + relative,
      head + "der(x1) - der(x2) = v1 - v2; der(x1) + der(x2) = v1 + v2; m1*der(v1) = -f; m2*der(v2) = f;" +
          relative,
      head +
          "der(x1) = v1; der(x2) = v2; m1*der(v1) + der(x1) = v1 - f; m2*der(v2) + 2*der(x1) - der(x2) = "
          "2*v1 - v2 + f;" +
          relative,
      head +
          "der(x1) - v1 + (1 + x2^2)*(m1*der(v1) + f) = 0; der(x2) = v2; m1*der(v1) + f = 0; m2*der(v2) = "
          "f;" +
          relative,
  };
}

TEST_P(Impulses, PositionsThatHaveToMoveDoSoFirstAndTheMomentumStays) {
  for (const std::string& text : bodies_joined_at_a_distance()) {
    SCOPED_TRACE(text);
    const HybridRun run = run_with(text, GetParam());
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_TRUE(run.says("jump-moved")) << run.log();
    ASSERT_EQ(run.events.size(), 1U) << run.log();
    EXPECT_THAT(run.events[0].detail,
                HasSubstr("by least change of positions, then by the equations integrated over the instant "
                          "(impulse f = 3)"));
    const RowRecord row = after(run, 0.5);
    EXPECT_NEAR(run.value(row, "x1"), 1.5, 1e-8);
    EXPECT_NEAR(run.value(row, "x2"), 1.5, 1e-8);
    EXPECT_NEAR(run.value(row, "v1"), 1.0, 1e-8);
    EXPECT_NEAR(run.value(row, "v2"), 1.0, 1e-8);
    EXPECT_NEAR(run.final("x1"), 3.0, 1e-8);
  }
}

// Equations that were combined with the derivative of a constraint are integrated as they stand: Δx - 2·Δy = Λ, Δy = -Λ, and
// Δx - 2·Δy = 1.
TEST_P(Impulses, CombinationsOfEquationsAreNotWhatIsIntegrated) {
  const HybridRun run = run_with(
      "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true), v, "
      "u;\n"
      "equation der(x) - 2*der(y) = v; der(y) + der(z) = -v + u; der(z) = u; u = 0*z;\n"
      " if time < 1 then v = 0; else x - 2*y = 1; end if; end M;",
      GetParam());
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.value(after(run, 1.0), "x"), -1.0, 1e-12);
  EXPECT_NEAR(run.value(after(run, 1.0), "y"), -1.0, 1e-12);
}

// B rests against A, so that only one of them is a state, and C meets B from behind. B and C go on together, A is left behind: what B
// had counts, although it was no state.
TEST_P(Impulses, ABodyThatLeansOnAnotherIsMetFromBehind) {
  for (const auto& [mB, mC] : {std::pair(1.0, 1.0), std::pair(3.0, 0.5), std::pair(0.2, 2.0)}) {
    for (const std::string contacts :
         {"0 = min(xB - xA, N); 0 = min(xB - xC, P);", "0 = min(P, xB - xC); 0 = min(N, xB - xA);"}) {
      for (const double force : {0.0, 1.0}) {
        SCOPED_TRACE(fmt::format("{} mB = {}, mC = {}, force {}", contacts, mB, mC, force));
        const HybridRun run =
            run_with(fmt::format("model M parameter Real mB = {}, mC = {}, F = {};\n"
                                 " Real xA(start = 0, fixed = true), vA(start = 0, fixed = true);\n"
                                 " Real xB(start = 0, fixed = true), vB(start = 0, fixed = true);\n"
                                 " Real xC(start = -1, fixed = true), vC(start = 1, fixed = true), N, P;\n"
                                 "equation der(xA) = vA; der(xB) = vB; der(xC) = vC;\n"
                                 " der(vA) = F - N; mB*der(vB) = N + P - F; mC*der(vC) = -P;\n {} end M;",
                                 mB, mC, force, contacts),
                     GetParam(), "1.2");
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
        EXPECT_FALSE(run.says("jump-moved")) << run.log();
        const double together = mC / (mB + mC);
        EXPECT_NEAR(run.value(after(run, 1.0), "vB"), together, 1e-8);
        EXPECT_NEAR(run.value(after(run, 1.0), "vC"), together, 1e-8);
        EXPECT_NEAR(run.value(after(run, 1.0), "vA"), 0.0, 1e-8);
        EXPECT_NEAR(run.final("vA"), 0.2 * force, 1e-8);
        EXPECT_NEAR(run.final("vB"), together - 0.2 * force / (mB + mC), 1e-8);
      }
    }
  }
}

// … with the mass of the one that it meets: what they have in common is the mean of what they had. It falls behind again at once.
TEST_P(Impulses, ABodyOfTheSameMassIsMetFromBehind) {
  for (const double mass : {0.5, 1.0}) {
    for (const std::string contacts :
         {"0 = min(xB - xA, N); 0 = min(xB - xC, P);", "0 = min(P, xB - xC); 0 = min(N, xB - xA);"}) {
      SCOPED_TRACE(fmt::format("{} mass {}", contacts, mass));
      const HybridRun run = run_with(
          fmt::format("model M parameter Real m = {};\n"
                      " Real xA(start = 0, fixed = true), vA(start = 0, fixed = true);\n"
                      " Real xB(start = 0, fixed = true), vB(start = 0, fixed = true);\n"
                      " Real xC(start = -0.6, fixed = true), vC(start = 2, fixed = true), N, P;\n"
                      "equation der(xA) = vA; der(xB) = vB; der(xC) = vC;\n"
                      " 4*m*der(vA) = 1.4*m - N; m*der(vB) = -0.2*m + N + P; m*der(vC) = -0.8*m - P;\n"
                      " {} end M;",
                      mass, contacts),
          GetParam(), "1.2");
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_FALSE(run.says("jump-moved")) << run.log();
      // Both lean on each other with 0.24 until then; C comes nearer with 2 - 1.04 t.
      const double met = (2.0 - std::sqrt(4.0 - 4.0 * 0.52 * 0.6)) / 1.04;
      const double left = 1.2 - met;
      const double together = (0.24 * met + 2.0 - 0.8 * met) / 2.0;
      EXPECT_NEAR(run.final("vA"), 0.24 * met + 0.35 * left, 1e-7);
      EXPECT_NEAR(run.final("vB"), together - 0.2 * left, 1e-7);
      EXPECT_NEAR(run.final("vC"), together - 0.8 * left, 1e-7);
    }
  }
}

// A switch beside a diode opens at a time that is located: the diode takes the current of the coil over.
TEST_P(Impulses, ADiodeTakesTheCurrentOver) {
  for (const std::string opens :
       {"cos(6.283185307179586*time - 0.7853981633974483) > -0.7071067811865475", "sin(5*time) > -0.5",
        "x > 0.3", "cos(3*time) > 0.2", "time < 0.5", "0.25 > time^2"}) {
    for (const std::string diode :
         {"v = -min(s, 0); id = max(s, 0);", "id = max(s, 0); v = max(-s, 0);", "0 = min(id, v); s = 0;",
          "v = if s < 0 then -s else 0; id = if s < 0 then 0 else s;"}) {
      SCOPED_TRACE(opens + " " + diode);
      const HybridRun run = run_with(
          "model M Real v, i(start = 2, fixed = true), isw, id, s, x(start = 1, fixed = true);\n"
          "equation der(x) = -x; der(i) = v; 0 = i + isw - id; " +
              diode + "\n if " + opens + " then v = 0; else isw = 0; end if; end M;",
          GetParam(), "1.4");
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_NEAR(run.final("i"), 2.0, 1e-8) << run.log();
      EXPECT_NEAR(run.final("v"), 0.0, 1e-8);
    }
  }
}

// The switch closes in the first instant, where no current flows and the diode has no side: charge cannot flow back through it.
TEST_P(Impulses, ASwitchThatClosesAtTheStartBesideADiode) {
  for (const std::string closes : {"sin(10*time) > 0", "time > 0", "x > 0", "sin(10*time) > -0.1"}) {
    for (const std::string diode :
         {"if v + id < 0 then id = 0; else v = 0; end if; s = 0;", "0 = min(id, -v); s = 0;",
          "v = min(s, 0); id = max(s, 0);", "v = if s < 0 then s else 0; id = if s < 0 then 0 else s;"}) {
      SCOPED_TRACE(closes + " " + diode);
      const HybridRun run = run_with(
          "model M Real c(start = 0, fixed = true), il(start = 0, fixed = true), x(start = 0, fixed = "
          "true);\n"
          " Real p2, p3, v, id, q, isw, ic, s; Boolean on = " +
              closes +
              ";\nequation der(x) = 1; 12 - p2 = if on then 0 else q; isw = if on then q else 0; isw = ic;\n"
              " der(c) = ic; c = p2 - p3; der(il) = p3; ic + id = il; v = -p3;\n " +
              diode + " end M;",
          GetParam(), "0.3");
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_NEAR(run.final("c"), 12.0 * (1.0 - std::cos(0.3)), 1e-7) << run.log();
    }
  }
}

// No unknown may have an impulse: the equations say that both keep their values, and cannot. Least change, with the warning.
TEST(ImpulsesRefused, WhatContradictsTheConstraintsIsTheLeastChange) {
  const HybridRun run = run_with(
      "model M Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), i;\n"
      "equation der(v1) = -i^3; 3*der(v2) = i; if time < 1 then i = 0; else v1 = v2; end if; end M;",
      "radau5");
  EXPECT_TRUE(run.says("jump-moved")) << run.log();
}

INSTANTIATE_TEST_SUITE_P(Methods, Impulses, ::testing::Values("dopri5", "rk23", "radau5", "sdirk4", "bdf"));

}  // namespace
}  // namespace saltus::test
