// Two sums that are equal for a linear map and its transpose, ⟨w, J·v⟩ = ⟨Jᵀ·w, v⟩, each with the size of its terms.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace saltus::program::test {

struct DotProduct {
  double sum = 0.0;
  double size = 0.0;

  void add(double a, double b) {
    sum += a * b;
    size += std::abs(a * b);
  }
  /// b is one direction of [quantity][direction].
  void add(std::span<const double> a, std::span<const double> b, std::size_t n_directions = 1,
           std::size_t direction = 0) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      add(a[i], b[i * n_directions + direction]);
    }
  }
};

inline void expect_equal(const DotProduct& forward, const DotProduct& back, double tolerance,
                         const std::string& what) {
  EXPECT_NEAR(forward.sum, back.sum, tolerance * (forward.size + back.size)) << what;
}

inline std::vector<double> draw(std::size_t count, std::mt19937& random, double low = -1.0,
                                double high = 1.0) {
  std::vector<double> values(count);
  for (double& v : values) {
    v = std::uniform_real_distribution<double>(low, high)(random);
  }
  return values;
}

}  // namespace saltus::program::test
