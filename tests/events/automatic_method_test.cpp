// The method changes within a run, through the public interface.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

SimulationResult run(const std::string& text, const SimulationOptions& options) {
  return simulate(Model::from_text("m.mo", text).value(), options).value();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kVanDerPol =
    "model V parameter Real mu = 1000; Real x(start = 2); Real y(start = 0);\n"
    "equation der(x) = y; der(y) = mu*(1 - x^2)*y - x; end V;";

// The solution of [HW96] IV.10 at time 2 in units of mu.
TEST(AutomaticMethod, VanDerPolGoesOnWithRadau5) {
  const SimulationResult result = run(kVanDerPol, {.stop = 2000.0, .tolerance = 1e-8});
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.statistics.method, "dopri5, then radau5");
  EXPECT_TRUE(contains(result.statistics.method_reason, "dopri5 until t = "))
      << result.statistics.method_reason;
  EXPECT_TRUE(contains(result.statistics.method_reason, "then radau5: stiff, h*|lambda| = 3."));
  EXPECT_NEAR(result.final_value("x"), 1.706167732170483, 1e-5);
  EXPECT_NEAR(result.final_value("y"), -0.8928097010247975e-3, 1e-7);
  EXPECT_LT(result.statistics.accepted_steps, 2000);
  EXPECT_GT(result.statistics.jacobian_evaluations, 0);
  EXPECT_GT(result.statistics.newton_iterations, 0);
}

TEST(AutomaticMethod, WhatIsNotStiffStaysExplicit) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    const SimulationResult result =
        run(kVanDerPol, {.stop = 100.0, .tolerance = tolerance, .set = {{"mu", 1.0}}});
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.statistics.method, "dopri5");
    EXPECT_EQ(result.statistics.jacobian_evaluations, 0);
  }
}

TEST(AutomaticMethod, AMethodThatWasAskedForIsKept) {
  const SimulationResult result = run(kVanDerPol, {.stop = 1.0, .method = "dopri5"});
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.statistics.method, "dopri5");
  EXPECT_EQ(result.statistics.factorizations, 0);
}

// Steps are below the border of stability here, but the reaction is a thousand times slower than its fastest part.
TEST(AutomaticMethod, TightTolerancesDoNotHideStiffness) {
  const std::string text =
      "model R Real a(start = 1); Real b(start = 0, nominal = 1e-4); Real c;\n"
      "equation der(a) = -0.04*a + 1e4*b*c; der(b) = 0.04*a - 1e4*b*c - 3e7*b^2; a + b + c = 1; end R;";
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    const SimulationResult result = run(text, {.stop = 1e5, .tolerance = tolerance});
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.statistics.method, "dopri5, then radau5");
    EXPECT_LT(result.statistics.accepted_steps, 1500);
    EXPECT_NEAR(result.final_value("a"), 0.0178659211421, 10.0 * tolerance);
  }
}

// Every second the input turns round; the fast part stays fast.
TEST(AutomaticMethod, EventsKeepTheImplicitMethod) {
  const std::string text =
      "model M Real x(start = 1); discrete Real u(start = 1);\n"
      "equation der(x) = -1e4*(x - u*cos(time)); when sample(1, 1) then u = -pre(u); end when; end M;";
  const SimulationResult result = run(text, {.stop = 20.5, .tolerance = 1e-7});
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.statistics.method, "dopri5, then radau5");
  EXPECT_EQ(result.statistics.instants, 20);
  EXPECT_LT(result.statistics.accepted_steps, 3000) << "each second takes dopri5 some 3000 steps";
  EXPECT_NEAR(result.final_value("x"), std::cos(20.5), 1e-3);
}

TEST(AutomaticMethod, BdfTakesOrdersAndSteps) {
  const std::string text = "model M Real x(start = 1); equation der(x) = -x; end M;";
  double errors[7] = {};
  for (std::int64_t order = 1; order <= 6; ++order) {
    const SimulationResult result = run(text, {.stop = 1.0, .method = "bdf", .order = order, .step = 0.02});
    ASSERT_TRUE(result.ok()) << result.message;
    errors[order] = std::abs(result.final_value("x") - std::exp(-1.0));
    if (order > 1) {
      EXPECT_LT(errors[order], 0.2 * errors[order - 1]) << order;
    }
  }
  EXPECT_TRUE(validate({.method = "bdf", .order = 7}).has_errors());
  EXPECT_TRUE(validate({.method = "bdf", .max_order = 7}).has_errors());
  EXPECT_TRUE(validate({.method = "dopri5", .max_order = 3}).has_errors());
  EXPECT_TRUE(validate({.method = "bdf", .order = 2, .max_order = 3}).has_errors());
  const std::int64_t all =
      run(text, {.stop = 9.0, .tolerance = 1e-9, .method = "bdf"}).statistics.accepted_steps;
  const std::int64_t low =
      run(text, {.stop = 9.0, .tolerance = 1e-9, .method = "bdf", .max_order = 2}).statistics.accepted_steps;
  EXPECT_GT(low, 5 * all);
  EXPECT_TRUE(run(text, {.stop = 9.0, .tolerance = 1e-9, .method = "bdf", .max_order = 6}).ok());
}

}  // namespace
}  // namespace saltus
