#include "linalg/rank_decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "linalg/equilibration.hpp"
#include "linalg/householder.hpp"
#include "linalg/singular_values.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// By singular values, in units of base/work_watch.hpp: some sweeps of rotations.
constexpr Index kWorkOfDecomposition = 10;

// R of A·P = Q·R and what Q is made of.
struct PivotedQr {
  DenseMatrix vectors;  // below the diagonal, and on it where a reflection was necessary
  std::vector<double> betas;
  DenseMatrix upper;         // min(m, n) × n, in the order of the pivots
  std::vector<Index> order;  // of the columns
};

// Columns with the largest remaining length first, or in their own order.
PivotedQr qr_of(DenseMatrix a, bool with_pivots) {
  const Index m = a.rows();
  const Index steps = std::min(m, a.columns());
  PivotedQr result{.vectors = {}, .betas = {}, .upper = DenseMatrix(steps, a.columns()), .order = {}};
  result.order.resize(at_index(a.columns()));
  std::iota(result.order.begin(), result.order.end(), Index{0});
  double* const entries = a.entries().data();
  for (Index k = 0; k < steps; ++k) {
    if (with_pivots) {
      Index largest = k;
      double most = -1.0;
      for (Index j = k; j < a.columns(); ++j) {
        if (const double size = householder::length(entries + j * m + k, m - k); size > most) {
          most = size;
          largest = j;
        }
      }
      if (largest != k) {
        std::swap(result.order[at_index(k)], result.order[at_index(largest)]);
        std::swap_ranges(entries + k * m, entries + (k + 1) * m, entries + largest * m);
        std::swap_ranges(result.upper.entries().data() + k * steps,
                         result.upper.entries().data() + (k + 1) * steps,
                         result.upper.entries().data() + largest * steps);
      }
    }
    double* const v = entries + k * m + k;
    const householder::Reflection reflection = householder::make_reflection(v, m - k);
    result.betas.push_back(reflection.beta);
    result.upper(k, k) = reflection.first;
    for (Index j = k + 1; j < a.columns(); ++j) {
      householder::reflect(reflection.beta, v, entries + j * m + k, m - k);
      result.upper(k, j) = a(k, j);
    }
  }
  result.vectors = std::move(a);
  return result;
}

// The rows of R up to the rank span the same space as those of A·P: a second QR, of Rᵀ, gives both right bases.
SingularValues by_pivoted_qr(const DenseMatrix& a, double tolerance, double reference) {
  const PivotedQr qr = qr_of(a, true);
  SingularValues result;
  for (Index k = 0; k < qr.upper.rows(); ++k) {
    result.values.push_back(std::abs(qr.upper(k, k)));
  }
  result.left = householder::product(qr.vectors, qr.betas, a.rows());
  const double largest = *std::max_element(result.values.begin(), result.values.end());
  Index rank = 0;
  while (rank < qr.upper.rows() && result.values[at_index(rank)] > tolerance * std::max(largest, reference)) {
    ++rank;
  }
  DenseMatrix top(a.columns(), rank);
  for (Index k = 0; k < rank; ++k) {
    for (Index j = k; j < a.columns(); ++j) {
      top(qr.order[at_index(j)], k) = qr.upper(k, j);
    }
  }
  const PivotedQr right = qr_of(std::move(top), false);
  result.right = householder::product(right.vectors, right.betas, a.columns());
  return result;
}

// Without rows or columns the factors are unit matrices.
SingularValues decompose(const DenseMatrix& a, const RankOptions& options) {
  if (a.rows() == 0 || a.columns() == 0) {
    return {{}, DenseMatrix::identity(a.rows()), DenseMatrix::identity(a.columns())};
  }
  count_work(kWorkOfDecomposition * a.rows() * a.columns() * std::min(a.rows(), a.columns()));
  return options.method == RankMethod::singular_values
             ? singular_values(a)
             : by_pivoted_qr(a, options.tolerance, options.reference);
}

RankDecision decide(const std::vector<double>& values, Index longest_side, const RankOptions& options) {
  RankDecision decision;
  const auto value = [&](Index i) { return values[at_index(i)]; };
  const auto n_values = static_cast<Index>(values.size());
  const double largest = n_values > 0 ? *std::max_element(values.begin(), values.end()) : 0.0;
  const double scale = std::max(largest, options.reference);
  while (decision.rank < n_values && value(decision.rank) > options.tolerance * scale) {
    ++decision.rank;
  }
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(longest_side) * scale;
  const double last = decision.rank > 0 ? value(decision.rank - 1) : scale;
  const bool has_neighbour = decision.rank < n_values && last > 0.0;
  decision.gap_ratio = has_neighbour ? last / std::max(value(decision.rank), rounding)
                                     : std::numeric_limits<double>::infinity();
  decision.is_unclear = decision.gap_ratio < kClearGap;
  if (!has_neighbour && decision.rank > 0) {
    // Full rank: the neighbour would be rounding errors.
    decision.is_unclear = last < kClearGap * rounding;
  }
  decision.largest_dropped = decision.rank < n_values && scale > 0.0 ? value(decision.rank) / scale : 0.0;
  decision.condition = decision.rank > 0 ? largest / last : 1.0;
  decision.smallest_kept = decision.rank > 0 ? last / scale : std::numeric_limits<double>::infinity();
  return decision;
}

}  // namespace

DenseMatrix orthonormal_columns(const DenseMatrix& a) {
  SALTUS_EXPECT(a.columns() <= a.rows(), "no more columns than rows");
  if (a.columns() == 0) {
    return a;
  }
  const PivotedQr qr = qr_of(a, false);
  return householder::product(qr.vectors, qr.betas, a.columns());
}

RankDecision decide_rank(const DenseMatrix& a, const RankOptions& options) {
  return rank_bases(a, options).decision;
}

RankBases rank_bases(const DenseMatrix& a, const RankOptions& options) {
  SALTUS_EXPECT(a.is_finite(), "a matrix of finite numbers");
  const Equilibration scale = options.equilibrate ? equilibrate(a) : no_equilibration(a);
  const SingularValues parts = decompose(options.equilibrate ? scale.apply(a) : a, options);
  RankBases result;
  result.decision = decide(parts.values, std::max(a.rows(), a.columns()), options);
  const Index rank = result.decision.rank;
  result.range = parts.left.middle_columns(0, rank);
  result.corange = parts.left.middle_columns(rank, a.rows() - rank);
  result.cokernel = parts.right.middle_columns(0, rank);
  result.kernel = parts.right.middle_columns(rank, a.columns() - rank);
  if (options.equilibrate) {
    // A = D_r⁻¹·(…)·D_c⁻¹: null spaces take the scales, ranges their inverses.
    std::vector<double> row_inverse = scale.row_scale;
    std::vector<double> column_inverse = scale.column_scale;
    for (std::vector<double>* list : {&row_inverse, &column_inverse}) {
      std::transform(list->begin(), list->end(), list->begin(), [](double s) { return 1.0 / s; });
    }
    result.range = orthonormal_columns(scale_rows(result.range, row_inverse));
    result.corange = orthonormal_columns(scale_rows(result.corange, scale.row_scale));
    result.cokernel = orthonormal_columns(scale_rows(result.cokernel, column_inverse));
    result.kernel = orthonormal_columns(scale_rows(result.kernel, scale.column_scale));
  }
  return result;
}

}  // namespace saltus::linalg
