// Eigen's SparseLU behind Backend.
#ifdef SALTUS_WITH_EIGEN

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/sparse_lu_backend.hpp"

namespace saltus::linalg {
namespace {

template <class Scalar>
class EigenBackend final : public BasicSparseLuNumeric<Scalar>::Backend {
 public:
  using Matrix = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, Index>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  explicit EigenBackend(const SparsePattern& pattern)
      : matrix_(pattern.n, pattern.n), right_side_(pattern.n), solution_(pattern.n) {
    matrix_.resizeNonZeros(static_cast<Index>(pattern.rows.size()));
    std::copy(pattern.column_starts.begin(), pattern.column_starts.end(), matrix_.outerIndexPtr());
    std::copy(pattern.rows.begin(), pattern.rows.end(), matrix_.innerIndexPtr());
    std::fill_n(matrix_.valuePtr(), pattern.rows.size(), Scalar(0.0));
    has_empty_column_ = std::adjacent_find(pattern.column_starts.begin(), pattern.column_starts.end()) !=
                        pattern.column_starts.end();
    if (!has_empty_column_) {
      lu_.analyzePattern(matrix_);
    }
  }

  FactorStatus factorize(std::span<const Scalar> values) override {
    if (has_empty_column_) {
      return {.kind = FactorStatus::Kind::singular};
    }
    std::copy(values.begin(), values.end(), matrix_.valuePtr());
    lu_.factorize(matrix_);
    if (lu_.info() != Eigen::Success) {
      return {.kind = FactorStatus::Kind::singular};
    }
    const double log_determinant = std::real(lu_.logAbsDeterminant());
    if (std::isnan(log_determinant)) {
      return {.kind = FactorStatus::Kind::not_finite};
    }
    if (log_determinant == -std::numeric_limits<double>::infinity()) {
      return {.kind = FactorStatus::Kind::singular};
    }
    return {};
  }

  void solve(std::span<Scalar> b) override {
    std::copy(b.begin(), b.end(), right_side_.data());
    solution_ = lu_.solve(right_side_);
    std::copy_n(solution_.data(), b.size(), b.begin());
  }

  void solve_transposed(std::span<Scalar> b) override {
    std::copy(b.begin(), b.end(), right_side_.data());
    solution_ = lu_.transpose().solve(right_side_);
    std::copy_n(solution_.data(), b.size(), b.begin());
  }

  // Eigen does not show the diagonal of U; the probe A·x = 1 bounds ‖A⁻¹‖∞ from below.
  double reciprocal_condition() override {
    right_side_.setOnes();
    solution_ = lu_.solve(right_side_);
    double largest = 0.0;
    for (Index k = 0; k < matrix_.nonZeros(); ++k) {
      largest = std::max(largest, std::abs(matrix_.valuePtr()[k]));
    }
    const double growth = largest * solution_.template lpNorm<Eigen::Infinity>();
    return growth > 1.0 ? 1.0 / growth : 1.0;
  }

 private:
  Matrix matrix_;
  Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<Index>> lu_;
  Vector right_side_;
  Vector solution_;
  bool has_empty_column_ = false;
};

}  // namespace

template <class Scalar>
std::unique_ptr<typename BasicSparseLuNumeric<Scalar>::Backend> make_eigen_backend(
    const SparsePattern& pattern) {
  return std::make_unique<EigenBackend<Scalar>>(pattern);
}

template std::unique_ptr<SparseLuNumeric::Backend> make_eigen_backend<double>(const SparsePattern&);
template std::unique_ptr<ComplexSparseLuNumeric::Backend> make_eigen_backend<std::complex<double>>(
    const SparsePattern&);

}  // namespace saltus::linalg

#endif
