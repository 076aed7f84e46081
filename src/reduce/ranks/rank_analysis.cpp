#include "reduce/ranks/rank_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "linalg/equilibration.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using linalg::RankBases;

// Decisions of one analysis, remembered for the report.
class Decisions {
 public:
  explicit Decisions(const linalg::RankOptions& options) : options_(options) {
    options_.equilibrate = false;
    options_.reference = 1.0;
  }
  RankBases bases(const DenseMatrix& a) {
    RankBases result = linalg::rank_bases(a, options_);
    is_unclear_ = is_unclear_ || result.decision.is_unclear;
    largest_dropped_ = std::max(largest_dropped_, result.decision.largest_dropped);
    smallest_gap_ = std::min(smallest_gap_, result.decision.gap_ratio);
    largest_condition_ = std::max(largest_condition_, result.decision.condition);
    return result;
  }
  void report(RankAnalysis& analysis) const {
    analysis.is_unclear = is_unclear_;
    analysis.smallest_gap = smallest_gap_;
    analysis.largest_dropped = largest_dropped_;
    analysis.largest_condition = largest_condition_;
  }

 private:
  linalg::RankOptions options_;
  bool is_unclear_ = false;
  double largest_dropped_ = 0.0;
  double smallest_gap_ = std::numeric_limits<double>::infinity();
  double largest_condition_ = 1.0;
};

// Pivots that are no smaller than this part of the largest are as good.
constexpr double kComparablePivot = 0.3;

// Makes entry (row, column) 1 and all others of the row 0.
void clear_row(DenseMatrix& z, Index row, Index column) {
  const double pivot = z(row, column);
  for (Index i = 0; i < z.rows(); ++i) {
    z(i, column) /= pivot;
  }
  for (Index j = 0; j < z.columns(); ++j) {
    const double factor = z(row, j);
    for (Index i = 0; j != column && i < z.rows(); ++i) {
      const double change = factor * z(i, column);
      const double value = z(i, j) - change;
      // What is left of a cancellation is nothing.
      z(i, j) = std::abs(value) > linalg::kRankTolerance * std::abs(change) ? value : 0.0;
    }
  }
}

}  // namespace

void normalise_rows(DenseMatrix& matrix, std::vector<double>& scale) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    double largest = 0.0;
    for (Index j = 0; j < matrix.columns(); ++j) {
      largest = std::max(largest, std::abs(matrix(i, j)));
    }
    if (largest > linalg::kRankTolerance) {
      for (Index j = 0; j < matrix.columns(); ++j) {
        matrix(i, j) /= largest;
      }
      scale[static_cast<std::size_t>(i)] /= largest;
    }
  }
}

RankAnalysis analyse_ranks(const ArrayBlocks& blocks, const linalg::RankOptions& options) {
  SALTUS_EXPECT(!blocks.by_order.empty(), "columns of the variables themselves");
  const std::size_t order = blocks.by_order.size();
  Decisions decisions(options);
  RankAnalysis result;
  // Left null spaces W_i of the columns beyond order i, from the highest order down: each lies in the one before.
  std::vector<DenseMatrix> left(order);
  DenseMatrix beyond = blocks.leading;
  for (std::size_t i = order; i-- > 0;) {
    left[i] = decisions.bases(beyond).corange;
    beyond = beside(blocks.by_order[i], beyond);
  }
  const RankBases algebraic = decisions.bases(transpose_times(left[0], blocks.by_order[0]));
  result.algebraic = algebraic.decision.rank;
  result.redundant = left[0].columns() - result.algebraic;
  result.z2 = left[0] * algebraic.range;
  result.z3 = left[0] * algebraic.corange;
  result.t2 = algebraic.kernel;
  DenseMatrix kernel = algebraic.kernel;
  for (std::size_t i = 1; i < order; ++i) {
    const RankBases middle = decisions.bases(transpose_times(left[i], blocks.by_order[i] * kernel));
    result.differential.push_back(middle.decision.rank);
    result.z_middle.push_back(left[i] * middle.range);
    result.implied.push_back(left[i] * middle.corange);
    kernel = kernel * middle.kernel;
  }
  const RankBases top = decisions.bases(blocks.top * kernel);
  result.free = kernel * top.kernel;
  result.differential.push_back(top.decision.rank);
  result.z1 = top.range;
  decisions.report(result);
  return result;
}

DenseMatrix echelon_columns(DenseMatrix z, Index n_first) {
  const double limit = linalg::kRankTolerance * z.largest_entry();
  std::vector<std::uint8_t> is_done(static_cast<std::size_t>(z.columns()), 0);
  for (Index step = 0; step < z.columns(); ++step) {
    const Index begin = step < n_first ? 0 : n_first;
    const Index end = step < n_first ? n_first : z.columns();
    double largest = limit;
    for (Index j = begin; j < end; ++j) {
      for (Index i = 0; is_done[static_cast<std::size_t>(j)] == 0 && i < z.rows(); ++i) {
        largest = std::max(largest, std::abs(z(i, j)));
      }
    }
    Index row = -1;
    Index column = -1;
    for (Index j = begin; largest > limit && j < end; ++j) {
      for (Index i = row + 1; is_done[static_cast<std::size_t>(j)] == 0 && i < z.rows(); ++i) {
        if (std::abs(z(i, j)) >= kComparablePivot * largest) {
          row = i;
          column = j;
        }
      }
    }
    if (row >= 0) {
      is_done[static_cast<std::size_t>(column)] = 1;
      clear_row(z, row, column);
    }
  }
  return z;
}

LocalValues local_values(const DenseMatrix& e, const DenseMatrix& a) {
  SALTUS_EXPECT(e.rows() == a.rows() && e.columns() == a.columns(), "a pair of matrices of one shape");
  const Index n = e.columns();
  // One scaling for both: E·ẋ = A·x in other units, times a factor for time.
  std::vector<std::vector<Index>> labels(2);
  for (Index j = 0; j < 2 * n; ++j) {
    labels[0].push_back(j % n);
    labels[1].push_back(j / n);
  }
  const DenseMatrix both = beside(e, a);
  const DenseMatrix scaled = linalg::equilibrate(both, labels).apply(both);
  const DenseMatrix se = scaled.middle_columns(0, n);
  const DenseMatrix sa = scaled.middle_columns(n, n);
  Decisions decisions{linalg::RankOptions{}};
  const RankBases be = decisions.bases(se);
  const DenseMatrix za = transpose_times(be.corange, sa);
  const RankBases inner = decisions.bases(za * be.kernel);
  LocalValues values;
  values.rank = be.decision.rank;
  values.algebraic = inner.decision.rank;
  values.strangeness = decisions.bases(transpose_times(inner.corange, za * be.cokernel)).decision.rank;
  values.differential = values.rank - values.strangeness;
  values.undetermined = n - values.rank - values.algebraic;
  values.vanishing = e.rows() - values.rank - values.algebraic - values.strangeness;
  return values;
}

}  // namespace saltus::reduce
