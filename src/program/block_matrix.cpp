#include "program/block_matrix.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace saltus::program {
namespace {

bool worth_sparse(Index n, std::size_t n_entries) {
  return n >= kSparseOrder && 2 * n_entries < static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

}  // namespace

BlockPattern::BlockPattern(Index order, std::vector<Entry> places) : n(order), entries(std::move(places)) {
  if (!worth_sparse(n, entries.size())) {
    return;
  }
  std::vector<std::size_t> by_column(entries.size());
  std::iota(by_column.begin(), by_column.end(), 0U);
  std::sort(by_column.begin(), by_column.end(), [this](std::size_t a, std::size_t b) {
    return std::pair(entries[a].column, entries[a].row) < std::pair(entries[b].column, entries[b].row);
  });
  linalg::SparsePattern pattern{
      .n = n, .column_starts = std::vector<Index>(static_cast<std::size_t>(n) + 1, 0), .rows = {}};
  sparse_position.resize(entries.size());
  for (std::size_t k = 0; k < by_column.size(); ++k) {
    const Entry& entry = entries[by_column[k]];
    sparse_position[by_column[k]] = k;
    pattern.rows.push_back(entry.row);
    pattern.column_starts[static_cast<std::size_t>(entry.column) + 1] += 1;
  }
  std::partial_sum(pattern.column_starts.begin(), pattern.column_starts.end(), pattern.column_starts.begin());
  sparse = std::make_shared<const linalg::SparseLuSymbolic>(std::move(pattern));
}

BlockMatrix::BlockMatrix(const BlockPattern& pattern) : pattern_(pattern) {
  if (pattern.sparse != nullptr) {
    sparse_.emplace(pattern.sparse);
    columns_.resize(pattern.entries.size());
  } else {
    dense_.emplace(pattern.n);
  }
}

linalg::FactorStatus BlockMatrix::factorize(std::span<const double> values) {
  if (sparse_) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      columns_[pattern_.sparse_position[k]] = values[k];
    }
    return sparse_->factorize(columns_);
  }
  const std::span<double> matrix = dense_->matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    matrix[static_cast<std::size_t>(entry.row + entry.column * pattern_.n)] = values[k];
  }
  return dense_->factorize();
}

void BlockMatrix::solve(std::span<double> b) {
  if (sparse_) {
    sparse_->solve(b);
  } else {
    dense_->solve(b);
  }
}

}  // namespace saltus::program
