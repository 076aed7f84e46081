#include <gtest/gtest.h>

#include "callback_runs.hpp"
#include "support/allocation_guard.hpp"

namespace saltus::hybrid::test {
namespace {

// From (1/2, 0): x = 1/2 - t²/2 up to t = 1 with speed 1, then half-waves of length 2.
TEST(Relay, EventsAreAtTheOddNumbers) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options_to(20.5, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  const auto times = recorder.times(EventKind::condition);
  ASSERT_EQ(times.size(), 10U) << recorder.log();
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], 1.0 + 2.0 * static_cast<double>(k), 1e-13);
  }
  EXPECT_EQ(outcome.t, 20.5);
  // 1.5 after the event at 19 with speed 1: |x| = 1.5 - 1.5²/2.
  EXPECT_NEAR(std::abs(outcome.final_values[0]), 0.375, 1e-12);
  EXPECT_LT(recorder.largest_gap, 1e-14);
}

TEST(Relay, EveryEventHasARowBeforeAndARowAfter) {
  Recorder recorder;
  (void)run_callbacks(relay(0.5, 0.0), options_to(4.0, 2), recorder);
  ASSERT_EQ(recorder.rows.size(), 4U);
  const std::vector<std::int64_t> segments{0, 1, 1, 2};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(recorder.rows[k].segment, segments[k]);
    EXPECT_EQ(recorder.rows[k].mode, "main");
  }
  EXPECT_EQ(recorder.rows[0].t, recorder.rows[1].t);
  ASSERT_EQ(recorder.events.size(), 2U);
  EXPECT_EQ(recorder.events[0].segment, 1);
  EXPECT_EQ(recorder.events[0].from, "> 0");
  EXPECT_EQ(recorder.events[0].to, "< 0");
  EXPECT_EQ(recorder.events[0].guard, "x");
  ASSERT_EQ(recorder.stretches.size(), 3U);
  EXPECT_EQ(recorder.stretches[2].segment, 2);
}

TEST(Relay, TenThousandEventsKeepTheirRhythm) {
  Recorder recorder;
  Options options = options_to(20000.0, 2);
  recorder.wants_segments = false;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options, recorder);
  ASSERT_EQ(recorder.events.size(), 10000U) << outcome.message;
  EXPECT_NEAR(recorder.events.back().time, 19999.0, 1e-9);
  EXPECT_NEAR(std::abs(outcome.final_values[0]), 0.5, 1e-9);
}

TEST(Relay, BackwardInTimeTheSameEventsComeInReverse) {
  Recorder recorder;
  Options options = options_to(-10.5, 2);
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  const auto times = recorder.times(EventKind::condition);
  ASSERT_EQ(times.size(), 5U) << recorder.log();
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], -1.0 - 2.0 * static_cast<double>(k), 1e-13);
  }
}

TEST(Relay, EventExactlyAtTheStopIsHandled) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options_to(1.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success);
  EXPECT_EQ(outcome.t, 1.0);
  ASSERT_EQ(recorder.events.size(), 1U) << recorder.log();
  EXPECT_EQ(recorder.events[0].time, 1.0);
}

TEST(Relay, StartOnTheSurfaceIsAnEventAtTheStart) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(relay(0.0, 1.0), options_to(3.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.events.size(), 2U) << recorder.log();
  EXPECT_EQ(recorder.events[0].time, 0.0);
  EXPECT_EQ(recorder.events[0].from, "= 0");
  EXPECT_EQ(recorder.events[0].to, "> 0");
  EXPECT_NEAR(recorder.events[1].time, 2.0, 1e-13);
}

TEST(Relay, NothingIsAllocatedPerEvent) {
  class Counter final : public RunObserver {
   public:
    bool begin_stretch(const Stretch& /*stretch*/) override {
      if (++n_stretches == 20) {
        at_twenty = guard.count();
      }
      last = guard.count();
      return true;
    }
    bool step(const trajectory::SegmentView& /*segment*/, const StepEnd& /*end*/) override { return true; }
    bool instant(double /*t*/, std::int64_t /*segment*/, std::string_view /*mode*/,
                 std::span<const double> /*values*/) override {
      return true;
    }
    void event(const Event& /*event*/) override {}
    void warning(Diagnostic /*diagnostic*/) override {}

    saltus::test::AllocationGuard guard;
    std::int64_t n_stretches = 0;
    std::int64_t at_twenty = 0;
    std::int64_t last = 0;
  };
  Counter counter;
  (void)run_callbacks(relay(0.5, 0.0), options_to(1000.0, 2), counter);
  EXPECT_GT(counter.n_stretches, 490);
  EXPECT_EQ(counter.last, counter.at_twenty);
}

}  // namespace
}  // namespace saltus::hybrid::test
