#include <gtest/gtest.h>

#include "run_recorder.hpp"

namespace saltus::hybrid::test {
namespace {

// From (0, 1): x = t - t²/2 up to t = 2, then mirrored: period 4, v = ±1 at every event.
TEST(Relay, EventsAreAtTheEvenNumbers) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options_to(20.5, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  const auto times = recorder.times(EventKind::condition);
  ASSERT_EQ(times.size(), 10U) << recorder.log();
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], 1.0 + 2.0 * static_cast<double>(k), 1e-13);
  }
  EXPECT_EQ(outcome.t, 20.5);
  // 1.5 after the event at 19, at which x is rising or falling with speed 1: |x| = 1.5 - 1.5²/2.
  EXPECT_NEAR(std::abs(outcome.final_values[0]), 0.375, 1e-12);
}

}  // namespace
}  // namespace saltus::hybrid::test
