/// Counts calls of operator new while it is alive: the step loop must not allocate.
#pragma once

#include <cstdint>

namespace saltus::test {

class AllocationGuard {
 public:
  AllocationGuard();
  AllocationGuard(const AllocationGuard&) = delete;
  AllocationGuard& operator=(const AllocationGuard&) = delete;
  ~AllocationGuard();

  /// Allocations of this thread since construction.
  [[nodiscard]] std::int64_t count() const;

 private:
  std::int64_t start_;
};

}  // namespace saltus::test
