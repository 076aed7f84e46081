// Options about accuracy and steps, as a user sees their effect.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

Model model_of(const std::string& text) {
  return Model::from_text("m.mo", text).value();
}

// A slow and a fast oscillation that do not know of each other.
constexpr const char* kTwo = R"(model Two
  Real slow(start = 1, fixed = true), slow_rate(start = 0, fixed = true);
  Real fast(start = 1, fixed = true), fast_rate(start = 0, fixed = true);
equation
  der(slow) = slow_rate;
  der(slow_rate) = -slow;
  der(fast) = 30*fast_rate;
  der(fast_rate) = -30*fast;
end Two;
)";

TEST(StepOptions, TolerancesOfSingleStatesReplaceTheCommonOne) {
  const Model model = model_of(kTwo);
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const SimulationOptions common{.stop = 1.0, .rtol = 0.0, .atol = 1e-7, .method = method};
    const SimulationResult strict = simulate(model, common).value();
    SimulationOptions loose = common;
    loose.atol_of = {{"fast", 1e3}, {"fast_rate", 1e3}};
    const SimulationResult relaxed = simulate(model, loose).value();
    EXPECT_LT(4 * relaxed.statistics.accepted_steps, strict.statistics.accepted_steps) << method;
    EXPECT_NEAR(relaxed.final_value("slow"), std::cos(1.0), 1e-5) << method;
    EXPECT_GT(std::abs(relaxed.final_value("fast") - std::cos(30.0)), 1e-3) << method;
  }
}

TEST(StepOptions, NominalValuesAreUnitsOfTolerances) {
  // The same motion in units of 2^20: the same steps to the last bit.
  const auto text = [](const std::string& scale) {
    return "model Scaled Real x(start = " + scale + ", nominal = " + scale +
           ", fixed = true), v(start = 0, nominal = " + scale +
           ", fixed = true); equation der(x) = v; der(v) = -x; end Scaled;";
  };
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const SimulationOptions options{.stop = 10.0, .method = method};
    const SimulationResult one = simulate(model_of(text("1")), options).value();
    const SimulationResult large = simulate(model_of(text("1048576")), options).value();
    EXPECT_EQ(large.statistics.accepted_steps, one.statistics.accepted_steps) << method;
    EXPECT_EQ(large.final_value("x"), 1048576.0 * one.final_value("x")) << method;
  }
}

TEST(StepOptions, LargestStepIsKeptByEveryMethod) {
  const Model model =
      model_of("model Calm Real x(start = 1, fixed = true); equation der(x) = -1e-3*x; end Calm;");
  for (const std::string method : {"dopri5", "fehlberg45", "fehlberg78", "rk23", "radau5", "sdirk4", "bdf"}) {
    const SimulationResult free =
        simulate(model, {.stop = 10.0, .tolerance = 1e-4, .method = method}).value();
    const SimulationResult held =
        simulate(model, {.stop = 10.0, .tolerance = 1e-4, .method = method, .max_step = 0.125}).value();
    EXPECT_LT(free.statistics.accepted_steps, 40) << method;
    EXPECT_GE(held.statistics.accepted_steps, 80) << method;
  }
}

TEST(StepOptions, HighestOrderOfBdf) {
  const Model model =
      model_of("model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
  const auto steps = [&](int order) {
    SimulationOptions options{.stop = 5.0, .tolerance = 1e-6, .method = "bdf"};
    options.max_order = order;
    return simulate(model, options).value().statistics.accepted_steps;
  };
  EXPECT_GT(steps(1), 2 * steps(2)) << "errors of h² against h³";
  EXPECT_GT(steps(2), steps(5));
}

}  // namespace
}  // namespace saltus
