#include "callback/own_side.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "callback/callback_system.hpp"

namespace saltus::callback {
namespace {

CallbackModel on_surfaces(std::size_t n_guards) {
  CallbackModel model;
  model.states = {"x", "y"};
  model.initial = {0.0, 0.0};
  model.guards.resize(n_guards);
  for (std::size_t i = 0; i < n_guards; ++i) {
    model.guards[i].name = "g" + std::to_string(i);
  }
  return model;
}

TEST(OwnSide, AsksOnTheSideThatIsMeantAndBesideTheSurface) {
  auto model = std::make_shared<CallbackModel>(on_surfaces(1));
  model->guards[0].affine = {{1.0, -1.0}, 0.0, 0.0};
  OwnSide own(model);
  for (const double side : {1.0, -1.0}) {
    const std::array<double, 1> sides{side};
    for (const double off : {0.0, 1e-16, -1e-16, 1e-12, -1e-12}) {
      const std::array<double, 2> x{3.0 + off, 3.0};
      const auto placed = own.place({0.0, x, sides, {}});
      ASSERT_TRUE(placed) << off;
      EXPECT_GT(side * (placed->x[0] - placed->x[1]), 0.0) << off;
      EXPECT_NEAR(placed->x[0], x[0], 2e-12 + 1e-13) << off;
    }
    // Far on its side it is asked where it is, and beyond not at all.
    const std::array<double, 2> inside{3.0 + side, 3.0};
    EXPECT_EQ(own.place({0.0, inside, sides, {}})->x.data(), inside.data());
    const std::array<double, 2> beyond{3.0 - 1e-6 * side, 3.0};
    EXPECT_FALSE(own.place({0.0, beyond, sides, {}}));
    EXPECT_EQ(own.beyond(), 0);
  }
}

TEST(OwnSide, SeveralSurfacesAtOnePoint) {
  auto model = std::make_shared<CallbackModel>(on_surfaces(2));
  model->guards[0].affine = {{1.0, 0.0}, 0.0, -1.0};
  model->guards[1].affine = {{1.0, 0.5}, 0.0, -1.0};  // not perpendicular
  OwnSide own(model);
  const std::array<double, 2> x{1.0, 0.0};
  for (const double first : {1.0, -1.0}) {
    for (const double second : {1.0, -1.0}) {
      const std::array<double, 2> sides{first, second};
      const auto placed = own.place({0.0, x, sides, {}});
      ASSERT_TRUE(placed);
      EXPECT_GT(first * (placed->x[0] - 1.0), 0.0);
      EXPECT_GT(second * (placed->x[0] + 0.5 * placed->x[1] - 1.0), 0.0);
    }
  }
  // One surface twice, asked for on both sides: there is no such point.
  model->guards[1].affine = {{1.0, 0.0}, 0.0, -1.0};
  OwnSide none(model);
  EXPECT_FALSE(none.place({0.0, x, std::array{1.0, -1.0}, {}}));
}

TEST(OwnSide, SurfacesOverTimeAreAskedAMomentBeside) {
  auto model = std::make_shared<CallbackModel>(on_surfaces(1));
  model->guards[0].affine = {{0.0, 0.0}, 1.0, -2.0};
  OwnSide own(model);
  const std::array<double, 2> x{1.0, 0.0};
  EXPECT_LT(own.place({2.0, x, std::array{-1.0}, {}})->t, 2.0);
  EXPECT_GT(own.place({2.0, x, std::array{1.0}, {}})->t, 2.0);
}

// f is asked on its side alone, however a method places its points.
TEST(OwnSide, RightHandSideHasNoValueBeyondItsSurface) {
  CallbackModel model = on_surfaces(1);
  model.guard_values = [](const CallbackPoint& at, std::span<double> values) {
    values[0] = at.x[0] * at.x[0] + at.x[1] * at.x[1] - 1.0;
  };
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[0] * at.x[0] + at.x[1] * at.x[1] > 1.0 ? 5.0 : 7.0;
    xdot[1] = 0.0;
  };
  model.rhs_chooses_sides = true;
  const auto system = make_callback_system(model);
  const auto evaluator = (*system->lock(ModeId{std::size_t{0}}))->make_evaluator();
  auto configuration = system->initial(0.0)->configuration;
  std::array<double, 2> xdot{};
  const std::array<double, 2> on{std::sqrt(0.5), std::sqrt(0.5)};
  for (const double side : {1.0, -1.0}) {
    configuration.latched[0] = side;
    evaluator->set_configuration(configuration);
    ASSERT_TRUE(evaluator->rhs(0.0, on, xdot).ok());
    EXPECT_EQ(xdot[0], side > 0.0 ? 5.0 : 7.0);
    const auto evaluation = evaluator->rhs(0.0, std::array{side > 0.0 ? 0.5 : 1.5, 0.0}, xdot);
    EXPECT_FALSE(evaluation.ok());
    EXPECT_NE(evaluator->describe(evaluation, 0.0).find("no value on its side of the surface 'g0'"),
              std::string::npos);
  }
  // A weight blends what is found on either side.
  evaluator->set_latched(0, 0.5);
  ASSERT_TRUE(evaluator->rhs(0.0, on, xdot).ok());
  EXPECT_EQ(xdot[0], 5.5);
}

}  // namespace
}  // namespace saltus::callback
