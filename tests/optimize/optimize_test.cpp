// Optimisation of runs with events: throws, controllers, bounds, constraints, problems without a solution.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

// A throw from the ground that loses half of its upward speed at each bounce.
constexpr const char* kThrow = R"(
model Throw
  parameter Real speed = 6; parameter Real angle = 0.6; parameter Real g = 10; parameter Real e = 0.5;
  Real x(start = 0, fixed = true); Real y(start = 1e-3, fixed = true);
  Real vx(start = speed*cos(angle), fixed = true); Real vy(start = speed*sin(angle), fixed = true);
equation
  der(x) = vx; der(y) = vy; der(vx) = 0; der(vy) = -g;
  when y <= 0 then
    reinit(vy, -e*pre(vy));
  end when;
end Throw;)";

// Saturated proportional controller with a relay that brakes: der(v) = u, |u| ≤ limit.
constexpr const char* kController = R"(
model Controller
  parameter Real k = 1; parameter Real d = 0.5; parameter Real limit = 1;
  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real wish; Real u;
equation
  der(x) = v; der(v) = u; wish = -k*x - d*v;
  u = if wish > limit then limit elseif wish < -limit then -limit else wish;
end Controller;)";

constexpr const char* kDecay = R"(
model Decay
  parameter Real a = 1; parameter Real b = 0.5;
  Real x(start = b, fixed = true);
equation
  der(x) = -a*x;
end Decay;)";

OptimizeResult solved(const char* text, const std::string& objective, const OptimizeOptions& options) {
  const Result<Model> model = Model::from_text("m.mo", text);
  EXPECT_TRUE(model);
  Result<OptimizeResult> result = optimize(*model, objective, options);
  if (!result) {
    ADD_FAILURE() << render_text(result.error());
    return {};
  }
  return *std::move(result);
}

// Flight times before the second landing: (1 + e)·2·vy/g. It is to land at 4 with the least speed: 45 degrees,
// 4 = 1.5·2·s²·sin·cos/g, s² = 80/3.
TEST(Optimize, AThrowHitsItsTargetAfterTwoBounces) {
  OptimizeOptions options{.parameters = {{"speed", 6.0, 1.0, 20.0}, {"angle", 0.6, 0.1, 1.4}},
                          .subject = {"at_event(2, x) == 4"}};
  options.simulation = {.stop = 3.0, .tolerance = 1e-8};
  options.simulation.set = {{"y", 1e-9}};
  const OptimizeResult found = solved(kThrow, "speed^2", options);
  EXPECT_EQ(found.status, OptimizeStatus::converged) << found.message;
  EXPECT_NEAR(found.parameter("speed").value, std::sqrt(80.0 / 3.0), 1e-4);
  EXPECT_NEAR(found.parameter("angle").value, std::numbers::pi / 4.0, 2e-4);
  ASSERT_EQ(found.constraints.size(), 1U);
  EXPECT_NEAR(found.constraints[0].left, 4.0, 1e-4);
  EXPECT_TRUE(found.constraints[0].is_active);
  EXPECT_LT(found.runs, 40);
}

// The same with least squares of the miss, and the time of the flight as a constraint.
TEST(Optimize, AThrowInAGivenTime) {
  OptimizeOptions options{.parameters = {{"speed", 6.0, 1.0, 20.0}, {"angle", 0.9, 0.1, 1.4}},
                          .subject = {"event_time(2) <= 0.9"}};
  options.simulation = {.stop = 3.0, .tolerance = 1e-8};
  options.simulation.set = {{"y", 1e-9}};
  const OptimizeResult found = solved(kThrow, "(at_event(2, x) - 4)^2", options);
  EXPECT_EQ(found.status, OptimizeStatus::converged) << found.message;
  EXPECT_NEAR(found.value, 0.0, 1e-6);
  EXPECT_LE(found.constraints[0].left, 0.9 + 1e-4);
}

// Least integral of squares at the end of a run through saturation; any gain beside is worse.
TEST(Optimize, GainsOfASaturatedController) {
  OptimizeOptions options{.parameters = {{"k", 1.5, 0.1, 50.0}, {"d", 0.5, 0.1, 50.0}}};
  options.simulation = {.stop = 6.0, .tolerance = 1e-8};
  const std::string objective = "integral(x^2 + 0.1*u^2) + 10*final(x^2 + v^2)";
  const OptimizeResult found = solved(kController, objective, options);
  EXPECT_EQ(found.status, OptimizeStatus::converged) << found.message;
  const Result<Model> model = Model::from_text("m.mo", kController);
  ASSERT_TRUE(model);
  for (const double dk : {-0.02, 0.0, 0.02}) {
    for (const double dd : {-0.02, 0.0, 0.02}) {
      GradientOptions beside{.with = {"k", "d"}, .simulation = options.simulation};
      beside.simulation.set = {{"k", found.parameter("k").value * (1.0 + dk)},
                               {"d", found.parameter("d").value * (1.0 + dd)}};
      const Result<GradientResult> value = gradient(*model, objective, beside);
      ASSERT_TRUE(value && value->ok());
      EXPECT_GE(value->value, found.value * (1.0 - 1e-7)) << dk << ' ' << dd;
    }
  }
}

TEST(Optimize, AnActiveBoundIsNamed) {
  const OptimizeResult found = solved(kDecay, "final(x)", {.parameters = {{"a", 1.0, 0.0, 3.0}}});
  EXPECT_EQ(found.status, OptimizeStatus::converged) << found.message;
  EXPECT_NEAR(found.parameter("a").value, 3.0, 1e-9);
  EXPECT_TRUE(found.parameter("a").at_bound);
}

// min a² with b·e^(-a) ≤ 0.1 at b = 0.5: a = ln 5; loosened by δ, a² falls by 2a/0.1·δ.
TEST(Optimize, AnActiveConstraintHasItsMultiplier) {
  OptimizeOptions options{.parameters = {{"a"}}, .subject = {"final(x) <= 0.1", "final(x) >= -1"}};
  options.simulation.tolerance = 1e-8;
  const OptimizeResult found = solved(kDecay, "a^2", options);
  EXPECT_EQ(found.status, OptimizeStatus::converged) << found.message;
  const double a = std::log(5.0);
  EXPECT_NEAR(found.parameter("a").value, a, 1e-4);
  EXPECT_TRUE(found.constraints[0].is_active);
  EXPECT_NEAR(found.constraints[0].multiplier, 20.0 * a, 1e-2);
  EXPECT_FALSE(found.constraints[1].is_active);
  EXPECT_EQ(found.constraints[1].violation, 0.0);
}

TEST(Optimize, WhatCannotBeMetIsSaid) {
  const OptimizeResult found =
      solved(kDecay, "a^2", {.parameters = {{"a", 1.0, 0.0, 3.0}}, .subject = {"final(x) <= -0.1"}});
  EXPECT_EQ(found.status, OptimizeStatus::infeasible) << found.message;
  EXPECT_FALSE(found.ok());
  EXPECT_GT(found.constraints[0].violation, 0.1);
}

// The run ends by an assertion for a > 2, where the minimum would be.
TEST(Optimize, TrialsThatCannotBeRunAreRefused) {
  const char* const text = R"(
model Asserted
  parameter Real a = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -a; assert(x > -1, "x is too low");
end Asserted;)";
  const OptimizeResult found = solved(text, "(a - 1.9)^2 - 0.1*a", {.parameters = {{"a", 0.5, 0.0, 100.0}}});
  EXPECT_EQ(found.status, OptimizeStatus::converged) << found.message;
  EXPECT_NEAR(found.parameter("a").value, 1.95, 1e-4);
  const OptimizeResult edge = solved(text, "-a", {.parameters = {{"a", 1.5, 0.0, 100.0}}});
  EXPECT_EQ(edge.status, OptimizeStatus::limit);
  EXPECT_FALSE(edge.failed_trials.empty());
  EXPECT_LE(edge.parameter("a").value, 2.0 + 1e-9);
  for (const OptimizeResult::FailedTrial& trial : edge.failed_trials) {
    EXPECT_GT(trial.parameters[0], 2.0 - 1e-9);
    EXPECT_NE(trial.problem.find("x is too low"), std::string::npos) << trial.problem;
  }
  const OptimizeResult none = solved(text, "-a", {.parameters = {{"a", 5.0, 0.0, 100.0}}});
  EXPECT_EQ(none.status, OptimizeStatus::failed);
  EXPECT_NE(none.message.find("x is too low"), std::string::npos) << none.message;
}

// Derivatives are zero on a maximum, too.
TEST(Optimize, ItDoesNotStayOnAMaximum) {
  OptimizeOptions options{.parameters = {{"b", 0.5, -1.0, 1.0}}};
  const OptimizeResult result = solved(kDecay, "-(b - 0.5)^2 + 0*final(x)", options);
  EXPECT_EQ(result.status, OptimizeStatus::converged) << result.message;
  EXPECT_NEAR(std::abs(result.parameters[0].value), 1.0, 1e-4);
  EXPECT_TRUE(result.parameters[0].at_bound);
}

TEST(Optimize, WhatNothingDependsOnIsNamed) {
  OptimizeOptions options{.parameters = {{"a", 1.0, 0.0, 5.0}, {"b", 0.5, 0.0, 1.0}}};
  const OptimizeResult result = solved(kDecay, "0*final(x) + (b - 0.25)^2", options);
  EXPECT_EQ(result.status, OptimizeStatus::converged) << result.message;
  EXPECT_NEAR(result.parameters[1].value, 0.25, 1e-4);
  EXPECT_NE(render_text(result.diagnostics).find("nothing depends on 'a'"), std::string::npos);
  EXPECT_NE(render_text(result.diagnostics).find("no-influence"), std::string::npos);
  EXPECT_EQ(render_text(result.diagnostics).find("nothing depends on 'b'"), std::string::npos);
}

// What does not come from the run has no noise of it.
TEST(Optimize, AConstantDoesNotHideTheMinimum) {
  for (const char* constant : {"1e3", "1e6", "1e9"}) {
    OptimizeOptions options{.parameters = {{"b", 1.0}}};
    options.simulation = {.stop = 0.01};
    const OptimizeResult result = solved(kDecay, std::string(constant) + " + (final(x) - 3)^2", options);
    EXPECT_EQ(result.status, OptimizeStatus::converged) << result.message;
    EXPECT_NEAR(result.parameters[0].value, 3.0 * std::exp(0.01), 1e-2) << constant;
  }
}

TEST(Optimize, WrongInputIsRefused) {
  const Result<Model> model = Model::from_text("m.mo", kDecay);
  ASSERT_TRUE(model);
  const auto refused = [&](const std::string& objective, const OptimizeOptions& options) {
    const Result<OptimizeResult> result = optimize(*model, objective, options);
    return result ? std::string() : render_text(result.error());
  };
  EXPECT_NE(refused("final(x)", {}), "");
  EXPECT_NE(refused("final(y)", {.parameters = {{"a"}}}).find("unknown-name"), std::string::npos);
  EXPECT_NE(refused("final(x)", {.parameters = {{"c"}}}).find("--params: the model has no"),
            std::string::npos);
  EXPECT_NE(refused("final(x)", {.parameters = {{"a", 4.0, 0.0, 3.0}}}).find("outside of its bounds"),
            std::string::npos);
  EXPECT_NE(refused("final(x)", {.parameters = {{"a", 1.0, 2.0, 2.0}}}).find("no room"), std::string::npos);
  EXPECT_NE(refused("final(x)", {.parameters = {{"a"}, {"b"}, {"b"}}}).find("more than once"),
            std::string::npos);
  EXPECT_NE(refused("final(x)", {.parameters = {{"a"}}, .subject = {"final(x)"}}).find("wrong-functional"),
            std::string::npos);
  EXPECT_NE(
      refused("final(x)", {.parameters = {{"a"}}, .subject = {"final(x) < 3"}}).find("wrong-functional"),
      std::string::npos);
}

}  // namespace
}  // namespace saltus::test
