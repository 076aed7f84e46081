#include "linalg/block_factors.hpp"

#include <algorithm>

#include "linalg/plain_lu.hpp"

namespace saltus::linalg {

void BlockFactors::Columns::resize(int n, int n_entries) {
  starts.resize(static_cast<std::size_t>(n) + 1);
  rows.resize(static_cast<std::size_t>(n_entries));
  values.resize(static_cast<std::size_t>(n_entries));
}

void BlockFactors::resize(int n, int n_blocks) {
  row_order.resize(static_cast<std::size_t>(n));
  column_order.resize(static_cast<std::size_t>(n));
  scales.assign(static_cast<std::size_t>(n), 1.0);
  blocks.resize(static_cast<std::size_t>(n_blocks) + 1);
}

void BlockFactors::solve_block(int first, int last, Index n_right) {
  double* const b = work_.data();
  const auto subtract = [&](const Columns& columns, int column, int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const auto place = static_cast<std::size_t>(e);
      plain_lu::subtract(b + columns.rows[place] * n_right, b + column * n_right, columns.values[place],
                         n_right);
    }
  };
  const auto start = [](const Columns& columns, int column) {
    return columns.starts[static_cast<std::size_t>(column)];
  };
  for (int j = first; j < last; ++j) {
    subtract(lower, j, start(lower, j) + 1, start(lower, j + 1));
  }
  for (int j = last; j-- > first;) {
    const int diagonal = start(upper, j + 1) - 1;
    const double inverse = 1.0 / upper.values[static_cast<std::size_t>(diagonal)];
    std::transform(b + j * n_right, b + (j + 1) * n_right, b + j * n_right,
                   [inverse](double value) { return value * inverse; });
    subtract(upper, j, start(upper, j), diagonal);
  }
  for (int j = first; j < last; ++j) {
    subtract(above, j, start(above, j), start(above, j + 1));
  }
}

void BlockFactors::solve_rows(std::span<double> b, Index n_right) {
  const auto n = static_cast<int>(row_order.size());
  work_.resize(b.size());
  for (int k = 0; k < n; ++k) {
    const auto place = static_cast<std::size_t>(k);
    const double* const from = b.data() + row_order[place] * n_right;
    const double inverse = 1.0 / scales[place];
    std::transform(from, from + n_right, work_.data() + k * n_right,
                   [inverse](double value) { return value * inverse; });
  }
  for (std::size_t block = blocks.size() - 1; block-- > 0;) {
    solve_block(blocks[block], blocks[block + 1], n_right);
  }
  for (int k = 0; k < n; ++k) {
    std::copy_n(work_.data() + k * n_right, n_right,
                b.data() + column_order[static_cast<std::size_t>(k)] * n_right);
  }
}

}  // namespace saltus::linalg
