// Turns of the loop that lead nowhere are counted, others are not.
#include "hybrid/progress_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_recorder.hpp"

namespace saltus::hybrid {
namespace {

callback::CallbackModel relay() {
  callback::CallbackModel model;
  model.states = {"x"};
  model.initial = {1.0};
  model.rhs = [](const callback::CallbackPoint&, std::span<double> xdot) { xdot[0] = -1.0; };
  return model;
}

struct Fixture : settle::test::RunFixture {
  Fixture() : RunFixture(relay(), 1.0) {}

  ProgressWatch watch{state};

  void advance(double h) {
    trajectory::CompensatedTime t = state.at.t();
    t.advance(h);
    state.at.step_to(t, state.at.x());
  }
};

TEST(ProgressWatch, TimeThatStandsStillEndsTheRun) {
  Fixture fixture;
  for (std::int64_t k = 0; k < ProgressWatch::kMostAtOnce; ++k) {
    ASSERT_TRUE(fixture.watch.look(-1));
  }
  EXPECT_FALSE(fixture.watch.look(-1));
  EXPECT_EQ(fixture.state.outcome.reason, "no_progress");
}

TEST(ProgressWatch, StepsThatGoOnAreNotCounted) {
  Fixture fixture;
  for (int k = 0; k < 5000; ++k) {
    fixture.advance(1e-12);
    ASSERT_TRUE(fixture.watch.look(-1));
  }
}

TEST(ProgressWatch, KinksWithoutEndAreCountedUnlessEventsAreLogged) {
  Fixture fixture;
  bool goes_on = true;
  std::int64_t n = 0;
  while (goes_on && n < 2 * ProgressWatch::kMostSilent) {
    fixture.advance(1e-14);
    ++fixture.state.counters.instants;
    goes_on = fixture.watch.look(-1);
    ++n;
  }
  EXPECT_FALSE(goes_on);
  Fixture logged;
  for (std::int64_t k = 0; k < 2 * ProgressWatch::kMostSilent; ++k) {
    logged.advance(1e-14);
    ++logged.state.counters.instants;
    ++logged.state.counters.events;
    ASSERT_TRUE(logged.watch.look(-1));
  }
}

}  // namespace
}  // namespace saltus::hybrid
