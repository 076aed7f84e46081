#include "linalg/dense_lu.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/work_watch.hpp"
#include "linalg/small_lu.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// Below this order there is nothing to gain by skipping zeros.
constexpr Index kLeastCompressed = 5;
// Solutions after which looking for zeros pays, if more follow: an iteration of Newton's method takes two.
constexpr int kSolvedBefore = 2;
// Floating-point operations in a unit of base/work_watch.hpp.
constexpr Index kOperationsOfAUnit = 5;

}  // namespace

template <class Scalar>
struct BasicDenseLu<Scalar>::Storage {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  explicit Storage(Index n) : matrix(Matrix::Zero(n, n)), is_small(n <= kSmallOrder) {
    if (is_small) {
      factors.resize(n, n);
      exchanged.resize(static_cast<std::size_t>(n));
      if (n >= kLeastCompressed) {
        non_zeros.reserve(n);
      }
    } else {
      lu = Eigen::PartialPivLU<Matrix>(n);
      work.resize(n);
    }
  }
  [[nodiscard]] Scalar pivot(Index j) const { return is_small ? factors(j, j) : lu.matrixLU()(j, j); }

  Matrix matrix;
  bool is_small;
  Matrix factors;
  std::vector<Index> exchanged;
  small_lu::NonZeros<Scalar> non_zeros;
  bool is_compressed = false;
  int n_solved = 0;  // with the present factors, up to kSolvedBefore + 1
  Eigen::PartialPivLU<Matrix> lu;
  Vector work;
  bool factorized = false;
};

template <class Scalar>
BasicDenseLu<Scalar>::BasicDenseLu(Index n) {
  SALTUS_EXPECT(n >= 0, "order of a matrix");
  storage_ = std::make_unique<Storage>(n);
}
template <class Scalar>
BasicDenseLu<Scalar>::BasicDenseLu(BasicDenseLu&&) noexcept = default;
template <class Scalar>
BasicDenseLu<Scalar>& BasicDenseLu<Scalar>::operator=(BasicDenseLu&&) noexcept = default;
template <class Scalar>
BasicDenseLu<Scalar>::~BasicDenseLu() = default;

template <class Scalar>
Index BasicDenseLu<Scalar>::n() const {
  return storage_->matrix.rows();
}

template <class Scalar>
std::span<Scalar> BasicDenseLu<Scalar>::matrix() {
  return {storage_->matrix.data(), static_cast<std::size_t>(storage_->matrix.size())};
}

template <class Scalar>
FactorStatus BasicDenseLu<Scalar>::factorize() {
  Storage& s = *storage_;
  s.factorized = false;
  if (n() == 0) {
    s.factorized = true;
    return {};
  }
  if (!s.matrix.allFinite()) {
    return {.kind = FactorStatus::Kind::not_finite};
  }
  Index n_columns = n();
  if (s.is_small) {
    s.factors = s.matrix;
    n_columns = std::min(n(), small_lu::factorize(s.factors.data(), s.exchanged.data(), n()) + 1);
  } else {
    count_work(n() * n() * n() / kOperationsOfAUnit);
    s.lu.compute(s.matrix);
  }
  for (Index j = 0; j < n_columns; ++j) {
    const double pivot = small_lu::size_of(s.pivot(j));
    if (pivot == 0.0) {
      return {.kind = FactorStatus::Kind::singular, .column = j};
    }
    if (!std::isfinite(pivot)) {
      return {.kind = FactorStatus::Kind::not_finite, .column = j};
    }
  }
  s.factorized = true;
  s.is_compressed = false;
  s.n_solved = 0;
  return {};
}

template <class Scalar>
void BasicDenseLu<Scalar>::solve(std::span<Scalar> b) {
  Storage& s = *storage_;
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n(), "a right side of the order of the matrix");
  SALTUS_EXPECT(s.factorized, "a successful factorize()");
  if (s.is_small && n() >= kLeastCompressed && s.n_solved <= kSolvedBefore && ++s.n_solved > kSolvedBefore) {
    s.is_compressed = s.non_zeros.compress(s.factors.data(), n());
  }
  if (s.is_compressed) {
    s.non_zeros.solve(s.factors.data(), s.exchanged.data(), n(), b.data());
    return;
  }
  if (s.is_small) {
    small_lu::solve(s.factors.data(), s.exchanged.data(), n(), b.data());
    return;
  }
  Eigen::Map<typename Storage::Vector> x(b.data(), n());
  // Into a work vector, because a permutation in place would allocate its marks.
  s.work.noalias() = s.lu.permutationP() * x;
  s.lu.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(s.work);
  s.lu.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(s.work);
  x = s.work;
}

template <class Scalar>
double BasicDenseLu<Scalar>::pivot_ratio() const {
  SALTUS_EXPECT(storage_->factorized, "a successful factorize()");
  if (n() == 0) {
    return 1.0;
  }
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (Index j = 0; j < n(); ++j) {
    const double pivot = std::abs(storage_->pivot(j));
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  return smallest / largest;
}

template <class Scalar>
double BasicDenseLu<Scalar>::reciprocal_condition() const {
  SALTUS_EXPECT(storage_->factorized, "a successful factorize()");
  if (n() == 0) {
    return 1.0;
  }
  return storage_->is_small ? Eigen::PartialPivLU<typename Storage::Matrix>(storage_->matrix).rcond()
                            : storage_->lu.rcond();
}

template class BasicDenseLu<double>;
template class BasicDenseLu<std::complex<double>>;

}  // namespace saltus::linalg
