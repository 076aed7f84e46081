#include "linalg/generalized_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/dense_lu.hpp"
#include "linalg/rank_decision.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// Its rank is full.
DenseMatrix inverse_of_regular(const DenseMatrix& a) {
  DenseLu lu(a.rows());
  std::copy(a.entries().begin(), a.entries().end(), lu.matrix().begin());
  SALTUS_EXPECT(lu.factorize().ok(), "a nonsingular matrix");
  DenseMatrix inverse = DenseMatrix::identity(a.rows());
  for (Index j = 0; j < a.columns(); ++j) {
    lu.solve(inverse.entries().subspan(static_cast<std::size_t>(j * a.rows()),
                                       static_cast<std::size_t>(a.rows())));
  }
  return inverse;
}

double frobenius_norm(const DenseMatrix& a) {
  double scale = a.largest_entry();
  double sum = 0.0;
  for (const double entry : a.entries()) {
    sum += scale > 0.0 ? (entry / scale) * (entry / scale) : 0.0;
  }
  return scale * std::sqrt(sum);
}

bool is_square(const DenseMatrix& a) {
  return a.rows() == a.columns();
}

// Similarity transformations are not invariant under equilibration; sizes are those of the matrix at the top.
Drazin drazin_of_size(const DenseMatrix& a, double size) {
  RankOptions options;
  options.equilibrate = false;
  options.reference = size;
  const RankBases bases = rank_bases(a, options);
  const Index rank = bases.decision.rank;
  if (rank == a.rows()) {
    return {inverse_of_regular(a), 0};
  }
  if (rank == 0) {
    return {DenseMatrix(a.rows(), a.rows()), 1};
  }
  const DenseMatrix& b = bases.range;
  const DenseMatrix c = transpose_times(b, a);
  Drazin inner = drazin_of_size(c * b, size);
  return {b * (inner.inverse * inner.inverse) * c, inner.index + 1};
}

}  // namespace

DenseMatrix moore_penrose(const DenseMatrix& a) {
  SALTUS_EXPECT(a.is_finite(), "a matrix of finite numbers");
  if (a.rows() == 0 || a.columns() == 0) {
    return {a.columns(), a.rows()};
  }
  RankOptions options;
  options.equilibrate = false;
  const RankBases bases = rank_bases(a, options);
  // UᵀAV is square and nonsingular.
  const DenseMatrix core = transpose_times(bases.range, a * bases.cokernel);
  const DenseMatrix core_inverse = core.rows() == 0 ? core : inverse_of_regular(core);
  return bases.cokernel * core_inverse * bases.range.transposed();
}

Drazin drazin(const DenseMatrix& a) {
  SALTUS_EXPECT(is_square(a) && a.is_finite(), "a square matrix of finite numbers");
  if (a.rows() == 0) {
    return {a, 0};
  }
  return drazin_of_size(a, frobenius_norm(a));
}

std::optional<DenseMatrix> inverse(const DenseMatrix& a) {
  SALTUS_EXPECT(is_square(a), "a square matrix");
  if (decide_rank(a).rank < a.rows()) {
    return std::nullopt;
  }
  return a.rows() == 0 ? a : inverse_of_regular(a);
}

std::optional<CommutingPair> commuting_pair(const DenseMatrix& e, const DenseMatrix& a) {
  SALTUS_EXPECT(is_square(e) && is_square(a) && e.rows() == a.rows(), "square matrices of one size");
  const double size_e = e.largest_entry();
  const double unit = size_e > 0.0 && a.largest_entry() > 0.0 ? a.largest_entry() / size_e : 1.0;
  double best_condition = 0.0;
  std::optional<CommutingPair> best;
  // det(λE - A) has at most n zeros: of n + 1 values one is none of them. The best conditioned one is taken.
  for (Index k = 0; k <= e.rows(); ++k) {
    const double shift = unit * static_cast<double>((k % 2 == 0 ? 1 : -1) * (k / 2 + 1)) * 0.75;
    const DenseMatrix pencil = shift * e - a;
    const RankDecision decision = decide_rank(pencil);
    if (decision.rank == e.rows() && (!best || decision.condition < best_condition)) {
      best_condition = decision.condition;
      best = CommutingPair{shift, {}, {}, pencil};
    }
  }
  if (best) {
    best->inverse = *inverse(best->inverse);
    best->e = best->inverse * e;
    best->a = best->inverse * a;
  }
  return best;
}

std::optional<int> pair_index(const DenseMatrix& e, const DenseMatrix& a) {
  const std::optional<CommutingPair> pair = commuting_pair(e, a);
  return pair ? std::optional<int>(drazin(pair->e).index) : std::nullopt;
}

}  // namespace saltus::linalg
