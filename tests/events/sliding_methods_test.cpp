// Slides with the methods that solve equations in every step: their orders, their events, and equations in residual form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/order_estimate.hpp"
#include "support/problems/sliding_circle.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

// The circle of support/problems/sliding_circle.hpp.
const char* const kCircle =
    "model M\n Real u(start = 1, fixed = true), v(start = 0, fixed = true), x = u - 0.3*v^2;\n"
    " Real g = (x^2 + v^2 - 1)/2, s = sign(g), a = (1 + s)/2;\n"
    " Real radial = (a*(-2 - 3*v) + (1 - a)*(2 - 3*v))/4, angular = 1 + a;\nequation\n"
    " der(v) = radial*v + angular*x;\n der(u) = radial*x - angular*v + 0.6*v*der(v);\nend M;\n";

// The same with x from an equation that has to be solved: the guard has no formula.
const char* const kCircleInABlock =
    "model M\n Real u(start = 1, fixed = true), v(start = 0, fixed = true), q = u - 0.3*v^2, x(start = 1);\n"
    " Real g = (x^2 + v^2 - 1)/2, s = sign(g), a = (1 + s)/2;\n"
    " Real radial = (a*(-2 - 3*v) + (1 - a)*(2 - 3*v))/4, angular = 1 + a;\nequation\n x + 0.2*x^3 = q + "
    "0.2*q^3;\n"
    " der(v) = radial*v + angular*x;\n der(u) = radial*x - angular*v + 0.6*v*der(v);\nend M;\n";

// A ladder of n cells, and a relay that holds a voltage which a diode in a divider makes of that of the third cell.
std::string relay_ladder(int n) {
  return "model M\n parameter Integer N = " + std::to_string(n) +
         ";\n Real v[N](each start = 0, each fixed = true), vm(start = 0.1);\nequation\n"
         " 0.01*der(v[1]) = sin(time) - 2*v[1] + v[2];\n for i in 2:N - 1 loop\n"
         "  0.01*der(v[i]) = v[i - 1] - 2*v[i] + v[i + 1] + (if i == 3 then 0.5 - 2*sign(vm - 0.4 - "
         "0.04*sin(3*time)) else 0);\n"
         " end for;\n 0.01*der(v[N]) = v[N - 1] - v[N];\n"
         " v[3] - vm = 1e-3*(exp(vm/0.1) - 1) + 0.1*vm^3 + 0.3*vm;\nend M;\n";
}

// The bow of examples/bowed_string.mo on a string of n pieces, pressed so that string and bow stick and slip. `friction`: its
// equation, or modes.
const char* const kSign = " friction = -40*sign(v[c] - vb);\n";
const char* const kModes =
    "initial mode slower\n equation\n  friction = 40;\n transition to faster when v[c] > vb;\nend slower;\n"
    "mode faster\n equation\n  friction = -40;\n transition to slower when v[c] < vb;\nend faster;\n";
std::string bowed_string(int n, const std::string& friction = kSign) {
  return "model M\n parameter Integer N = " + std::to_string(n) +
         ", c = 3;\n parameter Real L = 0.7, T = 55, rho = 0.5, v0 = 0.5, Omega = 2, dx = L/N;\n"
         " Real yb(start = 0, fixed = true), vb(start = v0, fixed = true);\n"
         " Real y[N + 1](each start = 0, each nominal = 1e-4), v[N + 1](each start = 0), hold1, hold2, "
         "friction;\nequation\n"
         " der(yb) = vb;\n der(vb) = -v0*Omega*sin(Omega*time) - friction;\n"
         " der(y) = v;\n"
         " rho*der(v[1]) = T/dx^2*(y[2] - 2*y[1]) - hold1;\n"
         " for i in 2:N loop\n  rho*der(v[i]) = T/dx^2*(y[i - 1] - 2*y[i] + y[i + 1]) + (if i == c then "
         "friction else 0);\n end for;\n"
         " rho*der(v[N + 1]) = T/dx^2*(y[N] - 2*y[N + 1]) - hold2;\n y[1] = 0;\n y[N + 1] = 0;\n" +
         friction + "end M;\n";
}

struct MethodOfOrder {
  OptionList options;
  double order;
};

void expect_orders(const std::string& model, double guard_noise) {
  for (const auto& [options, order] :
       std::vector<MethodOfOrder>{{{{"method", "radau5"}}, 4.7},
                                  {{{"method", "sdirk4"}}, 3.7},
                                  {{{"method", "bdf"}, {"order", "3"}}, 2.8}}) {
    std::vector<double> steps;
    std::vector<double> errors;
    std::vector<double> weight_errors;
    const bool is_multistep = options.size() > 1;
    for (const int n : {4, 5, 6, 8, 10}) {
      const double h = 0.5 / (is_multistep ? 8 * n : n);
      OptionList all = {{"stop", "0.5"}, {"step", std::to_string(h)}, {"interval", "0.5"}};
      all.insert(all.end(), options.begin(), options.end());
      const HybridRun run = run_text(model, all);
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      ASSERT_EQ(run.count("slide_exit"), 0U) << run.log();
      const double angle = sliding_circle_angle(0.5);
      const std::vector<double> exact = sliding_circle_point(angle);
      steps.push_back(h);
      errors.push_back(std::hypot(run.final("u") - exact[0], run.final("v") - exact[1]));
      weight_errors.push_back(std::abs(run.final("a") - (2.0 - 3.0 * std::sin(angle)) / 4.0));
      EXPECT_NEAR(run.final("g"), 0.0, guard_noise);
    }
    EXPECT_GE(observed_order(steps, errors), order) << options[0].second << ::testing::PrintToString(errors);
    EXPECT_GE(observed_order(steps, weight_errors), order)
        << options[0].second << ::testing::PrintToString(weight_errors);
  }
}

TEST(SlidingMethods, ImplicitOnesKeepTheirOrderInStateAndWeight) {
  expect_orders(kCircle, 1e-15);
}

TEST(SlidingMethods, ImplicitOnesKeepTheirOrderWhereAGuardDependsOnABlock) {
  expect_orders(kCircleInABlock, 1e-15);
}

TEST(SlidingMethods, ExitsAreThoseOfTheClosedSolution) {
  for (const char* model : {kCircle, kCircleInABlock}) {
    for (const char* method : {"radau5", "sdirk4", "bdf"}) {
      const HybridRun run = run_text(model, {{"stop", "0.6"}, {"tolerance", "1e-9"}, {"method", method}});
      ASSERT_EQ(run.count("slide_exit"), 1U) << run.log();
      EXPECT_NEAR(run.times("slide_exit")[0], sliding_circle_exit(), 1e-8) << method;
    }
  }
}

// Differences would have 1e-10 of noise in the weights: no method came to the end.
TEST(SlidingMethods, GuardsOverBlocksAtTightTolerances) {
  for (const char* method : {"dopri5", "radau5", "sdirk4", "bdf"}) {
    const HybridRun run =
        run_text(kCircleInABlock, {{"stop", "0.6"}, {"tolerance", "1e-12"}, {"method", method}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << method << run.log();
    ASSERT_EQ(run.count("slide_exit"), 1U) << run.log();
    EXPECT_NEAR(run.times("slide_exit")[0], sliding_circle_exit(), 1e-10) << method;
  }
}

// In one mode and between two.
TEST(SlidingMethods, StickAndSlipOfAStringIsThatOfAnExplicitMethod) {
  const auto run_with = [&](const char* method, const char* friction) {
    return run_text(bowed_string(12, friction),
                    {{"stop", "0.3"}, {"interval", "0.1"}, {"tolerance", "1e-8"}, {"method", method}});
  };
  const HybridRun reference = run_with("dopri5", kSign);
  ASSERT_GE(reference.count("slide_enter"), 1U) << reference.log();
  for (const char* friction : {kSign, kModes}) {
    for (const char* method : {"radau5", "sdirk4", "bdf"}) {
      const HybridRun run = run_with(method, friction);
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      for (const char* kind : {"slide_enter", "slide_exit"}) {
        EXPECT_THAT(run.times(kind), Pointwise(DoubleNear(1e-6), reference.times(kind)))
            << method << run.log() << reference.log();
      }
      EXPECT_NEAR(run.final("vb"), reference.final("vb"), 1e-5) << method;
      EXPECT_NEAR(run.final("friction"), reference.final("friction"), 1e-3) << method;
    }
  }
}

// Differences would take a right-hand side for each of some hundred states.
TEST(SlidingMethods, EquationsOfASlideAreInResidualForm) {
  for (const char* friction : {kSign, kModes}) {
    for (const char* method : {"radau5", "sdirk4", "bdf"}) {
      const HybridRun run =
          run_text(bowed_string(100, friction), {{"stop", "0.02"}, {"interval", "0.02"}, {"method", method}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      const Statistics& statistics = run.result.statistics;
      ASSERT_GT(statistics.accepted_sliding_steps, 10) << method;
      EXPECT_LT(statistics.residual_evaluations, 60 * (statistics.accepted_steps + statistics.rejected_steps))
          << method;
    }
  }
}

// A guard over an implicit block depends on the states that the block depends on, and no others.
TEST(SlidingMethods, GuardsOverBlocksCostTheSameInLongLadders) {
  const auto run_with = [](int n, const char* method) {
    return run_text(relay_ladder(n),
                    {{"stop", "2"}, {"interval", "1"}, {"tolerance", "1e-6"}, {"method", method}});
  };
  const HybridRun reference = run_with(20, "dopri5");
  ASSERT_EQ(reference.count("slide_enter"), 1U) << reference.log();
  for (const char* method : {"radau5", "sdirk4", "bdf"}) {
    const HybridRun run = run_with(120, method);
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_THAT(run.times("slide_enter"), Pointwise(DoubleNear(1e-6), reference.times("slide_enter")));
    EXPECT_NEAR(run.final("vm"), 0.4 + 0.04 * std::sin(6.0), 1e-12) << method;
    EXPECT_NEAR(run.final("v[3]"), reference.final("v[3]"), 1e-9) << method;
    ASSERT_GT(run.result.statistics.accepted_sliding_steps, 10) << method;
    const auto evaluations_per_step = [](const HybridRun& of) {
      const Statistics& statistics = of.result.statistics;
      return static_cast<double>(statistics.residual_evaluations) /
             static_cast<double>(statistics.accepted_steps + statistics.rejected_steps);
    };
    EXPECT_LT(evaluations_per_step(run), 1.5 * evaluations_per_step(run_with(20, method))) << method;
  }
}

// A weight and an equation more for each surface, analysed like those of a mode.
TEST(SlidingMethods, CharacteristicValuesOfASlideAreToldWithThoseOfModes) {
  // A pendulum (strangeness index 2; x, y, vx, vy, lambda, w and f) that dry friction holds: nothing moves any more.
  const HybridRun held = run_text(
      "model M\n Real x(start = 0.8, fixed = true), y(start = -0.6), vx(start = 0), vy(start = 0, fixed = "
      "true), lambda;\n Real w = x*vy - y*vx, f = 20*sign(w);\nequation\n der(x) = vx; der(y) = vy;\n"
      " der(vx) = -lambda*x + f*y;\n der(vy) = -lambda*y - 9.81 - f*x;\n x^2 + y^2 = 1;\nend M;\n",
      {{"stop", "0.1"}, {"method", "radau5"}});
  const ModeSpan slide = held.result.modes.back();
  ASSERT_THAT(slide.mode, ::testing::HasSubstr("sliding on")) << held.log();
  EXPECT_EQ(slide.index, 2);
  EXPECT_EQ(slide.d, 1);
  EXPECT_EQ(slide.a, 7);
  EXPECT_EQ(slide.u, 0);
  EXPECT_EQ(slide.v, 0);
  // The weight of an algebraic slide follows from g itself: nothing is hidden.
  const HybridRun algebraic = run_text(
      "model M\n Real x(start = -1, fixed = true), z, s = sign(z);\nequation\n der(x) = 1;\n z + 2*s = "
      "x;\nend M;\n",
      {{"stop", "1"}});
  const ModeSpan span = algebraic.result.modes.back();
  ASSERT_THAT(span.mode, ::testing::HasSubstr("sliding on")) << algebraic.log();
  EXPECT_EQ(span.index, 0);
  EXPECT_EQ(span.d, 1);
  EXPECT_EQ(span.a, 3);
}

// |g|^1.5 has no value beyond the surface, on which the solution stands when it leaves and arrives.
TEST(SlidingMethods, SidesWithoutAValueBeyondTheirSurface) {
  const char* const cycle =
      "model M\n Real y1(start = -0.75, fixed = true), y2(start = -1 - sin(1.5), fixed = true);\n"
      " Real g = y2 - 0.2 - sin(2*y1), u = -sign(g)/(1 + abs(g)^1.5);\nequation\n"
      " der(y1) = y2 - sin(2*y1);\n der(y2) = 2*cos(2*y1)*(y2 - sin(2*y1)) - y1 + u;\nend M;\n";
  const HybridRun reference = run_text(cycle, {{"stop", "21"}, {"tolerance", "1e-11"}, {"interval", "1"}});
  ASSERT_EQ(reference.events.size(), 5U) << reference.log();
  for (const char* method : {"radau5", "sdirk4", "bdf"}) {
    for (const char* tolerance : {"1e-5", "1e-6", "1e-7", "1e-8", "1e-9"}) {
      const HybridRun run =
          run_text(cycle, {{"stop", "21"}, {"tolerance", tolerance}, {"interval", "1"}, {"method", method}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << tolerance << run.log();
      ASSERT_EQ(run.events.size(), 5U) << method << tolerance << run.log();
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(run.events[i].time, reference.events[i].time, 1000.0 * std::stod(tolerance))
            << method << tolerance;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
