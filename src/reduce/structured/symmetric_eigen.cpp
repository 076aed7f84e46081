#include "reduce/structured/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// Convergence is quadratic: ten sweeps are rare.
constexpr int kMostRotationSweeps = 60;

// Columns p and q of a.
void rotate_columns(DenseMatrix& a, Index p, Index q, double c, double s) {
  for (Index i = 0; i < a.rows(); ++i) {
    const double x = a(i, p);
    const double y = a(i, q);
    a(i, p) = c * x - s * y;
    a(i, q) = s * x + c * y;
  }
}

void rotate_rows(DenseMatrix& a, Index p, Index q, double c, double s) {
  for (Index j = 0; j < a.columns(); ++j) {
    const double x = a(p, j);
    const double y = a(q, j);
    a(p, j) = c * x - s * y;
    a(q, j) = s * x + c * y;
  }
}

}  // namespace

SymmetricEigen symmetric_eigen(DenseMatrix a) {
  SALTUS_EXPECT(a.rows() == a.columns() && a.is_finite(), "a square matrix of finite numbers");
  const Index n = a.rows();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) {
      a(i, j) = a(j, i);
    }
  }
  DenseMatrix vectors = DenseMatrix::identity(n);
  const double size = a.largest_entry();
  bool is_diagonal = false;
  for (int sweep = 0; sweep < kMostRotationSweeps && !is_diagonal; ++sweep) {
    is_diagonal = true;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= kEpsilon * size) {
          continue;
        }
        is_diagonal = false;
        const double theta = (a(q, q) - a(p, p)) / (2.0 * a(p, q));
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0);
        rotate_columns(a, p, q, c, t * c);
        rotate_rows(a, p, q, c, t * c);
        a(p, q) = a(q, p) = 0.0;
        rotate_columns(vectors, p, q, c, t * c);
      }
    }
  }
  SALTUS_EXPECT(is_diagonal, "rotations that converge");
  std::vector<Index> order(at_index(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return a(i, i) < a(j, j); });
  SymmetricEigen result{.values = {}, .vectors = DenseMatrix(n, n)};
  for (Index k = 0; k < n; ++k) {
    const Index from = order[at_index(k)];
    result.values.push_back(a(from, from));
    for (Index i = 0; i < n; ++i) {
      result.vectors(i, k) = vectors(i, from);
    }
  }
  return result;
}

}  // namespace saltus::reduce
