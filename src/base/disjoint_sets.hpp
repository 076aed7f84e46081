/// Disjoint sets of the numbers 0, …, n - 1; the smallest member stands for its set.
///
/// Cost         nearly linear in the number of operations: paths are halved
/// Checked by   tests/unit/base/disjoint_sets_test.cpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace saltus {

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : above_(n) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }

  [[nodiscard]] std::size_t of(std::size_t i) {
    while (above_[i] != i) {
      above_[i] = above_[above_[i]];
      i = above_[i];
    }
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    const std::size_t a = of(i);
    const std::size_t b = of(j);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> above_;
};

}  // namespace saltus
