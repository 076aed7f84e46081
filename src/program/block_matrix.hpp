/// The matrix of an implicit block: dense LU while it is small, sparse LU above.
///
/// Contract     BlockPattern is immutable and shared; BlockMatrix belongs to one evaluator and does not allocate after
///              its first factorisation.
/// Choices      sparse from kSparseOrder unknowns on, unless half of the entries are there.
/// Checked by   tests/unit/program/block_solver_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "linalg/dense_lu.hpp"
#include "linalg/sparse_lu.hpp"

namespace saltus::program {

/// Order from which a dense factorisation (n³/3 products) costs more than the overhead of a sparse one.
inline constexpr Index kSparseOrder = 32;

struct BlockPattern {
  struct Entry {
    int row = 0;
    int column = 0;
  };
  /// Entries in the order in which their values will be given; no place twice.
  BlockPattern(Index order, std::vector<Entry> places);

  Index n = 0;
  std::vector<Entry> entries;
  std::shared_ptr<const linalg::SparseLuSymbolic> sparse;  ///< none: dense
  std::vector<std::size_t> sparse_position;                ///< of each entry in the compressed columns
};

class BlockMatrix {
 public:
  explicit BlockMatrix(const BlockPattern& pattern);

  [[nodiscard]] linalg::FactorStatus factorize(std::span<const double> values);
  /// b := A⁻¹·b
  void solve(std::span<double> b);

 private:
  const BlockPattern& pattern_;
  std::optional<linalg::DenseLu> dense_;
  std::optional<linalg::SparseLuNumeric> sparse_;
  std::vector<double> columns_;  // values of the compressed columns
};

}  // namespace saltus::program
