// Tables inside models and inputs from outside: values, events at knots, derivatives, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

const std::string kLag =
    "model M\n input Real u(start = 7);\n Real x(start = 0, fixed = true);\nequation\n der(x) = u;\nend M;\n";

// u: 0 up to 1, a ramp to 2 at t = 3, a step to -1, held to 5, back to 0 at 6.
InputTable ramp_and_step() {
  return {.times = {1, 3, 3, 5, 6}, .columns = {{"u", {0, 2, -1, -1, 0}}}, .source = "table"};
}

double integral_of_ramp_and_step(double t) {
  const auto part = [t](double begin, double end, double from, double to) {
    const double s = std::clamp(t, begin, end) - begin;
    return s * (from + 0.5 * s * (to - from) / (end - begin));
  };
  return part(1, 3, 0, 2) + part(3, 5, -1, -1) + part(5, 6, -1, 0);
}

TEST(Inputs, AreFollowedFromKnotToKnot) {
  for (const std::string& method : kMethods) {
    for (const double tolerance : {1e-4, 1e-9}) {
      const HybridRun run = run_text(
          kLag, {{"stop", "8"}, {"interval", "0.1"}, {"method", method}, {"tolerance", number(tolerance)}},
          {ramp_and_step()});
      ASSERT_TRUE(run.result.ok()) << run.log();
      EXPECT_THAT(run.times("time"), ElementsAre(1, 3, 5, 6)) << method << run.log();
      for (const RowRecord& row : run.rows) {
        ASSERT_NEAR(run.value(row, "x"), integral_of_ramp_and_step(row.time), 10.0 * tolerance)
            << method << " at " << row.time;
      }
      const std::vector<RowRecord> step = run.rows_at(3.0);
      ASSERT_GE(step.size(), 2U);
      EXPECT_NEAR(run.value(step.front(), "u"), 2.0, 1e-12);
      EXPECT_EQ(run.value(step.back(), "u"), -1.0);
      EXPECT_TRUE(run.says("held outside"));
    }
  }
}

TEST(Inputs, BackwardsInTime) {
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(
        kLag, {{"start", "7"}, {"stop", "0"}, {"method", method}, {"tolerance", "1e-8"}}, {ramp_and_step()});
    ASSERT_TRUE(run.result.ok()) << run.log();
    EXPECT_NEAR(run.final("x"), -integral_of_ramp_and_step(7.0), 1e-6) << method;
    EXPECT_THAT(run.times("time"), ElementsAre(6, 5, 3, 1)) << method << run.log();
  }
}

// A start, or a stop, at a knot.
TEST(Inputs, BeginAndEndAtKnots) {
  for (const std::string& method : kMethods) {
    for (const auto& [start, stop] : {std::pair{1.0, 3.0}, {3.0, 5.0}, {5.0, 3.0}, {3.0, 1.0}, {6.0, 1.0}}) {
      const HybridRun run = run_text(
          kLag, {{"start", number(start)}, {"stop", number(stop)}, {"method", method}, {"tolerance", "1e-8"}},
          {ramp_and_step()});
      ASSERT_TRUE(run.result.ok()) << run.log();
      EXPECT_NEAR(run.final("x"), integral_of_ramp_and_step(stop) - integral_of_ramp_and_step(start), 1e-6)
          << method << ' ' << start << ' ' << stop << run.log();
    }
  }
}

TEST(Inputs, RulesOfSingleInputs) {
  const std::string text =
      "model M\n input Real u, v, w;\n input Boolean b;\n input Integer n;\n Real x(start = 0, fixed = "
      "true);\n"
      "equation\n der(x) = u + v + w + (if b then 1 else 0) + n;\nend M;\n";
  const InputTable table{.times = {0, 1, 2, 3},
                         .columns = {{"u", {0, 1, 0, 2}},
                                     {"v", {0, 1, 0, 2}},
                                     {"w", {0, 1, 0, 2}},
                                     {"b", {0, 1, 1, 0}},
                                     {"n", {3, 1, -2, 0}}},
                         .source = "table"};
  const HybridRun run = run_text(
      text, {{"stop", "3"}, {"interval", "0.5"}, {"input-rule", "u=hold"}, {"input-rule", "v=cubic"}},
      {table});
  ASSERT_TRUE(run.result.ok()) << run.log();
  const RowRecord row = run.rows_at(0.5).back();
  EXPECT_EQ(run.value(row, "u"), 0.0);
  // By hand: second derivatives of the natural spline at 1 and 2 solve 4a + b = -12, a + 4b = 18.
  const double a = -66.0 / 15.0;
  EXPECT_NEAR(run.value(row, "v"), 0.5 - a / 16.0, 1e-14);
  EXPECT_EQ(run.value(row, "w"), 0.5);
  EXPECT_EQ(run.value(row, "b"), 0.0);
  EXPECT_EQ(run.value(row, "n"), 3.0);
  EXPECT_EQ(run.value(run.rows_at(1.5).back(), "b"), 1.0);
  EXPECT_EQ(run.value(run.rows_at(2.5).back(), "n"), -2.0);
}

TEST(Inputs, WhatTheModelReactsTo) {
  const std::string text =
      "model M\n input Real u;\n discrete Integer n(start = 0, fixed = true);\n Real y;\nequation\n y = "
      "abs(u);\n"
      " when u > 0.5 then\n  n = pre(n) + 1;\n end when;\nend M;\n";
  InputTable wave{.times = {}, .columns = {{"u", {}}}, .source = "table"};
  for (int k = 0; k <= 40; ++k) {
    wave.times.push_back(0.25 * k);
    wave.columns[0].values.push_back(k % 4 == 1 ? 1.0 : k % 4 == 3 ? -1.0 : 0.0);
  }
  for (const char* const rule : {"linear", "hold", "cubic"}) {
    const HybridRun run = run_text(text, {{"stop", "10"}, {"input-rule", rule}}, {wave});
    ASSERT_TRUE(run.result.ok()) << run.log();
    EXPECT_EQ(run.final("n"), 10.0) << rule << run.log();
  }
}

// der(u) comes from the interpolant: a step where the line bends, twice differentiable on a spline.
TEST(Inputs, DerivativesThatAnIndexNeeds) {
  const std::string velocity = "model M\n input Real u;\n Real v;\nequation\n v = der(u);\nend M;\n";
  const InputTable table{.times = {0, 1, 3, 4}, .columns = {{"u", {0, 2, 1, 1}}}, .source = "table"};
  const HybridRun lines = run_text(velocity, {{"stop", "4"}, {"interval", "0.5"}}, {table});
  ASSERT_TRUE(lines.result.ok()) << lines.log();
  EXPECT_NEAR(lines.value(lines.rows_at(0.5).back(), "v"), 2.0, 1e-13);
  EXPECT_NEAR(lines.value(lines.rows_at(1.0).back(), "v"), -0.5, 1e-13);
  EXPECT_NEAR(lines.value(lines.rows_at(3.5).back(), "v"), 0.0, 1e-13);
  EXPECT_THAT(problems_of(velocity, {{"input-rule", "hold"}}, {table}),
              HasSubstr("the derivative of order 1 of the input u, whose table jumps"));
  EXPECT_THAT(problems_of(velocity, {}, {{{0, 1, 1, 2}, {{"u", {0, 1, 2, 2}}}, "t"}}),
              HasSubstr("[input-derivative]"));
  const std::string force =
      "model M\n input Real u;\n Real x, v, F;\nequation\n x = u;\n der(x) = v;\n 2*der(v) = F;\nend M;\n";
  EXPECT_THAT(problems_of(force, {}, {table}), HasSubstr("the derivative of order 2 of the input u"));
  InputTable sine{.times = {}, .columns = {{"u", {}}}, .source = "table"};
  for (int k = 0; k <= 200; ++k) {
    sine.times.push_back(std::acos(-1.0) * k / 100.0);
    sine.columns[0].values.push_back(std::sin(sine.times.back()));
  }
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(
        force, {{"start", "0.1"}, {"stop", "6"}, {"method", method}, {"input-rule", "cubic"}}, {sine});
    ASSERT_TRUE(run.result.ok()) << run.log();
    for (const RowRecord& row : run.rows) {
      ASSERT_NEAR(run.value(row, "v"), std::cos(row.time), 1e-5);
      ASSERT_NEAR(run.value(row, "F"), -2.0 * std::sin(row.time), 1e-3);  // order 2 of the second derivative
    }
    EXPECT_EQ(run.count("time"), 0U) << run.log();
  }
}

// Beyond the ends of a spline its last value holds: it bends there, and what was differentiated jumps.
TEST(Inputs, ASplineEnds) {
  const std::string text =
      "model M\n input Real u;\n Real v, x(start = 0, fixed = true);\nequation\n v = der(u);\n der(x) = "
      "u;\nend M;\n";
  const InputTable table{.times = {1, 2, 3}, .columns = {{"u", {0, 1, 0}}}, .source = "table"};
  for (const std::string& method : kMethods) {
    const HybridRun run = run_text(
        text, {{"stop", "4"}, {"method", method}, {"input-rule", "cubic"}, {"tolerance", "1e-9"}}, {table});
    ASSERT_TRUE(run.result.ok()) << run.log();
    EXPECT_NEAR(run.final("x"), 1.25, 1e-7) << method;  // twice the integral of 1.5 s - 0.5 s³
    EXPECT_EQ(run.final("v"), 0.0);
    EXPECT_THAT(run.times("time"), ElementsAre(1, 3)) << run.log();
    EXPECT_NEAR(run.value(run.rows_at(1.0).back(), "v"), 1.5, 1e-12);
    EXPECT_NEAR(run.value(run.rows_at(3.0).front(), "v"), -1.5, 1e-12);
  }
}

TEST(Inputs, ADeclarationEquationIsADefault) {
  const std::string text =
      "model M\n input Real u = 3;\n Real x(start = 0, fixed = true);\nequation\n der(x) = u;\nend M;\n";
  EXPECT_NEAR(run_text(text, {{"stop", "1"}}).final("x"), 3.0, 1e-9);
  EXPECT_NEAR(run_text(text, {{"stop", "1"}}, {{{0, 1}, {{"u", {5, 5}}}, "table"}}).final("x"), 5.0, 1e-9);
}

TEST(Inputs, InModes) {
  const std::string text =
      "model M\n input Real u;\n Real x(start = 0, fixed = true);\ninitial mode a\n equation\n  der(x) = u;\n"
      " transition to b when x > 1;\nend a;\nmode b\n equation\n  der(x) = -u;\n transition to a when x < "
      "0.5;\n"
      "end b;\nend M;\n";
  const InputTable table{.times = {0, 2, 2, 4}, .columns = {{"u", {1, 1, 0.25, 0.25}}}, .source = "table"};
  const HybridRun run = run_text(text, {{"stop", "4"}, {"tolerance", "1e-9"}}, {table});
  ASSERT_TRUE(run.result.ok()) << run.log();
  // Up to 1 at t = 1, down to 0.5 at 1.5, up to 1 at 2: as the step comes. Then down by a quarter each second.
  EXPECT_NEAR(run.final("x"), 0.5, 1e-6) << run.log();
}

TEST(Inputs, WhatIsWrongIsNamed) {
  const auto problems = [](InputTable table, const OptionList& options = {}) {
    return problems_of(kLag, options, {std::move(table)});
  };
  EXPECT_THAT(problems({{0, 1}, {{"uu", {0, 1}}}, "t.csv"}), HasSubstr("t.csv: the model has no input 'uu'"));
  EXPECT_THAT(problems({{0, 1}, {{"x", {0, 1}}}, "t.csv"}), HasSubstr("the model has no input 'x'"));
  EXPECT_THAT(problems({{0, 1}, {{"u", {0, 1}}, {"u", {0, 1}}}, "t.csv"}), HasSubstr("given twice"));
  EXPECT_THAT(problems({{0, 1}, {{"u", {0}}}, "t.csv"}), HasSubstr("1 values at 2 times"));
  EXPECT_THAT(problems({{1, 0}, {{"u", {0, 1}}}, "t.csv"}), HasSubstr("must ascend"));
  EXPECT_THAT(problems({{0, 1, 1, 1}, {{"u", {0, 1, 1, 1}}}, "t.csv"}), HasSubstr("three times"));
  EXPECT_THAT(problems({{}, {{"u", {}}}, "t.csv"}), HasSubstr("no points"));
  EXPECT_THAT(problems({{0, 1}, {{"u", {0, std::nan("")}}}, "t.csv"}), HasSubstr("cannot be nan"));
  EXPECT_THAT(problems({{0, 1}, {{"u", {0, 1}}}, "t.csv"}, {{"set", "u=3"}}), HasSubstr("set besides"));
  EXPECT_THAT(problems({{0, 1}, {{"u", {0, 1}}}, "t.csv"}, {{"input-rule", "v=hold"}}),
              HasSubstr("no input 'v'"));
  EXPECT_THAT(problems({{0, 1, 1, 2}, {{"u", {0, 1, 0, 1}}}, "t.csv"}, {{"input-rule", "cubic"}}),
              HasSubstr("'linear' only"));
  EXPECT_THAT(problems_of("model M\n input Real u;\nequation\n u = 3*time;\nend M;\n", {},
                          {{{0, 1}, {{"u", {0, 1}}}, "t"}}),
              HasSubstr("an equation of the model gives an input already"));
  const std::string boolean = "model M\n input Boolean b;\n Real x = if b then 1 else 0;\nend M;\n";
  EXPECT_THAT(problems_of(boolean, {}, {{{0, 1}, {{"b", {0, 2}}}, "t"}}), HasSubstr("cannot be 2"));
  EXPECT_THAT(problems_of(boolean, {{"input-rule", "b=linear"}}, {{{0, 1}, {{"b", {0, 1}}}, "t"}}),
              HasSubstr("its rule is 'hold'"));
}

// x' = f(x) with f through (0, 1), (1, 2), (2, 0.5): exponentials, with a kink at x = 1; beyond 2 the last value holds.
TEST(Tables, OfAState) {
  const std::string text =
      "model M\n parameter Real T[:,2] = {{0, 1}, {1, 2}, {2, 0.5}};\n Real x(start = 0, fixed = "
      "true);\nequation\n"
      " der(x) = interpolate(T, x);\nend M;\n";
  // x = e^t - 1 up to 1 at ln 2; then x' = 2 - 1.5 (x - 1): x - 1 = 4/3 (1 - e^(-1.5 s)), x = 2 at s = ln(4)/1.5.
  const double first = std::log(2.0);
  const double second = first + std::log(4.0) / 1.5;
  const auto x = [&](double t) {
    return t < first    ? std::exp(t) - 1.0
           : t < second ? 1.0 + 4.0 / 3.0 * (1.0 - std::exp(-1.5 * (t - first)))
                        : 2.0 + 0.5 * (t - second);
  };
  for (const std::string& method : kMethods) {
    for (const double tolerance : {1e-5, 1e-9}) {
      const HybridRun run =
          run_text(text, {{"stop", "3"}, {"method", method}, {"tolerance", number(tolerance)}});
      ASSERT_TRUE(run.result.ok()) << run.log();
      EXPECT_EQ(run.count("condition"), 2U) << method << run.log();
      for (const RowRecord& row : run.rows) {
        ASSERT_NEAR(run.value(row, "x"), x(row.time), 20.0 * tolerance) << method << " at " << row.time;
      }
    }
  }
}

// An equilibrium at a knot, approached from both sides, and one that a wave passes again and again.
TEST(Tables, RestAtAKnot) {
  for (const std::string& method : kMethods) {
    for (const double start : {-0.7, 0.7}) {
      const HybridRun run = run_text(
          "model M\n Real x(start = " + number(start) +
              ", fixed = true);\nequation\n der(x) = -interpolate({{-1, -2}, {0, 0}, {1, 1}}, x);\nend M;\n",
          {{"stop", "40"}, {"method", method}});
      ASSERT_TRUE(run.result.ok()) << method << run.log();
      EXPECT_NEAR(run.final("x"), 0.0, 1e-5);
      EXPECT_LT(run.events.size(), 20U) << method << run.log();
    }
    const HybridRun wave = run_text(
        "model M\n Real y, q(start = 0, fixed = true);\nequation\n y = interpolate({{-1, 1}, {0, 0}, {1, "
        "1}}, "
        "sin(time));\n der(q) = y;\nend M;\n",
        {{"stop", "9.42477796076938"}, {"method", method}, {"tolerance", "1e-8"}});
    ASSERT_TRUE(wave.result.ok()) << method << wave.log();
    EXPECT_NEAR(wave.final("q"), 6.0, 1e-6) << method;
  }
}

TEST(Tables, OfTwoArguments) {
  const std::string text =
      "model M\n parameter Real T[:,:] = [0, 0, 1, 3; 0, 0, 1, 3; 2, 4, 9, 19];\n Real x = 2*time, y = "
      "3*time, z;\n"
      "equation\n z = interpolate(T, x, y);\nend M;\n";
  // Bilinear data x·(2 + 2·y) + y are met exactly on every piece.
  const HybridRun run = run_text(text, {{"stop", "1"}, {"interval", "0.1"}});
  ASSERT_TRUE(run.result.ok()) << run.log();
  for (const RowRecord& row : run.rows) {
    const double x = 2.0 * row.time;
    const double y = 3.0 * row.time;
    EXPECT_NEAR(run.value(row, "z"), x * (2.0 + 2.0 * y) + y, 1e-12) << row.time;
  }
}

TEST(Tables, WhereNothingIsWatched) {
  const std::string text =
      "model M\n parameter Real p = interpolate({{0, 1}, {2, 5}}, 0.5);\n constant Real c = 2;\n"
      " discrete Real d(start = 0, fixed = true);\n Real x = 3*time, y, z;\nequation\n"
      " y = noEvent(interpolate({{0, 0}, {1, 2}, {2, 0}, {3, 4}}, x));\n"
      " z = interpolate({{0, 0}, {1, 2}, {2, 0}, {3, 4}}, d);\n"
      " when time > 0.5 then\n  d = interpolate({{0, 0}, {3, 6}}, x, rule = \"linear\");\n end when;\nend "
      "M;\n";
  const HybridRun run = run_text(text, {{"stop", "1"}, {"interval", "0.125"}});
  ASSERT_TRUE(run.result.ok()) << run.log();
  for (const RowRecord& row : run.rows) {
    const double x = 3.0 * row.time;
    const double y = x < 1.0 ? 2.0 * x : x < 2.0 ? 4.0 - 2.0 * x : 4.0 * (x - 2.0);
    EXPECT_NEAR(run.value(row, "y"), y, 1e-12);
  }
  EXPECT_NEAR(run.final("d"), 3.0, 1e-9);
  EXPECT_NEAR(run.final("z"), 4.0, 1e-8);
  EXPECT_EQ(std::get<double>(run.result.parameters[0].value), 2.0);
}

TEST(Tables, CallsThatAreWrong) {
  const auto problems = [](const std::string& call) {
    return problems_of("model M\n Real x = time, y;\nequation\n y = " + call + ";\nend M;\n");
  };
  EXPECT_THAT(problems("interpolate({{0, 0}, {1, 1}}, x)"), IsEmpty());
  EXPECT_THAT(problems("interpolate({{0, 0}, {1, 1}})"), HasSubstr("takes data and one or two arguments"));
  EXPECT_THAT(problems("interpolate({0, 1}, x)"), HasSubstr("matrix of numbers"));
  EXPECT_THAT(problems("interpolate({{1, 0}, {0, 1}}, x)"), HasSubstr("must ascend"));
  EXPECT_THAT(problems("interpolate({{0, x}, {1, 1}}, x)"), HasSubstr("must be known at compile time"));
  EXPECT_THAT(problems("interpolate({{0, 0}, {1, 1}}, x, rule = \"quintic\")"),
              HasSubstr("\"linear\", \"hold\""));
  EXPECT_THAT(problems("interpolate({{0, 0}, {1, 1}}, x, color = 3)"), HasSubstr("rule and column"));
  EXPECT_THAT(problems("interpolate({{0, 0}, {1, 1}}, x, column = 3)"), HasSubstr("no column 3"));
  EXPECT_THAT(problems("interpolate({{0, 0}, {1, 1}}, {x, x})"), HasSubstr("scalar numbers"));
  EXPECT_THAT(problems("interpolate(\"table.csv\", x)"), HasSubstr("has no folder"));
  EXPECT_THAT(problems("der(interpolate({{0, 0}, {1, 1}}, x, rule = \"hold\"))"),
              HasSubstr("contains a step"));
  EXPECT_THAT(problems("der(interpolate({{0, 0}, {1, 1}}, x))"), IsEmpty());
}

TEST(Tables, AFunctionOfTheUserHasTheName) {
  const HybridRun run = run_text(
      "function interpolate\n input Real a;\n output Real b;\nalgorithm\n b := 2*a;\nend interpolate;\n"
      "model M\n Real y = interpolate(time);\nend M;\n",
      {{"stop", "3"}});
  EXPECT_NEAR(run.final("y"), 6.0, 1e-12);
}

}  // namespace
}  // namespace saltus::test
