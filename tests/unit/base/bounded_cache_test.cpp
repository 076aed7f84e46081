#include "base/bounded_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace saltus {
namespace {

class Counted {
 public:
  std::shared_ptr<const std::string> ask(int key) {
    return cache.get(key, [&] {
      ++made;
      return std::make_shared<const std::string>(std::to_string(key));
    });
  }

  BoundedCache<int, std::string> cache{3};
  std::atomic<int> made = 0;
};

TEST(BoundedCache, KeepsWhatWasAskedForLast) {
  Counted counted;
  const std::shared_ptr<const std::string> one = counted.ask(1);
  for (const int key : {2, 3, 1, 4}) {  // 2 goes
    EXPECT_EQ(*counted.ask(key), std::to_string(key));
  }
  EXPECT_EQ(counted.made, 4);
  EXPECT_EQ(counted.cache.size(), 3U);
  EXPECT_EQ(counted.ask(1), one);
  EXPECT_EQ(counted.made, 4);
  EXPECT_EQ(*counted.ask(2), "2");
  EXPECT_EQ(counted.made, 5);
  for (int key = 10; key < 100; ++key) {
    (void)counted.ask(key);
  }
  EXPECT_EQ(counted.cache.size(), 3U);
  EXPECT_EQ(*one, "1") << "what was given away stays";
}

TEST(BoundedCache, MakesAgainWhereMakingHasFailed) {
  BoundedCache<int, int> cache(2);
  EXPECT_THROW((void)cache.get(1, []() -> std::shared_ptr<const int> { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(*cache.get(1, [] { return std::make_shared<const int>(7); }), 7);
}

TEST(BoundedCache, MakesOnceForManyThreads) {
  Counted counted;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&counted, i] { EXPECT_EQ(*counted.ask(i % 2), std::to_string(i % 2)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(counted.made, 2);
}

}  // namespace
}  // namespace saltus
