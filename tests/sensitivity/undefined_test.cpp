// Where a derivative does not exist it is said, and the values are empty from there on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

SimulationResult run_with(const std::string& text, SimulationOptions options, const std::string& parameter) {
  options.sensitivities = {parameter};
  const Result<Model> model = Model::from_text("m.saltus", text);
  EXPECT_TRUE(model) << render_text(model.error());
  Result<SimulationResult> result = simulate(*model, options);
  EXPECT_TRUE(result) << render_text(result.error());
  return *std::move(result);
}

std::string said(const SimulationResult& result) {
  for (const Diagnostic& item : result.diagnostics.items()) {
    if (item.code == "sensitivity-undefined") {
      return item.message;
    }
  }
  return {};
}

bool is_undefined_at_end(const SimulationResult& result) {
  const auto& values = result.sensitivities->final_values;
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

TEST(UndefinedSensitivities, OrderOfEventsThatDoNotCommute) {
  // Which switch comes first decides where the other one acts.
  const SimulationResult result = run_with(
      R"(model M parameter Real a = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(y) = if x > a then 3 else 1; der(z) = (if x > a then 2 else 1)*(if y > 0.5 then z else -1); end M;)",
      {.stop = 1.0}, "a");
  EXPECT_EQ(result.status, SimulationStatus::success);
  EXPECT_NE(said(result).find("order"), std::string::npos) << said(result);
  EXPECT_NE(said(result).find("0.5"), std::string::npos) << said(result);
  EXPECT_TRUE(is_undefined_at_end(result));
}

TEST(UndefinedSensitivities, OfVectorsThatComeToRestAndLeave) {
  for (const char* const text : {"model M parameter Real mu = 3; Real v[2](start = {2, 1}, each fixed = "
                                 "true); equation der(v) = {0.5, 0.2} - "
                                 "mu*direction(v); end M;",
                                 "model M parameter Real mu = 3; Real v[2](start = {0, 0}, each fixed = "
                                 "true); equation der(v) = {0, 5*time} - "
                                 "mu*direction(v); end M;"}) {
    const SimulationResult result = run_with(text, {.stop = 2.0}, "mu");
    EXPECT_EQ(result.status, SimulationStatus::success);
    EXPECT_NE(said(result).find("direction(v)"), std::string::npos) << said(result);
    EXPECT_TRUE(is_undefined_at_end(result));
  }
}

TEST(UndefinedSensitivities, OrderOfEventsThatSetADiscreteReal) {
  // The fields commute, but what is sampled depends on which clause comes first.
  const SimulationResult result = run_with(
      R"(model M parameter Real a = 0.5; Real x(start = 0, fixed = true), y(start = 0, fixed = true); discrete Real d(start = 0), e(start = 0);
equation der(x) = 1; der(y) = 1 + 0*d; when x > a then d = y + 1; end when; when y > 0.5 then e = d + x; end when; end M;)",
      {.stop = 1.0}, "a");
  EXPECT_EQ(result.status, SimulationStatus::success);
  EXPECT_TRUE(is_undefined_at_end(result)) << said(result);
}

TEST(UndefinedSensitivities, AGuardThatGrazes) {
  // The top of the parabola is the threshold, up to rounding.
  const SimulationResult result = run_with(
      R"(model M parameter Real c = 0.49999999; Real x(start = 0, fixed = true), v(start = 1, fixed = true), y(start = 0, fixed = true);
equation der(x) = v; der(v) = -1; der(y) = if x > c then 5 else 1; end M;)",
      {.stop = 2.0, .tolerance = 1e-6}, "c");
  EXPECT_EQ(result.status, SimulationStatus::success);
  EXPECT_NE(said(result).find("graz"), std::string::npos) << said(result);
  EXPECT_TRUE(is_undefined_at_end(result));
}

TEST(UndefinedSensitivities, RestAfterAnAccumulation) {
  const SimulationResult result = run_with(
      R"(model M parameter Real e = 0.5; Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -e*pre(v)); end when; end M;)",
      {.stop = 3.0}, "e");
  EXPECT_EQ(result.status, SimulationStatus::success);
  // Shortly before the limit a bounce is lower than a tolerance: whether it takes place is not known.
  EXPECT_TRUE(said(result).find("accumulate") != std::string::npos ||
              said(result).find("graz") != std::string::npos)
      << said(result);
  EXPECT_TRUE(is_undefined_at_end(result));
}

TEST(UndefinedSensitivities, AZeroThatChangesTheStructure) {
  const SimulationResult result =
      run_with(R"(model M parameter Real l = 0; Real x(start = 1, fixed = true), i(start = 0);
equation l*der(i) = x - i; der(x) = -i; end M;)",
               {.stop = 1.0}, "l");
  EXPECT_NE(said(result).find("'l'"), std::string::npos) << said(result);
  EXPECT_TRUE(is_undefined_at_end(result));
}

// Beside l = 0 the second mode has another structure: of k, and of time, it is known all the same.
TEST(UndefinedSensitivities, OnlyToTheParameterThatChangesTheStructureOfALaterMode) {
  const char* const text =
      R"(model M parameter Real l = 0, k = 2, c = 0.5; Real x(start = 0, fixed = true), i(start = 0);
initial mode a equation der(x) = k; i = x; transition to b when x > c; end a;
mode b equation l*der(i) = x - i; der(x) = -k*i; end b;
end M;)";
  const Result<Model> model = Model::from_text("m.saltus", text);
  ASSERT_TRUE(model) << render_text(model.error());
  SimulationOptions options{.stop = 1.0, .tolerance = 1e-10, .sensitivities = {"l", "k", "c"}};
  const Result<SimulationResult> result = simulate(*model, options);
  ASSERT_TRUE(result) << render_text(result.error());
  EXPECT_NE(said(*result).find("'l'"), std::string::npos) << said(*result);
  EXPECT_EQ(said(*result).find("'k'"), std::string::npos) << said(*result);
  const std::span<const double> x = result->sensitivities->final_row(0);
  EXPECT_TRUE(std::isnan(x[0]));
  // x = c·exp(-k·(t - c/k)).
  const double value = 0.5 * std::exp(-1.5);
  EXPECT_NEAR(x[1], -value, 1e-7);
  EXPECT_NEAR(x[2], value / 0.5 + value, 1e-7);
}

// Both x = 0, y = 0.5 for ever and a solution that leaves are solutions; what begins beside it goes to either side.
TEST(UndefinedSensitivities, AStartThatLeavesItsSurfaceAlongIt) {
  const SimulationResult result =
      run_with(R"(model M Real x(start = 0, fixed = true), y(start = 0.5, fixed = true);
equation der(x) = if y > 0.5 then -0.5*y else -x; der(y) = -x; end M;)",
               {.stop = 1.0}, "x");
  EXPECT_EQ(result.status, SimulationStatus::success);
  EXPECT_TRUE(is_undefined_at_end(result)) << result.final_value("x");
  EXPECT_NE(said(result).find("along"), std::string::npos) << said(result);
}

}  // namespace
}  // namespace saltus::test
