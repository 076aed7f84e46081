// Chattering and the time for which guards are kept (docs/semantics.md 9.2).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

std::string two_modes(const std::string& rate_of_a, const std::string& jump) {
  return "model M\n Real x(start = 1, fixed = true), z(start = -1, fixed = true);\nequation\n der(z) = "
         "0;\ninitial mode a\n equation\n  der(x) = " +
         rate_of_a + ";\n transition to b when x < 0 then\n  " + jump +
         ";\n end transition;\nend a;\nmode b\n equation\n  der(x) = 3;\n transition to a when x > 0;\nend "
         "b;\nend "
         "M;\n";
}

// Before the jump both modes push towards the surface; after it neither does: b returns at once, and a goes on upwards.
TEST(Chattering, AJumpThatLeadsAwayIsNotKept) {
  const HybridRun run = run_text(two_modes("z", "z = 1"), {{"stop", "1.2"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_EQ(run.events.size(), 2U) << run.log();
  EXPECT_EQ(run.events[1].kind, "immediate");
  EXPECT_EQ(run.events[1].time, run.events[0].time);
  EXPECT_NEAR(run.final("x"), 0.2, 1e-12);
  EXPECT_FALSE(run.says("chattering")) << run.words();
}

// The jump changes nothing of that: it is kept for 5e-6 of the run's length, and told.
TEST(Chattering, AJumpThatReturnsForEverIsKeptAndTold) {
  const HybridRun run = run_text(two_modes("-1", "z = pre(z) + 1"), {{"stop", "1.01"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_TRUE(run.says("chattering")) << run.words();
  EXPECT_TRUE(run.says("a transition between b and a changes variables") ||
              run.says("a transition between a and b changes variables"))
      << run.words();
  EXPECT_LT(run.events.size(), 2.0 * 0.01 / (5e-6 * 1.01) + 3.0);
  EXPECT_GE(run.events[2].time - run.events[1].time, 0.99 * 5e-6 * 1.01);
}

TEST(Chattering, IsToldWithAnyDwell) {
  for (const char* const dwell : {"0", "1e-5", "5e-4", "0.01"}) {
    const HybridRun run =
        run_text("model M\n Real x(start = 1, fixed = true);\nequation\n der(x) = -sign(x);\nend M;\n",
                 {{"stop", "1.1"}, {"sliding", "off"}, {"dwell", dwell}, {"interval", "1"}});
    EXPECT_TRUE(run.says("[chattering]")) << dwell << ": " << run.words();
  }
}

// Switches that a hysteresis makes, further apart than the dwell, are none.
TEST(Chattering, RegularSwitchesAreNotTold) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Boolean up(start = true, fixed = true);\nequation\n "
      "der(x) = if "
      "up then 1 else -1;\n when x > 0.1 then up = false; elsewhen x < -0.1 then up = true; end when;\nend "
      "M;\n",
      {{"stop", "4"}, {"dwell", "1e-3"}});
  EXPECT_FALSE(run.says("chattering")) << run.words();
  EXPECT_GT(run.count("when"), 10U);
}

// Whole numbers are not slid on: at a level to which both of its numbers lead, the guard is kept, told, and the run ends.
TEST(Chattering, OfWholeNumbersIsKeptAndTold) {
  struct Case {
    std::string rate;
    double start;
    double end;
  };
  // All of them are at their level at t = 1.
  const std::vector<Case> cases = {{"0.5 - floor(x)", 0.5, 1.0},
                                   {"1.5 - ceil(x)", 0.5, 1.0},
                                   {"0.5 - integer(x)", 0.5, 1.0},
                                   {"0.5 - div(x, 1)", 0.5, 1.0},
                                   {"floor(-x) + 1.5", 0.5, 1.0},
                                   {"0.9 - floor(4*x)/4", 0.85, 1.0},
                                   {"1.5 - floor(x + time/8)", 1.375, 2.0 - 1.02 / 8.0}};
  for (const Case& one : cases) {
    for (const char* const method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
      for (const char* const tolerance : {"1e-4", "1e-9"}) {
        const std::string place = one.rate + ' ' + method + ' ' + tolerance;
        const HybridRun run =
            run_text("model M\n Real x(start = " + number(one.start) +
                         ", fixed = true);\nequation\n der(x) = " + one.rate + ";\nend M;\n",
                     {{"stop", "1.02"}, {"interval", "1"}, {"method", method}, {"tolerance", tolerance}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << place << run.words();
        EXPECT_TRUE(run.says("[chattering]")) << place << ": " << run.words();
        EXPECT_NEAR(run.final("x"), one.end, 1e-4) << place;
        EXPECT_LT(run.events.size(), 1e4) << place;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
