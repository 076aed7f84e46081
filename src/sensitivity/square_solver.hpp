/// A square matrix of one pattern, factorised again and again: dense where it is small, sparse else.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "linalg/sparse_lu.hpp"

namespace saltus::sensitivity {

class SquareSolver {
 public:
  /// Up to this order dense; not measured. Results differ by rounding only.
  static constexpr Index kMostDenseOrder = 32;

  explicit SquareSolver(linalg::SparsePattern pattern)
      : symbolic_(pattern.n > kMostDenseOrder ? std::make_shared<const linalg::SparseLuSymbolic>(pattern)
                                              : nullptr),
        pattern_(std::move(pattern)) {
    if (symbolic_ != nullptr) {
      sparse_.emplace(symbolic_);
    } else {
      dense_.emplace(pattern_.n);
    }
  }

  /// Entries in the order of the pattern. False: it is singular.
  [[nodiscard]] bool factorize(std::span<const double> values) {
    if (sparse_) {
      return sparse_->factorize(values).ok();
    }
    const std::span<double> matrix = dense_->matrix();
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (Index j = 0; j < pattern_.n; ++j) {
      for (Index e = pattern_.column_starts[static_cast<std::size_t>(j)];
           e < pattern_.column_starts[static_cast<std::size_t>(j + 1)]; ++e) {
        matrix[static_cast<std::size_t>(pattern_.rows[static_cast<std::size_t>(e)] + j * pattern_.n)] =
            values[static_cast<std::size_t>(e)];
      }
    }
    return dense_->factorize().ok();
  }
  void solve(std::span<double> b) {
    if (sparse_) {
      sparse_->solve(b);
    } else {
      dense_->solve(b);
    }
  }
  /// Several right sides, b [row][right side].
  void solve_rows(std::span<double> b, std::size_t n_right) {
    if (sparse_) {
      sparse_->solve_rows(b, static_cast<Index>(n_right));
    } else {
      dense_->solve_rows(b, static_cast<Index>(n_right));
    }
  }

 private:
  std::shared_ptr<const linalg::SparseLuSymbolic> symbolic_;
  linalg::SparsePattern pattern_;
  std::optional<linalg::DenseLu> dense_;
  std::optional<linalg::SparseLuNumeric> sparse_;
};

}  // namespace saltus::sensitivity
