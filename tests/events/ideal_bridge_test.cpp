// Bridges of ideal diodes on ideal sources: structures that leave potentials open or join two voltages are passed over for those that
// determine everything (docs/semantics.md 2.3).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

const double kPi = std::acos(-1.0);

// C v' = i1 + i2 - v/R behind four diodes at e = V sin wt. Conducting: v = |e|, until tan(w t1) = -w R C; then v decays until |e| has
// risen to it. All diodes block then, and the potential of the source is given by nothing.
struct Bridge {
  static constexpr double kV = 20.0, kR = 50.0, kC = 2e-3;
  static constexpr double kPeriod = 0.01;
  static double w() { return kPi / kPeriod; }
  static double turn_off() { return (kPi - std::atan(w() * kR * kC)) / w(); }
  static double load(double t) {
    const double source = kV * std::abs(std::sin(w() * t));
    const double since = t - turn_off();
    const double held = kV * std::sin(w() * turn_off()) *
                        std::exp(-(since - kPeriod * std::floor(since / kPeriod)) / (kR * kC));
    return since < 0.0 ? source : std::max(source, held);
  }
};

std::string bridge(const std::string& unknowns, const std::string& diode, const std::string& source = "") {
  return "model M\n constant Real pi = Modelica.Constants.pi;\n Real v(start = 0, fixed = true), a, b, line, "
         "i[4], drop[4];\n" +
         unknowns + "equation\n 20*sin(100*pi*time) = " + source +
         "a - b;\n drop = {a - v, b - v, -a, -b};\n for k in 1:4 loop\n" + diode +
         " end for;\n line + i[3] = i[1];\n i[4] = i[2] + line;\n 2e-3*der(v) = i[1] + i[2] - v/50;\nend "
         "M;\n";
}

const char* const kComplementarity = "  0 = min(i[k], -drop[k]);\n";
const char* const kAlongTheCurve =
    "  drop[k] = if s[k] < 0 then s[k] else 0;\n  i[k] = if s[k] < 0 then 0 else s[k];\n";
const char* const kByABoolean =
    "  off[k] = s[k] < 0;\n  drop[k] = if off[k] then s[k] else 0;\n  i[k] = if off[k] then 0 else s[k];\n";

void expect_bridge(const HybridRun& run, double tolerance) {
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_FALSE(run.says("least-squares")) << "of structures that were only tried: " << run.words();
  EXPECT_FALSE(run.says("left-open")) << run.words();
  for (const RowRecord& row : run.rows) {
    ASSERT_NEAR(run.value(row, "v"), Bridge::load(row.time), tolerance) << "at " << row.time;
    ASSERT_NEAR(run.value(row, "a") - run.value(row, "b"), 20 * std::sin(Bridge::w() * row.time), tolerance);
    for (const char* const diode : {"[1]", "[2]", "[3]", "[4]"}) {
      const double current = run.value(row, std::string("i") + diode);
      const double drop = run.value(row, std::string("drop") + diode);
      ASSERT_GE(current, -tolerance) << diode << " at " << row.time;
      ASSERT_LE(drop, tolerance) << diode << " at " << row.time;
      ASSERT_NEAR(current * drop, 0.0, tolerance);
    }
  }
}

TEST(IdealBridge, AsComplementarity) {
  expect_bridge(run_text(bridge("", kComplementarity), {{"stop", "0.1"}, {"tolerance", "1e-9"}}), 1e-7);
}

TEST(IdealBridge, AlongTheCurve) {
  expect_bridge(run_text(bridge(" Real s[4];\n", kAlongTheCurve), {{"stop", "0.1"}, {"tolerance", "1e-9"}}),
                1e-7);
}

TEST(IdealBridge, ByBooleans) {
  expect_bridge(run_text(bridge(" Real s[4];\n Boolean off[4];\n", kByABoolean),
                         {{"stop", "0.1"}, {"tolerance", "1e-9"}}),
                1e-7);
}

TEST(IdealBridge, ByEveryMethod) {
  for (const char* method : {"rk23", "radau5", "sdirk4", "bdf"}) {
    SCOPED_TRACE(method);
    expect_bridge(
        run_text(bridge("", kComplementarity), {{"stop", "0.04"}, {"tolerance", "1e-8"}, {"method", method}}),
        1e-5);
  }
}

// With a resistance in the source two diodes that carry no current meet at its zero: which of them goes on is found by asking both. Reference:
// v' = (max(0, (|e| - v)/0.5) - v/50)/2e-3 by SciPy 1.8, DOP853, steps of 1e-5, rtol 1e-11.
TEST(IdealBridge, WithAResistanceInTheSource) {
  for (const char* const unknowns : {"", " Real s[4];\n"}) {
    const HybridRun run =
        run_text(bridge(unknowns, *unknowns == '\0' ? kComplementarity : kAlongTheCurve, "0.5*line + "),
                 {{"stop", "0.04"}, {"tolerance", "1e-9"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
    EXPECT_NEAR(run.final("v"), 18.51689949, 1e-7);
  }
}

// Three phases without coils: the current goes over from one diode to the next in no time. L i' + R i = max(e) - min(e).
TEST(IdealBridge, SixDiodesCommutateAtOnce) {
  const HybridRun run = run_text(
      "model M\n constant Real pi = Modelica.Constants.pi;\n parameter Real w = 100*pi;\n Real e[3] = "
      "{100*sin(w*time), 100*sin(w*time - 2*pi/3), 100*sin(w*time + 2*pi/3)};\n Real ip[3], im[3], vp, vm, "
      "i(start = 0, fixed = true);\nequation\n for k in 1:3 loop\n  0 = min(ip[k], vp - e[k]);\n  0 = "
      "min(im[k], e[k] - vm);\n end for;\n i = sum(ip);\n i = sum(im);\n 0.02*der(i) + 5*i = vp - vm;\n"
      "end M;\n",
      {{"stop", "0.04"}, {"tolerance", "1e-10"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_TRUE(run.result.diagnostics.empty()) << run.words();
  // SciPy 1.8, DOP853 from one commutation to the next, rtol 1e-12.
  EXPECT_NEAR(run.final("i"), 33.1091893794, 1e-7);
  for (int k = 0; k < 12; ++k) {
    const std::vector<RowRecord> rows = run.rows_at((0.5 + k) / 300.0, 1e-12);
    ASSERT_EQ(rows.size(), 2U) << k << ": before and after";
  }
  for (const RowRecord& row : run.rows) {
    double high = -100.0;
    double low = 100.0;
    for (const char* const phase : {"e[1]", "e[2]", "e[3]"}) {
      high = std::max(high, run.value(row, phase));
      low = std::min(low, run.value(row, phase));
    }
    ASSERT_NEAR(run.value(row, "vp"), high, 1e-9) << "at " << row.time;
    ASSERT_NEAR(run.value(row, "vm"), low, 1e-9) << "at " << row.time;
  }
}

// Two such bridges in series, 30 degrees apart: twelve diodes, of which four conduct without current at the start.
std::string twelve_pulse(const std::string& starts) {
  return "model M\n constant Real pi = Modelica.Constants.pi;\n parameter Real w = 100*pi;\n Real e[3] = "
         "{100*sin(w*time - 2*pi/3*(k - 1)) for k in 1:3}, f[3] = {100*sin(w*time + pi/6 - 2*pi/3*(k - 1)) "
         "for k in "
         "1:3};\n Real " +
         starts +
         ", i(start = 0, fixed = true);\nequation\n for k in 1:3 loop\n  0 = min(im[k], e[k] + n1);\n  0 = "
         "min(ip[k], vm - (e[k] + n1));\n  0 = min(jm[k], f[k] + n2 - vm);\n  0 = min(jp[k], vp - (f[k] + "
         "n2));\n end "
         "for;\n i = sum(ip);\n i = sum(im);\n i = sum(jp);\n i = sum(jm);\n 0.02*der(i) + 5*i = vp;\nend "
         "M;\n";
}

TEST(IdealBridge, TwelveDiodesFromStartValuesThatDecideThem) {
  const HybridRun run = run_text(
      twelve_pulse("ip[3](start = {-1, -1, 100}), im[3](start = {-1, 100, -1}), jp[3](start = {100, -1, "
                   "-1}), jm[3](start = {-1, 100, -1}), n1(start = 50), n2(start = 150), vm(start = 100), "
                   "vp(start = 200)"),
      {{"stop", "0.02"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  // SciPy 1.8, DOP853 from one commutation to the next, rtol 1e-12.
  EXPECT_NEAR(run.final("i"), 65.70933383, 1e-7);
}

TEST(IdealBridge, TwelveDiodesFromNothingButTheirEquations) {
  const HybridRun run = run_text(twelve_pulse("ip[3], im[3], jp[3], jm[3], n1, n2, vm, vp"),
                                 {{"stop", "0.02"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_NEAR(run.final("i"), 65.70933383, 1e-7);
}

// A source of 10 V on an ideal diode and a capacitor that must begin at 5 V: neither side has values.
TEST(IdealBridge, AStartThatIsNotFoundNamesWhatDecidesIt) {
  const auto run = try_run(
      "model M\n Real e = 10, vd, i, s, v(start = 5, fixed = true);\nequation\n e = vd + v;\n der(v) = i - "
      "v;\n"
      " vd = if s < 0 then s else 0;\n i = if s < 0 then 0 else s;\nend M;\n",
      {{"stop", "0.02"}});
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->result.status, SimulationStatus::failed);
  EXPECT_TRUE(run->says("no-start-structure")) << run->words();
  EXPECT_TRUE(run->says("'s < 0'")) << run->words();
}

// Nothing else could determine the potential behind a switch that opens: it keeps its value, and that is told by name.
TEST(IdealBridge, WhatNoStructureDeterminesIsNamed) {
  const HybridRun run = run_text(
      "model M\n Real a = sin(time), b, i, x(start = 0, fixed = true);\n Boolean open = time > 1;\nequation\n"
      " if open then i = 0; else a = b; end if;\n i = (if open then 0 else 1)*b;\n der(x) = b;\nend M;\n",
      {{"stop", "2"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_TRUE(run.says("left-open")) << run.words();
  EXPECT_TRUE(run.says("no equation determines b any more")) << run.words();
  EXPECT_NEAR(run.final("b"), std::sin(1.0), 1e-9);
  EXPECT_NEAR(run.final("x"), 1.0 - std::cos(1.0) + std::sin(1.0), 1e-8);
}

}  // namespace
}  // namespace saltus::test
