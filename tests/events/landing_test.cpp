// Guards that the instants of others bring to zero, or off it (docs/semantics.md 1.5, 2, 5, 7): against fractions.
//
// SALTUS_LANDINGS: number of models (default: kModels). SALTUS_LANDING_FIRST: the first seed. SALTUS_LANDING_METHOD: the method.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/hybrid_run.hpp"
#include "support/landing/landing_model.hpp"

namespace saltus::test {
namespace {

constexpr std::uint32_t kModels = 150;
// All is piecewise linear: what is left are the locations of events.
constexpr double kMotion = 1e-6;
// Implicit methods iterate: they leave more of a state than its rounding (an arrival at 1 was located 8e-15 too early), and one that stops
// beside a surface then has a side. Measured in 4 of 1000 models.
constexpr double kMostByIteration = 0.02;

std::uint32_t given(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? static_cast<std::uint32_t>(std::atoi(text)) : otherwise;
}

std::string differences(const HybridRun& run, const landing::Model& model) {
  if (run.result.status != SimulationStatus::success) {
    return "ended: " + run.words();
  }
  std::string text;
  for (const landing::Truth& truth : model.truths) {
    const bool holds = run.final("b" + truth.number) != 0.0;
    const double motion = run.final("z" + truth.number);
    const double rises = run.final("n" + truth.number);
    if (holds != truth.holds) {
      text += " b" + truth.number + " is " + (holds ? "true" : "false");
    }
    if (std::abs(motion - truth.motion) > kMotion) {
      text += " z" + truth.number + " is " + std::to_string(motion) + ", not " + std::to_string(truth.motion);
    }
    if (truth.rises && rises != static_cast<double>(*truth.rises)) {
      text += " n" + truth.number + " is " + std::to_string(rises) + ", not " + std::to_string(*truth.rises);
    }
  }
  return text;
}

class Landing : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Landing, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& method) { return method.param; });

TEST_P(Landing, GuardsThatInstantsBringToZero) {
  const bool is_explicit = GetParam() == "auto" || GetParam() == "dopri5";
  const landing::Causes causes = is_explicit ? landing::Causes::time_and_states : landing::Causes::time;
  const std::uint32_t first = given("SALTUS_LANDING_FIRST", 1);
  const std::uint32_t number = given("SALTUS_LANDINGS", kModels);
  const double most = is_explicit ? 0.0 : kMostByIteration * number;
  std::string wrong;
  std::uint32_t n_wrong = 0;
  for (std::uint32_t seed = first; seed < first + number; ++seed) {
    const landing::Model model = landing::landing_model(seed, causes);
    const HybridRun run =
        run_text(model.text, {{"stop", std::to_string(landing::kStop)}, {"method", GetParam()}});
    if (const std::string text = differences(run, model); !text.empty()) {
      ++n_wrong;
      wrong += "seed " + std::to_string(seed) + ":" + text + "\n" +
               (number == 1 ? model.text + run.log() : std::string());
    }
  }
  EXPECT_LE(n_wrong, most) << wrong;
}

// In the round after the one in which it is due a clock is false: 1, 2 and 3.
TEST_P(Landing, ASampleThatIsOverIsFalse) {
  const HybridRun run = run_text(
      "model M\n Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n Real x(start = 0, fixed = "
      "true);\nequation\n der(x) = 1;\n when not sample(1, 1) then\n  n = pre(n) + 1;\n end when;\n when "
      "sample(1, 1) then\n  m = pre(m) + 1;\n end when;\nend M;\n",
      {{"stop", "3.5"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  EXPECT_EQ(run.final("m"), 3.0);
  EXPECT_EQ(run.final("n"), 3.0);
}

// The clock holds the latch at 1, where x reaches its limit; a round later it does not.
TEST_P(Landing, AClockThatIsOverHoldsNothing) {
  for (const std::string latch :
       {"on = sample(0, 1) or (pre(on) and time < 1)", "on = sample(0, 1) or (pre(on) and x < 1)",
        "on = if sample(0, 1) then true else pre(on) and x < 1",
        "on = not (not sample(0, 1) and not (pre(on) and x < 1))",
        "on = sample(0, 1) or (pre(on) and floor(x) < 1)"}) {
    SCOPED_TRACE(latch);
    const HybridRun run = run_text(
        "model M Real x(start = 0, fixed = true); Boolean on(start = true, fixed = true); equation der(x) = "
        "if on "
        "then 1 else -1; " +
            latch + "; end M;",
        {{"stop", "1.5"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
    EXPECT_NEAR(run.final("x"), 0.5, 1e-8);
    EXPECT_EQ(run.final("on"), 0.0);
  }
}

// der(z) follows the side of a guard that the side of another one, decided at the same instant, brings to zero and on.
TEST_P(Landing, AGuardBroughtToZeroByTheSideOfAnother) {
  for (const std::string slope : {"1", "-1", "0"}) {
    const HybridRun run = run_text(
        "model M\n Real x(start = -1, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true), "
        "s;\nequation\n der(x) = 1;\n s = if x > 0 then 2 else 5;\n der(y) = if x > 0 then " +
            slope + " else 2;\n der(z) = if y - s > 0 then 1 else -1;\nend M;\n",
        {{"stop", "3"}, {"method", GetParam()}, {"tolerance", "1e-8"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
    EXPECT_NEAR(run.final("z"), slope == "1" ? 1.0 : -3.0, 1e-6) << slope << run.log();
  }
}

TEST(LandingRows, ModelsWithoutStatesHaveRowsBeforeTimeZero) {
  const HybridRun run = run_text(
      "model M\n Real y;\n Integer n(start = 0, fixed = true);\nequation\n y = if time > -0.6 then 1 else "
      "-1;\n when time >= -1.1 then\n  n = pre(n) + 1;\n end when;\nend M;\n",
      {{"start", "-2"}, {"stop", "1"}, {"interval", "0.25"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
  ASSERT_EQ(run.rows.size(), 17U) << "13 of the grid, two at each event";
  double last = -2.0;
  for (const RowRecord& row : run.rows) {
    EXPECT_GE(row.time, last) << "in order";
    last = row.time;
    if (row.time != -1.1 && row.time != -0.6) {
      EXPECT_EQ(run.value(row, "n"), row.time > -1.1 ? 1.0 : 0.0) << row.time;
      EXPECT_EQ(run.value(row, "y"), row.time > -0.6 ? 1.0 : -1.0) << row.time;
    }
  }
}

}  // namespace
}  // namespace saltus::test
