// What is only computed from others, and coefficients that do not change in the instant, do not take the law of impulses away
// (docs/semantics.md 5.11).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

HybridRun run_with(const std::string& text, const std::string& method) {
  return run_text(text, {{"stop", "2"}, {"tolerance", "1e-9"}, {"method", method}});
}

struct Spelling {
  std::string declarations, equations;
};

class ImpulseMonitors : public ::testing::TestWithParam<std::string> {
 protected:
  // 4 V on C and 0 V on 3·C, joined at t = 1: 1 V.
  HybridRun join(double C, const Spelling& monitor,
                 const std::string& bodies = "C*der(v1) = -i; 3*C*der(v2) = i;",
                 bool monitor_first = true) const {
    const std::string joined = "if time < 1 then i = 0; else v1 = v2; end if;\n";
    return run_with(
        "model M parameter Real C = " + std::to_string(C) +
            ";\n Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), i;\n " +
            monitor.declarations + "\nequation\n " +
            (monitor_first ? monitor.equations + joined + bodies : joined + bodies + monitor.equations) +
            "\nend M;",
        GetParam());
  }
  static void expect_charge(const HybridRun& run) {
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_FALSE(run.says("jump-moved")) << run.log();
    EXPECT_NEAR(run.value(run.rows_at(1.0).back(), "v1"), 1.0, 1e-9);
    EXPECT_NEAR(run.final("v2"), 1.0, 1e-7);
  }
};

TEST_P(ImpulseMonitors, WhatIsOnlyComputedFromOthersDoesNotMatter) {
  const std::vector<Spelling> monitors = {
      {"Real p;", "p = v1*i;"},
      {"Real p, q, r;", "p = v1*i; q = (v1 - v2)*i; r = p + q;"},
      {"Real p;", "p = 1000*i^2;"},
      {"Real p, n;", "p = v1*i; n = p/(1 + p^2);"},
      {"Real a, b;", "a + b = v1*i; a - b = v2;"},
      {"Real a;", "a^3 + a = v1*i;"},
      {"Real p;", "p = abs(v1*i);"},
      {"Real p;", "p = if i > 0.5 then v1*i else 0;"},
      {"Real E, u;", "u = v1 - v2; E = 0.5*C*u^2;"},
  };
  for (const Spelling& monitor : monitors) {
    for (const bool monitor_first : {true, false}) {
      for (const double C : {1.0, 1e-6}) {
        SCOPED_TRACE(monitor.equations);
        expect_charge(join(C, monitor, "C*der(v1) = -i; 3*C*der(v2) = i;", monitor_first));
      }
    }
  }
}

TEST_P(ImpulseMonitors, CoefficientsThatDoNotChangeAreNumbers) {
  const std::vector<Spelling> coefficients = {
      {"Real c;", "c = 2*C; c/2*der(v1) = -i; 3*C*der(v2) = i;"},
      {"Real c, h;", "h*c = C; h = 1 + 0*C; c*der(v1) = -i; 3*c*der(v2) = i;"},
      {"Real c;", "c = C*time; c*der(v1) = -i; 3*C*der(v2) = i;"},
      {"Real c, z(start = 1, fixed = true);", "c = C*z; der(z) = 1 - z; c*der(v1) = -i; 3*C*der(v2) = i;"},
      {"Real c;", "c = if time < 1 then 7*C else C; c*der(v1) = -i; 3*C*der(v2) = i;"},
      {"Real c, g;", "c + g = 3*C; c - g = -C; c*der(v1) = -i; 3*C*der(v2) = i;"},
      {"Real c;", "(c/C)^3 + c/C = 2; c*der(v1) = -i; 3*C*der(v2) = i;"},
      {"Real c;", "der(v1) = -i*c; 3*C*der(v2) = i; c = 1/C;"},
      {"Real n;", "n = 3; C*der(v1) = -n*i; 3*C*der(v2) = n*i;"},
  };
  for (const Spelling& coefficient : coefficients) {
    for (const double C : {1.0, 1e-6}) {
      SCOPED_TRACE(coefficient.equations);
      expect_charge(join(C, {coefficient.declarations, ""}, coefficient.equations));
    }
  }
}

// Also where it only hangs on what has the impulse: heat of a wire, energy of a source. Its own integral depends on the way, and a warning
// says so; the charges are kept all the same.
TEST_P(ImpulseMonitors, AStateThatFollowsByAProductIsNamed) {
  for (const Spelling& follower :
       std::vector<Spelling>{{"Real p, E(start = 0, fixed = true);", "p = v1*i; der(E) = p;"},
                             {"Real E(start = 0, fixed = true);", "der(E) = (v1 - v2)*i;"},
                             {"Real E(start = 0, fixed = true), n;", "der(E) = v1*i; n = E^2*i;"}}) {
    SCOPED_TRACE(follower.equations);
    const HybridRun run = join(1.0, follower);
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_NEAR(run.final("v1"), 1.0, 1e-7);
    EXPECT_TRUE(run.says("jump-moved")) << run.log();
    EXPECT_THAT(run.log(), HasSubstr("where E goes"));
  }
}

// … and is what the equations say where its row can be integrated.
TEST_P(ImpulseMonitors, AStateThatFollowsByASumJumpsWithIt) {
  const HybridRun run = join(1.0, {"Real q(start = 0, fixed = true), p;", "der(q) = i; p = v1*i;"});
  expect_charge(run);
  EXPECT_NEAR(run.final("q"), 3.0, 1e-7);
}

// Three discs on one shaft, with the power of each clutch and the energy: the loss is that of a plastic impact.
TEST_P(ImpulseMonitors, ClutchedDiscsKeepTheirAngularMomentum) {
  const HybridRun run = run_with(
      "model M parameter Real J[3] = {2, 1e3, 5}; Real Je[3], w[3](start = {10, 0, -4}, each fixed = true), "
      "m1, m2, P1, P2, E;\n"
      " discrete Boolean locked(start = false, fixed = true);\n"
      "equation E = 0.5*(J[1]*w[1]^2 + J[2]*w[2]^2 + J[3]*w[3]^2); P1 = m1*(w[1] - w[2]); P2 = m2*(w[2] - "
      "w[3]);\n"
      " for k in 1:3 loop Je[k] = J[k]; end for;\n"
      " Je[1]*der(w[1]) = -m1; Je[2]*der(w[2]) = m1 - m2; Je[3]*der(w[3]) = m2;\n"
      " when time >= 1 then locked = true; end when;\n"
      " if locked then w[1] = w[2]; w[2] = w[3]; else m1 = 0; m2 = 0; end if; end M;",
      GetParam());
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_FALSE(run.says("jump-moved")) << run.log();
  const double w = (2.0 * 10.0 - 5.0 * 4.0) / 1007.0;
  EXPECT_NEAR(run.final("w[1]"), w, 1e-9);
  EXPECT_NEAR(run.final("w[3]"), w, 1e-9);
  EXPECT_NEAR(run.value(run.rows_at(1.0).front(), "E") - run.final("E"), 0.5 * (2.0 * 100.0 + 5.0 * 16.0),
              1e-6);
}

// Automata follow it too.
TEST_P(ImpulseMonitors, ModesKeepTheMomentum) {
  const HybridRun run = run_text(
      "model M parameter Real m = 1e6; Real x1(start = 0, fixed = true), x2(start = 3, fixed = true), "
      "v1(start = 3, "
      "fixed = true), v2(start = 0, fixed = true), f, P, me;\n"
      "equation me = 2*m; der(x1) = v1; der(x2) = v2; me/2*der(v1) = -f; me*der(v2) = f; P = f*(v1 - v2);\n"
      "initial mode apart equation f = 0; transition to joined when x1 > x2; end apart;\n"
      "mode joined equation x1 = x2; end joined;\nend M;",
      {{"stop", "2"}, {"tolerance", "1e-9"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_FALSE(run.says("jump-moved")) << run.log();
  EXPECT_NEAR(run.final("v1"), 1.0, 1e-9);
  EXPECT_NEAR(run.final("x2"), 4.0, 1e-7);
}

// A coefficient that jumps with what it stands before: the integral is not known, and nothing is said to be kept.
TEST_P(ImpulseMonitors, ACoefficientThatJumpsIsSaid) {
  const HybridRun run = join(1.0, {"Real c;", "c = 1 + v1^2*v2;"}, "c*der(v1) = -i; 3*der(v2) = i;");
  EXPECT_TRUE(run.says("jump-moved")) << run.log();
}

INSTANTIATE_TEST_SUITE_P(Methods, ImpulseMonitors,
                         ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"));

}  // namespace
}  // namespace saltus::test
