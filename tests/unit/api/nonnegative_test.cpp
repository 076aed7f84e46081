// --nonnegative: steps that make a variable negative are refused; nothing is changed; where the solution itself becomes negative
// the run says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Methods with step-size control.
const std::vector<std::string> kMethods{"dopri5", "fehlberg45", "fehlberg78", "rk23",
                                        "radau5", "sdirk4",     "bdf"};
const std::vector<std::string> kStiffMethods{"radau5", "sdirk4", "bdf"};

Model model_of(const std::string& text) {
  return Model::from_text("m.mo", text).value();
}

double lowest(const SimulationResult& result, const std::string& name) {
  double least = 0.0;
  for (std::size_t i = 0; i < result.variables.size(); ++i) {
    if (result.variables[i].name == name) {
      for (std::size_t row = 0; row < result.trajectory.n_rows(); ++row) {
        least = std::min(least, result.trajectory.row(row)[i]);
      }
    }
  }
  return least;
}

const char* const kRobertson = R"(model Robertson
  Real y1(start = 1, fixed = true);
  Real y2(start = 0, fixed = true);
  Real y3;
equation
  der(y1) = -0.04*y1 + 1e4*y2*y3;
  der(y2) = 0.04*y1 - 1e4*y2*y3 - 3e7*y2^2;
  y1 + y2 + y3 = 1;
end Robertson;
)";

// Beyond zero the solutions run away to minus infinity: steps that would lead there are refused, with the option and without it.
TEST(Nonnegative, RobertsonAtLooseTolerances) {
  const Model model = model_of(kRobertson);
  int n_lost = 0;
  for (const std::string& method : kStiffMethods) {
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
      SimulationOptions options{.stop = 1e11, .tolerance = tolerance, .method = method};
      const SimulationResult free = simulate(model, options).value();
      n_lost += !free.ok() || std::min(lowest(free, "y1"), lowest(free, "y2")) < -tolerance ? 1 : 0;
      options.nonnegative = {"y1", "y2", "y3"};
      const SimulationResult result = simulate(model, options).value();
      EXPECT_EQ(result.status, SimulationStatus::success)
          << method << " " << tolerance << ": " << result.message;
      for (const char* name : {"y1", "y2", "y3"}) {
        EXPECT_GE(lowest(result, name), -tolerance) << method << " " << name;
      }
      EXPECT_NEAR(result.final_value("y3"), 1.0, tolerance) << method << " " << tolerance;
    }
  }
  EXPECT_EQ(n_lost, 0) << "without the option";
}

TEST(Nonnegative, ASolutionThatCrossesZeroFailsByName) {
  const Model model = model_of(R"(model Fall
  Real x(start = 1, fixed = true);
  Real other(start = 1, fixed = true);
equation
  der(x) = -1;
  der(other) = -2;
end Fall;
)");
  for (const std::string& method : kMethods) {
    const SimulationResult result =
        simulate(model, {.stop = 3.0, .nonnegative = {"x"}, .method = method}).value();
    EXPECT_EQ(result.status, SimulationStatus::failed) << method;
    EXPECT_EQ(result.reason, "bound_left") << method;
    EXPECT_THAT(result.message, HasSubstr("x becomes negative at t = 1")) << method;
    // The tolerance is 1e-6: x = 1 - t is there at t = 1 + 1e-6.
    EXPECT_NEAR(result.end, 1.0 + 1e-6, 1e-9) << method;
    EXPECT_GE(lowest(result, "x"), -1e-6) << method;
    EXPECT_LT(result.statistics.accepted_steps + result.statistics.rejected_steps, 1000) << method;
    EXPECT_GT(result.statistics.rejected_by_bounds, 0) << method;
    EXPECT_GT(result.statistics.negative_within_tolerance, 0) << method;
  }
}

TEST(Nonnegative, BackwardsInTimeToo) {
  const Model model = model_of("model Rise Real x(start = 1, fixed = true); equation der(x) = 1; end Rise;");
  const SimulationResult result = simulate(model, {.stop = -3.0, .nonnegative = {"x"}}).value();
  EXPECT_EQ(result.reason, "bound_left");
  EXPECT_NEAR(result.end, -1.0 - 1e-6, 1e-9);
}

TEST(Nonnegative, ZeroIsTouchedTangentially) {
  // x = (t - 1)², whose derivative is known as a function of time: the solution touches zero and goes on.
  const Model model = model_of(R"(model Touch
  Real x(start = 1, fixed = true);
equation
  der(x) = 2*(time - 1);
end Touch;
)");
  for (const std::string& method : kMethods) {
    const SimulationResult result =
        simulate(model, {.stop = 2.0, .interval = 1.0 / 64, .nonnegative = {"x"}, .method = method}).value();
    EXPECT_EQ(result.status, SimulationStatus::success) << method << ": " << result.message;
    EXPECT_NEAR(result.final_value("x"), 1.0, 1e-5) << method;
    EXPECT_GE(lowest(result, "x"), -1e-6) << method;
  }
}

TEST(Nonnegative, StepsThatJumpBelowZeroAreRepeatedSmaller) {
  // A decay; with so loose a tolerance explicit steps go below zero.
  const Model model = model_of(R"(model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -50*x;
end Decay;
)");
  const SimulationOptions free{.stop = 2.0, .rtol = 0.5, .atol = 0.1, .method = "rk23", .initial_step = 0.06};
  const SimulationResult before = simulate(model, free).value();
  ASSERT_LT(lowest(before, "x"), -1e-3) << "the test needs a run that becomes negative by itself";
  SimulationOptions bounded = free;
  bounded.nonnegative = {"x"};
  bounded.atol_of = {{"x", 1e-4}};
  bounded.atol = 0.1;
  const SimulationResult after = simulate(model, bounded).value();
  EXPECT_EQ(after.status, SimulationStatus::success) << after.message;
  EXPECT_GE(lowest(after, "x"), -1e-4);
}

TEST(Nonnegative, AlgebraicVariablesAreWatched) {
  // y is solved from x by an equation that is not linear; it leaves zero at x = 1/2, t = ln 2.
  const Model model = model_of(R"(model Algebraic
  Real x(start = 1, fixed = true);
  Real y(start = 0.5);
equation
  der(x) = -x;
  y + 0.1*y^3 = x - 0.5;
end Algebraic;
)");
  for (const std::string& method : kMethods) {
    const SimulationResult result =
        simulate(model, {.stop = 3.0, .nonnegative = {"y"}, .method = method}).value();
    EXPECT_EQ(result.reason, "bound_left") << method;
    EXPECT_THAT(result.message, HasSubstr("y becomes negative")) << method;
    EXPECT_NEAR(result.end, std::log(2.0), 1e-4) << method;
  }
  const SimulationResult loose =
      simulate(model, {.stop = 3.0, .atol_of = {{"y", 0.6}}, .nonnegative = {"y"}}).value();
  EXPECT_EQ(loose.status, SimulationStatus::success) << loose.message;
  ASSERT_EQ(loose.diagnostics.items().size(), 1U);
  EXPECT_EQ(loose.diagnostics.items()[0].code, "negative-within-tolerance");
  EXPECT_THAT(loose.diagnostics.items()[0].message,
              HasSubstr("y was negative within its absolute tolerance of 0.6"));
}

TEST(Nonnegative, AnEventComesBeforeTheBoundIsLeft) {
  const Model model = model_of(R"(model Ball
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 and v < 0 then
    reinit(v, -0.8*pre(v));
  end when;
end Ball;
)");
  for (const std::string& method : kMethods) {
    const SimulationResult result =
        simulate(model, {.stop = 2.0, .nonnegative = {"h"}, .method = method}).value();
    EXPECT_EQ(result.status, SimulationStatus::success) << method << ": " << result.message;
    EXPECT_GE(result.events.size(), 3U) << method;
  }
}

TEST(Nonnegative, WhatAStartOrAnEventSetsCannotBeRepairedBySteps) {
  const Model model = model_of(R"(model Set
  Real x(start = 1, fixed = true);
equation
  der(x) = 1;
  when time >= 0.5 then
    reinit(x, -2);
  end when;
end Set;
)");
  const SimulationResult by_event = simulate(model, {.nonnegative = {"x"}}).value();
  EXPECT_EQ(by_event.reason, "bound_left");
  EXPECT_THAT(by_event.message, HasSubstr("x is -2 at t = 0.5"));
  const SimulationResult at_start = simulate(model, {.nonnegative = {"x"}, .set = {{"x", -1.0}}}).value();
  EXPECT_EQ(at_start.reason, "bound_left");
  EXPECT_EQ(at_start.end, 0.0);
}

TEST(Nonnegative, FixedStepsFailAtOnce) {
  const Model model = model_of("model Fall Real x(start = 1, fixed = true); equation der(x) = -1; end Fall;");
  const SimulationResult result =
      simulate(model, {.stop = 3.0, .nonnegative = {"x"}, .method = "rk4", .step = 0.3}).value();
  EXPECT_EQ(result.reason, "bound_left");
  EXPECT_THAT(result.message, HasSubstr("fixed steps"));
}

TEST(Nonnegative, NamesFromText) {
  const Model model = model_of(R"(model Named
  Real x(start = 1, fixed = true);
  Real A[2, 2](each start = 1, each fixed = true);
equation
  der(x) = -1;
  der(A) = {{0, 0}, {0, -2}};
end Named;
)");
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "nonnegative", "x, A[2,2]").empty());
  EXPECT_THAT(options.nonnegative, ::testing::ElementsAre("x", "A[2,2]"));
  EXPECT_FALSE(set_option(options, "nonnegative", "x,,y").empty());

  const auto reason = [&](const std::string& names) {
    SimulationOptions own{.stop = 2.0};
    EXPECT_TRUE(set_option(own, "nonnegative", names).empty());
    return simulate(model, own).value().message;
  };
  EXPECT_THAT(reason("x, A[2,2]"), HasSubstr("A[2,2] becomes negative at t = 0.5"));
  EXPECT_THAT(reason("A"), HasSubstr("A[2,2] becomes negative at t = 0.5"))
      << "an array stands for its elements";
  EXPECT_THAT(reason("x"), HasSubstr("x becomes negative at t = 1"));
  EXPECT_THAT(reason("A[1,1]"), IsEmpty());

  const auto unknown = simulate(model, {.nonnegative = {"xx"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().items()[0].code, "unknown-bound-name");
  EXPECT_THAT(unknown.error().items()[0].message, HasSubstr("no variable 'xx'"));
}

TEST(Nonnegative, TheModelMaySayItAndTheOptionsWin) {
  const Model model = model_of(R"(model Annotated
  Real x(start = 1, fixed = true);
  Real y(start = 1, fixed = true);
equation
  der(x) = -1;
  der(y) = -2;
  annotation(__saltus(nonnegative = "x"));
end Annotated;
)");
  EXPECT_THAT(simulate(model, {.stop = 2.0}).value().message, HasSubstr("x becomes negative"));
  EXPECT_THAT(simulate(model, {.stop = 2.0, .nonnegative = {"y"}}).value().message,
              HasSubstr("y becomes negative"));
}

}  // namespace
}  // namespace saltus
