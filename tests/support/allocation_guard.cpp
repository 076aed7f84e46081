// Replaces the global operator new of the test program; linked only where the guard is used.
#include "support/allocation_guard.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
// The forms without exceptions too (std::stable_sort asks them): a sanitizer's own would not fit the delete below.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace saltus::test {

AllocationGuard::AllocationGuard() : start_(allocations) {}
AllocationGuard::~AllocationGuard() = default;
std::int64_t AllocationGuard::count() const {
  return allocations - start_;
}

}  // namespace saltus::test
