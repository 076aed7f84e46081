// From one mode to the next when equations, index and constraints change (docs/semantics.md 5.8, 5.9): values against closed formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kGravity = 9.81;

// Rows just before and after the first event of a kind.
struct Jump {
  RowRecord before;
  RowRecord after;
};

Jump jump_at(const HybridRun& run, double time) {
  const std::vector<RowRecord> rows = run.rows_at(time);
  EXPECT_GE(rows.size(), 2U) << run.log();
  return rows.size() < 2 ? Jump{} : Jump{rows.front(), rows.back()};
}

// A ball falls from (0.6, 0.3); its string of length 1 gets tight at (0.6, -0.8). `body`: of that transition.
std::string string_pendulum(const std::string& body) {
  return "model S\n parameter Real g = 9.81, e = 0.5;\n Real x(start=0.6, fixed=true), y(start=0.3, "
         "fixed=true);\n"
         " Real vx(start=0, fixed=true), vy(start=0, fixed=true), force;\n"
         "equation\n der(x) = vx; der(y) = vy;\n"
         "initial mode slack\n equation der(vx) = 0; der(vy) = -g; force = 0;\n"
         " transition to tight when x^2 + y^2 >= 1" +
         body +
         ";\nend slack;\n"
         "mode tight\n equation der(vx) = -force*x; der(vy) = -force*y - g; x^2 + y^2 = 1;\nend tight;\n"
         "end S;\n";
}
const double kTight = std::sqrt(2.0 * 1.1 / kGravity);
const double kSpeed = kGravity * kTight;  // downwards, at (0.6, -0.8)

const OptionList kAccurate = {{"stop", "0.6"}, {"tolerance", "1e-10"}, {"method", "dopri5"}};

TEST(Transfer, AStringThatGetsTightTakesTheRadialVelocityAndNoPosition) {
  const HybridRun run = run_text(string_pendulum(""), kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_EQ(run.count("transition"), 1U) << run.log();
  EXPECT_NEAR(run.times("transition")[0], kTight, 1e-12);
  const Jump jump = jump_at(run, kTight);
  EXPECT_NEAR(run.value(jump.after, "x"), 0.6, 1e-13);
  EXPECT_NEAR(run.value(jump.after, "y"), -0.8, 1e-13);
  EXPECT_NEAR(run.value(jump.after, "vx"), -0.6 * 0.8 * kSpeed, 1e-11);
  EXPECT_NEAR(run.value(jump.after, "vy"), -kSpeed + 0.8 * 0.8 * kSpeed, 1e-11);
  // The tangential part (0.8, 0.6)·v goes on.
  EXPECT_NEAR(0.8 * run.value(jump.after, "vx") + 0.6 * run.value(jump.after, "vy"), -0.6 * kSpeed, 1e-11);
  const EventRecord event = run.of_kind("transition")[0];
  EXPECT_THAT(event.detail, HasSubstr("not smooth: reinitialised vx from 0 to"));
  EXPECT_THAT(event.detail, HasSubstr("impulse of order 0"));
  EXPECT_THAT(event.detail, HasSubstr("case 4"));
  const Event told = run.result.events[0];
  EXPECT_EQ(told.transfer, TransferKind::by_reinitialisation);
  EXPECT_EQ(told.impulse_order, 0);
  EXPECT_EQ(told.transfer_case, 4);
  EXPECT_THAT(event.detail,
              HasSubstr("by the equations integrated over the instant (impulse force = 3.7165"));
  EXPECT_FALSE(run.says("jump-moved")) << run.log();
}

// Jump equations that determine both velocities: nothing is left to reinitialise.
TEST(Transfer, JumpEquationsThatFitAreAllThatJumps) {
  const HybridRun run =
      run_text(string_pendulum(" then x*vx + y*vy = 0; y*vx - x*vy = y*pre(vx) - x*pre(vy); end transition"),
               kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, kTight);
  EXPECT_NEAR(run.value(jump.after, "vx"), -0.48 * kSpeed, 1e-11);
  EXPECT_NEAR(run.value(jump.after, "vy"), -0.36 * kSpeed, 1e-11);
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::by_jump_equations) << run.log();
  EXPECT_THAT(run.of_kind("transition")[0].detail, HasSubstr("not smooth: set vx"));
  EXPECT_FALSE(run.says("jump-moved")) << run.log();
}

// One equation for two velocities; the hidden constraint is the other.
TEST(Transfer, ConstraintsReplaceJumpEquationsThatAreMissing) {
  const HybridRun run =
      run_text(string_pendulum(" then y*vx - x*vy = y*pre(vx) - x*pre(vy); end transition"), kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, kTight);
  EXPECT_NEAR(run.value(jump.after, "vx"), -0.48 * kSpeed, 1e-11);
  EXPECT_NEAR(run.value(jump.after, "vy"), -0.36 * kSpeed, 1e-11);
  EXPECT_EQ(run.value(jump.after, "x"), run.value(jump.before, "x"));
}

// The impulse of the string as a variable: three equations for two velocities and the impulse, one of them hidden.
TEST(Transfer, AnImpulseMayBeAVariableOfTheJumpEquations) {
  const HybridRun run = run_text(
      "model S\n Real x(start=0.6, fixed=true), y(start=0.3, fixed=true), vx(start=0, fixed=true),\n"
      " vy(start=0, fixed=true), impulse(start=0, fixed=true), force;\n"
      "equation\n der(x) = vx; der(y) = vy; der(impulse) = 0;\n"
      "initial mode slack\n equation der(vx) = 0; der(vy) = -9.81; force = 0;\n"
      " transition to tight when x^2 + y^2 >= 1 then\n"
      "  2*(vx - pre(vx)) = -impulse*x; 2*(vy - pre(vy)) = -impulse*y;\n end transition;\nend slack;\n"
      "mode tight\n equation 2*der(vx) = -force*x; 2*der(vy) = -force*y - 2*9.81; x^2 + y^2 = 1;\nend "
      "tight;\n"
      "end S;\n",
      kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, kTight);
  EXPECT_NEAR(run.value(jump.after, "vx"), -0.48 * kSpeed, 1e-11);
  EXPECT_NEAR(run.value(jump.after, "vy"), -0.36 * kSpeed, 1e-11);
  EXPECT_NEAR(run.value(jump.after, "impulse"), 2.0 * 0.8 * kSpeed, 1e-10);
}

std::string pendulum(const std::string& body) {
  return "model P Real x(start=0.6, fixed=true), y(start=-0.8), vx(start=0), vy(start=0), lambda;\n"
         "equation der(x) = vx; der(y) = vy; der(vx) = -lambda*x; der(vy) = -lambda*y - 9.81; x^2 + y^2 = "
         "1;\n"
         "when time > 0.3 then " +
         body + " end when; end P;";
}

TEST(Transfer, AVelocityThatIsSetIsExactAndTheOtherOneFollows) {
  const HybridRun run = run_text(pendulum("reinit(vx, -vx);"), kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, 0.3);
  EXPECT_EQ(run.value(jump.after, "vx"), -run.value(jump.before, "vx"));
  EXPECT_NEAR(run.value(jump.after, "vy"), -run.value(jump.before, "vy"), 1e-13);
  EXPECT_EQ(run.value(jump.after, "x"), run.value(jump.before, "x"));
  EXPECT_EQ(run.value(jump.after, "y"), run.value(jump.before, "y"));
  EXPECT_THAT(run.events[0].detail, HasSubstr("reinitialised vy from"));
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::by_both);
}

// A position that is set moves the other position, and velocities stay nearest.
TEST(Transfer, APositionThatIsSetMovesTheOtherOneAndVelocitiesFollow) {
  const HybridRun run = run_text(pendulum("reinit(x, 0.28);"), kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, 0.3);
  EXPECT_EQ(run.value(jump.after, "x"), 0.28);
  EXPECT_NEAR(run.value(jump.after, "y"), -0.96, 1e-12);
  const double vx = run.value(jump.before, "vx");
  const double vy = run.value(jump.before, "vy");
  const double radial = 0.28 * vx - 0.96 * vy;
  EXPECT_NEAR(run.value(jump.after, "vx"), vx - radial * 0.28, 1e-11);
  EXPECT_NEAR(run.value(jump.after, "vy"), vy + radial * 0.96, 1e-11);
  EXPECT_EQ(run.result.events[0].impulse_order,
            1);  // y itself jumps: the force would contain the derivative of an impulse
}

TEST(Transfer, AForceThatIsSetMovesVelocitiesAndNoPosition) {
  const HybridRun run = run_text(pendulum("20 = lambda;"), kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, 0.3);
  EXPECT_NEAR(run.value(jump.after, "lambda"), 20.0, 1e-10);
  EXPECT_EQ(run.value(jump.after, "x"), run.value(jump.before, "x"));
  // λ = v² - g y
  const double speed = std::hypot(run.value(jump.after, "vx"), run.value(jump.after, "vy"));
  EXPECT_NEAR(speed * speed, 20.0 + kGravity * run.value(jump.after, "y"), 1e-9);
}

TEST(Transfer, JumpEquationsThatContradictConstraintsEndTheRunByName) {
  const HybridRun run = run_text(pendulum("reinit(vx, 1); reinit(vy, 1);"), kAccurate);
  EXPECT_EQ(run.result.status, SimulationStatus::failed);
  EXPECT_EQ(run.result.reason, "jump_contradiction");
  EXPECT_THAT(run.result.message, HasSubstr("'reinit(vy, 1)'"));
  EXPECT_THAT(run.result.message, HasSubstr("differentiated once"));
  EXPECT_NEAR(run.rows.back().time, 0.3, 1e-12);
}

// Two bobs on rods of length 1 around points that are 1 apart: momentum and restitution along x, constraints for the rest.
TEST(Transfer, TwoBobsOnRodsCollide) {
  const HybridRun run = run_text(
      "model B\n parameter Real m1 = 1, m2 = 2, e = 0.8, g = 9.81;\n"
      " Real x1(start=-0.8, fixed=true), y1(start=-0.6), x2(start=0.1, fixed=true), y2(start=-1);\n"
      " Real vx1(start=0, fixed=true), vy1(start=0), vx2(start=0, fixed=true), vy2(start=0), f1, f2;\n"
      "equation\n der(x1) = vx1; der(y1) = vy1; der(x2) = vx2; der(y2) = vy2;\n"
      " m1*der(vx1) = -f1*x1; m1*der(vy1) = -f1*y1 - m1*g; x1^2 + y1^2 = 1;\n"
      " m2*der(vx2) = -f2*x2; m2*der(vy2) = -f2*y2 - m2*g; x2^2 + y2^2 = 1;\n"
      " when x1 > x2 - 0.2 then\n"
      "  m1*vx1 + m2*vx2 = m1*pre(vx1) + m2*pre(vx2);\n"
      "  vx1 - vx2 = -e*(pre(vx1) - pre(vx2));\n end when;\nend B;\n",
      kAccurate);
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_GE(run.count("when"), 1U) << run.log();
  const Jump jump = jump_at(run, run.times("when")[0]);
  const auto before = [&](const char* name) { return run.value(jump.before, name); };
  const auto after = [&](const char* name) { return run.value(jump.after, name); };
  const double mean = (before("vx1") + 2.0 * before("vx2")) / 3.0;
  const double relative = -0.8 * (before("vx1") - before("vx2"));
  EXPECT_NEAR(after("vx1"), mean + relative * 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(after("vx2"), mean - relative / 3.0, 1e-12);
  EXPECT_NEAR(after("vy1"), -after("x1") * after("vx1") / after("y1"), 1e-12);
  EXPECT_NEAR(after("vy2"), -after("x2") * after("vx2") / after("y2"), 1e-12);
  for (const char* name : {"x1", "y1", "x2", "y2"}) {
    EXPECT_EQ(after(name), before(name)) << name;
  }
}

std::string clutch(const std::string& body, const std::string& attributes = "") {
  return "model C\n parameter Real J1 = 1, J2 = 2;\n Real w1(start=10, fixed=true" + attributes +
         "), w2(start=1, fixed=true), T;\n"
         "equation\n J1*der(w1) = -T; J2*der(w2) = T;\n"
         "initial mode slip\n equation T = 0;\n transition to locked when time > 0.5" +
         body + ";\nend slip;\nmode locked\n equation w1 = w2;\nend locked;\nend C;\n";
}

// The equations say what is conserved: 1·10 + 2·1 = 3·w.
TEST(Transfer, AClutchThatLocksWithoutAJumpEquationKeepsItsMomentum) {
  const HybridRun run = run_text(clutch(""), {});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("w1"), 4.0, 1e-12);
  EXPECT_NEAR(run.final("w2"), 4.0, 1e-12);
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::by_reinitialisation);
  EXPECT_THAT(run.events[0].detail, HasSubstr("w1 from 10 to 4"));
  EXPECT_THAT(run.events[0].detail, HasSubstr("w2 from 1 to 4"));
}

TEST(Transfer, AClutchThatLocksWithMomentumConservesIt) {
  const HybridRun run = run_text(clutch(" then J1*w1 + J2*w2 = J1*pre(w1) + J2*pre(w2); end transition"), {});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("w1"), 4.0, 1e-12);
  EXPECT_NEAR(run.final("w2"), 4.0, 1e-12);
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::by_jump_equations);
}

// A capacitor is switched to a source: its voltage has to jump, the current would be an impulse.
TEST(Transfer, ACapacitorAtASourceTakesItsVoltageWithAnImpulse) {
  const HybridRun run = run_text(
      "model C\n Real v(start=5, fixed=true), i;\nequation\n 1e-3*der(v) = i;\n"
      "initial mode open\n equation i = 0;\n transition to closed when time > 0.5 and time < 0.7;\nend "
      "open;\n"
      "mode closed\n equation v = 10*sin(time);\n transition to open when time > 0.8;\nend closed;\nend C;\n",
      {});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.value(jump_at(run, 0.5).after, "v"), 10.0 * std::sin(0.5), 1e-12);
  ASSERT_EQ(run.result.events.size(), 2U);
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::by_reinitialisation);
  EXPECT_EQ(run.result.events[0].impulse_order, 0);
  EXPECT_EQ(run.result.events[0].transfer_case, 4);
  // Back: the voltage is free again and goes on.
  EXPECT_EQ(run.result.events[1].transfer, TransferKind::smooth);
  EXPECT_EQ(run.result.events[1].impulse_order, -1);
  EXPECT_EQ(run.result.events[1].transfer_case, 9);
  EXPECT_THAT(run.events[1].detail, HasSubstr("smooth"));
  EXPECT_THAT(run.events[1].detail, Not(HasSubstr("not smooth")));
  EXPECT_NEAR(run.final("v"), 10.0 * std::sin(0.8), 1e-6);
}

// Without values of its own the state of a mode is an error where nothing gives it one.
TEST(Transfer, AnOwnStateWithoutStartOrJumpEquationIsAnError) {
  const std::string begin =
      "model O\n Real x(start=0, fixed=true);\nequation\n der(x) = 1;\n"
      "initial mode a\n equation\n transition to b when x > 0.5";
  const std::string end = ";\nend a;\nmode b\n Real z;\n equation\n der(z) = -z;\nend b;\nend O;\n";
  EXPECT_THAT(problems_of(begin + end), HasSubstr("'z' gets no value"));
  const HybridRun run = run_text(begin + " then z = 3*pre(x); end transition" + end, {});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.value(jump_at(run, 0.5).after, "z"), 1.5, 1e-12);
}

// More equations than unknowns: the states of the target are all its unknowns, and only ranks say what they must satisfy.
std::string bar_that_is_said_twice(const std::string& body) {
  return "model R\n Real x(start=1, fixed=true), y(start=0, fixed=true), vx(start=0, fixed=true), "
         "vy(start=1, fixed=true);\n"
         " Real a;\nequation\n der(x) = vx; der(y) = vy;\n"
         "initial mode free\n equation der(vx) = 0; der(vy) = 0; a = 0;\n"
         " transition to bar when time > 0.75" +
         body +
         ";\nend free;\n"
         "mode bar\n equation der(vx) = -a*x; der(vy) = -a*y; x^2 + y^2 = 1.5625; 2*x^2 + 2*y^2 = "
         "3.125;\nend bar;\n"
         "end R;\n";
}

TEST(Transfer, AModeReducedByRanksIsEnteredWithTheLeastChange) {
  const HybridRun run = run_text(bar_that_is_said_twice(""), {{"stop", "1"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_TRUE(run.says("too-many-equations")) << run.log();
  const Jump jump = jump_at(run, 0.75);
  // (1, 0.75) fits; of the velocity (0, 1) the part along the bar goes.
  EXPECT_NEAR(run.value(jump.after, "x"), 1.0, 1e-9);
  EXPECT_NEAR(run.value(jump.after, "y"), 0.75, 1e-9);
  EXPECT_NEAR(run.value(jump.after, "vx"), -0.48, 1e-9);
  EXPECT_NEAR(run.value(jump.after, "vy"), 0.64, 1e-9);
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::by_reinitialisation);
}

TEST(Transfer, JumpEquationsHoldInAModeReducedByRanks) {
  const HybridRun run = run_text(bar_that_is_said_twice(" then vx = -0.96; end transition"), {{"stop", "1"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, 0.75);
  EXPECT_EQ(run.value(jump.after, "vx"), -0.96);
  EXPECT_NEAR(run.value(jump.after, "vy"), 1.28, 1e-9);
  EXPECT_NEAR(run.value(jump.after, "x"), 1.0, 1e-9);
}

// Discrete values of the same round count: the constraint is that of the new number.
TEST(Transfer, ADiscreteValueThatAConstraintContainsMovesTheStates) {
  const HybridRun run = run_text(
      "model D\n Real x(start=1), y(start=0), f; discrete Real c(start=1);\n"
      "equation\n der(x) = f; der(y) = 1 + f; x + y = c;\n"
      " when time > 0.5 then c = 3; end when;\nend D;\n",
      {});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const Jump jump = jump_at(run, 0.5);
  EXPECT_NEAR(run.value(jump.after, "x") + run.value(jump.after, "y"), 3.0, 1e-12);
  EXPECT_NEAR(run.value(jump.after, "x") - run.value(jump.before, "x"), 1.0, 1e-10);
  EXPECT_NEAR(run.value(jump.after, "y") - run.value(jump.before, "y"), 1.0, 1e-10);
}

// Also without constraints: what follows from a state determines the state.
TEST(Transfer, AJumpEquationForAnAlgebraicVariableDeterminesTheState) {
  const HybridRun run = run_text(
      "model E\n Real v(start=2, fixed=true), energy;\nequation\n der(v) = 0; energy = v^2/2;\n"
      " when time > 0.5 then 8 = energy; end when;\nend E;\n",
      {});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("v"), 4.0, 1e-9);
}

// A transition between modes without constraints that changes nothing says so.
TEST(Transfer, ATransitionThatChangesNothingIsSmooth) {
  const HybridRun run = run_text(
      "model M\n Real x(start=0, fixed=true);\ninitial mode a\n equation der(x) = 1;\n transition to b when "
      "x > 0.5;\n"
      "end a;\nmode b\n equation der(x) = -1;\nend b;\nend M;\n",
      {});
  ASSERT_EQ(run.count("transition"), 1U) << run.log();
  EXPECT_EQ(run.result.events[0].transfer, TransferKind::smooth);
  EXPECT_EQ(run.result.events[0].transfer_case, 1);
  EXPECT_EQ(run.events[0].detail, "x > 0.5; smooth");
}

// der(x1) and der(x5) are states because a constraint is differentiated, not because somebody wrote der(der(…)): they follow. x2 and x7 make
// up for the change of x4 alike.
TEST(Transfer, DerivativesThatTheReductionMadeStatesAreNotHeld) {
  const HybridRun run = run_text(
      "model M\n Real x1(start=0), x2(start=1), x3(start=0), x4(start=0), x5(start=0), x7(start=0);\n"
      "equation\n der(x1) = x2 + x4;\n der(x2) = x3;\n der(x4) = 0;\n der(x5) = -x5 + x7;\n der(x7) = 0;\n"
      " 0 = x1 + x5 - sin(time);\n when time > 1 then reinit(x4, 2); end when;\nend M;\n",
      {{"stop", "2"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const std::vector<RowRecord> rows = run.rows_at(1.0, 1e-9);
  ASSERT_EQ(rows.size(), 2U) << run.log();
  EXPECT_EQ(run.value(rows[1], "x4"), 2.0);
  EXPECT_NEAR(run.value(rows[1], "x2") - run.value(rows[0], "x2"), -1.0, 1e-9);
  EXPECT_NEAR(run.value(rows[1], "x7") - run.value(rows[0], "x7"), -1.0, 1e-9);
}

// … nor where they are states of the mode before too: x2, the only one with an impulse in its rate, makes up for the 1.
TEST(Transfer, RatesOfTheModeBeforeWeighNothing) {
  const auto mode = [](const std::string& more, const std::string& end) {
    return " equation\n der(x1) = x2 + x4" + more +
           ";\n der(x2) = x3;\n der(x4) = 0;\n der(x5) = -x5 + x7;\n der(x7) = 0;\n"
           " 0 = x1 + x5 - sin(time);\n" +
           end;
  };
  const HybridRun run = run_text(
      "model M\n Real x1(start=0), x2(start=1), x3(start=0), x4(start=0), x5(start=0), x7(start=0);\n"
      "initial mode a\n" +
          mode("", " transition to b when time > 1;\nend a;\n") + "mode b\n" + mode(" + 1", "end b;\n") +
          "end M;\n",
      {{"stop", "2"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  const std::vector<RowRecord> rows = run.rows_at(1.0, 1e-9);
  ASSERT_EQ(rows.size(), 2U) << run.log();
  EXPECT_NEAR(run.value(rows[1], "x2") - run.value(rows[0], "x2"), -1.0, 1e-9);
  for (const char* name : {"x4", "x7"}) {
    EXPECT_NEAR(run.value(rows[1], name), run.value(rows[0], name), 1e-9) << name;
  }
}

}  // namespace
}  // namespace saltus::test
