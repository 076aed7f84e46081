#include "linalg/rank_decision.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/work_watch.hpp"
#include "linalg/equilibration.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

using Map = Eigen::Map<const Eigen::MatrixXd>;

// By singular values, in units of base/work_watch.hpp: some sweeps of rotations.
constexpr Index kWorkOfDecomposition = 10;

// Rotations cost some sweeps over all pairs of columns: above this order a second and more for one matrix (measured).
constexpr Index kMostForRotations = 100;

Map as_eigen(const DenseMatrix& a) {
  return {a.entries().data(), a.rows(), a.columns()};
}

DenseMatrix from_eigen(const Eigen::MatrixXd& a) {
  DenseMatrix result(a.rows(), a.cols());
  std::copy(a.data(), a.data() + a.size(), result.entries().data());
  return result;
}

// Values in descending order, with the orthogonal factors that belong to them.
struct Decomposition {
  Eigen::VectorXd values;
  Eigen::MatrixXd left;   // m × m
  Eigen::MatrixXd right;  // n × n
};

// Bisection may return numbers that are none, or wrong ones, with success (Eigen 3.4, many equal singular values): the factors must give
// the matrix back. Rounding errors of a product of this length, with a margin of ten.
bool gives_back(const Eigen::BDCSVD<Eigen::MatrixXd>& svd, const Eigen::MatrixXd& a) {
  const Index n = static_cast<Index>(svd.singularValues().size());
  const Eigen::MatrixXd product =
      svd.matrixU().leftCols(n) * svd.singularValues().asDiagonal() * svd.matrixV().leftCols(n).transpose();
  const double rounding =
      std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(a.rows(), a.cols())) * a.norm();
  const double orthogonality =
      (svd.matrixU().transpose() * svd.matrixU() - Eigen::MatrixXd::Identity(a.rows(), a.rows())).norm() +
      (svd.matrixV().transpose() * svd.matrixV() - Eigen::MatrixXd::Identity(a.cols(), a.cols())).norm();
  return (product - a).norm() <= 10.0 * rounding &&
         orthogonality <= 10.0 * std::numeric_limits<double>::epsilon() *
                              static_cast<double>(a.rows() + a.cols()) *
                              std::sqrt(static_cast<double>(a.rows() + a.cols()));
}

// By bisection where rotations would take long: the same accuracy beside the largest value, which is what ranks are decided by.
Decomposition by_singular_values(const DenseMatrix& a) {
  if (std::min(a.rows(), a.columns()) > kMostForRotations) {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(as_eigen(a), Eigen::ComputeFullU | Eigen::ComputeFullV);
    if (svd.info() == Eigen::Success && gives_back(svd, as_eigen(a))) {
      return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
    }
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(as_eigen(a), Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

// The rows of R up to the rank span the same space as those of A·P: a second QR, of Rᵀ, gives both right bases.
Decomposition by_pivoted_qr(const DenseMatrix& a, double tolerance, double reference) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(as_eigen(a));
  Decomposition result;
  result.values = qr.matrixQR().diagonal().cwiseAbs();
  result.left = qr.householderQ();
  const double largest = result.values.size() > 0 ? result.values.maxCoeff() : 0.0;
  Index rank = 0;
  while (rank < result.values.size() && result.values(rank) > tolerance * std::max(largest, reference)) {
    ++rank;
  }
  const Eigen::MatrixXd top = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>().toDenseMatrix() *
                              qr.colsPermutation().transpose();
  const Eigen::HouseholderQR<Eigen::MatrixXd> right(top.transpose());
  result.right = right.householderQ();
  return result;
}

// Without rows or columns the factors are unit matrices.
Decomposition decompose(const DenseMatrix& a, const RankOptions& options) {
  if (a.rows() == 0 || a.columns() == 0) {
    return {Eigen::VectorXd(0), Eigen::MatrixXd::Identity(a.rows(), a.rows()),
            Eigen::MatrixXd::Identity(a.columns(), a.columns())};
  }
  count_work(kWorkOfDecomposition * a.rows() * a.columns() * std::min(a.rows(), a.columns()));
  return options.method == RankMethod::singular_values
             ? by_singular_values(a)
             : by_pivoted_qr(a, options.tolerance, options.reference);
}

RankDecision decide(const Eigen::VectorXd& values, Index longest_side, const RankOptions& options) {
  RankDecision decision;
  const double largest = values.size() > 0 ? values.maxCoeff() : 0.0;
  const double scale = std::max(largest, options.reference);
  while (decision.rank < values.size() && values(decision.rank) > options.tolerance * scale) {
    ++decision.rank;
  }
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(longest_side) * scale;
  const double last = decision.rank > 0 ? values(decision.rank - 1) : scale;
  const bool has_neighbour = decision.rank < values.size() && last > 0.0;
  decision.gap_ratio = has_neighbour ? last / std::max(values(decision.rank), rounding)
                                     : std::numeric_limits<double>::infinity();
  decision.is_unclear = decision.gap_ratio < kClearGap;
  if (!has_neighbour && decision.rank > 0) {
    // Full rank: the neighbour would be rounding errors.
    decision.is_unclear = last < kClearGap * rounding;
  }
  decision.largest_dropped =
      decision.rank < values.size() && scale > 0.0 ? values(decision.rank) / scale : 0.0;
  decision.condition = decision.rank > 0 ? largest / last : 1.0;
  return decision;
}

}  // namespace

DenseMatrix orthonormal_columns(const DenseMatrix& a) {
  SALTUS_EXPECT(a.columns() <= a.rows(), "no more columns than rows");
  if (a.columns() == 0) {
    return a;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(as_eigen(a));
  return from_eigen(qr.householderQ() * Eigen::MatrixXd::Identity(a.rows(), a.columns()));
}

RankDecision decide_rank(const DenseMatrix& a, const RankOptions& options) {
  return rank_bases(a, options).decision;
}

RankBases rank_bases(const DenseMatrix& a, const RankOptions& options) {
  SALTUS_EXPECT(a.is_finite(), "a matrix of finite numbers");
  const Equilibration scale = options.equilibrate ? equilibrate(a) : no_equilibration(a);
  const Decomposition parts = decompose(options.equilibrate ? scale.apply(a) : a, options);
  RankBases result;
  result.decision = decide(parts.values, std::max(a.rows(), a.columns()), options);
  const Index rank = result.decision.rank;
  result.range = from_eigen(parts.left.leftCols(rank));
  result.corange = from_eigen(parts.left.rightCols(a.rows() - rank));
  result.cokernel = from_eigen(parts.right.leftCols(rank));
  result.kernel = from_eigen(parts.right.rightCols(a.columns() - rank));
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
