#include "linalg/dense_lu.hpp"

#include <Eigen/LU>
#include <cmath>

#include "saltus/contract.hpp"

namespace saltus::linalg {

struct DenseLu::Storage {
  explicit Storage(Index n) : matrix(Eigen::MatrixXd::Zero(n, n)), lu(n), work(n) {}

  Eigen::MatrixXd matrix;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::VectorXd work;
  bool factorized = false;
};

DenseLu::DenseLu(Index n) {
  SALTUS_EXPECT(n >= 0, "order of a matrix");
  storage_ = std::make_unique<Storage>(n);
}
DenseLu::DenseLu(DenseLu&&) noexcept = default;
DenseLu& DenseLu::operator=(DenseLu&&) noexcept = default;
DenseLu::~DenseLu() = default;

Index DenseLu::n() const {
  return storage_->matrix.rows();
}

std::span<double> DenseLu::matrix() {
  return {storage_->matrix.data(), static_cast<std::size_t>(storage_->matrix.size())};
}

FactorStatus DenseLu::factorize() {
  Storage& s = *storage_;
  s.factorized = false;
  if (n() == 0) {
    s.factorized = true;
    return {};
  }
  if (!s.matrix.allFinite()) {
    return {.kind = FactorStatus::Kind::not_finite};
  }
  s.lu.compute(s.matrix);
  for (Index j = 0; j < n(); ++j) {
    const double pivot = s.lu.matrixLU()(j, j);
    if (pivot == 0.0) {
      return {.kind = FactorStatus::Kind::singular, .column = j};
    }
    if (!std::isfinite(pivot)) {
      return {.kind = FactorStatus::Kind::not_finite, .column = j};
    }
  }
  s.factorized = true;
  return {};
}

void DenseLu::solve(std::span<double> b) {
  Storage& s = *storage_;
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n(), "a right side of the order of the matrix");
  SALTUS_EXPECT(s.factorized, "a successful factorize()");
  if (b.empty()) {
    return;
  }
  Eigen::Map<Eigen::VectorXd> x(b.data(), n());
  // Into a work vector, because a permutation in place would allocate its marks.
  s.work.noalias() = s.lu.permutationP() * x;
  s.lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(s.work);
  s.lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(s.work);
  x = s.work;
}

double DenseLu::pivot_ratio() const {
  SALTUS_EXPECT(storage_->factorized, "a successful factorize()");
  if (n() == 0) {
    return 1.0;
  }
  const auto pivots = storage_->lu.matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() / pivots.maxCoeff();
}

double DenseLu::reciprocal_condition() const {
  SALTUS_EXPECT(storage_->factorized, "a successful factorize()");
  return n() == 0 ? 1.0 : storage_->lu.rcond();
}

}  // namespace saltus::linalg
