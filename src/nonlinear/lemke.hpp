/// Problem      box-constrained affine complementarity: s ∈ [-1, 1]ᵏ with F = M·s + q and, for every i,
///              Fᵢ = 0 where |sᵢ| < 1,   Fᵢ ≥ 0 where sᵢ = +1,   Fᵢ ≤ 0 where sᵢ = -1
/// Method       Lemke's complementary pivoting with the lexicographic ratio test [CPS92] 4.4, 4.9, on the linear
///              complementarity problem of order 2k of z = distance of s from a corner and the multipliers of the opposite
///              bounds
/// Notation     corner c ∈ {±1}ᵏ, s = c·(1 - z), z ∈ [0, 2];   w = H + λ ≥ 0 ⟂ z ≥ 0,   y = 2 - z ≥ 0 ⟂ λ ≥ 0,
///              H = c·F is what must be ≥ 0 at z = 0, = 0 inside, ≤ 0 at z = 2
/// Contract     Starts at the corner given; if it is a solution, it is the answer. Storage is taken in resize(); solve() does
///              not allocate.
/// Choices      The covering vector is 1 for the rows of w and 0 for those of y. Then the only unbounded ray is the first one
///              (z is bounded by 2, and a multiplier that grows needs y = 0, z = 2 and w = 0 at once), to which lexicographic
///              pivoting never returns: the method ends with a solution whatever M is (docs/math/sliding.md).
/// Fails when   an entry is not finite, or rounding makes it visit more than kMostPivots·k bases: a value says so
/// Cost         O(k²) per pivot, about k pivots where M is that of friction
/// Checked by   tests/unit/nonlinear/lemke_test.cpp: against all 3ᵏ patterns
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::nonlinear {

class Lemke {
 public:
  enum class Status : std::uint8_t { solved, not_finite, too_many_pivots, ray };

  Lemke() = default;
  explicit Lemke(Index k) { resize(k); }
  /// Allocates only beyond the largest size so far.
  void resize(Index k);
  [[nodiscard]] Index k() const { return k_; }

  /// M, row-major, and q; kept by solve().
  [[nodiscard]] std::span<double> matrix();
  [[nodiscard]] std::span<double> vector();
  /// `corner`: ±1 each; `s`: the answer.
  [[nodiscard]] Status solve(std::span<const double> corner, std::span<double> s);
  [[nodiscard]] Index n_pivots() const { return n_pivots_; }

  void fields(Archive& a) { a(k_, width_, n_pivots_, matrix_, vector_, tableau_, basis_); }

 private:
  void build_tableau(std::span<const double> corner);
  [[nodiscard]] Index leaving_row(Index entering) const;
  [[nodiscard]] bool lexicographically_less(Index row, double row_pivot, Index other,
                                            double other_pivot) const;
  void pivot(Index row, Index entering);
  [[nodiscard]] double& at(Index i, Index j) { return tableau_[static_cast<std::size_t>(i * width_ + j)]; }
  [[nodiscard]] double at(Index i, Index j) const {
    return tableau_[static_cast<std::size_t>(i * width_ + j)];
  }

  Index k_ = 0;
  Index width_ = 0;
  Index n_pivots_ = 0;
  std::vector<double> matrix_;
  std::vector<double> vector_;
  std::vector<double> tableau_;
  std::vector<Index> basis_;
};

}  // namespace saltus::nonlinear
