#include "slide/field/own_side.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "slide/field/own_side_evaluator.hpp"
#include "slide/field/sliding_field.hpp"
#include "support/problems/sliding_circle.hpp"
#include "support/text_system.hpp"

namespace saltus::slide {
namespace {

using test::SwitchedEvaluator;
using test::SwitchedSystem;

TEST(OwnSide, PointMovesByRoundingErrorsOnly) {
  const SwitchedSystem system = test::sliding_circle();
  SwitchedEvaluator evaluator(system);
  std::vector<double> gradient(2);
  for (const double side : {1.0, -1.0}) {
    for (const double angle : {0.3, 1.2, 2.5}) {
      const std::vector<double> start = test::sliding_circle_point(angle);
      std::vector<double> x = start;
      ASSERT_TRUE(move_to_side(evaluator, 0, side, 0.0, x, gradient));
      EXPECT_GT(side * system.guards[0].value(0.0, x, {}), 0.0);
      EXPECT_LT(std::hypot(x[0] - start[0], x[1] - start[1]), 1e-13);
    }
  }
}

TEST(OwnSide, SurfaceWithoutGradientIsRefused) {
  SwitchedSystem system;
  system.n_states = 1;
  system.guards = {SwitchedSystem::linear({0.0})};
  SwitchedEvaluator evaluator(system);
  std::vector<double> x = {1.0};
  std::vector<double> gradient(1);
  EXPECT_FALSE(move_to_side(evaluator, 0, 1.0, 0.0, x, gradient));
  EXPECT_EQ(x[0], 1.0);
}

// x' = -s·(1 + |x|^1.5) + 0.25 with |x| locked as s·x: neither side has a value beyond x = 0.
TEST(OwnSide, SlidingWhereNeitherSideHasAValueBeyondTheSurface) {
  SwitchedSystem system;
  system.n_states = 1;
  system.guards = {SwitchedSystem::linear({1.0}, -1.0)};
  system.guards[0].is_affine_in_weight = false;
  system.rhs = [](double, SwitchedSystem::Point x, SwitchedSystem::Sides s, std::span<double> xdot) {
    xdot[0] = 0.25 - s[0] * (1.0 + std::pow(s[0] * (x[0] - 1.0), 1.5));
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 1, inner.infos);
  const std::vector<Index> surfaces = {0};
  SlidingSet set;
  set.surfaces = surfaces;
  set.configuration = &inner.configuration;
  field.begin(set);
  for (const double off : {0.0, 2e-16, -2e-16}) {
    std::vector<double> xdot(1);
    ASSERT_TRUE(field.rhs(0.0, std::vector<double>{1.0 + off}, xdot).ok()) << off;
    EXPECT_NEAR(field.weights()[0], 0.25, 1e-15);
  }
}

// x' = √(s·(x - 1)): a value on the locked side only.
class OneSided : public testing::Test {
 protected:
  OneSided() {
    system.n_states = 1;
    system.guards = {SwitchedSystem::linear({1.0}, -1.0)};
    system.rhs = [](double, SwitchedSystem::Point x, SwitchedSystem::Sides s, std::span<double> rate) {
      rate[0] = std::sqrt(s[0] * (x[0] - 1.0));
    };
    auto owned = std::make_unique<SwitchedEvaluator>(system);
    inner = owned.get();
    evaluator = std::make_unique<OwnSideEvaluator>(std::move(owned), std::vector<system::StateInfo>(1), 1,
                                                   std::vector<Index>{0});
    evaluator->set_latched(0, 1.0);
  }
  system::Evaluation rhs(double x) { return evaluator->rhs(0.0, std::vector<double>{x}, xdot); }

  SwitchedSystem system;
  SwitchedEvaluator* inner = nullptr;
  std::unique_ptr<OwnSideEvaluator> evaluator;
  std::vector<double> xdot = std::vector<double>(1);
};

TEST_F(OneSided, NothingChangesWhereThereIsAValue) {
  ASSERT_TRUE(rhs(1.25).ok());
  EXPECT_EQ(xdot[0], 0.5);
  EXPECT_EQ(inner->n_calls, 1);
}

TEST_F(OneSided, RoundingBeyondTheSurfaceIsForgiven) {
  ASSERT_TRUE(rhs(1.0 - 1e-15).ok());
  EXPECT_NEAR(xdot[0], 0.0, 1e-7);
  evaluator->set_latched(0, -1.0);
  ASSERT_TRUE(rhs(1.0 + 1e-15).ok());
}

TEST_F(OneSided, FurtherBeyondItIsAFailureUnlessTheSurfaceWasJustLeft) {
  EXPECT_EQ(rhs(0.9).status, system::Evaluation::Status::not_finite);
  const std::vector<Index> left = {0};
  evaluator->extend(left);
  ASSERT_TRUE(rhs(0.9).ok());
  EXPECT_NEAR(xdot[0], 0.0, 1e-6);
  evaluator->extend({});
  EXPECT_EQ(rhs(0.9).status, system::Evaluation::Status::not_finite);
}

// A weight belongs to neither side: within rounding of its surface the point is taken where there is a value, and nowhere else.
TEST_F(OneSided, WhatIsSlidOnIsTakenWhereItHasAValue) {
  evaluator->set_latched(0, 0.5);
  ASSERT_TRUE(rhs(1.0 - 1e-15).ok());
  EXPECT_NEAR(xdot[0], 0.0, 1e-7);
  EXPECT_EQ(rhs(0.9).status, system::Evaluation::Status::not_finite);
}

// der(x) = 1 + |x - 1|^1.5 on the side x > 1, as a row of the residual form.
TEST(OwnSide, EquationsInResidualFormAreContinuedToo) {
  program::test::TextSystem text(
      "model M\n Real x(start = 2, fixed = true);\nequation\n"
      " der(x) = if x > 1 then 1 + (x - 1)^1.5 else -1 - (1 - x)^1.5;\nend M;\n");
  OwnSideEvaluator evaluator(text.locked->make_evaluator(), text.locked->states(), 1, {0});
  text.configuration.latched[0] = 1.0;
  evaluator.set_configuration(text.configuration);
  system::EquationRunner* const runner = evaluator.residual_runner();
  ASSERT_NE(runner, nullptr);
  std::vector<double> r(1);
  std::vector<double> entries(text.locked->residual_form()->pattern().n_entries());
  const auto at = [&](double x) { return runner->residual(0.0, std::vector{x, 3.0}, r); };
  ASSERT_TRUE(at(1.25).ok());
  EXPECT_NEAR(r[0], 2.0 - 0.125, 1e-15);
  ASSERT_TRUE(at(1.0 - 1e-15).ok());
  EXPECT_NEAR(r[0], 2.0, 1e-15);
  EXPECT_EQ(at(0.9).status, system::Evaluation::Status::not_finite);
  evaluator.extend(std::vector<Index>{0});
  ASSERT_TRUE(at(0.9).ok());
  EXPECT_NEAR(r[0], 2.0, 1e-12);
  EXPECT_FALSE(runner->jacobian(0.0, std::vector{0.9, 3.0}, entries).ok());
  std::vector<double> y(1);
  std::vector<double> ydot(1);
  ASSERT_TRUE(evaluator.residual_point(0.0, std::vector{0.9}, y, ydot).ok());
  EXPECT_EQ(y[0], 0.9) << "the state stays where it is";
  EXPECT_NEAR(ydot[0], 1.0, 1e-12);
}

// Where the inner evaluator has a value they are its tangents; where points are moved there are none.
TEST(OwnSide, TangentsOfTheInnerEvaluator) {
  program::test::TextSystem text(
      "model M\n Real x(start = 2, fixed = true);\nequation\n"
      " der(x) = if x > 1 then 1 + (x - 1)^1.5 else -1 - (1 - x)^1.5;\nend M;\n");
  OwnSideEvaluator evaluator(text.locked->make_evaluator(), text.locked->states(), 1, {0});
  text.configuration.latched[0] = 1.0;
  evaluator.set_configuration(text.configuration);
  evaluator.extend(std::vector<Index>{0});
  const auto tangents = evaluator.tangents({1, {}});
  ASSERT_NE(tangents, nullptr);
  const double still = 0.0;
  const double one = 1.0;
  double rate = 0.0;
  const auto at = [&](double x) {
    return tangents->rates(0.0, {&x, 1}, {{&still, 1}, {&one, 1}, {}}, {&rate, 1});
  };
  ASSERT_TRUE(at(1.25).ok());
  EXPECT_NEAR(rate, 1.5 * 0.5, 1e-15);
  EXPECT_EQ(at(0.9).status, system::Evaluation::Status::not_finite);
  const auto rows = evaluator.residual_runner()->tangents({1, {}});
  ASSERT_NE(rows, nullptr);
  const std::vector<double> moves = {1.0, 0.0};
  ASSERT_TRUE(rows->rows(0.0, std::vector{1.25, 3.0}, {{&still, 1}, moves, {}}, {&rate, 1}).ok());
  EXPECT_NEAR(std::abs(rate), 0.75, 1e-15);
}

}  // namespace
}  // namespace saltus::slide
