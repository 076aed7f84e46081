// What is hidden from the solver: a condition within noEvent has the state, nearly, and wrong sensitivities from the events on; declared by the
// compiler, as conditions are, both are right.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

constexpr const char* kMethods[] = {"dopri5", "radau5", "bdf"};

SimulationResult run_with(const std::string& text, SimulationOptions options, const std::string& method) {
  options.method = method;
  const Result<Model> model = Model::from_text("m.mo", text);
  EXPECT_TRUE(model) << render_text(model.error());
  Result<SimulationResult> result = simulate(*model, options);
  EXPECT_TRUE(result) << render_text(result.error());
  EXPECT_TRUE(result->ok()) << result->message;
  return *std::move(result);
}

std::string hide(bool is_hidden, const std::string& choice) {
  return is_hidden ? "noEvent(" + choice + ")" : choice;
}

double final_of(const SimulationResult& result, const std::string& variable) {
  for (std::size_t v = 0; v < result.variables.size(); ++v) {
    if (result.variables[v].name == variable) {
      return result.sensitivities->final_row(v)[0];
    }
  }
  return std::nan("");
}

// Equation (4) of the manual of DSL48SE.
TEST(HiddenDiscontinuities, OfTheSmallExampleGiveZero) {
  for (const char* method : kMethods) {
    const auto run = [&](bool is_hidden) {
      return run_with("model M parameter Real p = 2.9; Real x(start = 0, fixed = true); equation der(x) = " +
                          hide(is_hidden, "if x^3 - 5*x^2 + 7*x <= p then 4 - x else 10 - 2*x") + "; end M;",
                      {.stop = 3.0, .sensitivities = {"p"}}, method);
    };
    const SimulationResult hidden = run(true);
    const SimulationResult declared = run(false);
    EXPECT_NEAR(hidden.final_value("x"), declared.final_value("x"), 1e-4) << method;
    EXPECT_EQ(final_of(hidden, "x"), 0.0) << method;
    EXPECT_GT(std::abs(final_of(declared, "x")), 1e-3) << method;
    EXPECT_EQ(hidden.events.size(), 0U) << method;
    EXPECT_NE(render_text(hidden.diagnostics).find("[sensitivity-hidden]"), std::string::npos) << method;
    EXPECT_EQ(render_text(declared.diagnostics).find("[sensitivity-hidden]"), std::string::npos) << method;
    EXPECT_EQ(declared.events.size(), 3U) << method;
  }
}

// The cut of atan2 is met at T/2, 3T/2: from there on the angle is 2π less.
TEST(HiddenDiscontinuities, OfAnglesAreDeclaredByAtan2Itself) {
  for (const char* method : kMethods) {
    const auto run = [&](bool is_hidden) {
      return run_with(
          "model M parameter Real T = 2; Real x(start = 0, fixed = true), y(start = 0, fixed = true); "
          "equation "
          "der(x) = 6.283185307179586/T; der(y) = " +
              hide(is_hidden, "atan2(sin(x), cos(x))") + "; end M;",
          {.stop = 3.3, .sensitivities = {"T"}}, method);
    };
    // y = π t²/T - 2π (t - T/2) - 2π (t - 3T/2)
    const double pi = 3.141592653589793;
    EXPECT_NEAR(final_of(run(false), "y"), -pi * 3.3 * 3.3 / 4.0 + 4.0 * pi, 1e-5) << method;
    const std::string hidden = render_text(run(true).diagnostics);
    EXPECT_NE(hidden.find("[sensitivity-hidden]"), std::string::npos) << method;
    EXPECT_NE(hidden.find("'atan2(sin(x), cos(x))'"), std::string::npos) << hidden;
  }
}

// Carver's circuit: what is computed goes wrong at the second event, where the second diode begins to conduct.
TEST(HiddenDiscontinuities, OfCarversCircuitAreWrongFromTheSecondEventOn) {
  const std::string first = "(x1 > 0 or v1 > v3) and (x2 <= 0 and v2 < v3)";
  const std::string second = "(x2 > 0 or v2 > v3) and (x1 <= 0 and v1 < v3)";
  for (const char* method : kMethods) {
    const auto run = [&](bool is_hidden, double stop) {
      return run_with(
          "model M parameter Real a5 = 150/11, a6 = -125/11, l3 = 0.21; Real x1(start = 0, fixed = true), "
          "x2(start = 0, fixed = true), "
          "v1, v2, v3(start = 84); equation v3 = 10*(x1 + x2) + l3*(der(x1) + der(x2)); "
          "v1 = 100*cos(314.15926535897932*time); v2 = -v1; der(x1) = " +
              hide(is_hidden, "if " + first + " then (v1 - 12*x1)/0.24 else if " + second +
                                  " then 0 else a5*v1 + a6*v2 - 50*x1") +
              "; der(x2) = " +
              hide(is_hidden, "if " + first + " then 0 else if " + second +
                                  " then (v2 - 12*x2)/0.24 else a6*v1 + 150/11*v2 - 50*x2") +
              "; end M;",
          {.stop = stop, .sensitivities = {"a5"}}, method);
    };
    const SimulationResult before = run(true, 0.00495);
    EXPECT_NEAR(final_of(before, "x1"), final_of(run(false, 0.00495), "x1"), 1e-6) << method;
    const SimulationResult hidden = run(true, 0.05);
    const SimulationResult declared = run(false, 0.05);
    // x2 rests at zero from the start on; that it leaves zero is one of them.
    ASSERT_EQ(declared.events.size(), 14U) << method;
    EXPECT_NEAR(hidden.final_value("x2"), declared.final_value("x2"), 1e-3) << method;
    EXPECT_NEAR(final_of(declared, "x1"), 0.0, 1e-6) << method;
    EXPECT_NEAR(final_of(declared, "x2"), -0.0578850945, 1e-6) << method << ": differences of runs";
    EXPECT_GT(std::abs(final_of(hidden, "x1")), 0.05) << method;
    EXPECT_GT(std::abs(final_of(hidden, "x2") - final_of(declared, "x2")), 0.05) << method;
  }
}

}  // namespace
}  // namespace saltus::test
