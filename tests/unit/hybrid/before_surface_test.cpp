#include "hybrid/before_surface.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "integrate/explicit/tables.hpp"
#include "support/integration_fixture.hpp"
#include "support/switched_evaluator.hpp"

namespace saltus::hybrid {
namespace {

using test::SwitchedEvaluator;
using test::SwitchedSystem;

// x' = -1 - x from x = 1: x = 0 at t = ln 2, where √x ends.
class BeforeSurfaceTest : public testing::Test {
 protected:
  BeforeSurfaceTest()
      : system(falling()),
        evaluator(system),
        stepper(integrate::dopri5_table(), evaluator, 1, test::tolerances(1, 1e-6, 1e-6)) {
    EXPECT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{1.0}).ok());
  }
  static SwitchedSystem falling() {
    SwitchedSystem result;
    result.n_states = 1;
    result.guards = {SwitchedSystem::linear({1.0})};
    result.guards[0].higher = [](double, SwitchedSystem::Point x, SwitchedSystem::Sides) {
      return std::vector<double>{1.0 + x[0], -1.0 - x[0]};
    };
    result.rhs = [](double, SwitchedSystem::Point x, SwitchedSystem::Sides, std::span<double> xdot) {
      xdot[0] = -1.0 - x[0];
    };
    return result;
  }

  SwitchedSystem system;
  SwitchedEvaluator evaluator;
  integrate::ExplicitRungeKutta stepper;
};

TEST_F(BeforeSurfaceTest, RootLiesJustBeyondTheStep) {
  const std::vector<locate::Watch> watches = {{.guard = 0, .side = 1.0}};
  BeforeSurface rule(evaluator, stepper, watches, 1.0, false);
  const double first = rule.size_after(1.0);
  // 1 - 2τ + τ² - τ³/3 has its root at 0.674, ln 2 is 0.693.
  EXPECT_GT(std::log(2.0) / first, 1.0);
  EXPECT_LT(std::log(2.0) / first, 1.3);
  const double second = rule.size_after(first);
  EXPECT_LT(second, first);
  EXPECT_LT(rule.size_after(second), second);
}

TEST_F(BeforeSurfaceTest, WithoutARootTheControllerDecides) {
  const std::vector<locate::Watch> watches = {{.guard = 0, .side = 1.0}};
  BeforeSurface rule(evaluator, stepper, watches, 1.0, false);
  EXPECT_EQ(rule.size_after(0.5), 0.0);
  BeforeSurface backward(evaluator, stepper, watches, -1.0, false);
  EXPECT_EQ(backward.size_after(1.0), 0.0);
}

TEST_F(BeforeSurfaceTest, SurfaceJustLeftIsNotTheOneAhead) {
  const std::vector<locate::Watch> watches = {{.guard = 0, .side = 1.0, .starts_at_root = true}};
  BeforeSurface first(evaluator, stepper, watches, 1.0, true);
  EXPECT_EQ(first.size_after(1.0), 0.0);
  BeforeSurface later(evaluator, stepper, watches, 1.0, false);
  EXPECT_GT(later.size_after(1.0), 0.0);
}

}  // namespace
}  // namespace saltus::hybrid
