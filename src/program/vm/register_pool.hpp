/// Ranges of registers, given out and taken back.
///
/// Choices      free ranges are kept by their exact length, the last one freed first: the strips of a loop
/// ask for the
///              same lengths again and again, and the range freed last is the one still in the cache. Slabs begin on a
///              cache line (measured: a quarter of the time of a long chain with 256-bit vectors).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/vm/slab_program.hpp"

namespace saltus::program {

class RegisterPool {
 public:
  explicit RegisterPool(std::uint32_t first) : size_(first) {}

  [[nodiscard]] std::uint32_t take(std::uint32_t length) {
    std::vector<std::uint32_t>& free = free_of(length);
    if (!free.empty()) {
      const std::uint32_t base = free.back();
      free.pop_back();
      return base;
    }
    if (length >= kSlabAlignment) {
      size_ = (size_ + kSlabAlignment - 1U) & ~(kSlabAlignment - 1U);
    }
    const std::uint32_t base = size_;
    size_ += length;
    return base;
  }
  void give_back(std::uint32_t base, std::uint32_t length) { free_of(length).push_back(base); }
  /// Registers needed so far.
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  std::vector<std::uint32_t>& free_of(std::uint32_t length) { return length == 1 ? single_ : free_[length]; }

  std::uint32_t size_;
  std::vector<std::uint32_t> single_;  // length 1, by far the most frequent in scalar code
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> free_;
};

}  // namespace saltus::program
