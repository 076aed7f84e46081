#include "base/on_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace saltus {
namespace {

TEST(OnThreads, EveryItemOnceWhateverTheNumberOfThreads) {
  for (const std::int64_t threads : {0, 1, 2, 7, 100}) {
    std::vector<std::atomic<int>> calls(37);
    on_threads(calls.size(), threads, [&](std::size_t k) { ++calls[k]; });
    for (const std::atomic<int>& n : calls) {
      EXPECT_EQ(n, 1) << threads;
    }
  }
  on_threads(0, 4, [](std::size_t) { FAIL(); });
}

TEST(OnThreads, ThrowsWhatTheSmallestItemHasThrown) {
  for (const std::int64_t threads : {1, 4}) {
    std::atomic<int> calls{0};
    try {
      on_threads(100000, threads, [&](std::size_t k) {
        ++calls;
        if (k >= 3) {
          throw std::runtime_error(std::to_string(k));
        }
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_LE(calls, 4 + threads);
  }
}

}  // namespace
}  // namespace saltus
