// Equations whose structure depends on a condition or a discrete value: another index, other states (docs/semantics.md 2.3).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// C v' = i - v/R behind an ideal diode at e(t) = A sin wt, started at the zero of e. Conducting: v = e, i = C e' + e/R, until
// tan(w t1) = -w R C; blocking: v decays with R C until e has risen to it.
struct PeakDetector {
  static constexpr double kAmplitude = 10.0, kFrequency = 100.0, kC = 1e-3, kR = 50.0;
  static double turn_off() { return (std::acos(-1.0) - std::atan(kFrequency * kR * kC)) / kFrequency; }
  static double source(double t) { return kAmplitude * std::sin(kFrequency * t); }
  static double held(double t) { return source(turn_off()) * std::exp(-(t - turn_off()) / (kR * kC)); }
  static double turn_on() {
    double low = turn_off() + 0.04;
    double high = turn_off() + 0.06;
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (source(middle) < held(middle) ? low : high) = middle;
    }
    return low;
  }
};

std::string detector(const std::string& diode, const std::string& more = "") {
  return "model M\n parameter Real C = 1e-3, R = 50;\n Real e, vd, i, v(start = 0, fixed = true)" + more +
         ";\nequation\n e = 10*sin(100*time);\n e = vd + v;\n C*der(v) = i - v/R;\n" + diode + "end M;\n";
}

void expect_detector(const HybridRun& run, double tolerance) {
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const std::vector<RowRecord> off = run.rows_at(PeakDetector::turn_off(), 1e-6);
  const std::vector<RowRecord> on = run.rows_at(PeakDetector::turn_on(), 1e-6);
  ASSERT_EQ(off.size(), 2U) << run.log();
  ASSERT_EQ(on.size(), 2U) << run.log();
  EXPECT_NEAR(off[0].time, PeakDetector::turn_off(), tolerance);
  EXPECT_NEAR(on[0].time, PeakDetector::turn_on(), tolerance);
  // At the return to conduction the current jumps from 0 to C e' + e/R.
  const double t = PeakDetector::turn_on();
  const double current = 1e-3 * 1000.0 * std::cos(100.0 * t) + PeakDetector::source(t) / 50.0;
  EXPECT_NEAR(run.value(on[0], "i"), 0.0, 1e-6);
  EXPECT_NEAR(run.value(on[1], "i"), current, 1e3 * tolerance);
}

TEST(Structures, IdealDiodeAlongItsCurve) {
  const HybridRun run =
      run_text(detector(" vd = if s < 0 then s else 0;\n i = if s < 0 then 0 else s;\n", ", s"),
               {{"stop", "0.1"}, {"tolerance", "1e-9"}});
  expect_detector(run, 1e-8);
  EXPECT_EQ(run.count("condition"), 3U) << run.log();
}

TEST(Structures, IdealDiodeAsComplementarity) {
  const HybridRun run = run_text(detector(" min(i, -vd) = 0;\n"), {{"stop", "0.1"}, {"tolerance", "1e-9"}});
  expect_detector(run, 1e-8);
}

TEST(Structures, IdealDiodeByABoolean) {
  const HybridRun run =
      run_text(detector(" off = s < 0;\n vd = if off then s else 0;\n i = if off then 0 else s;\n",
                        ", s;\n Boolean off"),
               {{"stop", "0.1"}, {"tolerance", "1e-9"}});
  expect_detector(run, 1e-8);
}

TEST(Structures, ARateUntilHalfTimeThenAValue) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\nequation\n if time < 0.5 then der(x) = 10; else x = -5; "
      "end "
      "if;\nend M;\n",
      {{"interval", "0.1"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const std::vector<RowRecord> rows = run.rows_at(0.5);
  ASSERT_EQ(rows.size(), 2U) << run.log();
  EXPECT_NEAR(run.value(rows[0], "x"), 5.0, 1e-13);
  EXPECT_EQ(run.value(rows[1], "x"), -5.0);
  EXPECT_EQ(run.final("x"), -5.0);
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_EQ(run.events[0].kind, "time");
}

TEST(Structures, EveryMethodChangesThem) {
  for (const char* method : {"dopri5", "rk23", "radau5", "sdirk4", "bdf"}) {
    const HybridRun run = run_text(
        "model M\n Real x(start = 1, fixed = true), y;\nequation\n der(x) = y;\n if x < 2 then y = 1; else x "
        "= 2 + "
        "0.5*sin(time - 1); end if;\nend M;\n",
        {{"method", method}, {"stop", "2"}, {"tolerance", "1e-8"}});
    // The value of the second side at time 1 is the one that is reached; it then rises: 2 + sin(t - 1)/2.
    EXPECT_NEAR(run.final("x"), 2.0 + 0.5 * std::sin(1.0), 1e-6) << method << run.log();
    EXPECT_NEAR(run.final("y"), 0.5 * std::cos(1.0), 1e-5) << method;
    EXPECT_EQ(run.count("condition"), 1U) << method << run.log();
  }
}

// Two tanks that a valve joins: the levels are one then, and the volume stays.
TEST(Structures, VariablesThatBecomeOneKeepWhatTheEquationsKeep) {
  const std::string text =
      "model M\n Real a(start = 4, fixed = true), b(start = 0, fixed = true), q;\n Boolean joined(start = "
      "false, "
      "fixed = true);\nequation\n der(a) = -q;\n 3*der(b) = q;\n if joined then a = b; else q = 0; end if;\n "
      "when "
      "time > 1 then joined = true; end when;\nend M;\n";
  const HybridRun run = run_text(text, {{"stop", "2"}});
  EXPECT_NEAR(run.final("a"), 1.0, 1e-12) << run.log();
  EXPECT_FALSE(run.says("jump-moved")) << run.words();
  EXPECT_NEAR(run.final("b"), 1.0, 1e-12);
}

TEST(Structures, TheStartIsLookedForInOtherStructures) {
  // A closed switch beside a capacitor: the diode must block, whatever its start says.
  const HybridRun run = run_text(
      "model Boost\n parameter Real L = 1e-3, C = 1e-4, R = 20;\n Real iL(start = 0, fixed = true), vC(start "
      "= 12, "
      "fixed = true), vs, is, vd, id, s;\n Boolean closed(start = true, fixed = true);\nequation\n when time "
      "> 5e-4 "
      "then closed = false; end when;\n L*der(iL) = 12 - vs;\n C*der(vC) = id - vC/R;\n iL = is + id;\n vs = "
      "vC + "
      "vd;\n if closed then vs = 0; else is = 0; end if;\n vd = if s < 0 then s else 0;\n id = if s < 0 then "
      "0 else "
      "s;\nend Boost;\n",
      {{"stop", "5e-4"}, {"tolerance", "1e-9"}});
  EXPECT_NE(run.result.status, SimulationStatus::failed) << run.log();
  EXPECT_NEAR(run.final("vC"), 12.0 * std::exp(-5e-4 / 2e-3), 1e-7) << run.log();
  EXPECT_NEAR(run.final("iL"), 12.0 * 5e-4 / 1e-3, 1e-7);
}

// Four ideal diodes that all block: four choices away from what start values of zero say. The potential of the source floats, and stays.
TEST(Structures, TheStartIsLookedForInStructuresFarAway) {
  const HybridRun run = run_text(
      "model Bridge\n Real v(start = 5, fixed = true), a, b, line, s[4], i[4], drop[4];\nequation\n"
      " 20*sin(314*time) = 0.5*line + a - b;\n drop = {a - v, b - v, -a, -b};\n for k in 1:4 loop\n"
      "  drop[k] = if s[k] < 0 then s[k] else 0;\n  i[k] = if s[k] < 0 then 0 else s[k];\n end for;\n"
      " line + i[3] = i[1];\n i[4] = i[2] + line;\n 2e-3*der(v) = i[1] + i[2] - v/50;\nend Bridge;\n",
      {{"stop", "5e-4"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("v"), 5 * std::exp(-5e-4 / 0.1), 1e-8) << run.log();
  EXPECT_NEAR(run.final("a") - run.final("b"), 20 * std::sin(0.157), 1e-8);
}

// The last row is that of the structure after the event, whether the clock or a state sets it off.
TEST(Structures, AnEventAtTheStopHasTheValuesOfItsStructure) {
  for (const char* const condition : {"time > 1", "s >= 1"}) {
    const HybridRun run = run_text(
        std::string("model M\n Real p(start = 5, fixed = true), r(start = 1, fixed = true), s(start = 0, "
                    "fixed = true), q;\n Boolean open = ") +
            condition +
            ";\nequation\n der(s) = 1;\n 2*der(p) = -q;\n der(r) = q;\n if open then\n  p = r;\n else\n  q "
            "= 0;\n end if;\nend M;\n",
        {{"stop", "1"}, {"tolerance", "1e-8"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_EQ(run.final("open"), 1) << condition << '\n' << run.log();
    EXPECT_NEAR(run.final("p"), run.final("r"), 1e-12) << condition;
    EXPECT_NEAR(run.final("p"), 11.0 / 3.0, 1e-9) << condition;  // 2·5 + 1 = 3·p
  }
}

// A diode that conducts from the start, without current and without voltage yet: neither of its structures is asked for by the
// values of the other at zero. di/dt = (10 sin(w t + 1) - R i)/L until i = 0.
TEST(Structures, ADiodeThatHasNoCurrentYetConducts) {
  const HybridRun run = run_text(
      "model M\n Real i(start = 0, fixed = true), vd;\nequation\n 0.1*der(i) + 5*i = 10*sin(314*time + 1) + "
      "vd;\n"
      " 0 = min(i, vd);\nend M;\n",
      {{"stop", "0.004"}, {"tolerance", "1e-10"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_TRUE(run.result.diagnostics.empty()) << run.words();
  const double w = 314.0;
  const auto forced = [&](double t) {
    return 10.0 * (5.0 * std::sin(w * t + 1.0) - 0.1 * w * std::cos(w * t + 1.0)) / (25.0 + 0.01 * w * w);
  };
  EXPECT_NEAR(run.final("i"), forced(0.004) - forced(0.0) * std::exp(-50.0 * 0.004), 1e-9);
}

// Two diodes of a bridge must conduct together; the structure that one asks for asks for another. Source coils: index 2 where all block.
TEST(Structures, TheStartOfABridgeIsFoundAmongItsStructures) {
  const HybridRun run = run_text(
      "model M\n Real e[3] = {0, -86, 87}, is[3](each start = 0), va[3], ip[3], im[3], vp, vm, i(start = 0, "
      "fixed = true);\n"
      "equation\n for k in 1:3 loop\n  1e-3*der(is[k]) = e[k] - va[k];\n  is[k] = ip[k] - im[k];\n"
      "  0 = min(ip[k], vp - va[k]);\n  0 = min(im[k], va[k] - vm);\n end for;\n i = ip[1] + ip[2] + ip[3];\n"
      " i = im[1] + im[2] + im[3];\n 0.02*der(i) + 5*i = vp - vm;\nend M;\n",
      {{"stop", "0.01"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("i"), 173.0 / 5.0 * (1.0 - std::exp(-0.01 * 5.0 / 0.022)), 1e-6) << run.log();
}

// A switch by the clock whose time is off by a rounding: the side that the schedule gave must hold while other structures are tried.
TEST(Structures, AScheduledSideIsKeptWhileStructuresAreTried) {
  const HybridRun run = run_text(
      "model M\n parameter Real T = 2e-5, D = 0.3;\n Real i1(start = 0, fixed = true), i2(start = 0, fixed = "
      "true), v1(start = 24, "
      "fixed = true);\n Real id, vd, isw, vsw;\n Boolean on = mod(time, T) < D*T;\nequation\n 2e-4*der(i1) = "
      "24 - vsw;\n"
      " 1e-5*der(v1) = i1 - isw;\n vsw - v1 = vd;\n i1 + i2 = isw + id;\n 2e-4*der(i2) = -vd - 10;\n"
      " if on then vsw = 0; else isw = 0; end if;\n 0 = min(id, -vd);\nend M;\n",
      {{"stop", "1e-3"}, {"interval", "1e-4"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.count("time"), 150U) << "on and off in each of 50 periods, and the floor of mod";
  EXPECT_FALSE(run.says("jump-moved")) << run.words();
}

// Differentiated, the corner of a position is a jump of the velocity: an event with rows before and after.
TEST(Structures, AKinkThatIsDifferentiatedIsAnEvent) {
  const HybridRun run = run_text(
      "model M\n Real x, v, f;\nequation\n x = abs(sin(time));\n der(x) = v;\n der(v) = f;\nend M;\n",
      {{"stop", "4"}, {"interval", "1"}});
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_NEAR(run.events[0].time, std::acos(-1.0), 1e-12);
  const std::vector<RowRecord> rows = run.rows_at(std::acos(-1.0));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(run.value(rows[0], "v"), -1.0, 1e-12);
  EXPECT_NEAR(run.value(rows[1], "v"), 1.0, 1e-12);
}

// y = s on one side and s is given by nothing on the other: whatever is chosen, s has the sign of the other side.
TEST(Structures, WhereNoStructureAgreesTheConditionIsNamed) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true), s(start = 1);\nequation\n der(x) = -1;\n 0 = if s > 0 then "
      "s + x + "
      "0*der(s) else der(s) - 5 + 0*s;\ninitial equation\n s = if s > 0 then -x else x;\nend M;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::failed) << run.log();
  EXPECT_TRUE(run.says("s > 0")) << run.words();
}

}  // namespace
}  // namespace saltus::test
