#include "slide/field/mapped_evaluator.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/switched_evaluator.hpp"

namespace saltus::slide {
namespace {

using test::SwitchedEvaluator;
using test::SwitchedSystem;

// One state x, x' = 2; the "variable" that gives y is x itself (outputs: states, then sides).
class MappedEvaluatorTest : public ::testing::Test {
 protected:
  MappedEvaluatorTest() {
    system_.n_states = 1;
    system_.guards.push_back(SwitchedSystem::linear({1.0}, -3.0));
    system_.rhs = [](double, SwitchedSystem::Point, SwitchedSystem::Sides, std::span<double> xdot) {
      xdot[0] = 2.0;
    };
    map_.places = {1};
    map_.given = {{0, 0, 1.0, "y"}};
    map_.nominal = {1.0};
    map_.n_outside = 2;
    map_.n_variables = 2;
  }
  SwitchedSystem system_;
  StateMap map_;
};

TEST_F(MappedEvaluatorTest, RatesOfGivenStatesFollowFromTheMotion) {
  SwitchedEvaluator inner(system_);
  MappedEvaluator mapped(inner, map_);
  std::vector<double> xdot(2);
  ASSERT_TRUE(mapped.rhs(0.0, std::vector<double>{7.0, 5.0}, xdot).ok());
  EXPECT_EQ(xdot[1], 2.0);
  EXPECT_NEAR(xdot[0], 2.0, 1e-9);
}

TEST_F(MappedEvaluatorTest, GuardsReadTheirOwnStates) {
  SwitchedEvaluator inner(system_);
  MappedEvaluator mapped(inner, map_);
  const std::vector<Index> which{0};
  std::vector<double> value(1);
  ASSERT_TRUE(mapped.guards(which, 0.0, std::vector<double>{7.0, 5.0}, value).ok());
  EXPECT_EQ(value[0], 2.0);
  std::vector<double> gradient(2);
  double time_derivative = 1.0;
  ASSERT_TRUE(mapped.guard_gradient(0, 0.0, std::vector<double>{7.0, 5.0}, gradient, time_derivative).ok());
  EXPECT_EQ(gradient[0], 0.0);
  EXPECT_EQ(gradient[1], 1.0);
  EXPECT_EQ(time_derivative, 0.0);
}

TEST_F(MappedEvaluatorTest, WhatTheModeGivesIsAConstraint) {
  SwitchedEvaluator inner(system_);
  MappedEvaluator mapped(inner, map_);
  const auto constraints = mapped.constraints();
  ASSERT_EQ(constraints->n_rows(), 1);
  const auto runner = constraints->make_runner();
  std::vector<double> residual(1);
  const std::vector<double> x{7.0, 5.0};
  ASSERT_TRUE(runner->residual(0.0, x, residual).ok());
  EXPECT_EQ(residual[0], 2.0);  // y - x
  std::vector<double> entries(constraints->pattern().n_entries());
  ASSERT_TRUE(runner->jacobian(0.0, x, entries).ok());
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0], 1.0);
  EXPECT_NEAR(entries[1], -1.0, 1e-9);
}

}  // namespace
}  // namespace saltus::slide
