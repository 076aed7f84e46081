#include "reduce/project/post_stabilization.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::reduce {
namespace {

using Positions = PostStabilization::Positions;

// x, y, vx, vy of the pendulum.
std::vector<system::StateInfo> pendulum_states() {
  std::vector<system::StateInfo> states(4);
  states[0] = {.name = "x", .quantity = {0, 0}};
  states[1] = {.name = "y", .quantity = {1, 0}};
  states[2] = {.name = "vx", .aliases = {{"der(x)", 1.0, {0, 1}}}, .quantity = {2, 0}};
  states[3] = {.name = "vy", .aliases = {{"der(y)", 1.0, {1, 1}}}, .quantity = {3, 0}};
  return states;
}

std::vector<double> residuals(const system::EquationSet& set, const std::vector<double>& x) {
  std::vector<double> values(static_cast<std::size_t>(set.n_rows()));
  EXPECT_TRUE(set.make_runner()->residual(0.0, x, values).ok());
  return values;
}

// One pass takes residuals to their square, a second one to its square.
TEST(PostStabilization, LeavesTheFourthPower) {
  const auto constraints = test::pendulum_constraints();
  PostStabilization stabilization(constraints, pendulum_states(), Positions::all, 10.0);
  for (const double off : {1e-2, 1e-3}) {
    std::vector<double> x{0.6 * (1.0 + off), -0.8, 0.8, 0.6 + off};
    ASSERT_TRUE(stabilization.project(0.0, x).ok());
    for (const double residual : residuals(*constraints, x)) {
      EXPECT_LT(std::abs(residual), 200.0 * off * off * off * off + 1e-15);
    }
  }
}

// Positions move along the gradient of the constraint, velocities too: what is tangential stays.
TEST(PostStabilization, MovesAlongGradients) {
  PostStabilization stabilization(test::pendulum_constraints(), pendulum_states(), Positions::holonomic,
                                  10.0);
  std::vector<double> x{0.6 * 1.0001, -0.8 * 1.0001, 0.8, 0.6};
  ASSERT_TRUE(stabilization.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.6, 1e-9);
  EXPECT_NEAR(x[1], -0.8, 1e-9);
  EXPECT_NEAR(x[2] * 0.8 + x[3] * 0.6, 1.0, 1e-7);
}

TEST(PostStabilization, NothingAllocates) {
  PostStabilization stabilization(test::pendulum_constraints(), pendulum_states(), Positions::all, 10.0);
  std::vector<double> x{0.6001, -0.8, 0.8, 0.6};
  ASSERT_TRUE(stabilization.project(0.0, x).ok());
  const test::AllocationGuard guard;
  ASSERT_TRUE(stabilization.project(0.0, x).ok());
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace saltus::reduce
