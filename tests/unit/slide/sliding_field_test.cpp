#include "slide/field/sliding_field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/problems/sliding_circle.hpp"
#include "support/switched_evaluator.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;
using test::sliding_circle;
using test::SwitchedEvaluator;
using test::SwitchedSystem;
using Point = SwitchedSystem::Point;
using Sides = SwitchedSystem::Sides;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
const std::vector<Index> kFirst = {0};

SlidingSet on(const std::vector<Index>& surfaces, const SwitchedEvaluator& evaluator,
              SlidingRule rule = SlidingRule::automatic) {
  SlidingSet set;
  set.surfaces = surfaces;
  set.configuration = &evaluator.configuration;
  set.rule = rule;
  return set;
}

// x' = 0.3 - s on x = 0, y' = 2 + s.
SwitchedSystem slope() {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0})};
  system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.3 - s[0];
    xdot[1] = 2.0 + s[0];
  };
  return system;
}

TEST(SlidingField, OneSurfaceTakesTwoEvaluationsAndNoThird) {
  const SwitchedSystem system = slope();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(0.0, std::vector<double>{0.0, 5.0}, xdot).ok());
  EXPECT_NEAR(field.weights()[0], 0.3, 1e-15);
  EXPECT_NEAR(xdot[0], 0.0, 1e-15);
  EXPECT_NEAR(xdot[1], 2.3, 1e-15);
  EXPECT_EQ(inner.n_calls, 2);
  EXPECT_EQ(field.inner_evaluations(), 2);
  EXPECT_EQ(field.construction(), SlidingRule::blend);
}

TEST(SlidingField, WeightOfACurvedSurfaceIsFilippovs) {
  const SwitchedSystem system = sliding_circle();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  const double angle = 0.4;
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(0.0, test::sliding_circle_point(angle), xdot).ok());
  const double share = (2.0 - 3.0 * std::sin(angle)) / 4.0;
  EXPECT_NEAR(0.5 * (1.0 + field.weights()[0]), share, 1e-15);
  const double ydot = (1.0 + share) * std::cos(angle);
  EXPECT_NEAR(xdot[0], -(1.0 + share) * std::sin(angle) + 2.0 * test::kBend * std::sin(angle) * ydot, 1e-15);
  EXPECT_NEAR(xdot[1], ydot, 1e-15);
}

TEST(SlidingField, ProjectionReachesRoundingAndStaysThere) {
  const SwitchedSystem system = sliding_circle();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  EXPECT_EQ(field.projection(), system::Projection::stages);
  for (const double factor : {1.3, 1.01, 0.9, 1.0 + 1e-9, 1.0}) {
    std::vector<double> x = test::sliding_circle_point(1.0);
    x[0] *= factor;
    ASSERT_TRUE(field.project(0.0, x).ok());
    EXPECT_NEAR(system.guards[0].value(0.0, x, {}), 0.0, 8.0 * kEpsilon) << factor;
    const std::vector<double> once = x;
    ASSERT_TRUE(field.project(0.0, x).ok());
    EXPECT_EQ(x, once);
  }
}

TEST(SlidingField, ProjectionFollowsTheGradient) {
  SwitchedSystem system = slope();
  system.guards[0].value = [](double t, Point x, Sides) { return x[0] * x[0] + x[1] * x[1] - t; };
  system.guards[0].gradient = [](double, Point x, std::span<double> gradient) {
    gradient[0] = 2.0 * x[0];
    gradient[1] = 2.0 * x[1];
    return -1.0;
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  std::vector<double> x = {3.3, 4.4};
  ASSERT_TRUE(field.project(25.0, x).ok());
  EXPECT_NEAR(x[0], 3.0, 8.0 * kEpsilon);
  EXPECT_NEAR(x[1], 4.0, 8.0 * kEpsilon);
}

TEST(SlidingField, NominalValuesAreTheMetricOfTheProjection) {
  SwitchedSystem system = slope();
  system.guards = {SwitchedSystem::linear({1.0, 1.0})};
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos, std::vector<double>{3.0, 1.0});
  field.begin(on(kFirst, inner));
  std::vector<double> x = {10.0, 0.0};
  ASSERT_TRUE(field.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 1.0, 1e-14);  // moved by 9 parts of 10
  EXPECT_NEAR(x[1], -1.0, 1e-14);
}

TEST(SlidingField, OutputsShowTheWeightAndTheProjectedState) {
  const SwitchedSystem system = slope();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  std::vector<double> values(3);
  ASSERT_TRUE(field.outputs(0.0, std::vector<double>{1e-9, 5.0}, values).ok());
  EXPECT_EQ(values[0], 0.0);
  EXPECT_EQ(values[1], 5.0);
  EXPECT_NEAR(values[2], 0.3, 1e-15);

  std::vector<double> block(6);
  ASSERT_TRUE(
      field.outputs_block(std::vector<double>{0.0, 1.0}, std::vector<double>{1e-9, 0.0, 5.0, 6.0}, block)
          .ok());
  EXPECT_EQ(block[2], 5.0);
  EXPECT_EQ(block[3], 6.0);
  EXPECT_NEAR(block[5], 0.3, 1e-15);
}

TEST(SlidingField, ExitsAreFurtherGuards) {
  const SwitchedSystem system = slope();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  std::vector<double> values(3);
  ASSERT_TRUE(field.guards(std::vector<Index>{1, 2, 0}, 0.0, std::vector<double>{1e-9, 5.0}, values).ok());
  EXPECT_NEAR(values[0], 0.7, 1e-15);
  EXPECT_NEAR(values[1], 1.3, 1e-15);
  EXPECT_EQ(values[2], 1e-9);
  EXPECT_EQ(field.guard_shape(1).kind, system::GuardShape::Kind::opaque);
  EXPECT_LT(field.guard_noise(1, 0.0, std::vector<double>{0.0, 5.0}), 1e-13);
}

TEST(SlidingField, PointsJustEvaluatedCostNothing) {
  const SwitchedSystem system = slope();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  const std::vector<double> x = {0.0, 5.0};
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(1.0, x, xdot).ok());
  const std::int64_t calls = inner.n_calls;
  double value = 0.0;
  const Index exit = 1;
  ASSERT_TRUE(field.guards({&exit, 1}, 1.0, x, {&value, 1}).ok());
  EXPECT_EQ(inner.n_calls, calls);
  EXPECT_NEAR(value, 0.7, 1e-15);
}

TEST(SlidingField, NoWeightsWhereTheSidesAgree) {
  SwitchedSystem system = slope();
  system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.3;
    xdot[1] = s[0];
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  field.begin(on(kFirst, inner));
  std::vector<double> xdot(2);
  const Evaluation evaluation = field.rhs(2.0, std::vector<double>{0.0, 0.0}, xdot);
  EXPECT_EQ(evaluation.status, Evaluation::Status::no_weights);
  EXPECT_EQ(evaluation.culprit, 0);
  EXPECT_EQ(field.describe(evaluation, 2.0), "no weights keep the state on the surface g0 = 0 at t = 2");
}

// x' = 0.25 - s², not affine: equivalent control s = ±0.5 by the blend, the convex field by the rule of sides.
SwitchedSystem squared() {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0})};
  system.guards[0].is_affine_in_weight = false;
  system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.25 - s[0] * std::abs(s[0]);
    xdot[1] = s[0] * s[0];
  };
  return system;
}

TEST(SlidingField, NotAffineIsConvexUnlessABlendIsAskedFor) {
  const SwitchedSystem system = squared();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  std::vector<double> xdot(2);
  const std::vector<double> x = {0.0, 0.0};

  field.begin(on(kFirst, inner));
  EXPECT_EQ(field.construction(), SlidingRule::convex);
  ASSERT_TRUE(field.rhs(0.0, x, xdot).ok());
  EXPECT_NEAR(field.weights()[0], 0.25, 1e-15);  // of -0.75 and 1.25
  EXPECT_NEAR(xdot[1], 1.0, 1e-15);              // both sides have 1
  std::vector<double> values(3);
  ASSERT_TRUE(field.outputs(0.0, x, values).ok());
  EXPECT_NEAR(values[2], 0.25, 1e-15);

  field.begin(on(kFirst, inner, SlidingRule::blend));
  EXPECT_EQ(field.construction(), SlidingRule::blend);
  ASSERT_TRUE(field.rhs(0.0, x, xdot).ok());
  EXPECT_NEAR(field.weights()[0], 0.5, 1e-13);
  EXPECT_NEAR(xdot[1], 0.25, 1e-13);
}

TEST(SlidingField, TwoModesOnOneSurface) {
  SwitchedSystem right = slope();
  SwitchedSystem left = slope();
  right.rhs = [](double, Point, Sides, std::span<double> xdot) {
    xdot[0] = -1.0;
    xdot[1] = 4.0;
  };
  left.rhs = [](double, Point, Sides, std::span<double> xdot) {
    xdot[0] = 3.0;
    xdot[1] = 0.0;
  };
  SwitchedEvaluator plus(right);
  SwitchedEvaluator minus(left);
  SlidingField field(plus, minus, 2, plus.infos);
  field.begin(on(kFirst, plus));
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(0.0, std::vector<double>{0.0, 0.0}, xdot).ok());
  EXPECT_NEAR(field.weights()[0], 0.5, 1e-15);  // α = 3/4
  EXPECT_NEAR(xdot[1], 3.0, 1e-15);
  EXPECT_EQ(field.construction(), SlidingRule::convex);
  std::vector<double> values(3);
  ASSERT_TRUE(field.outputs(0.0, std::vector<double>{0.0, 0.0}, values).ok());
  EXPECT_NEAR(values[2], 0.5, 1e-15);  // sides +1 and -1 combined
}

// The middle of a band, g = 0.3: the guard has one side there, in both modes.
TEST(SlidingField, TwoModesOnALevel) {
  SwitchedSystem right = slope();
  SwitchedSystem left = slope();
  right.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = -1.0;
    xdot[1] = 4.0 * s[0];
  };
  left.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 3.0;
    xdot[1] = 8.0 * s[0];
  };
  SwitchedEvaluator plus(right);
  SwitchedEvaluator minus(left);
  plus.configuration.latched = {1.0};
  SlidingField field(plus, minus, 2, plus.infos);
  SlidingSet set = on(kFirst, plus);
  set.level = 0.3;
  field.begin(set);
  std::vector<double> x = {0.0, 2.0};
  ASSERT_TRUE(field.project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.3, kEpsilon);
  EXPECT_EQ(x[1], 2.0);
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(0.0, x, xdot).ok());
  EXPECT_NEAR(field.weights()[0], 0.5, 1e-15);  // α = 3/4
  EXPECT_NEAR(xdot[0], 0.0, 1e-15);
  EXPECT_NEAR(xdot[1], 5.0, 1e-14);
}

// Three blocks: v_i' = load_i(t) - Σ M_ij s_j.
SwitchedSystem blocks() {
  SwitchedSystem system;
  system.n_states = 3;
  system.guards = {SwitchedSystem::linear({1.0, 0.0, 0.0}), SwitchedSystem::linear({0.0, 1.0, 0.0}),
                   SwitchedSystem::linear({0.0, 0.0, 1.0})};
  system.rhs = [](double t, Point x, Sides s, std::span<double> xdot) {
    const double mass = 2.0 + 0.1 * t;
    xdot[0] = 0.5 * t - mass * s[0] + 0.5 * s[1] - x[0];
    xdot[1] = 0.3 + 0.5 * s[0] - mass * s[1] + 0.5 * s[2];
    xdot[2] = -0.4 + 0.5 * s[1] - mass * s[2];
  };
  return system;
}

TEST(SlidingField, SeveralSurfacesKeepTheirMatrixWhileItServes) {
  const SwitchedSystem system = blocks();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 3, inner.infos);
  const std::vector<Index> all = {0, 1, 2};
  field.begin(on(all, inner));
  std::vector<double> xdot(3);
  const std::vector<double> x(3, 0.0);
  ASSERT_TRUE(field.rhs(0.5, x, xdot).ok());
  for (const double rate : xdot) {
    EXPECT_NEAR(rate, 0.0, 1e-13);
  }
  EXPECT_EQ(inner.n_calls, 5);  // at the start, three columns, at the answer
  ASSERT_TRUE(field.rhs(0.5, x, xdot).ok());
  EXPECT_EQ(inner.n_calls, 6);
  ASSERT_TRUE(field.rhs(0.50001, x, xdot).ok());
  EXPECT_LE(inner.n_calls, 9);
  for (const double rate : xdot) {
    EXPECT_NEAR(rate, 0.0, 1e-13);
  }
}

TEST(SlidingField, AttemptsLeaveNoTrace) {
  const SwitchedSystem system = blocks();
  const std::vector<Index> all = {0, 1, 2};
  const auto evaluate_at = [&](bool with_detour) {
    SwitchedEvaluator inner(system);
    SlidingField field(inner, 3, inner.infos);
    field.begin(on(all, inner));
    const std::vector<double> x(3, 0.0);
    std::vector<double> xdot(3);
    EXPECT_TRUE(field.rhs(0.5, x, xdot).ok());
    field.keep_solutions();
    if (with_detour) {
      EXPECT_TRUE(field.rhs(1.7, x, xdot).ok());
    }
    field.restore_solutions();
    EXPECT_TRUE(field.rhs(0.6, x, xdot).ok());
    xdot.insert(xdot.end(), field.weights().begin(), field.weights().end());
    return xdot;
  };
  EXPECT_EQ(evaluate_at(false), evaluate_at(true));
}

TEST(SlidingField, ProductsOfWeightsAreSolvedToo) {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0}), SwitchedSystem::linear({0.0, 1.0})};
  system.rhs = [](double, Point, Sides s, std::span<double> xdot) {
    xdot[0] = 0.1 - s[0] + 0.5 * s[0] * s[1];
    xdot[1] = 0.2 - s[1] + 0.3 * s[0] * s[1];
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  const std::vector<Index> both = {0, 1};
  field.begin(on(both, inner));
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(0.0, std::vector<double>{0.0, 0.0}, xdot).ok());
  EXPECT_NEAR(xdot[0], 0.0, 1e-13);
  EXPECT_NEAR(xdot[1], 0.0, 1e-13);
  EXPECT_NE(field.weights()[0], 0.0);
}

// The end of twisting: g₁ = x, g₂ = v with v' = -2 s₁ - s₂; x' = v is not changed by any weight.
TEST(SlidingField, SurfacesThatDependOnOneAnotherTakeTheSmallestWeights) {
  SwitchedSystem system;
  system.n_states = 2;
  system.guards = {SwitchedSystem::linear({1.0, 0.0}), SwitchedSystem::linear({0.0, 1.0})};
  system.rhs = [](double, Point x, Sides s, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = 0.5 - 2.0 * s[0] - s[1];
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  const std::vector<Index> both = {0, 1};
  field.begin(on(both, inner));
  std::vector<double> x = {1e-12, -1e-12};
  ASSERT_TRUE(field.project(0.0, x).ok());
  EXPECT_EQ(x, (std::vector<double>{0.0, 0.0}));
  std::vector<double> xdot(2);
  ASSERT_TRUE(field.rhs(0.0, x, xdot).ok());
  EXPECT_NEAR(field.weights()[0], 0.2, 1e-14);
  EXPECT_NEAR(field.weights()[1], 0.1, 1e-14);
  EXPECT_NEAR(xdot[1], 0.0, 1e-14);
  // Off the surface v = 0 no weights keep x = 0.
  EXPECT_EQ(field.rhs(0.0, std::vector<double>{0.0, 0.1}, xdot).status, Evaluation::Status::no_weights);
}

// A guard on the friction force: its value is that of the weight, not that of a side.
TEST(SlidingField, GuardsThatReadTheWeightAreEvaluatedWithIt) {
  SwitchedSystem system = slope();
  SwitchedSystem::Guard force = SwitchedSystem::linear({0.0, 0.0});
  force.value = [](double, Point, Sides s) { return 0.9 - s[0]; };
  system.guards.push_back(force);
  system.guards.push_back(SwitchedSystem::linear({0.0, 1.0}, -7.0));
  system.rhs = [](double t, Point, Sides s, std::span<double> xdot) {
    xdot[0] = t - s[0];
    xdot[1] = 2.0;
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 2, inner.infos);
  SlidingSet set = on(kFirst, inner);
  const std::vector<double> x = {0.0, 5.0};
  const std::vector<Index> watched = {1, 2};
  set.x = x;
  set.watched = watched;
  field.begin(set);
  std::vector<double> values(2);
  ASSERT_TRUE(field.guards(watched, 0.25, x, values).ok());
  EXPECT_NEAR(values[0], 0.65, 1e-15);
  EXPECT_EQ(values[1], -2.0);
  system::GuardDerivatives derivatives;
  ASSERT_TRUE(field.guard_derivatives(2, 0.25, x, derivatives).ok());
  EXPECT_EQ(derivatives.n_known, 1);
  EXPECT_NEAR(derivatives.value[0], 2.0, 1e-15);
}

// While sliding on x = 0, y'' = 3 with y' = 0: the guard y - 1 touches its surface.
TEST(SlidingField, TangencyOfAnotherGuardIsSeenByTheSecondDerivative) {
  SwitchedSystem system;
  system.n_states = 3;
  system.guards = {SwitchedSystem::linear({1.0, 0.0, 0.0}), SwitchedSystem::linear({0.0, 1.0, 0.0}, -1.0)};
  system.rhs = [](double t, Point x, Sides s, std::span<double> xdot) {
    xdot[0] = 0.5 * std::cos(t) - s[0];
    xdot[1] = x[2] + 0.1 * (s[0] - 0.5 * std::cos(t));
    xdot[2] = 3.0 - 0.5 * std::cos(t) + s[0];
  };
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 3, inner.infos);
  field.begin(on(kFirst, inner));
  system::GuardDerivatives derivatives;
  ASSERT_TRUE(field.guard_derivatives(1, 0.7, std::vector<double>{0.0, 1.0, 0.0}, derivatives).ok());
  ASSERT_EQ(derivatives.n_known, 2);
  EXPECT_LE(std::abs(derivatives.value[0]), derivatives.noise[0]);
  EXPECT_NEAR(derivatives.value[1], 3.0, derivatives.noise[1]);
  EXPECT_LT(derivatives.noise[1], 1e-6);
}

TEST(SlidingField, NothingIsAllocatedAfterTheFirstTime) {
  const SwitchedSystem system = blocks();
  SwitchedEvaluator inner(system);
  SlidingField field(inner, 3, inner.infos);
  const std::vector<Index> all = {0, 1, 2};
  const std::vector<Index> two = {2, 0};
  const std::vector<double> start(3, 0.0);
  SlidingSet set = on(all, inner);
  set.x = start;
  field.begin(set);
  std::vector<double> xdot(3);
  std::vector<double> x(3);
  std::vector<double> values(6);
  std::vector<double> exits(2);
  const std::vector<Index> which = {3, 4};
  ASSERT_TRUE(field.outputs(0.0, x, values).ok());
  const test::AllocationGuard allocations;
  for (int i = 0; i < 20; ++i) {
    set.surfaces = i % 2 == 0 ? two : all;
    field.begin(set);
    x = {1e-6, -1e-6, 1e-7};
    ASSERT_TRUE(field.project(0.1 * i, x).ok());
    ASSERT_TRUE(field.rhs(0.1 * i, x, xdot).ok());
    ASSERT_TRUE(field.guards(which, 0.1 * i, x, exits).ok());
    ASSERT_TRUE(field.outputs(0.1 * i, x, values).ok());
    field.keep_solutions();
    field.restore_solutions();
  }
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace saltus::slide
