// One instant as a whole: nothing is reported before it is settled, and sides come from what led to it.
#include "settle/settler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_recorder.hpp"

namespace saltus::settle {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// x' = s/2 - 1/2, s the side of x: -1 below zero, 0 above, and -1/2 where x stays zero; `start` is x(0).
callback::CallbackModel valve(double start) {
  callback::CallbackModel model;
  model.states = {"x"};
  model.initial = {start};
  callback::CallbackGuard guard;
  guard.name = "x";
  guard.affine = callback::CallbackGuard::Affine{.coefficients = {1.0}};
  model.guards.push_back(guard);
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = 0.5 * at.sides[0] - 0.5;
  };
  return model;
}

// x' = 0: a guard that is zero stays so.
callback::CallbackModel rest() {
  callback::CallbackModel model = valve(0.0);
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) { xdot[0] = 0.0 * at.sides[0]; };
  return model;
}

struct Fixture : test::RunFixture {
  explicit Fixture(const callback::CallbackModel& model) : RunFixture(model, 1.0) {}

  bool start() {
    const auto initial = system->initial(0.0);
    return settler.start(initial.value());
  }
  void step_to(double t, double x) {
    state.at.step_to(trajectory::CompensatedTime(t), std::vector<double>{x});
    settler.step_kept();
  }

  Settler settler{state};
};

TEST(Settler, AStartOnASideHasNothingToReport) {
  Fixture fixture(valve(-1.0));
  ASSERT_TRUE(fixture.start());
  EXPECT_EQ(fixture.state.at.latched(0), -1.0);
  EXPECT_TRUE(fixture.settler.has_values());
  EXPECT_TRUE(fixture.state.instant.draft.is_empty());
  double rate = 0.0;
  EXPECT_TRUE(fixture.state.at.field().rhs(0.0, fixture.state.at.x(), {&rate, 1}).ok());
  EXPECT_EQ(rate, -1.0);
}

TEST(Settler, AStartAtZeroTakesTheSideToWhichItMoves) {
  Fixture fixture(valve(0.0));
  ASSERT_TRUE(fixture.start());
  EXPECT_EQ(fixture.state.at.latched(0), -1.0);
}

TEST(Settler, AGuardThatHasLeftZeroTakesTheSideOfItsValue) {
  Fixture fixture(rest());
  ASSERT_TRUE(fixture.start());
  ASSERT_TRUE(fixture.state.report());
  ASSERT_EQ(fixture.state.at.latched(0), 0.0);
  const std::vector<Index> staying{0};
  EXPECT_FALSE(fixture.settler.have_left_zero(staying));
  fixture.step_to(0.5, 0.25);
  EXPECT_FALSE(fixture.settler.has_values());
  ASSERT_TRUE(fixture.settler.have_left_zero(staying));
  fixture.recorder.rows.clear();
  ASSERT_TRUE(fixture.settler.settle({.staying_zero = staying}));
  EXPECT_EQ(fixture.state.at.latched(0), 1.0);
  ASSERT_FALSE(fixture.settler.crossed().empty());
  EXPECT_EQ(fixture.settler.crossed().front(), 0);
  EXPECT_EQ(fixture.state.counters.instants, 1);
  EXPECT_TRUE(fixture.settler.has_values());
  EXPECT_THAT(fixture.recorder.rows, IsEmpty());
  ASSERT_TRUE(fixture.state.report());
}

TEST(Settler, AnInstantThatIsNotVerifiedLeavesItsLeftLimitAlone) {
  Fixture fixture(valve(-1.0));
  ASSERT_TRUE(fixture.start());
  // The side is that of before, the value is not: nothing has led there.
  fixture.options.verify = Verify::full;
  fixture.step_to(0.5, 0.25);
  const system::Schedule due;
  EXPECT_FALSE(fixture.settler.settle({.schedule = &due}));
  EXPECT_EQ(fixture.state.outcome.reason, "inconsistent_instant");
  EXPECT_THAT(fixture.recorder.events, SizeIs(0));
}

}  // namespace
}  // namespace saltus::settle
