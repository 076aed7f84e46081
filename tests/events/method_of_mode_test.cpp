// Modes with methods of their own: by annotation, by option, chosen, and on the surface between two of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus {
namespace {

using test::HybridRun;
using test::run_text;
using ::testing::HasSubstr;

// x = cos(t), y = -sin(t) in both modes; only one of them is stiff.
std::string alternating(const std::string& in_calm, const std::string& in_tight,
                        const std::string& in_model = "") {
  return "model M\n parameter Real k = 1e5;\n Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
         "equation\n der(y) = -x;\n"
         "initial mode calm\n equation\n  der(x) = y;\n transition to tight when sin(2*time) < 0;\n" +
         in_calm +
         "end calm;\nmode tight\n equation\n  der(x) = -k*(x - cos(time)) - sin(time);\n"
         " transition to calm when sin(2*time) > 0;\n" +
         in_tight + "end tight;\n" + in_model + "end M;\n";
}

std::string with(const std::string& options) {
  return " annotation(__saltus(" + options + "));\n";
}

Diagnostics problems_of(const std::string& text, const SimulationOptions& options = {}) {
  return validate(Model::from_text("m.saltus", text).value(), options);
}

const double kStop = 4.0 * std::numbers::pi;  // four stretches in each mode

TEST(MethodOfMode, EachModeRunsByItsOwn) {
  const HybridRun run = run_text(alternating(with("method = \"rk23\""), with("method = \"radau5\"")),
                                 {{"stop", test::number(kStop)}, {"tolerance", "1e-7"}});
  ASSERT_TRUE(run.result.ok()) << run.result.message;
  const Statistics& statistics = run.result.statistics;
  ASSERT_EQ(statistics.methods.size(), 2U);
  EXPECT_EQ(statistics.methods[0].mode, "calm");
  EXPECT_EQ(statistics.methods[0].method, "rk23");
  EXPECT_EQ(statistics.methods[0].reason, "as asked for");
  EXPECT_EQ(statistics.methods[1].mode, "tight");
  EXPECT_EQ(statistics.methods[1].method, "radau5");
  EXPECT_EQ(statistics.methods[0].accepted_steps + statistics.methods[1].accepted_steps,
            statistics.accepted_steps);
  // rk23 needs many steps for this tolerance; explicit methods need k·length/3 = 2e5 in the other mode.
  EXPECT_GT(statistics.methods[0].accepted_steps, 10 * statistics.methods[1].accepted_steps);
  EXPECT_LT(statistics.methods[1].accepted_steps, 500);
  EXPECT_EQ(statistics.method, "rk23; radau5");
  EXPECT_THAT(statistics.method_reason,
              HasSubstr("by mode: calm rk23 (as asked for); tight radau5 (as asked for)"));
  EXPECT_NEAR(run.final("x"), std::cos(kStop), 1e-5);
  EXPECT_NEAR(run.final("y"), -std::sin(kStop), 1e-5);
}

TEST(MethodOfMode, AutoChoosesForEachModeAndRemembers) {
  const HybridRun run = run_text(alternating("", ""), {{"stop", test::number(kStop)}, {"tolerance", "1e-7"}});
  ASSERT_TRUE(run.result.ok()) << run.result.message;
  const Statistics& statistics = run.result.statistics;
  ASSERT_EQ(statistics.methods.size(), 2U);
  EXPECT_EQ(statistics.methods[0].method, "dopri5");
  EXPECT_EQ(statistics.methods[1].method, "dopri5, then radau5");
  EXPECT_THAT(statistics.methods[1].reason, HasSubstr("stiff, h*|lambda| = "));
  // Once found stiff, the mode is entered three more times without a step of dopri5.
  EXPECT_LT(statistics.methods[1].accepted_steps, 1000);
  EXPECT_NEAR(run.final("x"), std::cos(kStop), 1e-5);
}

TEST(MethodOfMode, WhatIsAskedForTheRunReplacesWhatTheModelSays) {
  const std::string text = alternating(
      with("method = \"rk23\""), with("method = \"radau5\", max_step = 0.01"), with("method = \"sdirk4\""));
  const auto methods_of = [&](std::vector<std::pair<std::string, std::string>> options) {
    options.emplace_back("stop", "4");
    std::string methods;
    const HybridRun run = run_text(text, options);
    for (const MethodOfMode& mode : run.result.statistics.methods) {
      methods += mode.method + " ";
    }
    return methods;
  };
  EXPECT_EQ(methods_of({}), "rk23 radau5 ");
  EXPECT_EQ(methods_of({{"method", "bdf"}}), "bdf bdf ");
  EXPECT_EQ(methods_of({{"method", "tight=bdf"}}), "rk23 bdf ");
  EXPECT_EQ(methods_of({{"method", "tight=sdirk4"}, {"method", "radau5"}}), "radau5 sdirk4 ");
  EXPECT_EQ(methods_of({{"method", "calm=auto"}}), "dopri5 radau5 ");
}

TEST(MethodOfMode, TheModelMayGiveOneForAllOtherModes) {
  const HybridRun run =
      run_text(alternating("", with("method = \"radau5\""), with("method = \"rk23\"")), {{"stop", "4"}});
  ASSERT_EQ(run.result.statistics.methods.size(), 2U);
  EXPECT_EQ(run.result.statistics.methods[0].method, "rk23");
  EXPECT_EQ(run.result.statistics.methods[1].method, "radau5");
}

TEST(MethodOfMode, StepsAndOrdersHaveTheirLimits) {
  const auto steps = [](const std::string& options) {
    return run_text(alternating("", with(options)), {{"stop", test::number(kStop)}, {"tolerance", "1e-7"}})
        .result.statistics.methods.at(1)
        .accepted_steps;
  };
  const std::int64_t free = steps("method = \"bdf\"");
  // Four stretches of length π/2.
  EXPECT_GE(steps("method = \"bdf\", max_step = 0.002"), 3140);
  EXPECT_LT(free, 1500);
  EXPECT_GT(steps("method = \"bdf\", max_order = 1"), 5 * free);
}

TEST(MethodOfMode, OptionsOfTheApiNameModes) {
  const Model model = Model::from_text("m.saltus", alternating("", "")).value();
  const SimulationResult result =
      simulate(model, {.stop = 4.0, .method = "dopri5", .modes = {{.mode = "tight", .method = "sdirk4"}}})
          .value();
  ASSERT_EQ(result.statistics.methods.size(), 2U);
  EXPECT_EQ(result.statistics.methods[0].method, "dopri5");
  EXPECT_EQ(result.statistics.methods[1].method, "sdirk4");
}

// The stiff part exists on one side only; between the two modes it is half as stiff.
const char* const kSliding =
    "model M\n Real x(start = 0.5, fixed = true), z(start = 0, fixed = true);\n"
    "initial mode above\n equation\n  der(x) = -1;\n  der(z) = cos(time);\n transition to below when x < 0;\n"
    "end above;\nmode below\n equation\n  der(x) = 2;\n  der(z) = -3e4*(z - sin(time)) + cos(time);\n"
    " transition to above when x > 0;\n annotation(__saltus(method = \"radau5\"));\nend below;\n"
    " annotation(__saltus(method = \"dopri5\"));\nend M;\n";

TEST(MethodOfMode, BetweenTwoModesTheImplicitOneIsTaken) {
  const HybridRun run = run_text(kSliding, {{"stop", "3"}, {"tolerance", "1e-8"}});
  ASSERT_TRUE(run.result.ok()) << run.result.message;
  EXPECT_EQ(run.count("slide_enter"), 1U) << run.log();
  const Statistics& statistics = run.result.statistics;
  ASSERT_EQ(statistics.methods.size(), 2U);
  EXPECT_EQ(statistics.methods[0].mode, "above");
  EXPECT_EQ(statistics.methods[1].mode, "below");
  EXPECT_EQ(statistics.methods[1].accepted_steps, statistics.accepted_sliding_steps);
  EXPECT_LT(statistics.accepted_sliding_steps, 300) << "dopri5 takes some 8000";
  EXPECT_NEAR(run.final("z"), std::sin(3.0), 1e-6);
}

// A pendulum whose string is an index-3 constraint in one mode and slack in the other: other states, other methods.
std::string pendulum(const std::string& taut, const std::string& slack) {
  return "model P\n Real x(start = 1, fixed = true), y(start = 0), vx(start = 0), vy(start = 0, fixed = "
         "true);\n"
         "equation\n der(x) = vx;\n der(y) = vy;\n"
         "initial mode taut\n Real lambda;\n equation\n  der(vx) = -lambda*x;\n  der(vy) = -lambda*y - "
         "9.81;\n"
         "  x^2 + y^2 = 1;\n transition to slack when x > 0.2 and time > 0.8;\n" +
         taut + "end taut;\nmode slack\n equation\n  der(vx) = 0;\n  der(vy) = -9.81;\n" + slack +
         "end slack;\nend P;\n";
}

TEST(MethodOfMode, ConstrainedAndFreeModesMayDiffer) {
  const HybridRun reference =
      run_text(pendulum("", ""), {{"stop", "2"}, {"tolerance", "1e-11"}, {"method", "dopri5"}});
  ASSERT_TRUE(reference.result.ok()) << reference.result.message;
  ASSERT_EQ(reference.count("transition"), 1U) << reference.log();
  for (const char* const taut : {"radau5", "bdf", "sdirk4"}) {
    const HybridRun run =
        run_text(pendulum(with("method = \"" + std::string(taut) + "\""), with("method = \"rk23\"")),
                 {{"stop", "2"}, {"tolerance", "1e-8"}});
    ASSERT_TRUE(run.result.ok()) << taut << run.result.message;
    ASSERT_EQ(run.count("transition"), 1U) << run.log();
    EXPECT_NEAR(run.times("transition")[0], reference.times("transition")[0], 1e-5) << taut;
    EXPECT_NEAR(run.final("y"), reference.final("y"), 1e-4) << taut;
    ASSERT_EQ(run.result.statistics.methods.size(), 2U);
    EXPECT_EQ(run.result.statistics.methods[0].method, taut);
    EXPECT_EQ(run.result.statistics.methods[1].method, "rk23");
  }
}

std::string first_problem(const Diagnostics& problems) {
  return problems.empty() ? "" : problems.items()[0].code;
}

TEST(MethodOfMode, WrongOnesAreNamedWithTheirPlace) {
  struct Case {
    const char* options;
    const char* code;
    const char* message;
  };
  const Case cases[] = {
      {"method = \"radau7\"", "unknown-method", "in mode 'tight': --method: there is no method 'radau7'"},
      {"method = \"rk4\"", "conflicting-options", "in mode 'tight': the method 'rk4' has no error estimate"},
      {"method = \"radau5\", max_order = 2", "conflicting-options",
       "only the method 'bdf' changes its order"},
      {"method = \"bdf\", order = 9", "conflicting-options", "the method 'bdf' has orders 1 to"},
      {"max_step = -1", "wrong-option-value", "in mode 'tight': --max-step must be a positive number"},
      {"max_step = \"small\"", "wrong-option-value", "--max-step takes a number, not 'small'"},
      {"tolerance = 1e-3", "option-of-the-run", "the option 'tolerance' holds for the whole run"},
      {"sliding = \"off\"", "option-of-the-run", "the option 'sliding' holds for the whole run"},
      {"methode = \"bdf\"", "unknown-option", "there is no option 'methode'"},
  };
  for (const Case& item : cases) {
    const Diagnostics problems = problems_of(alternating("", with(item.options)));
    ASSERT_TRUE(problems.has_errors()) << item.options;
    EXPECT_EQ(first_problem(problems), item.code) << item.options;
    EXPECT_THAT(problems.items()[0].message, HasSubstr(item.message));
    ASSERT_TRUE(problems.items()[0].span.has_value()) << item.options;
    EXPECT_THAT(render_text(problems), HasSubstr("m.saltus:15:")) << item.options;
  }
}

TEST(MethodOfMode, WrongModesAreNamed) {
  const std::string text = alternating("", "");
  EXPECT_EQ(first_problem(problems_of(text, {.modes = {{.mode = "thight", .method = "bdf"}}})),
            "no-such-mode");
  EXPECT_EQ(problems_of(text, {.modes = {{.mode = "thight", .method = "bdf"}}}).items()[0].hint,
            "did you mean 'tight'?");
  EXPECT_EQ(first_problem(problems_of("model M\n Real x(start = 1);\nequation\n der(x) = -x;\nend M;\n",
                                      {.modes = {{.mode = "a", .method = "bdf"}}})),
            "no-such-mode");
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "method", "=bdf").has_errors());
  EXPECT_TRUE(set_option(options, "method", "tight=").has_errors());
  EXPECT_TRUE(set_option(options, "max-step", "tight=large").has_errors());
  EXPECT_TRUE(set_option(options, "initial-step", "tight=1").has_errors());
  // The annotation is not to blame for what the options say.
  const Diagnostics given = problems_of(alternating("", with("method = \"radau5\", max_step = 0.1")),
                                        {.modes = {{.mode = "tight", .max_step = -1.0}}});
  ASSERT_TRUE(given.has_errors());
  EXPECT_FALSE(given.items()[0].span.has_value());
  // A fixed step is that of the whole run.
  EXPECT_TRUE(problems_of(text, {.step = 0.1, .modes = {{.mode = "tight", .max_step = 0.1}}}).has_errors());
  EXPECT_FALSE(problems_of(text, {.step = 0.1, .modes = {{.mode = "tight", .method = "rk4"}}}).has_errors());
}

}  // namespace
}  // namespace saltus
