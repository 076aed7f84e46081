/// Whether numbers are finite, quickly.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "base/ids.hpp"

namespace saltus::program {

inline constexpr std::size_t kFiniteSums = 8;

/// For eight values or more. 0·v is 0 for every finite v and NaN for the others; eight sums, so that the loop is one of vectors.
[[gnu::noinline]] inline bool many_finite(std::span<const double> values) {
  double sums[kFiniteSums] = {};
  std::size_t i = 0;
  for (; i + kFiniteSums <= values.size(); i += kFiniteSums) {
    for (std::size_t k = 0; k < kFiniteSums; ++k) {
      sums[k] += 0.0 * values[i + k];
    }
  }
  for (; i < values.size(); ++i) {
    sums[0] += 0.0 * values[i];
  }
  double total = 0.0;
  for (const double sum : sums) {
    total += sum;
  }
  return total == 0.0;
}

[[nodiscard]] inline bool all_finite(std::span<const double> values) {
  if (values.size() >= kFiniteSums) {
    return many_finite(values);
  }
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return false;
    }
  }
  return true;
}

/// -1: all are.
[[nodiscard]] inline Index first_not_finite(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return static_cast<Index>(i);
    }
  }
  return -1;
}

}  // namespace saltus::program
