// Guards that switch to and fro: what counts as chattering, and how long they are kept.
#include "settle/check/switch_monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_recorder.hpp"

namespace saltus::settle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

callback::CallbackModel two_guards() {
  callback::CallbackModel model;
  model.states = {"x"};
  model.initial = {1.0};
  model.rhs = [](const callback::CallbackPoint&, std::span<double> xdot) { xdot[0] = 0.0; };
  for (const char* const name : {"a", "b"}) {
    callback::CallbackGuard guard;
    guard.name = name;
    guard.affine = callback::CallbackGuard::Affine{.coefficients = {1.0}};
    model.guards.push_back(guard);
  }
  return model;
}

struct Fixture : test::RunFixture {
  Fixture() : RunFixture(two_guards(), 100.0) {}

  SwitchMonitor monitor{state};
};

TEST(SwitchMonitor, ThreeCloseSwitchesAreReportedOnce) {
  Fixture fixture;
  for (int k = 0; k < 5; ++k) {
    fixture.go_to(1.0 + 1e-6 * k);
    fixture.monitor.switched(0, false);
    EXPECT_THAT(fixture.recorder.warnings, SizeIs(k < 2 ? 0 : 1)) << k;
  }
}

TEST(SwitchMonitor, SwitchesFarApartAndShrinkingGapsAreNoChattering) {
  Fixture fixture;
  double t = 1.0;
  double gap = 1e-6;
  for (int k = 0; k < 20; ++k) {
    fixture.go_to(0.1 * k);
    fixture.monitor.switched(1, false);
    fixture.go_to(t += gap);
    gap *= 0.7;
    fixture.monitor.switched(0, false);
  }
  EXPECT_THAT(fixture.recorder.warnings, IsEmpty());
}

TEST(SwitchMonitor, AGuardThatWouldReturnIsKeptForAPartOfTheRun) {
  Fixture fixture;
  fixture.go_to(2.0);
  fixture.monitor.switched(0, true);
  EXPECT_TRUE(fixture.monitor.is_held(0));
  EXPECT_FALSE(fixture.monitor.is_held(1));
  EXPECT_DOUBLE_EQ(fixture.monitor.next_release(), 2.0 + kHeldPart * 100.0);
  std::vector<Index> released;
  fixture.monitor.release(2.0 + 0.5 * kHeldPart * 100.0, released);
  EXPECT_THAT(released, IsEmpty());
  fixture.monitor.release(fixture.monitor.next_release(), released);
  EXPECT_THAT(released, ElementsAre(0));
  EXPECT_FALSE(fixture.monitor.is_held(0));
  EXPECT_EQ(fixture.monitor.next_release(), 100.0);
}

TEST(SwitchMonitor, ADwellKeepsEveryGuard) {
  Fixture fixture;
  fixture.options.dwell = 0.25;
  fixture.go_to(3.0);
  fixture.monitor.switched(1, false);
  EXPECT_TRUE(fixture.monitor.is_held(1));
  EXPECT_DOUBLE_EQ(fixture.monitor.next_release(), 3.25);
}

}  // namespace
}  // namespace saltus::settle
