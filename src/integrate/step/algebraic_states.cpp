#include "integrate/step/algebraic_states.hpp"

#include <algorithm>

#include "linalg/dense_matrix.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::integrate {
namespace {

linalg::DenseMatrix matrix_of(std::span<const double> entries, Index n) {
  linalg::DenseMatrix matrix(n, n);
  std::copy(entries.begin(), entries.end(), matrix.entries().begin());
  return matrix;
}

}  // namespace

void AlgebraicStates::take(std::span<const double> jacobian) {
  const Index n = sum_.n();
  const std::size_t half = jacobian.size() / 2;
  const linalg::DenseMatrix b = matrix_of(jacobian.subspan(half), n);
  has_constraints_ = false;
  if (!b.is_finite()) {
    return;
  }
  const linalg::DenseMatrix z = linalg::rank_bases(b).corange;
  if (z.columns() == 0) {
    return;
  }
  const linalg::DenseMatrix sum = b + z * linalg::transpose_times(z, matrix_of(jacobian.first(half), n));
  std::copy(sum.entries().begin(), sum.entries().end(), sum_.matrix().begin());
  has_constraints_ = sum.is_finite() && sum_.factorize().ok();
}

void AlgebraicStates::settle(std::span<const double> jacobian, std::span<const double> f,
                             std::span<double> xdot) {
  if (!has_constraints_) {
    return;
  }
  const std::size_t n = xdot.size();
  const std::span<const double> b = jacobian.subspan(jacobian.size() / 2);
  std::fill(slope_.begin(), slope_.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      slope_[i] += b[i + j * n] * (xdot[j] - f[j]);
    }
  }
  sum_.solve(slope_);
  for (std::size_t i = 0; i < n; ++i) {
    xdot[i] = f[i] + slope_[i];
  }
}

}  // namespace saltus::integrate
