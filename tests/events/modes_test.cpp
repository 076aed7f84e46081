// Section 6 of the language, sentence by sentence: modes and transitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> steps_of(const HybridRun& run) {
  std::vector<std::string> steps;
  for (const EventRecord& event : run.events) {
    steps.push_back(event.kind + " " + event.from + " " + event.to);
  }
  return steps;
}

TEST(Language6, TransitionsChangeTheEquationsAndTheModeColumn) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), y(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\ninitial mode slow\n"
      " equation\n  der(y) = 1;\n transition to fast when x > 0.25;\nend slow;\nmode fast\n equation\n  "
      "der(y) = 5;\nend fast;\n"
      "end M;\n",
      {{"interval", "0.1"}});
  EXPECT_NEAR(run.final("y"), 0.25 + 5 * 0.75, 1e-13) << run.log();
  EXPECT_THAT(steps_of(run), ElementsAre("transition slow fast"));
  EXPECT_NEAR(run.events[0].time, 0.25, 1e-15);
  for (const RowRecord& row : run.rows) {
    if (std::abs(row.time - 0.25) > 1e-9) {
      EXPECT_EQ(row.mode, row.time < 0.25 ? "slow" : "fast");
    }
  }
  const std::vector<RowRecord> rows = run.rows_at(0.25);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].mode, "slow");
  EXPECT_EQ(rows[1].mode, "fast");
  ASSERT_EQ(run.result.modes.size(), 2U);
  EXPECT_EQ(run.result.modes[0].mode, "slow");
  EXPECT_EQ(run.result.modes[1].mode, "fast");
  EXPECT_EQ(run.result.modes[0].to, run.result.modes[1].from);
}

TEST(Language6, AParameterMayChooseTheInitialMode) {
  const std::string text =
      "model M\n parameter Real a = 1;\n Real y(start = 0, fixed = true);\nmode left\n equation\n  der(y) = "
      "-1;\nend left;\n"
      "mode right\n equation\n  der(y) = 1;\nend right;\ninitial mode = if a > 0 then right else left;\nend "
      "M;\n";
  EXPECT_NEAR(run_text(text).final("y"), 1, 1e-14);
  EXPECT_NEAR(run_text(text, {{"set", "a=-1"}}).final("y"), -1, 1e-14);
}

TEST(Language6, ExactlyOneModeIsInitial) {
  EXPECT_FALSE(
      problems_of(
          "model M\n Real y(start = 0, fixed = true);\nmode a\n equation\n  der(y) = 1;\nend a;\nend M;\n")
          .empty());
  EXPECT_FALSE(
      problems_of(
          "model M\n Real y(start = 0, fixed = true);\ninitial mode a\n equation\n  der(y) = 1;\nend a;\n"
          "initial mode b\n equation\n  der(y) = 2;\nend b;\nend M;\n")
          .empty());
}

TEST(Language6, TheCommonEquationsMayBeMissing) {
  EXPECT_NEAR(
      run_text("model M\n Real y(start = 0, fixed = true);\ninitial mode a\n equation\n  der(y) = 1;\n"
               " annotation(experiment(StopTime = 2));\nend a;\nend M;\n")
          .final("y"),
      2.0, 1e-14);
}

TEST(Language6, ATransitionMayJump) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), v(start = 2, fixed = true);\nequation\n der(x) = "
      "v;\ninitial mode free\n"
      " equation\n  der(v) = 0;\n transition to dragged when x > 1 then\n  reinit(v, 0.5*pre(v));\n end "
      "transition;\nend free;\n"
      "mode dragged\n equation\n  der(v) = -v;\nend dragged;\nend M;\n",
      {{"stop", "1"}, {"tolerance", "1e-10"}});
  EXPECT_NEAR(run.final("v"), std::exp(-0.5), 1e-9) << run.log();
  EXPECT_NEAR(run.final("x"), 1 + 1 - std::exp(-0.5), 1e-9);
}

const char* const kHysteresis =
    "model M\n parameter Real eps = 0.25;\n Real x(start = 0, fixed = true);\ninitial mode up\n equation\n  "
    "der(x) = 1;\n"
    " transition to down when x > eps;\nend up;\nmode down\n equation\n  der(x) = -1;\n transition to up "
    "when x < -eps;\n"
    "end down;\nend M;\n";

TEST(Language6, HysteresisReallySwitchesAndIsLeftAlone) {
  const HybridRun run = run_text(kHysteresis, {{"stop", "2"}});
  EXPECT_THAT(run.times("transition"), ElementsAre(DoubleNear(0.25, 1e-14), DoubleNear(0.75, 1e-14),
                                                   DoubleNear(1.25, 1e-14), DoubleNear(1.75, 1e-14)))
      << run.log();
  EXPECT_EQ(run.count("slide_enter"), 0U);
  EXPECT_NEAR(run.final("x"), 0.0, 1e-14);
}

TEST(Language6, HysteresisSlidingMovesToTheMiddleOfTheBand) {
  const HybridRun run = run_text(kHysteresis, {{"stop", "2"}, {"sliding", "hysteresis"}});
  EXPECT_EQ(run.count("slide_enter"), 1U) << run.log();
  EXPECT_EQ(run.count("transition"), 0U) << run.log();
  EXPECT_NEAR(run.final("x"), 0.0, 1e-15);
  const auto rows = run.rows_at(0.25);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(run.value(rows[0], "x"), 0.25, 1e-15);
  EXPECT_EQ(run.value(rows[1], "x"), 0.0);
  EXPECT_EQ(rows[1].mode, "up sliding on x - eps = -0.25");
  EXPECT_THAT(run.of_kind("slide_enter")[0].detail, testing::HasSubstr("moved by -0.25"));
}

// x' = -1 + t/2 above, 1 below. x = -t + t²/4 touches -1/4 at 2 - √3; sliding on 0 lasts until the field above turns round
// at t = 2; then x = (t - 2)²/4. The conditions are written with opposite signs.
TEST(Language6, HysteresisSlidingEndsByItsWeightInTheModeOfThatSide) {
  const HybridRun run = run_text(
      "model M\n parameter Real eps = 0.25;\n Real x(start = 0, fixed = true), u;\nequation\n der(x) = u;\n"
      "initial mode above\n equation\n  u = -1 + time/2;\n transition to below when x < -eps;\nend above;\n"
      "mode below\n equation\n  u = 1;\n transition to above when -x < -eps;\nend below;\nend M;\n",
      {{"stop", "3"}, {"tolerance", "1e-10"}, {"sliding", "hysteresis"}});
  EXPECT_THAT(run.times("slide_enter"), ElementsAre(DoubleNear(2.0 - std::sqrt(3.0), 1e-12))) << run.log();
  EXPECT_THAT(run.times("slide_exit"), ElementsAre(DoubleNear(2.0, 1e-9))) << run.log();
  EXPECT_EQ(run.of_kind("slide_exit")[0].to, "above");
  EXPECT_EQ(run.count("transition"), 0U) << run.log();
  EXPECT_NEAR(run.final("x"), 0.25, 1e-9);
  EXPECT_NEAR(run.result.trajectory.at(1.0, "x"), 0.0, 1e-15);  // evaluated again after the run
  EXPECT_NEAR(run.result.trajectory.at(1.0, "u"), 0.0, 1e-15);
}

// The unit circle attracts from both sides; its guards are curved.
TEST(Language6, HysteresisSlidingOnCurvedSurfaces) {
  const HybridRun run = run_text(
      "model M\n parameter Real eps = 0.01;\n Real x(start = 2, fixed = true), y(start = 0, fixed = true), "
      "r = x^2 + y^2;\ninitial mode outside\n equation\n  der(x) = -x - y;\n  der(y) = x - y;\n"
      " transition to inside when r < 1 - eps;\nend outside;\nmode inside\n equation\n  der(x) = x - y;\n"
      "  der(y) = x + y;\n transition to outside when r > 1 + eps;\nend inside;\nend M;\n",
      {{"stop", "3"}, {"tolerance", "1e-10"}, {"sliding", "hysteresis"}});
  // Outside r = 4·exp(-2t), and the angle grows with time everywhere.
  EXPECT_THAT(run.times("slide_enter"), ElementsAre(DoubleNear(0.5 * std::log(4.0 / 0.99), 1e-9)))
      << run.log();
  EXPECT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_NEAR(run.final("x"), std::cos(3.0), 1e-8);
  EXPECT_NEAR(run.final("y"), std::sin(3.0), 1e-8);
}

// Surfaces that do not differ by a constant, and transitions with a jump, are left alone.
TEST(Language6, HysteresisSlidingNeedsParallelSurfacesAndNoJump) {
  const std::string begin =
      "model M\n Real x(start = 0, fixed = true);\ninitial mode up\n equation\n  der(x) = 1;\n transition to "
      "down when x > 0.25";
  const std::string middle = "\nend up;\nmode down\n equation\n  der(x) = -1;\n transition to up when ";
  for (const std::string& rest :
       {";" + middle + "x + x^2 < -0.1875;\nend down;\nend M;\n",
        " then\n  reinit(x, 0.2);\n end transition;" + middle + "x < -0.25;\nend down;\nend M;\n"}) {
    const HybridRun run = run_text(begin + rest, {{"stop", "2"}, {"sliding", "hysteresis"}});
    EXPECT_EQ(run.count("slide_enter"), 0U) << run.log();
    EXPECT_GE(run.count("transition"), 3U) << run.log();
  }
}

TEST(Language6, ClausesOfAModeAreWatchedInThatModeOnly) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true), m(start = 0, fixed = "
      "true);\nequation\n"
      " der(x) = 1;\ninitial mode a\n equation\n  when x > 0.75 then\n   n = 1;\n  end when;\n  when x > "
      "0.25 then\n"
      "   m = 1;\n  end when;\n transition to b when x > 0.5;\nend a;\nmode b\n equation\nend b;\nend M;\n");
  EXPECT_EQ(run.final("n"), 0) << run.log();
  EXPECT_EQ(run.final("m"), 1);
}

TEST(Language6, OnEntryClausesRememberWhatIsAlreadyTrue) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true), m(start = 0, fixed = "
      "true);\nequation\n"
      " der(x) = 1;\ninitial mode a\n equation\n transition to b when x > 0.5;\nend a;\nmode b\n equation\n"
      "  when x > 0.25 then\n   n = 1;\n  end when;\n  when x > 0.75 then\n   m = 1;\n  end when;\nend "
      "b;\nend M;\n");
  EXPECT_EQ(run.final("n"), 0) << run.log();
  EXPECT_EQ(run.final("m"), 1);
}

TEST(Language6, ClausesOfTheOldModeThatBecameTrueInTheSameRoundFireToo) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\n"
      "initial mode a\n equation\n  when x >= 0.5 then\n   n = 3;\n  end when;\n transition to b when x > "
      "0.5;\nend a;\n"
      "mode b\n equation\nend b;\nend M;\n");
  EXPECT_EQ(run.final("n"), 3) << run.log();
  EXPECT_EQ(run.count("transition"), 1U);
  EXPECT_EQ(run.rows_at(0.5).size(), 2U) << "one round";
}

TEST(Language6, ATransitionThatHoldsOnEntryFiresAtOnce) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), y(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\ninitial mode a\n"
      " equation\n  der(y) = 1;\n transition to b when x > 0.5;\nend a;\nmode b\n equation\n  der(y) = 100;\n"
      " transition to c when x > 0.25;\nend b;\nmode c\n equation\n  der(y) = 3;\nend c;\nend M;\n",
      {{"interval", "1"}});
  EXPECT_THAT(steps_of(run), ElementsAre("transition a b", "immediate b c")) << run.log();
  EXPECT_EQ(run.events[0].time, run.events[1].time);
  EXPECT_EQ(run.events[1].segment, run.events[0].segment + 1);
  EXPECT_NEAR(run.final("y"), 0.5 + 1.5, 1e-13);
  EXPECT_EQ(run.rows_at(0.5).size(), 3U);
}

TEST(Language6, ATransitionThatHoldsAtTheStartFiresAtOnce) {
  const HybridRun run = run_text(
      "model M\n Real y(start = 1, fixed = true);\ninitial mode a\n equation\n  der(y) = 1;\n transition to "
      "b when y > 0;\n"
      "end a;\nmode b\n equation\n  der(y) = 2;\nend b;\nend M;\n");
  EXPECT_NEAR(run.final("y"), 3, 1e-14) << run.log();
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].time, 0.0);
}

TEST(Language6, ImmediateTransitionsThatNeverSettleEndTheRun) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n"
      " transition to b when x > 0.5;\nend a;\nmode b\n equation\n transition to a when x > 0.25;\nend "
      "b;\nend M;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::stopped) << run.log();
  EXPECT_EQ(run.result.reason, "immediate_limit");
  EXPECT_NEAR(run.result.end, 0.5, 1e-14);
  EXPECT_GE(run.count("immediate"), 99U);
  EXPECT_LE(run.count("immediate"), 101U);
  EXPECT_TRUE(run.says("x > 0.5") && run.says("x > 0.25")) << "both turns of the circle: " << run.words();
}

TEST(Language6, OfSeveralTransitionsTheFirstInSourceOrderWinsAndTheReportSaysSo) {
  const auto text = [](const std::string& first, const std::string& second) {
    return "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n" +
           first + second + "end a;\nmode b\n equation\nend b;\nmode c\n equation\nend c;\nend M;\n";
  };
  const std::string to_b = " transition to b when x > 0.5;\n";
  const std::string to_c = " transition to c when x >= 0.5;\n";
  const HybridRun first = run_text(text(to_b, to_c));
  EXPECT_THAT(steps_of(first), ElementsAre("transition a b")) << first.log();
  EXPECT_THAT(first.events[0].detail, HasSubstr("holds too: 'x >= 0.5' (to c)")) << first.log();
  const HybridRun second = run_text(text(to_c, to_b));
  EXPECT_THAT(steps_of(second), ElementsAre("transition a c")) << second.log();
  EXPECT_THAT(second.events[0].detail, HasSubstr("holds too: 'x > 0.5' (to b)")) << second.log();
}

TEST(Language6, TheTransitionJustTakenDoesNotFireBack) {
  for (const char* back : {"x <= 0.5", "x < 0.5", "not x > 0.5"}) {
    const HybridRun run = run_text(
        "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n"
        " transition to b when x > 0.5;\nend a;\nmode b\n equation\n transition to a when " +
        std::string(back) + ";\nend b;\nend M;\n");
    EXPECT_THAT(steps_of(run), ElementsAre("transition a b")) << back << run.log();
  }
}

TEST(Language6, OwnVariablesExistInTheirModeOnly) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n"
      " transition to b when x > 0.5;\nend a;\nmode b\n Real lambda;\n equation\n  lambda = 3*x;\nend "
      "b;\nend M;\n",
      {{"interval", "0.25"}});
  EXPECT_NEAR(run.final("lambda"), 3, 1e-14) << run.log();
  EXPECT_TRUE(std::isnan(run.value(run.rows.front(), "lambda")));
}

TEST(Language6, AnOwnStateBeginsAtItsStartAndIsNeverRemembered) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Integer visits(start = 0, fixed = true);\nequation\n "
      "der(x) = 1;\n"
      "initial mode a\n equation\n transition to b when mod(x, 1) > 0.5;\nend a;\nmode b\n Real q(start = "
      "7);\n equation\n"
      "  der(q) = 1;\n transition to a when mod(x, 1) < 0.25 then\n  visits = pre(visits) + 1;\n end "
      "transition;\nend b;\nend M;\n",
      {{"stop", "1.75"}, {"interval", "0.125"}});
  // b holds on (0.5, 1) and on (1.5, 2): each time q starts at 7.
  EXPECT_NEAR(run.final("q"), 7.25, 1e-13) << run.log();
  EXPECT_EQ(run.final("visits"), 1);
}

TEST(Language6, AnOwnStateGetsItsValueFromJumpEquations) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n"
      " transition to b when x > 0.5 then\n  q = 4*pre(x);\n end transition;\nend a;\nmode b\n Real q;\n "
      "equation\n  der(q) = 2;\n"
      "end b;\nend M;\n");
  EXPECT_NEAR(run.final("q"), 2 + 1, 1e-13) << run.log();
}

TEST(Language6, AnOwnStateWithoutAnyValueIsAnError) {
  const std::string text =
      "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n"
      " transition to b when x > 0.5;\nend a;\nmode b\n Real q;\n equation\n  der(q) = 2;\nend b;\nend M;\n";
  auto run = try_run(text);
  if (run.has_value()) {
    EXPECT_EQ(run->result.status, SimulationStatus::failed) << run->log();
    EXPECT_THAT(run->words(), HasSubstr("q"));
  } else {
    EXPECT_THAT(render_text(run.error()), HasSubstr("q"));
  }
}

TEST(Language6, OneOwnNameInSeveralModesIsOneColumn) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n Real f;\n "
      "equation\n  f = x;\n"
      " transition to b when x > 0.5;\nend a;\nmode b\n Real f;\n equation\n  f = 10*x;\nend b;\nend M;\n",
      {{"interval", "0.25"}});
  std::size_t columns = 0;
  for (const VariableInfo& variable : run.result.variables) {
    columns += variable.name == "f" ? 1U : 0U;
  }
  EXPECT_EQ(columns, 1U);
  EXPECT_NEAR(run.final("f"), 10, 1e-13) << run.log();
  EXPECT_EQ(run.value(run.rows.front(), "f"), 0.0);
}

TEST(Language6, PreOfANameThatDidNotExistIsAnErrorAtCheck) {
  EXPECT_FALSE(
      problems_of(
          "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\ninitial mode a\n equation\n"
          " transition to b when x > 0.5 then\n  reinit(x, pre(q));\n end transition;\nend a;\nmode b\n"
          " Real q(start = 0);\n equation\n  der(q) = 2;\nend b;\nend M;\n")
          .empty());
}

TEST(Language6, ModesMayDifferInTheirStates) {
  // A cut wire: y is a state in one mode and given in the other.
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), y(start = 1);\nequation\n der(x) = 1;\ninitial mode "
      "decays\n equation\n"
      "  der(y) = -y;\n transition to given when x > 0.5 and x < 0.7;\nend decays;\nmode given\n equation\n  "
      "y = 5*x;\n"
      " transition to decays when x > 0.75;\nend given;\nend M;\n",
      {{"tolerance", "1e-10"}});
  EXPECT_NEAR(run.final("y"), 3.75 * std::exp(-0.25), 1e-8) << run.log();
}

std::string opposite_modes(const std::string& extra) {
  return "model M\n Real x(start = 1, fixed = true), y(start = 0, fixed = true);\ninitial mode plus\n "
         "equation\n  der(x) = -1;\n"
         "  der(y) = 3;\n transition to minus when x < 0" +
         extra +
         ";\nend plus;\nmode minus\n equation\n  der(x) = 2;\n  der(y) = 0;\n transition to plus when x > "
         "0;\nend minus;\nend M;\n";
}

TEST(Language6, OppositeTransitionsOnOneSurfaceSlide) {
  const HybridRun run = run_text(opposite_modes(""), {{"stop", "2"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success);
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_EQ(run.events[0].kind, "slide_enter");
  EXPECT_NEAR(run.events[0].time, 1, 1e-14);
  EXPECT_NEAR(run.final("x"), 0, 1e-16);
  EXPECT_NEAR(run.final("y"), 3 + 2, 1e-13) << "alpha = 2/3";
  EXPECT_THAT(run.rows.back().mode, HasSubstr(" sliding on x"));
}

TEST(Language6, WithSlidingOffOppositeModesChatterAndAreReported) {
  const HybridRun run =
      run_text(opposite_modes(""), {{"stop", "2"}, {"sliding", "off"}, {"chattering", "stop"}});
  EXPECT_EQ(run.result.status, SimulationStatus::stopped) << run.log();
  EXPECT_EQ(run.result.reason, "chattering");
}

TEST(Language6, TransitionsWithJumpsDoNotSlideAndTheReasonIsReported) {
  const HybridRun run = run_text(opposite_modes(" then\n  reinit(y, 0.5*pre(y));\n end transition"),
                                 {{"stop", "2"}, {"chattering", "stop"}});
  EXPECT_EQ(run.count("slide_enter"), 0U) << run.log();
  EXPECT_TRUE(run.says("chatter"));
}

TEST(Language6, OppositeModesThatPassThroughJustSwitch) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\ninitial mode plus\n equation\n  der(x) = -1;\n transition "
      "to minus when x < 0;\n"
      "end plus;\nmode minus\n equation\n  der(x) = -2;\n transition to plus when x > 0;\nend minus;\nend "
      "M;\n",
      {{"stop", "2"}});
  EXPECT_THAT(steps_of(run), ElementsAre("transition plus minus")) << run.log();
  EXPECT_NEAR(run.final("x"), -2, 1e-14);
}

TEST(Language6, SlidingBetweenModesEndsWhereOneSideStopsPushing) {
  // The field of `minus` in x is 2 − t: it stops pushing at t = 2, then x = −(t − 2)²/2.
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\ninitial mode plus\n equation\n  der(x) = -1;\n transition "
      "to minus when x < 0;\n"
      "end plus;\nmode minus\n equation\n  der(x) = 2 - time;\n transition to plus when x > 0;\nend "
      "minus;\nend M;\n",
      {{"stop", "3"}});
  EXPECT_EQ(run.count("slide_enter"), 1U) << run.log();
  EXPECT_THAT(run.times("slide_exit"), ElementsAre(DoubleNear(2, 1e-12)));
  EXPECT_NEAR(run.final("x"), -0.5, 1e-12);
  EXPECT_EQ(run.rows.back().mode, "minus");
}

TEST(Language6, AUserWrittenSlidingModeTakesThePlaceOfTheAutomaticOne) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true), y(start = 0, fixed = true);\ninitial mode plus\n "
      "equation\n  der(x) = -1;\n"
      "  der(y) = 3;\n transition to minus when x < 0;\nend plus;\nmode minus\n equation\n  der(x) = 2;\n  "
      "der(y) = 0;\n"
      " transition to plus when x > 0;\nend minus;\nsliding mode stick between plus, minus\n equation\n  "
      "der(x) = 0;\n"
      "  der(y) = 10;\nend stick;\nend M;\n",
      {{"stop", "2"}});
  EXPECT_NEAR(run.final("y"), 3 + 10, 1e-12) << run.log();
  EXPECT_THAT(run.rows.back().mode, HasSubstr("stick"));
}

TEST(Language6, StickSlipAutomaton) {
  // With mu > |sin|/2 … the band is left towards the driven side only; positions stay within the band's drift.
  const HybridRun run = run_text(
      "model StickSlipAutomaton\n parameter Real mu = 0.4, eps = 0.003;\n"
      " Real p1(start=1, fixed=true), p2(start=1, fixed=true), v1(start=0, fixed=true), v2(start=0, "
      "fixed=true);\nequation\n"
      " der(p1) = v1;\n der(p2) = v2;\ninitial mode right\n equation\n  der(v1) = sin(time) - mu;\n  der(v2) "
      "= mu;\n"
      " transition to left when v1 - v2 < -eps;\nend right;\nmode left\n equation\n  der(v1) = sin(time) + "
      "mu;\n  der(v2) = -mu;\n"
      " transition to right when v1 - v2 > eps then\n  reinit(v1, pre(v1));\n end transition;\nend "
      "left;\nend StickSlipAutomaton;\n",
      {{"stop", "1"}, {"tolerance", "1e-10"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  // First switch: 1 − cos t − 0.8 t = −0.003.
  ASSERT_GE(run.count("transition"), 2U);
  const double t1 = run.times("transition")[0];
  EXPECT_NEAR(1 - std::cos(t1) - 0.8 * t1, -0.003, 1e-12);
  for (const RowRecord& row : run.rows) {
    if (row.time < 0.92) {
      EXPECT_LE(std::abs(run.value(row, "v1") - run.value(row, "v2")), 0.003 * (1 + 1e-9));
    }
  }
}

// x ends a mode at its zero, is held there by the next and starts the third from it with a rate of zero: what rounding has
// left of x is no side. Whatever the tolerance, no transition is immediate.
TEST(Language6, AStateThatEndedAModeAtZeroIsAtZeroWhereItIsHeld) {
  const std::string text =
      "model M\n Real x(start = 1, fixed = true);\n"
      "initial mode falling\n equation\n  der(x) = -1.1 - 0.3*sin(7*time)*x;\n transition to held when x < "
      "0;\nend falling;\n"
      "mode held\n equation\n  der(x) = 0;\n transition to rising when time > 1.5;\nend held;\n"
      "mode rising\n equation\n  der(x) = time - 1.5;\n transition to held when x < 0;\nend rising;\nend "
      "M;\n";
  for (const std::string tolerance : {"1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"}) {
    const HybridRun run = run_text(text, {{"stop", "2"}, {"tolerance", tolerance}});
    EXPECT_THAT(steps_of(run), ElementsAre("transition falling held", "transition held rising")) << tolerance;
    EXPECT_NEAR(run.final("x"), 0.125, 1e-12) << tolerance;
  }
}

}  // namespace
}  // namespace saltus::test
