#include "base/work_watch.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace saltus {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// Much more than the budget between two looks.
void work_long() {
  for (int i = 0; i < 10'000; ++i) {
    count_work(1'000);
  }
}

Halt halt_of(void (*work)()) {
  try {
    work();
  } catch (const WorkHalted& halted) {
    return halted.reason();
  }
  return Halt::none;
}

TEST(WorkWatch, WithoutOneWorkHasNoLimit) {
  EXPECT_EQ(current_watch(), nullptr);
  EXPECT_EQ(halt_of(work_long), Halt::none);
}

TEST(WorkWatch, ARequestEndsWork) {
  std::atomic<bool> stop{false};
  const WorkWatch watch({&stop, std::nullopt});
  EXPECT_EQ(halt_of(work_long), Halt::none);
  stop = true;
  EXPECT_EQ(halt_of(work_long), Halt::interrupted);
}

TEST(WorkWatch, TheClockEndsWork) {
  const WorkWatch watch({nullptr, 0.05});
  const auto began = steady_clock::now();
  Halt reason = Halt::none;
  while (reason == Halt::none && steady_clock::now() - began < std::chrono::seconds(5)) {
    reason = halt_of(work_long);
  }
  EXPECT_EQ(reason, Halt::time_limit);
  EXPECT_GE(duration<double>(steady_clock::now() - began).count(), 0.05);
}

TEST(WorkWatch, TimeCountsFromWhenTheWorkBegan) {
  const WorkWatch watch({nullptr, 100.0, steady_clock::now() - std::chrono::seconds(101)});
  EXPECT_EQ(watch.asked(), Halt::time_limit);
}

TEST(WorkWatch, AnEndlessLimitIsNone) {
  const WorkWatch watch({nullptr, 1e300});
  EXPECT_EQ(watch.asked(), Halt::none);
}

// What was computed is gathered after the end, but not for ever.
TEST(WorkWatch, ConclusionsHaveAGrace) {
  std::atomic<bool> stop{true};
  const WorkWatch watch({&stop, std::nullopt});
  EXPECT_EQ(halt_of(work_long), Halt::interrupted);
  EXPECT_EQ(watch.asked(), Halt::none);
  EXPECT_EQ(halt_of(work_long), Halt::none);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(halt_of(work_long), Halt::interrupted);
}

TEST(WorkWatch, AnInnerWatchReplacesTheOuterOneForItsScope) {
  std::atomic<bool> stop{true};
  const WorkWatch outer({&stop, std::nullopt});
  {
    const WorkWatch inner(WorkLimits{});
    EXPECT_EQ(halt_of(work_long), Halt::none);
  }
  EXPECT_EQ(halt_of(work_long), Halt::interrupted);
}

TEST(WorkWatch, HoldsForItsThreadOnly) {
  std::atomic<bool> stop{true};
  const WorkWatch watch({&stop, std::nullopt});
  Halt other = Halt::time_limit;
  std::thread([&] { other = halt_of(work_long); }).join();
  EXPECT_EQ(other, Halt::none);
}

}  // namespace
}  // namespace saltus
