/// The factors that KLU has found, for solutions with many right sides at once; private to src/linalg.
///
/// Problem    A·X = B with tens of right sides: KLU takes four at a time, column by column, and reads every place of its factors anew for them
/// Method     (R⁻¹·A)(P, Q) = L·U + F, F the entries above the diagonal blocks [DPN10]; B is stored [row][right side], so that every entry of a
///            factor is one loop over neighbouring numbers
/// Checked by tests/unit/linalg/sparse_lu_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"

namespace saltus::linalg {

/// As klu_extract() gives them: columns of L with the diagonal, which is 1, first; those of U with the diagonal last.
struct BlockFactors {
  struct Columns {
    std::vector<int> starts;
    std::vector<int> rows;
    std::vector<double> values;
    void resize(int n, int n_entries);
  };
  Columns lower;
  Columns upper;
  Columns above;  ///< F
  std::vector<int> row_order;
  std::vector<int> column_order;
  std::vector<double> scales;  ///< R in the order of the rows
  std::vector<int> blocks;     ///< where they begin, and the end

  void resize(int n, int n_blocks);
  void solve_rows(std::span<double> b, Index n_right);

 private:
  void solve_block(int first, int last, Index n_right);

  std::vector<double> work_;
};

}  // namespace saltus::linalg
