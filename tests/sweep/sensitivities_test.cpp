// Columns d(x)/d(p): exact values, those of single runs and gradients, what is undefined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/saltus.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kFalling = R"(model Falling
  parameter Real g = 10; parameter Real e = 0.5;
  Real h(start = 5, fixed = true); Real v(start = 0, fixed = true); Integer n(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v)); n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 1.5, Tolerance = 1e-9));
end Falling;
)";

Model falling(const char* text = kFalling) {
  return *Model::from_text("falling.mo", text);
}

SweepOptions options_of(const std::string& vary, std::vector<std::string> columns,
                        std::vector<std::string> with) {
  SweepOptions options;
  options.vary = {*read_variation(vary)};
  options.columns = std::move(columns);
  options.simulation.sensitivities = std::move(with);
  return options;
}

std::string error_of(const SweepOptions& options) {
  const Result<SweepResult> result = sweep(falling(), options);
  return result ? "" : render_text(result.error());
}

// With t1 = √(2·h0/g) the ball has v = e·√(2·g·h0) - g·(t - t1) after its impact.
TEST(SweepSensitivities, OfVariablesThroughAnImpact) {
  const Result<SweepResult> result =
      sweep(falling(), options_of("e={0.5,0.75}", {"v", "n", "event_time(1)"}, {"e", "g", "h"}));
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_THAT(result->columns,
              ElementsAre("v", "n", "event_time(1)", "d(v)/d(e)", "d(v)/d(g)", "d(v)/d(h)",
                          "d(event_time(1))/d(e)", "d(event_time(1))/d(g)", "d(event_time(1))/d(h)"));
  for (std::size_t k = 0; k < 2; ++k) {
    const double e = k == 0 ? 0.5 : 0.75;
    const auto at = [&](const std::string& name) { return result->column(name)[k]; };
    EXPECT_NEAR(at("d(v)/d(e)"), 10.0, 1e-6);
    // ∂/∂g of e·√(2·g·h0) - g·t + √(2·g·h0)
    EXPECT_NEAR(at("d(v)/d(g)"), (e + 1.0) * 0.5 - 1.5, 1e-6);
    EXPECT_NEAR(at("d(v)/d(h)"), e + 1.0, 1e-6);
    EXPECT_NEAR(at("d(event_time(1))/d(e)"), 0.0, 1e-9);
    EXPECT_NEAR(at("d(event_time(1))/d(g)"), -0.05, 1e-8);
    EXPECT_NEAR(at("d(event_time(1))/d(h)"), 0.1, 1e-8);
  }
}

TEST(SweepSensitivities, OfFunctionalsAreThoseOfGradients) {
  const std::string text = "final(h^2)*g + integral(v) + event_time(1)^2";
  const Result<SweepResult> result =
      sweep(falling(), options_of("e={0.5,0.6,0.7}", {"f=" + text}, {"e", "g", "h"}));
  ASSERT_TRUE(result) << render_text(result.error());
  for (std::size_t k = 0; k < 3; ++k) {
    GradientOptions options{.with = {"e", "g", "h"}};
    options.simulation.set = {{"e", result->given[k]}};
    const Result<GradientResult> single = gradient(falling(), text, options);
    ASSERT_TRUE(single);
    EXPECT_NEAR(result->column("f")[k], single->value, 1e-6);
    for (const GradientResult::Derivative& item : single->gradient) {
      EXPECT_NEAR(result->column("d(f)/d(" + item.name + ")")[k], item.derivative,
                  1e-6 * (1.0 + std::abs(item.derivative)))
          << item.name;
    }
  }
}

// The run ends where an event ends it: final values move with that time.
TEST(SweepSensitivities, OfRunsThatEndThemselves) {
  const Model model = falling(R"(model Ends
  parameter Real k = 1; Real x(start = 0, fixed = true); Real y = x;
equation
  der(x) = k;
  when x >= 2 then terminate("there"); end when;
  annotation(experiment(StopTime = 10));
end Ends;
)");
  const Result<SweepResult> result = sweep(model, options_of("k={1,2}", {"y", "t=final(time)"}, {"k"}));
  ASSERT_TRUE(result) << render_text(result.error());
  ASSERT_EQ(result->count(SweepStatus::terminated), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(result->column("d(y)/d(k)")[k], 0.0, 1e-6);
    EXPECT_NEAR(result->column("d(t)/d(k)")[k], k == 0 ? -2.0 : -0.5, 1e-6);
  }
}

TEST(SweepSensitivities, WhatIsUndefinedIsEmptyAndTold) {
  // At p = 0 there is another way beside it.
  const Model model = falling(R"(model Hill
  parameter Real p = 0; Real x(start = 0, fixed = true);
equation
  der(x) = if p > 0 then 1 else -1;
end Hill;
)");
  const Result<SweepResult> result = sweep(model, options_of("p={-1,0,1}", {"x", "a=abs(p)"}, {"p"}));
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_EQ(result->column("d(x)/d(p)")[0], 0.0);
  EXPECT_TRUE(std::isnan(result->column("d(x)/d(p)")[1]));
  EXPECT_EQ(result->runs[1].warnings, "sensitivity-undefined");
  EXPECT_EQ(result->column("d(x)/d(p)")[2], 0.0);
  EXPECT_EQ(result->column("d(a)/d(p)")[0], -1.0);
  EXPECT_TRUE(std::isnan(result->column("d(a)/d(p)")[1]));
}

TEST(SweepSensitivities, MistakesAreTold) {
  EXPECT_THAT(error_of(options_of("e={0.5}", {"v"}, {"w"})), HasSubstr("--sens"));
  EXPECT_THAT(
      error_of(options_of("e={0.5}", {"at_event(1, v)"}, {"e"})),
      HasSubstr("a sweep has no sensitivities of 'at_event(1, v)', a value at an event [wrong-sweep]"));
}

}  // namespace
}  // namespace saltus
