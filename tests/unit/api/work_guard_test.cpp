#include "api/results/work_guard.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "saltus/result.hpp"

namespace saltus::api {
namespace {

template <class Work>
Result<int> guarded(Work work) {
  return under_limits(
      {nullptr, 3.0}, "in a test", [&]() -> Result<int> { return work(); },
      [](const EarlyEnd& end) -> Result<int> { return Unexpected(end.diagnostics()); });
}

TEST(WorkGuard, GivesTheValueOfTheWork) {
  EXPECT_EQ(*guarded([] { return 7; }), 7);
  EXPECT_EQ(current_watch(), nullptr);
}

TEST(WorkGuard, WantOfMemoryIsAnError) {
  for (const bool by_length : {false, true}) {
    const Result<int> result = guarded([&] {
      std::vector<double> list;
      if (by_length) {
        list.reserve(list.max_size() + 1);
      }
      throw std::bad_alloc();
      return 0;
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().items()[0].code, "out-of-memory");
    EXPECT_EQ(result.error().items()[0].message, "the memory does not suffice in a test");
  }
}

TEST(WorkGuard, AnEndFromOutsideIsAnError) {
  for (const Halt halt : {Halt::interrupted, Halt::time_limit}) {
    const Result<int> result = guarded([&]() -> int { throw WorkHalted(halt); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().items()[0].code, halt == Halt::interrupted ? "interrupted" : "time-limit");
  }
}

TEST(WorkGuard, OtherExceptionsAreNotItsMatter) {
  EXPECT_THROW((void)guarded([]() -> int { throw std::logic_error("a bug"); }), std::logic_error);
}

}  // namespace
}  // namespace saltus::api
