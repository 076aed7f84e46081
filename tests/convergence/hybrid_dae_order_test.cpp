// Orders of event times and of what follows them on a hybrid problem of index 3 with a solution in closed form.
//
// A bead on the unit circle, φ its angle, without friction: φ = ωt - π/2. When y - 0.6x passes 0.3 from below it enters a viscous mode:
// φ̇ = ω exp(-dτ), φ = φ₁ + ω(1 - exp(-dτ))/d, τ = t - t₁. Both modes are given in Cartesian coordinates with the length as constraint.
// The event: sin φ - 0.6 cos φ = 0.3, φ₁ = arcsin(0.3/√1.36) + arctan(0.6).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/order_estimate.hpp"

namespace saltus::test {
namespace {

constexpr double kSpeed = 1.3;
constexpr double kDrag = 0.7;
constexpr double kStop = 3.1;

std::string model() {
  const std::string motion = "    der(vx) = -force*x - drag*vx;\n    der(vy) = -force*y - drag*vy;\n";
  return "model M\n"
         "  Real x(start = 0), y(start = -1), vx(start = " +
         number(kSpeed) +
         "), vy(start = 0);\n  Real force(start = 1), drag;\n"
         "equation\n  der(x) = vx;\n  der(y) = vy;\n  x^2 + y^2 = 1;\n" +
         motion +
         "initial mode smooth\n  equation\n    drag = 0;\n  transition to viscous when y - 0.6*x > 0.3;\n" +
         "end smooth;\nmode viscous\n  equation\n    drag = " + number(kDrag) + ";\nend viscous;\nend M;\n";
}

struct Exact {
  double time = 0.0;
  double x = 0.0, y = 0.0, vx = 0.0, vy = 0.0;  // at the stop
};

Exact exact() {
  const double angle = std::asin(0.3 / std::sqrt(1.36)) + std::atan(0.6);
  Exact result;
  result.time = (angle + 0.5 * std::numbers::pi) / kSpeed;
  const double left = std::exp(-kDrag * (kStop - result.time));
  const double phi = angle + kSpeed * (1 - left) / kDrag;
  const double speed = kSpeed * left;
  result.x = std::cos(phi);
  result.y = std::sin(phi);
  result.vx = -speed * std::sin(phi);
  result.vy = speed * std::cos(phi);
  return result;
}

struct Slopes {
  double time = 0.0;
  double state = 0.0;
  std::string table;
};

Slopes slopes(const OptionList& options, double largest, int n_steps) {
  const Exact solution = exact();
  std::vector<double> steps;
  std::vector<double> times;
  std::vector<double> states;
  Slopes result;
  for (int k = 0; k < n_steps; ++k) {
    const double h = largest * std::pow(0.75, k);
    OptionList all = options;
    all.emplace_back("step", number(h));
    all.emplace_back("stop", number(kStop));
    const HybridRun run = run_text(model(), all);
    EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_EQ(run.count("transition"), 1U) << run.log();
    steps.push_back(h);
    times.push_back(std::abs(run.times("transition").at(0) - solution.time) + 1e-17);
    states.push_back(std::hypot(std::hypot(run.final("x") - solution.x, run.final("y") - solution.y),
                                std::hypot(run.final("vx") - solution.vx, run.final("vy") - solution.vy)) +
                     1e-17);
    result.table += number(h) + " " + number(times.back()) + " " + number(states.back()) + "\n";
  }
  result.time = observed_order(steps, times);
  result.state = observed_order(steps, states);
  return result;
}

TEST(HybridDaeOrder, Radau5HasOrderFive) {
  const Slopes found = slopes({{"method", "radau5"}}, 0.13, 7);
  EXPECT_GT(found.time, 4.5) << found.table;
  EXPECT_GT(found.state, 4.5) << found.table;
}

TEST(HybridDaeOrder, BdfHasItsOrder) {
  for (const int order : {2, 3, 4, 5}) {
    const Slopes found = slopes({{"method", "bdf"}, {"order", std::to_string(order)}}, 0.05, 7);
    EXPECT_GT(found.time, order - 0.5) << order << "\n" << found.table;
    EXPECT_GT(found.state, order - 0.5) << order << "\n" << found.table;
  }
}

TEST(HybridDaeOrder, Dopri5HasOrderFive) {
  const Slopes found = slopes({{"method", "dopri5"}}, 0.13, 7);
  EXPECT_GT(found.time, 4.5) << found.table;
  EXPECT_GT(found.state, 4.5) << found.table;
}

// With a tolerance both errors follow it.
TEST(HybridDaeOrder, ErrorsFollowTheTolerance) {
  const Exact solution = exact();
  for (const char* const method : {"dopri5", "radau5", "sdirk4", "bdf"}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const HybridRun run =
          run_text(model(), {{"method", method}, {"tolerance", number(tolerance)}, {"stop", number(kStop)}});
      ASSERT_EQ(run.count("transition"), 1U) << run.log();
      EXPECT_NEAR(run.times("transition")[0], solution.time, 100 * tolerance) << method;
      EXPECT_NEAR(run.final("x"), solution.x, 300 * tolerance) << method;
      EXPECT_NEAR(run.final("vy"), solution.vy, 300 * tolerance) << method;
      // The event lies on the surface and on the circle to rounding.
      for (const RowRecord& row : run.rows_at(run.times("transition")[0], 0.0)) {
        EXPECT_NEAR(run.value(row, "y") - 0.6 * run.value(row, "x"), 0.3, 1e-15) << method;
        EXPECT_NEAR(std::hypot(run.value(row, "x"), run.value(row, "y")), 1.0, 1e-15) << method;
        EXPECT_NEAR(run.value(row, "x") * run.value(row, "vx") + run.value(row, "y") * run.value(row, "vy"),
                    0.0, 1e-15)
            << method;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
