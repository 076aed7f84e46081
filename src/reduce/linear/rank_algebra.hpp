/// The same chains of ranks in two arithmetics: with orthonormal bases and singular values, and modulo a prime.
///
/// Problem      invariants that are defined by ranks and null spaces of products, as numbers decide them and as they are exactly
/// Contract     Both have kernel, corange (ker Aᵀ), rank, products and block columns. NumericAlgebra remembers how clear its decisions were;
///              its matrices are scaled before, so that entries have size 1 where they are not zero.
/// Checked by   tests/unit/reduce/local_triple_test.cpp, tests/unit/reduce/order_reduction_test.cpp
#pragma once

#include <algorithm>

#include "base/machine.hpp"
#include "linalg/dense_matrix.hpp"
#include "linalg/modular.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::reduce {

/// How clear a number of rank decisions was.
struct RankDoubts {
  bool is_unclear = false;  ///< one of them by a small gap
  double smallest_gap = kInfinity;
  double largest_dropped = 0.0;
  /// What counts as zero is explained by rounding errors of entries that are results of calculations.
  [[nodiscard]] bool is_rounding(Index longest_side) const {
    return largest_dropped <=
           linalg::kRoundingOfEntries * static_cast<double>(std::max<Index>(1, longest_side));
  }
};

class NumericAlgebra {
 public:
  using Matrix = linalg::DenseMatrix;

  Matrix kernel(const Matrix& a) { return bases(a).kernel; }
  Matrix corange(const Matrix& a) { return bases(a).corange; }
  Index rank(const Matrix& a) { return bases(a).decision.rank; }
  static Matrix product(const Matrix& a, const Matrix& b) { return a * b; }
  static Matrix transpose_times(const Matrix& a, const Matrix& b) { return linalg::transpose_times(a, b); }
  static Matrix beside(const Matrix& a, const Matrix& b) { return linalg::beside(a, b); }
  static Index columns(const Matrix& a) { return a.columns(); }

  [[nodiscard]] const RankDoubts& doubts() const { return doubts_; }

 private:
  linalg::RankBases bases(const Matrix& a) {
    linalg::RankOptions options;
    options.equilibrate = false;
    options.reference = 1.0;
    linalg::RankBases found = linalg::rank_bases(a, options);
    doubts_.is_unclear = doubts_.is_unclear || found.decision.is_unclear;
    doubts_.smallest_gap = std::min(doubts_.smallest_gap, found.decision.gap_ratio);
    doubts_.largest_dropped = std::max(doubts_.largest_dropped, found.decision.largest_dropped);
    return found;
  }

  RankDoubts doubts_;
};

class ModularAlgebra {
 public:
  using Matrix = linalg::modular::Residues;

  explicit ModularAlgebra(const linalg::modular::Field& field) : field_(field) {}

  [[nodiscard]] Matrix kernel(const Matrix& a) const { return linalg::modular::kernel_of(a, field_); }
  [[nodiscard]] Matrix corange(const Matrix& a) const { return linalg::modular::corange_of(a, field_); }
  [[nodiscard]] Index rank(const Matrix& a) const { return linalg::modular::rank_of(a, field_); }
  [[nodiscard]] Matrix product(const Matrix& a, const Matrix& b) const {
    return linalg::modular::product(a, b, field_);
  }
  [[nodiscard]] Matrix transpose_times(const Matrix& a, const Matrix& b) const {
    return product(linalg::modular::transpose(a), b);
  }
  static Matrix beside(const Matrix& a, const Matrix& b) { return linalg::modular::beside(a, b); }
  static Index columns(const Matrix& a) { return a.columns; }

 private:
  linalg::modular::Field field_;
};

}  // namespace saltus::reduce
