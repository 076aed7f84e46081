// Guards under the error test: events of guards that amplify small errors of the states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus {
namespace {

using test::HybridRun;
using test::run_text;

// The deviation from a planned motion, in thousandths: a guard of size one that amplifies errors of x a thousand times.
const std::string kDeviation =
    "model M\n Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n Real deviation = 1000*(x - "
    "cos(time));\n"
    " discrete Integer n(start = 0);\nequation\n der(x) = v;\n der(v) = -x + 0.001*x^3;\n"
    " when deviation > 0.5 then\n  n = pre(n) + 1;\n end when;\nend M;\n";
// fehlberg78 and dopri5 at 1e-13.
constexpr double kTimes[] = {1.297687012388, 6.489198434860, 12.673846267184, 18.923528304591};

double largest_error(const HybridRun& run) {
  const std::vector<double> times = run.times("when");
  double largest = times.size() == std::size(kTimes) ? 0.0 : 1.0;
  for (std::size_t k = 0; k < std::min(times.size(), std::size(kTimes)); ++k) {
    largest = std::max(largest, std::abs(times[k] - kTimes[k]));
  }
  return largest;
}

TEST(GuardError, AnAmplifyingGuardHasTheTimesOfItsOwnTolerance) {
  for (const char* method : {"dopri5", "radau5", "bdf", "sdirk4"}) {
    const test::OptionList options = {{"stop", "20"}, {"tolerance", "1e-5"}, {"method", method}};
    test::OptionList controlled = options;
    controlled.emplace_back("guard-error", "on");
    const HybridRun off = run_text(kDeviation, options);
    const HybridRun on = run_text(kDeviation, controlled);
    // Errors of some hundred steps add up; without control they are a thousand times as large.
    EXPECT_LT(largest_error(on), 1e-3) << method << on.log();
    EXPECT_GT(largest_error(off), 1e-3) << method;
    EXPECT_GT(largest_error(off), 8.0 * largest_error(on)) << method;
    EXPECT_GT(on.result.statistics.guard_evaluations, off.result.statistics.guard_evaluations) << method;
  }
}

// A bead driven along a circle (index 3); the guard is given by an implicit equation of its deviation from a uniform motion.
TEST(GuardError, AlgebraicUnknownsCountThroughTheEquations) {
  const std::string text =
      "model P\n Real x(start = 1), y(start = 0, fixed = true), vx(start = 0), vy(start = 1, fixed = true), "
      "lambda;\n"
      " Real z(start = 0);\n discrete Integer n(start = 0);\nequation\n der(x) = vx;\n der(y) = vy;\n"
      " der(vx) = -lambda*x - 0.001*x*y;\n der(vy) = -lambda*y + 0.001*x*x;\n x^2 + y^2 = 1;\n"
      " z + z^3 = 1000*(y - sin(time));\n when z > 0.15 then\n  n = pre(n) + 1;\n end when;\nend P;\n";
  const HybridRun reference = run_text(text, {{"stop", "10"}, {"tolerance", "1e-12"}});
  const std::vector<double> times = reference.times("when");
  ASSERT_EQ(times.size(), 3U) << reference.log();
  const auto error_of = [&](const HybridRun& run) {
    const std::vector<double> found = run.times("when");
    EXPECT_EQ(found.size(), times.size()) << run.log();
    double largest = 0.0;
    for (std::size_t k = 0; k < std::min(found.size(), times.size()); ++k) {
      largest = std::max(largest, std::abs(found[k] - times[k]));
    }
    return largest;
  };
  const double off = error_of(run_text(text, {{"stop", "10"}, {"tolerance", "1e-4"}}));
  const double on = error_of(run_text(text, {{"stop", "10"}, {"tolerance", "1e-4"}, {"guard-error", "on"}}));
  EXPECT_LT(on, 0.1 * off);
}

TEST(GuardError, WithoutGuardsOrWithCoarseOnesNothingChanges) {
  const std::string text = "model M\n Real x(start = 1, fixed = true);\nequation\n der(x) = -x;\nend M;\n";
  const HybridRun off = run_text(text, {{"stop", "5"}});
  const HybridRun on = run_text(text, {{"stop", "5"}, {"guard-error", "on"}});
  EXPECT_EQ(on.final("x"), off.final("x"));
  EXPECT_EQ(on.result.statistics.accepted_steps, off.result.statistics.accepted_steps);
}

TEST(GuardError, IsRefusedOrWarnedOfWhereItMakesNoSense) {
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "guard-error", "perhaps").has_errors());
  EXPECT_TRUE(set_option(options, "guard-error", "on").empty());
  EXPECT_TRUE(validate(SimulationOptions{.guard_error = true}).empty());
  const Diagnostics warned = validate({.step = 0.1, .guard_error = true});
  ASSERT_FALSE(warned.empty());
  EXPECT_FALSE(warned.has_errors());
  EXPECT_EQ(warned.items()[0].code, "option-without-effect");
}

}  // namespace
}  // namespace saltus
