// Control of step sizes as an option, and what a run counts about the location of events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "support/hybrid_run.hpp"
#include "support/source_folder.hpp"

namespace saltus::test {
namespace {

using testing::HasSubstr;

constexpr const char* kOscillator = R"(model M
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
end M;
)";

// The rule itself is in CompereController; here: that it is taken, with its norm, exponent and limits.
TEST(StepControl, OfTheSourceIsReached) {
  const OptionList common = {
      {"stop", "10"}, {"method", "dopri5"}, {"rtol", "1e-6"}, {"initial-step", "1e-4"}};
  const auto with = [&](OptionList more) {
    more.insert(more.begin(), common.begin(), common.end());
    return run_text(kOscillator, more);
  };
  const HybridRun standard = with({});
  const HybridRun compere = with({{"step-control", "compere"}});
  const HybridRun textbook = with({{"step-control", "compere"}, {"step-exponent", "0.2"}});
  for (const HybridRun* run : {&compere, &textbook}) {
    ASSERT_EQ(run->result.status, SimulationStatus::success) << run->log();
    EXPECT_NEAR(run->final("x"), std::cos(10.0), 1e-5);
    // [Com01], the cost of smooth runs: one evaluation and six for each step that was tried; here the start may take one more.
    const Statistics& s = run->result.statistics;
    const std::int64_t at_the_start = s.residual_evaluations - 6 * (s.accepted_steps + s.rejected_steps);
    EXPECT_GE(at_the_start, 1);
    EXPECT_LE(at_the_start, 2);
  }
  EXPECT_NE(standard.result.statistics.accepted_steps, compere.result.statistics.accepted_steps);
  // 0.8·(1/err)^(1/6) goes to errors of 0.8^6 = 0.26 of the tolerance, 0.8·(1/err)^(1/5) to 0.33: larger steps.
  EXPECT_LT(textbook.result.statistics.accepted_steps, compere.result.statistics.accepted_steps);
  const HybridRun limited = with({{"step-control", "compere"}, {"max-step", "0.05"}});
  EXPECT_LE(limited.result.statistics.largest_step, 0.05 * (1.0 + 1e-12));
}

// After every event the first step is at most that.
TEST(StepControl, RestartsSmall) {
  const std::string bouncing = R"(model M
  Real x(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > pre(n) + 0.5 then
    n = pre(n) + 1;
  end when;
end M;
)";
  const HybridRun free = run_text(bouncing, {{"stop", "10"}, {"method", "dopri5"}});
  const HybridRun small =
      run_text(bouncing, {{"stop", "10"}, {"method", "dopri5"}, {"restart-step", "1e-5"}});
  EXPECT_EQ(free.events.size(), small.events.size());
  EXPECT_LT(small.result.statistics.smallest_step, 1.01e-5);
  EXPECT_GT(free.result.statistics.smallest_step, 1e-4);
}

TEST(StepControl, RefusesWhatItIsNotFor) {
  for (const char* method : {"radau5", "auto", "kutta3"}) {
    EXPECT_THAT(problems_of(kOscillator, {{"method", method}, {"step-control", "compere"}}),
                HasSubstr("--step-control compere is for explicit methods"))
        << method;
  }
  EXPECT_THAT(problems_of(kOscillator, {{"method", "dopri5"}, {"step", "0.1"}, {"restart-step", "0.01"}}),
              HasSubstr("a fixed --step leaves nothing"));
  SimulationOptions options;
  EXPECT_THAT(render_text(set_option(options, "step-control", "other")), HasSubstr("standard, compere"));
}

// (5.4), (5.5): past by ε where the guard crosses, before by ε where a reset keeps it from crossing.
TEST(ShiftedLocationOption, IsBeyondOrBeforeTheSurface) {
  const std::string text = R"(model M
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Real at(start = 0, fixed = true);
  discrete Real crossed(start = 0, fixed = true);
  discrete Real hit(start = 9, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  der(at) = 0;
  when h < 0.5 then
    crossed = h - 0.5;
  end when;
  when h < 0 then
    hit = h;
    reinit(v, -0.5*pre(v));
  end when;
end M;
)";
  const HybridRun exact = run_text(text, {{"stop", "0.5"}});
  EXPECT_NEAR(exact.final("crossed"), 0.0, 1e-15);
  const HybridRun shifted =
      run_text(text, {{"stop", "0.5"}, {"shifted-location", "1e-5"}, {"verify", "some"}});
  ASSERT_EQ(shifted.result.status, SimulationStatus::success) << shifted.log();
  EXPECT_LT(shifted.final("crossed"), 0.0);
  EXPECT_GT(shifted.final("crossed"), -2.1e-5);
  EXPECT_GT(shifted.final("hit"), 0.0);
  EXPECT_LT(shifted.final("hit"), 2.1e-5);
  EXPECT_GT(shifted.result.statistics.location_iterations, 0);
  EXPECT_THAT(problems_of(text, {{"shifted-location", "0"}}), HasSubstr("wrong-option-value"));
}

// Two guards of one step, the later one first in the model: its root is located and then overtaken.
TEST(LocationCounters, CountWhatHappensInTheSearch) {
  const auto counts = [](const std::string& first, const std::string& second) {
    const HybridRun run = run_text(
        "model M\n  Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
        "  discrete Integer n(start = 0, fixed = true), k(start = 0, fixed = true);\n"
        "equation\n  der(x) = 1;\n  der(y) = 2*x;\n"
        "  when " +
            first +
            " then n = 1; end when;\n"
            "  when " +
            second + " then k = 1; end when;\nend M;\n",
        {{"stop", "1"}, {"method", "dopri5"}, {"initial-step", "1"}});
    EXPECT_EQ(run.events.size(), 2U) << run.log();
    return run.result.statistics;
  };
  EXPECT_EQ(counts("x > 0.3", "y > 0.49").overtaken_locations, 0);
  EXPECT_EQ(counts("y > 0.49", "x > 0.3").overtaken_locations, 1);
  // The top of a parabola that stays just below: looked at closely, and no event.
  const HybridRun close = run_text(R"(model M
  Real x(start = 0, fixed = true), v(start = 1, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -1;
  when x > 0.5 + 1e-7 then
    n = 1;
  end when;
end M;
)",
                                   {{"stop", "2"}, {"method", "dopri5"}});
  EXPECT_EQ(close.events.size(), 0U);
  EXPECT_GE(close.result.statistics.guards_without_root, 1);
}

// Steps whose bounds leave open what guards do are taken again, shorter: two in this run, none where there are no guards.
TEST(LocationCounters, TellStepsThatWereRefined) {
  std::ifstream file(source_folder() + "/examples/clutch_if.mo");
  const HybridRun run = run_text({std::istreambuf_iterator<char>(file), {}}, {{"tolerance", "1e-6"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_GE(run.result.statistics.refined_steps, 1);
  EXPECT_EQ(run_text(kOscillator, {{"stop", "10"}}).result.statistics.refined_steps, 0);
}

}  // namespace
}  // namespace saltus::test
