// Values and truths that depend on each other: names of relations, diodes in the usual spellings, networks without start values, switches beside
// diodes (docs/semantics.md 2.4). Values by hand or in closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

class MixedSystems : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, MixedSystems,
                         ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

// A Boolean in between slides like the relation itself: T reaches 295 at ln(1.5)/2 and is held there with 4/5 of the heat.
TEST_P(MixedSystems, ANameOfARelationSlides) {
  for (const std::string heat :
       {"heat = T < 295;", "cold = T < 295; heat = cold;", "cold = T >= 295; heat = not cold;"}) {
    const std::string declarations =
        heat.find("cold") != std::string::npos ? "Boolean heat, cold;" : "Boolean heat;";
    const HybridRun run =
        run_text("model M\n Real T(start = 300, fixed = true), Q;\n " + declarations + "\nequation\n " +
                     heat + "\n Q = if heat then 25 else 0;\n der(T) = Q - 2*(T - 285);\nend M;\n",
                 {{"stop", "1"}, {"method", GetParam()}});
    EXPECT_NEAR(run.final("T"), 295.0, 1e-6) << heat << run.log();
    EXPECT_NEAR(run.final("Q"), 20.0, 1e-4) << heat;
    ASSERT_EQ(run.count("slide_enter"), 1U) << heat << run.log();
    // T is known to 1e-6 of 300 at a slope of 20.
    EXPECT_NEAR(run.times("slide_enter")[0], std::log(1.5) / 2.0, 5e-5);
  }
}

// A converter that stops conducting in each of its later periods: rounding must not make a loop of s = 1.8e-17. Values of the matrix
// exponential with exact switching, to the digits given.
TEST_P(MixedSystems, ADiodeBesideASwitchChangesOnce) {
  const HybridRun run = run_text(R"(model Buck
 parameter Real Vin = 24, L = 100e-6, C = 47e-6, R = 20, fs = 50e3, D = 0.4, Ron = 1e-5, Goff = 1e-5;
 Real iL(start = 0, fixed = true), vC(start = 0, fixed = true), iS, vS, sS, iD, vD, sD, vx;
 Boolean on, off;
 Integer n(start = 0, fixed = true);
equation
 on = mod(time*fs, 1) < D;
 vS = sS*(if on then Ron else 1);
 iS = sS*(if on then 1 else Goff);
 off = sD < 0;
 vD = sD*(if off then 1 else Ron);
 iD = sD*(if off then Goff else 1);
 vx = Vin - vS;
 vD = -vx;
 iS + iD = iL;
 L*der(iL) = vx - vC;
 C*der(vC) = iL - vC/R;
 when change(off) then n = pre(n) + 1; end when;
end Buck;
)",
                                 {{"stop", "1e-3"}, {"method", GetParam()}, {"tolerance", "1e-7"}});
  EXPECT_NEAR(run.final("vC"), 11.39279, 2e-5) << run.log();
  EXPECT_NEAR(run.final("iL"), 1.214e-5, 1e-7);
  EXPECT_EQ(run.final("n"), 100.0);
}

// n sources through ideal diodes onto one load: u is the highest of them, whatever n. Without start values.
TEST(MixedNetworks, TheHighestOfManySourcesConducts) {
  for (const bool has_names : {false, true}) {
    for (const int n : {2, 3, 8, 20, 50}) {
      const std::string count = std::to_string(n);
      const std::string condition = has_names ? "off[k]" : "s[k] < 0";
      const HybridRun run = run_text(
          "model Star\n Real s[" + count + "], v[" + count + "], i[" + count +
              "], u;\n Real q(start = 0, fixed = true);\n" +
              (has_names ? " Boolean off[" + count + "];\n" : "") + "equation\n for k in 1:" + count +
              " loop\n" + (has_names ? "  off[k] = s[k] < 0;\n" : "") + "  v[k] = if " + condition +
              " then s[k] else 0;\n  i[k] = if " + condition + " then 0 else s[k];\n  v[k] = 10*sin(" +
              number(kTwoPi) + "*(time + k/" + count +
              ")) + 20 - u;\n end for;\n sum(i) = u/5;\n der(q) = u;\nend Star;\n",
          {{"stop", "0.3"}, {"verify", "some"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << n << run.log();
      for (const RowRecord& row : run.rows) {
        double highest = 0.0;
        for (int k = 1; k <= n; ++k) {
          highest =
              std::max(highest, 10.0 * std::sin(kTwoPi * (row.time + static_cast<double>(k) / n)) + 20.0);
        }
        ASSERT_NEAR(run.value(row, "u"), highest, 1e-7) << n << " at " << row.time;
      }
    }
  }
}

// Inductor, diode, resistor and a source that jumps: blocked, the current is held at zero; the next edge must let it conduct. The
// structure changes with the diode, and nothing but time has crossed a surface.
TEST_P(MixedSystems, AnEdgeOfASourceTurnsTheDiode) {
  for (const std::string diode :
       {" 0 = min(i, -v);\n", " off = s < 0;\n v = if off then s else 0;\n i = if off then 0 else s;\n",
        " v = if s < 0 then s else 0;\n i = if s < 0 then 0 else s;\n"}) {
    const std::string declarations = std::string(diode.find('s') != std::string::npos ? " Real s;\n" : "") +
                                     (diode.find("off") != std::string::npos ? " Boolean off;\n" : "");
    const HybridRun run = run_text("model M\n Real i(start = 0, fixed = true), v, e;\n" + declarations +
                                       "equation\n e = if mod(time, 2) < 1 then 3 else -3;\n"
                                       " 0.2*der(i) = e - v - 2*i;\n" +
                                       diode + "end M;\n",
                                   {{"stop", "2.9"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << diode << run.log();
    // From 2 on i = 1.5·(1 - exp(-10·(t - 2))); blocked before.
    EXPECT_NEAR(run.final("i"), 1.5 * (1.0 - std::exp(-9.0)), 1e-5) << diode << run.log();
    EXPECT_NEAR(run.final("v"), 0.0, 1e-6);
  }
}

// Four diodes by complementarity: the only solution is the same circuit for either sign of v, a damped oscillation.
TEST_P(MixedSystems, FourComplementarityConditionsFindTheirStart) {
  const HybridRun run = run_text(R"(model Rectifier
 parameter Real L = 1e-2, C = 1e-6, R = 1e3;
 Real v(start = 10, fixed = true), i(start = 0, fixed = true, nominal = 1e-2);
 Real y1(nominal = 1e-2), y2(nominal = 1e-2), y3, y4, l1, l2, l3(nominal = 1e-2), l4(nominal = 1e-2);
equation
 der(v) = (-i - l3 + l4)/C;
 der(i) = v/L;
 y1 = (l1 + l2)/R - l3;
 y2 = (l1 + l2)/R - l4;
 y3 = -v + l1;
 y4 = v + l2;
 0 = min(R*y1, l1);
 0 = min(R*y2, l2);
 0 = min(y3, R*l3);
 0 = min(y4, R*l4);
end Rectifier;
)",
                                 {{"stop", "1e-3"}, {"method", GetParam()}, {"tolerance", "1e-8"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  // v'' + v'/(RC) + v/(LC) = 0, v(0) = 10, v'(0) = -10/(RC).
  const double decay = 1.0 / (2.0 * 1e3 * 1e-6);
  const double omega = std::sqrt(1.0 / (1e-2 * 1e-6) - decay * decay);
  for (const RowRecord& row : run.rows) {
    const double t = row.time;
    const double exact =
        std::exp(-decay * t) * (10.0 * std::cos(omega * t) - 10.0 * decay / omega * std::sin(omega * t));
    ASSERT_NEAR(run.value(row, "v"), exact, 2e-5) << t;
  }
}

// A bridge whose guards depend on its source alone while all diodes block: what rounding leaves of them is no distance of the capacitor,
// which must not move. It discharges through both resistors there: der(v) is at most zero wherever it conducts to nobody, and continuous.
TEST_P(MixedSystems, AGuardThatHardlyDependsOnStatesDoesNotMoveThem) {
  const HybridRun run = run_text(R"(model Bridge
 parameter Real R1 = 3.771, R2 = 2.696, R3 = 0.373, C = 1.487, R4 = 184.34;
 Real p1, p2, p3, p4, i, iA, vA, sA, iB, vB, sB, iC, vC, sC, iD, vD, sD, iR;
 Real v(start = 0, fixed = true);
equation
 C*der(v) = iR; R3*iR = p4 - v;
 p1 - p3 = -0.702 + 3.892*sin(4.14*time + 2.429);
 i + (p1 - p2)/R1 = 0; -(p1 - p2)/R1 + iA - iC = 0; -i + iB - iD + p3/R4 = 0; -iA - iB + p4/R2 + iR = 0;
 vA = p2 - p4; vA = if sA < 0 then sA else 0; iA = sA - vA;
 vB = p3 - p4; vB = if sB < 0 then sB else 0; iB = sB - vB;
 vC = -p2;     vC = if sC < 0 then sC else 0; iC = sC - vC;
 vD = -p3;     vD = if sD < 0 then sD else 0; iD = sD - vD;
end Bridge;
)",
                                 {{"stop", "1"}, {"method", GetParam()}, {"interval", "0.001"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_GT(run.rows.size(), 1000U);
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const double moved = run.value(run.rows[k], "v") - run.value(run.rows[k - 1], "v");
    // |iR| is at most what the source, below 4.6 volts, drives through R1 and R3.
    const double most = 4.6 / (3.771 + 0.373) / 1.487 * (run.rows[k].time - run.rows[k - 1].time);
    EXPECT_LE(std::abs(moved), most + 1e-6) << run.rows[k].time;
  }
}

// A source that rises beyond a capacitor behind an ideal diode takes it along: the jump is that of the equations, an event, and reported.
TEST_P(MixedSystems, ASourceThatJumpsTakesTheCapacitorAlong) {
  for (const std::string diode : {"v = if s < 0 then s else 0; i = if s < 0 then 0 else s;",
                                  "off = s < 0; v = if off then s else 0; i = if off then 0 else s;"}) {
    const HybridRun run =
        run_text("model M\n Real u(start = 0, fixed = true), p, v, i, s;\n" +
                     std::string(diode.find("off") != std::string::npos ? " Boolean off;\n" : "") +
                     "equation\n p = if time < 1 then -1 else 2;\n v = p - u;\n " + diode +
                     "\n der(u) = i - u;\nend M;\n",
                 {{"stop", "2"}, {"method", GetParam()}});
    EXPECT_NEAR(run.final("u"), 2.0, 1e-6) << run.log();
    EXPECT_NEAR(run.final("i"), 2.0, 1e-6) << run.log();
    EXPECT_EQ(run.value(run.rows_at(1.0).front(), "u"), 0.0);
    EXPECT_GE(run.count("condition"), 1U) << run.log();
  }
}

// Every '#' of a text is the name.
std::string named(std::string text, const std::string& name) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#')) {
    text.replace(at, 1, name);
  }
  return text;
}

// What location leaves of a voltage over 1e-5 Ohm is 1e8 times as much where the diode blocks: no value, and no reason to turn back. Both
// diodes of a path stop together; all spellings are one model.
TEST_P(MixedSystems, WhatLocationLeavesOfAFlatSideIsNoValueOnASteepOne) {
  double first = 0.0;
  for (const std::string law :
       {"i# = max(v#/1e-5, 1e-3*v#);", "v# = min(1e-5*i#, i#/1e-3);",
        "v# = s#*(if s# < 0 then 1 else 1e-5); i# = s#*(if s# < 0 then 1e-3 else 1);",
        "off# = s# < 0; v# = s#*(if off# then 1 else 1e-5); i# = s#*(if off# then 1e-3 else 1);"}) {
    const bool has_s = law.find("s#") != std::string::npos;
    const bool has_off = law.find("off") != std::string::npos;
    std::string declarations;
    std::string laws;
    for (const std::string name : {"A", "B", "C", "D"}) {
      declarations += named(
          std::string(" Real i#, v#;\n") + (has_s ? " Real s#;\n" : "") + (has_off ? " Boolean off#;\n" : ""),
          name);
      laws += named(" " + law + "\n", name);
    }
    const HybridRun run = run_text(
        "model M\n Real u(start = 0, fixed = true), p1, p2, p3, p4, j;\n" + declarations +
            "equation\n p1 - p3 = 2.6*sin(2.876*time + 1.657);\n j + (p1 - p2)/3.889 = 0;\n"
            " -(p1 - p2)/3.889 + iA - iC = 0; -j + iB - iD = 0; -iA - iB + p4/2.143 + (p4 - u)/0.771 = 0;\n"
            " 1.219*der(u) = (p4 - u)/0.771;\n vA = p2 - p4; vB = p3 - p4; vC = -p2; vD = -p3;\n" +
            laws + "end M;\n",
        {{"stop", "4"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << law << run.log();
    first = first == 0.0 ? run.final("u") : first;
    EXPECT_GT(run.final("u"), 0.05);
    EXPECT_NEAR(run.final("u"), first, 2e-6) << law;  // bdf
  }
}

// i = s - v: while the diode blocks s cancels, and what is left says that the current of the inductor is zero. With the source 2τ - τ²,
// τ = t - 1, it is τ² - τ³/3 from τ = 0 to 3.
TEST_P(MixedSystems, ADifferenceMayCancelAnUnknown) {
  for (const std::string law :
       {"v = if s < 0 then s else 0; i = s - v;", "v = if s < 0 then s else 0; 3*i = 3*s - 3*v;",
        "i = if s < 0 then 0 else s; v = s - i;"}) {
    const HybridRun run = run_text(
        "model M\n Real j(start = 0, fixed = true), i, v, s;\nequation\n der(j) = (time - 1)*(3 - time) - "
        "v;\n"
        " j = i;\n " +
            law + "\nend M;\n",
        {{"stop", "5"}, {"method", GetParam()}, {"interval", "1"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << law << run.log();
    std::vector<double> times = run.times("condition");
    std::erase(times, 0.0);  // the current is zero at the start
    ASSERT_EQ(times.size(), 2U) << law << run.log();
    EXPECT_NEAR(times[0], 1.0, 1e-6) << law;
    EXPECT_NEAR(times[1], 4.0, 1e-5) << law;
    EXPECT_NEAR(run.value(run.rows_at(3.0).front(), "j"), 4.0 / 3.0, 1e-5) << law;
    EXPECT_NEAR(run.final("j"), 0.0, 1e-15) << law;
    EXPECT_NEAR(run.final("v"), -8.0, 1e-9) << law;
  }
}

}  // namespace
}  // namespace saltus::test
