// A point, its field and what moved it change together.
#include "settle/state/position.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_recorder.hpp"

namespace saltus::settle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// x' = -1 where x > 0, +1 elsewhere.
callback::CallbackModel relay() {
  callback::CallbackModel model;
  model.states = {"x"};
  model.initial = {1.0};
  callback::CallbackGuard guard;
  guard.name = "x";
  guard.affine = callback::CallbackGuard::Affine{.coefficients = {1.0}};
  model.guards.push_back(guard);
  model.rhs = [](const callback::CallbackPoint& point, std::span<double> xdot) { xdot[0] = -point.sides[0]; };
  return model;
}

struct Fixture : test::RunFixture {
  Fixture() : RunFixture(relay(), 1.0) {
    const auto mode = state.modes.mode(system->structure_of(configuration));
    state.at.begin(**mode, configuration, std::vector<double>{1.0});
  }
  double rate() {
    double value = 0.0;
    EXPECT_TRUE(state.at.field().rhs(state.at.time(), state.at.x(), {&value, 1}).ok());
    return value;
  }

  system::Configuration configuration{.mode = ModeId{std::size_t{0}}, .latched = {1.0}, .discrete = {}};
};

TEST(Position, StepsLeaveNoFactors) {
  Fixture fixture;
  fixture.state.at.step_to(trajectory::CompensatedTime(0.5), std::vector<double>{0.5});
  EXPECT_EQ(fixture.state.at.time(), 0.5);
  EXPECT_THAT(fixture.state.at.x(), ElementsAre(0.5));
  EXPECT_THAT(fixture.state.at.how(), IsEmpty());
}

TEST(Position, AMoveIsAFactorUnlessNothingMoves) {
  Fixture fixture;
  fixture.state.at.move({Factor::Kind::projection}, std::vector<double>{1.0});
  EXPECT_THAT(fixture.state.at.how(), IsEmpty());
  fixture.state.at.move({Factor::Kind::onto_root, 0}, std::vector<double>{0.0});
  ASSERT_THAT(fixture.state.at.how(), SizeIs(1));
  EXPECT_EQ(fixture.state.at.how()[0].kind, Factor::Kind::onto_root);
  EXPECT_EQ(fixture.state.at.how()[0].guard, 0);
  fixture.state.begin_instant();
  EXPECT_THAT(fixture.state.at.how(), IsEmpty());
}

TEST(Position, TheFieldOfAnEntryHasTheConfigurationOfThePoint) {
  Fixture fixture;
  EXPECT_EQ(fixture.rate(), -1.0);
  fixture.state.set_latched(0, -1.0);
  fixture.state.at.enter(fixture.state.at.mode(), std::vector<double>{0.0}, {Factor::Kind::structure});
  EXPECT_EQ(fixture.rate(), 1.0);
  EXPECT_THAT(fixture.state.at.how(), SizeIs(1));
}

TEST(Position, WhatIsTriedIsTakenBackWhole) {
  Fixture fixture;
  const Position::Trial trial = fixture.state.at.begin_trial();
  fixture.state.set_latched(0, -1.0);
  fixture.state.at.slide_on(0, SlideKind::by_motion);
  fixture.state.at.enter(fixture.state.at.mode(), std::vector<double>{7.0}, {Factor::Kind::ranks});
  fixture.state.at.take_back(trial);
  EXPECT_THAT(fixture.state.at.x(), ElementsAre(1.0));
  EXPECT_EQ(fixture.state.at.latched(0), 1.0);
  EXPECT_FALSE(fixture.state.at.is_sliding());
  EXPECT_THAT(fixture.state.at.how(), IsEmpty());
  EXPECT_EQ(fixture.rate(), -1.0);
}

TEST(Position, SurfacesAreAscendingAndKnowHowTheyAreHeld) {
  Slide slide;
  slide.kinds.assign(3, SlideKind::none);
  slide.add(2, SlideKind::by_motion);
  slide.add(0, SlideKind::by_value);
  slide.add(2, SlideKind::by_value);
  EXPECT_THAT(slide.surfaces, ElementsAre(0, 2));
  EXPECT_EQ(slide.kinds[2], SlideKind::by_value);
  slide.remove(0);
  EXPECT_THAT(slide.surfaces, ElementsAre(2));
  slide.clear();
  EXPECT_THAT(slide.surfaces, IsEmpty());
  EXPECT_EQ(slide.kinds[2], SlideKind::none);
}

TEST(Position, DistancesAreInTolerances) {
  Fixture fixture;
  const integrate::Tolerances& tolerances = fixture.state.at.mode().engine->stepper().tolerances();
  const double one = tolerances.rtol + tolerances.atol[0];
  EXPECT_EQ(fixture.state.at.distance_to(std::vector<double>{1.0}), 0.0);
  EXPECT_NEAR(fixture.state.at.distance_to(std::vector<double>{1.0 - 3.0 * one}), 3.0, 1e-6);
}

}  // namespace
}  // namespace saltus::settle
