/// Problem      Σ_j w_j (v_j - v_0) over a few long vectors
/// Choices      In pieces that stay in the nearest cache, one vector after the other within a piece: the inner loop has no gaps.
/// Checked by   tests/unit/integrate/bdf_weights_test.cpp
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace saltus::integrate {

/// sum := Σ_(0 < j < n_vectors) weights[j] (vectors[j] - vectors[0]), the first sum.size() entries of each.
template <std::size_t kCount>
void weighted_sum(const std::array<std::span<double>, kCount>& vectors,
                  const std::array<double, kCount>& weights, std::size_t n_vectors, std::span<double> sum) {
  constexpr std::size_t kPiece = 512;
  for (std::size_t begin = 0; begin < sum.size(); begin += kPiece) {
    const std::size_t n = std::min(kPiece, sum.size() - begin);
    double* const out = sum.data() + begin;
    const double* const base = vectors[0].data() + begin;
    std::fill_n(out, n, 0.0);
    for (std::size_t j = 1; j < n_vectors; ++j) {
      const double* const v = vectors[j].data() + begin;
      const double weight = weights[j];
      for (std::size_t i = 0; i < n; ++i) {
        out[i] += weight * (v[i] - base[i]);
      }
    }
  }
}

}  // namespace saltus::integrate
