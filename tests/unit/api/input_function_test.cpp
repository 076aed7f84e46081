// Inputs that are functions of time: values, derivatives, jumps, and what is wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "saltus/simulation.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

const char* const kFollower = R"(model Follower
  input Real u(start = 0);
  Real x(start = 0, fixed = true);
equation
  der(x) = u;
end Follower;
)";

Model follower() {
  return Model::from_text("m.mo", kFollower).value();
}

Diagnostic problem_of(const SimulationOptions& options, const Model& model = follower()) {
  const auto result = simulate(model, options);
  EXPECT_FALSE(result);
  return result ? Diagnostic{} : result.error().items()[0];
}

TEST(InputFunctions, SmoothOnesMakeNoEvents) {
  for (const double stop : {6.0, -6.0}) {
    const SimulationResult run =
        simulate(
            follower(),
            {.stop = stop,
             .tolerance = 1e-10,
             .input_functions = {{"u", [](double t) { return std::cos(3.0 * t) * std::exp(-0.1 * t); }}}})
            .value();
    ASSERT_TRUE(run.ok()) << run.message;
    EXPECT_TRUE(run.events.empty());
    const auto integral = [](double t) {
      return (std::exp(-0.1 * t) * (3.0 * std::sin(3.0 * t) - 0.1 * std::cos(3.0 * t)) + 0.1) / 9.01;
    };
    for (std::size_t k = 0; k < run.trajectory.n_rows(); ++k) {
      const double t = run.trajectory.times()[k];
      EXPECT_NEAR(run.trajectory.row(k)[0], std::cos(3.0 * t) * std::exp(-0.1 * t), 1e-11) << t;
      EXPECT_NEAR(run.trajectory.row(k)[1], integral(t), 1e-8) << t;
    }
  }
}

TEST(InputFunctions, JumpsAreEventsWhereTheyAreGiven) {
  const auto saw = [](double t) { return t < 0.3 ? 1.0 : t < 0.7 ? t * t : -std::sin(t); };
  const SimulationResult run =
      simulate(follower(),
               {.stop = 1.0, .tolerance = 1e-10, .input_functions = {{"u", saw, {-5.0, 0.3, 0.7, 9.0}}}})
          .value();
  ASSERT_TRUE(run.ok()) << run.message;
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[0].time, 0.3);
  EXPECT_EQ(run.events[1].time, 0.7);
  EXPECT_NEAR(run.trajectory.before(0.3, "u"), 1.0, 1e-12);
  EXPECT_NEAR(run.trajectory.at(0.3, "u"), 0.09, 1e-12);
  EXPECT_NEAR(run.trajectory.before(0.7, "u"), 0.49, 1e-12);
  EXPECT_NEAR(run.trajectory.at(0.7, "u"), -std::sin(0.7), 1e-12);
  const double integral = 0.3 + (0.343 - 0.027) / 3.0 + std::cos(1.0) - std::cos(0.7);
  EXPECT_NEAR(run.final_value("x"), integral, 1e-10);
}

TEST(InputFunctions, AnIndexMayNeedTheirDerivatives) {
  const Model prescribed = Model::from_text("m.mo", R"(model Prescribed
  input Real u(start = 0);
  Real x(start = 0), v, force;
equation
  x = u;
  der(x) = v;
  der(v) = force;
end Prescribed;
)")
                               .value();
  const SimulationResult run =
      simulate(prescribed,
               {.stop = 2.0, .input_functions = {{"u", [](double t) { return std::sin(2.0 * t); }}}})
          .value();
  ASSERT_TRUE(run.ok()) << run.message;
  EXPECT_NEAR(run.final_value("v"), 2.0 * std::cos(4.0), 1e-9);
  EXPECT_NEAR(run.final_value("force"), -4.0 * std::sin(4.0), 1e-7);
}

TEST(InputFunctions, DriveASimulationBesideInputsThatAreSet) {
  const Model model = Model::from_text("m.mo", R"(model M
  input Real u(start = 0), w(start = 2);
  Real x(start = 0, fixed = true);
equation
  der(x) = u*w;
end M;
)")
                          .value();
  Simulation led = std::move(
      Simulation::begin(
          model, {.stop = 2.0, .tolerance = 1e-9, .input_functions = {{"u", [](double t) { return t; }}}})
          .value());
  ASSERT_TRUE(led.advance_to(1.0));
  EXPECT_NEAR(led.value("x"), 1.0, 1e-9);
  EXPECT_NEAR(led.derivative("u"), 1.0, 1e-9);
  ASSERT_TRUE(led.set_input("w", -1.0));
  EXPECT_FALSE(led.advance_to(2.0));
  EXPECT_NEAR(led.finish().final_value("x"), 1.0 - 1.5, 1e-9);
}

TEST(InputFunctions, WhatIsWrongIsNamed) {
  const auto one = [](double) { return 1.0; };
  EXPECT_EQ(problem_of({.input_functions = {{"v", one}}}).code, "unknown-input");
  EXPECT_THAT(problem_of({.input_functions = {{"v", one}}}).message, HasSubstr("'v'"));
  EXPECT_THAT(problem_of({.input_functions = {{"u", one}, {"u", one}}}).message, HasSubstr("given twice"));
  EXPECT_THAT(problem_of({.set = {{"u", 1.0}}, .input_functions = {{"u", one}}}).message,
              HasSubstr("set besides"));
  EXPECT_THAT(problem_of({.input_functions = {{"u", {}}}}).message, HasSubstr("no function"));
  EXPECT_THAT(problem_of({.input_functions = {{"u", one, {0.5, 0.2}}}}).message, HasSubstr("ascend"));
  EXPECT_THAT(problem_of({.input_functions = {{"u", one, {std::nan("")}}}}).message, HasSubstr("finite"));
  Diagnostic problem =
      problem_of({.input_functions = {{"u", [](double t) -> double {
                                         return t > 0.5 ? throw std::runtime_error("no data") : 1;
                                       }}}});
  EXPECT_EQ(problem.code, "input-function-failed");
  EXPECT_THAT(problem.message, HasSubstr("no data"));
  problem = problem_of({.input_functions = {{"u", [](double t) { return t < 0.3 ? 1.0 : std::nan(""); }}}});
  EXPECT_EQ(problem.code, "input-function-failed");
  EXPECT_THAT(problem.message, HasSubstr("nan"));
  problem = problem_of({.input_functions = {{"u", [](double t) { return t < 0.4 ? 0.0 : 1.0; }}}});
  EXPECT_EQ(problem.code, "input-function-failed");
  EXPECT_THAT(problem.message, HasSubstr("not smooth near time 0.4"));
  const Model whole =
      Model::from_text("m.mo",
                       "model M\n input Boolean b(start = false);\n Real x(start = 0, fixed = "
                       "true);\nequation\n der(x) = if b then 1 else 0;\nend M;\n")
          .value();
  EXPECT_THAT(problem_of({.input_functions = {{"b", one}}}, whole).message, HasSubstr("events only"));
}

}  // namespace
}  // namespace saltus
