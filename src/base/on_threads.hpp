/// The same work for many items, on several threads.
///
/// Contract   work(k) is called once for each k below n, from any of the threads, the caller's among them; smaller k begin first. When one throws no
///            further item begins, and what the smallest of those k threw is thrown again once all threads are done.
/// Checked by tests/unit/base/on_threads_test.cpp
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace saltus {

/// `n_threads`: at most so many; 0: as many as the machine runs at once.
template <class Work>
void on_threads(std::size_t n, std::int64_t n_threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> has_thrown{false};
  std::mutex mutex;
  std::exception_ptr thrown;
  std::size_t thrown_by = std::numeric_limits<std::size_t>::max();
  const auto take_items = [&] {
    for (std::size_t k = next++; k < n && !has_thrown; k = next++) {
      try {
        work(k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        has_thrown = true;
        if (k < thrown_by) {
          thrown_by = k;
          thrown = std::current_exception();  // the thread that asked is to have it
        }
      }
    }
  };
  const std::size_t wanted =
      n_threads > 0 ? static_cast<std::size_t>(n_threads) : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < std::min(wanted, n); ++k) {
    others.emplace_back(take_items);
  }
  take_items();
  others.clear();  // waits
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace saltus
