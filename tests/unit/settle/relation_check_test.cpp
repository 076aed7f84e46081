// A side that does not have the sign of its guard is seen beyond the errors of the states, and not within them.
#include "settle/check/relation_check.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "callback/callback_system.hpp"
#include "locate/step_ranges.hpp"

namespace saltus::settle {
namespace {

// g0 = 2x, g1 = x - 1 + t
struct Fixture {
  std::shared_ptr<const system::LockedDae> locked;
  std::unique_ptr<system::Evaluator> evaluator;
  integrate::Tolerances tolerances;
  RelationCheck check;

  Fixture() {
    callback::CallbackModel model;
    model.states = {"x"};
    model.initial = {0.0};
    model.rhs = [](const callback::CallbackPoint&, std::span<double> xdot) { xdot[0] = 1.0; };
    model.guards.resize(2);
    model.guards[0].affine = {{2.0}, 0.0, 0.0};
    model.guards[1].affine = {{1.0}, 1.0, -1.0};
    locked = callback::make_callback_system(model)->lock(ModeId(0U)).value();
    evaluator = locked->make_evaluator();
    tolerances.rtol = 0.0;
    tolerances.atol = {1e-6};
  }
  std::optional<RelationCheck::Wrong> look(double x, std::vector<double> latched, double t = 0.0) {
    const std::vector<Index> guards = {0, 1};
    const std::vector<double> states = {x};
    return check.look(*evaluator, guards, latched, t, states, 0.0, tolerances);
  }
};

TEST(RelationCheck, SidesThatAgreeHold) {
  Fixture fixture;
  EXPECT_FALSE(fixture.look(0.5, {1.0, -1.0}));
  EXPECT_FALSE(fixture.look(-0.5, {-1.0, -1.0}));
}

TEST(RelationCheck, TheGuardThatIsFurthestOnTheWrongSideIsNamed) {
  Fixture fixture;
  const auto one = fixture.look(0.5, {-1.0, -1.0});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->guard, 0);
  EXPECT_EQ(one->value, 1.0);
  EXPECT_EQ(one->side, -1.0);
  const auto both = fixture.look(3.0, {-1.0, -1.0});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->guard, 0);  // 6 against 2
  EXPECT_TRUE(fixture.look(0.5, {1.0, -1.0}, 2.0));
}

// The bound is κ tolerances of the state times the slope of the guard.
TEST(RelationCheck, ErrorsOfTheStatesAreNoWrongSide) {
  Fixture fixture;
  const double allowed = locate::extension_kappa(1) * 1e-6;
  EXPECT_FALSE(fixture.look(0.9 * allowed, {-1.0, -1.0}));
  EXPECT_TRUE(fixture.look(1.1 * allowed, {-1.0, -1.0}));
}

TEST(RelationCheck, ZeroIsOnEitherSide) {
  Fixture fixture;
  EXPECT_FALSE(fixture.look(0.0, {-1.0, -1.0}));
  EXPECT_FALSE(fixture.look(0.0, {1.0, -1.0}));
}

}  // namespace
}  // namespace saltus::settle
