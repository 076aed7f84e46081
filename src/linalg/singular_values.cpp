#include "linalg/singular_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/machine.hpp"
#include "linalg/householder.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// Two or three for each value are usual; LAPACK, too, allows 6·n² in all.
constexpr Index kMostStepsOfAValue = 60;
// Beside a largest entry of 1: a number below it is no longer rounded by a part of itself, so that nothing would ever be
// small beside its neighbours. What rounding leaves behind the rank of a large matrix falls by ε in every turn, down to there.
constexpr double kLeastRotated = kSmallestNormal / kEpsilon;

struct Rotation {
  double cosine = 1.0;
  double sine = 0.0;
  double length = 0.0;
};

// Takes (x, y) to (length, 0).
Rotation rotation_of(double x, double y) {
  if (y == 0.0) {
    return {1.0, 0.0, x};
  }
  const double length = std::hypot(x, y);
  return {x / length, y / length, length};
}

// Columns p and q become c·p + s·q and c·q - s·p.
void rotate_columns(DenseMatrix& a, Index p, Index q, const Rotation& rotation) {
  if (rotation.sine == 0.0 && rotation.cosine == 1.0) {
    return;
  }
  const double c = rotation.cosine;
  const double s = rotation.sine;
  double* __restrict__ const x = a.entries().data() + p * a.rows();
  double* __restrict__ const y = a.entries().data() + q * a.rows();
  for (Index i = 0; i < a.rows(); ++i) {
    const double first = x[i];
    const double second = y[i];
    x[i] = c * first + s * second;
    y[i] = c * second - s * first;
  }
}

void negate_column(DenseMatrix& a, Index j) {
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, j) = -a(i, j);
  }
}

// U·B·Vᵀ with B upper bidiagonal; becomes diagonal by iterate().
class Bidiagonal {
 public:
  explicit Bidiagonal(DenseMatrix a);
  void iterate();
  [[nodiscard]] SingularValues sorted() const;

 private:
  [[nodiscard]] Index n() const { return static_cast<Index>(diagonal_.size()); }
  double& d(Index i) { return diagonal_[at_index(i)]; }
  double& e(Index i) { return above_[at_index(i)]; }
  void drop_small_entries(Index last);
  bool split_at_zero(Index first, Index last);
  void step(Index first, Index last);

  std::vector<double> diagonal_;
  std::vector<double> above_;  // one less
  DenseMatrix left_;
  DenseMatrix right_;
};

Bidiagonal::Bidiagonal(DenseMatrix a) {
  const Index m = a.rows();
  const Index n = a.columns();
  std::vector<double> left_betas;
  std::vector<double> right_betas;
  DenseMatrix right_vectors(n, std::max(n - 1, Index{0}));
  std::vector<double> product(at_index(m));
  double* const entries = a.entries().data();
  for (Index k = 0; k < n; ++k) {
    double* const v = entries + k * m + k;
    const householder::Reflection left = householder::make_reflection(v, m - k);
    for (Index j = k + 1; j < n; ++j) {
      householder::reflect(left.beta, v, entries + j * m + k, m - k);
    }
    diagonal_.push_back(left.first);
    left_betas.push_back(left.beta);
    if (k + 1 == n) {
      break;
    }
    const Index rest = n - k - 1;
    double* const w = right_vectors.entries().data() + k * n + k + 1;
    for (Index j = 0; j < rest; ++j) {
      w[j] = a(k, k + 1 + j);
    }
    const householder::Reflection right = householder::make_reflection(w, rest);
    above_.push_back(right.first);
    right_betas.push_back(right.beta);
    const Index below = m - k - 1;
    if (right.beta == 0.0 || below == 0) {
      continue;
    }
    std::fill_n(product.begin(), below, 0.0);
    for (Index j = 0; j < rest; ++j) {
      householder::add(w[j], entries + (k + 1 + j) * m + k + 1, product.data(), below);
    }
    for (Index j = 0; j < rest; ++j) {
      householder::add(-right.beta * w[j], product.data(), entries + (k + 1 + j) * m + k + 1, below);
    }
  }
  left_ = householder::product(a, left_betas, m);
  right_ = householder::product(right_vectors, right_betas, n, 1);
}

// Entries that are rounding errors beside their neighbours, or beyond what rotations can tell.
void Bidiagonal::drop_small_entries(Index last) {
  for (Index i = 0; i < last; ++i) {
    if (std::abs(e(i)) <= std::max(kEpsilon * (std::abs(d(i)) + std::abs(d(i + 1))), kLeastRotated)) {
      e(i) = 0.0;
    }
  }
  for (Index i = 0; i <= last; ++i) {
    const double neighbours = (i < last ? std::abs(e(i)) : 0.0) + (i > 0 ? std::abs(e(i - 1)) : 0.0);
    if (std::abs(d(i)) <= kEpsilon * neighbours) {
      d(i) = 0.0;
    }
  }
}

// A zero on the diagonal of an unreduced block: rotations take away what stands beside it, or above it at the end.
bool Bidiagonal::split_at_zero(Index first, Index last) {
  for (Index i = first; i < last; ++i) {
    if (d(i) != 0.0) {
      continue;
    }
    double beside = std::exchange(e(i), 0.0);
    for (Index j = i + 1; j <= last; ++j) {
      const Rotation rotation = rotation_of(d(j), beside);
      d(j) = rotation.length;
      if (j < last) {
        beside = -rotation.sine * e(j);
        e(j) *= rotation.cosine;
      }
      rotate_columns(left_, j, i, rotation);
    }
    return true;
  }
  if (d(last) != 0.0) {
    return false;
  }
  double above = std::exchange(e(last - 1), 0.0);
  for (Index j = last - 1; j >= first; --j) {
    const Rotation rotation = rotation_of(d(j), above);
    d(j) = rotation.length;
    if (j > first) {
      above = -rotation.sine * e(j - 1);
      e(j - 1) *= rotation.cosine;
    }
    rotate_columns(right_, j, last, rotation);
  }
  return true;
}

// One implicit QR step of BᵀB, rows first to last.
void Bidiagonal::step(Index first, Index last) {
  // In units of the largest number that the shift is made of: squares then neither overflow nor vanish.
  const double unit = std::max({std::abs(d(last)), std::abs(d(last - 1)), std::abs(e(last - 1)),
                                std::abs(d(first)), std::abs(e(first))});
  const double d_last = d(last) / unit;
  const double d_before = d(last - 1) / unit;
  const double e_last = e(last - 1) / unit;
  const double d_first = d(first) / unit;
  const double e_first = e(first) / unit;
  // The eigenvalue of the last 2 × 2 block of BᵀB that is nearer to its last entry, less d_last².
  const double half = 0.5 * ((d_before + d_last) * (d_before - d_last) + e_last * e_last);
  const double mixed = d_last * e_last;
  const double root = std::copysign(std::hypot(half, mixed), half);
  const double shift = mixed == 0.0 ? 0.0 : mixed * (mixed / (half + root));
  double y = (d_first + d_last) * (d_first - d_last) + shift;
  double z = d_first * e_first;
  for (Index i = first; i < last; ++i) {
    const Rotation right = rotation_of(y, z);
    if (i > first) {
      e(i - 1) = right.length;
    }
    y = right.cosine * d(i) + right.sine * e(i);
    e(i) = right.cosine * e(i) - right.sine * d(i);
    z = right.sine * d(i + 1);
    d(i + 1) *= right.cosine;
    rotate_columns(right_, i, i + 1, right);
    const Rotation left = rotation_of(y, z);
    d(i) = left.length;
    y = left.cosine * e(i) + left.sine * d(i + 1);
    d(i + 1) = left.cosine * d(i + 1) - left.sine * e(i);
    if (i + 1 < last) {
      z = left.sine * e(i + 1);
      e(i + 1) *= left.cosine;
    }
    rotate_columns(left_, i, i + 1, left);
  }
  e(last - 1) = y;
}

void Bidiagonal::iterate() {
  Index last = n() - 1;
  for (Index n_steps = 0; last > 0; ++n_steps) {
    SALTUS_EXPECT(n_steps <= kMostStepsOfAValue * n(), "singular values that converge");
    drop_small_entries(last);
    while (last > 0 && e(last - 1) == 0.0) {
      --last;
    }
    Index first = last;
    while (first > 0 && e(first - 1) != 0.0) {
      --first;
    }
    if (first < last && !split_at_zero(first, last)) {
      step(first, last);
    }
  }
}

SingularValues Bidiagonal::sorted() const {
  std::vector<Index> order(diagonal_.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return std::abs(diagonal_[at_index(i)]) > std::abs(diagonal_[at_index(j)]);
  });
  SingularValues result{.values = {}, .left = left_, .right = right_};
  const auto copy_column = [](const DenseMatrix& from, Index j, DenseMatrix& to, Index k) {
    std::copy_n(from.entries().data() + j * from.rows(), from.rows(), to.entries().data() + k * to.rows());
  };
  for (Index k = 0; k < static_cast<Index>(order.size()); ++k) {
    const Index j = order[at_index(k)];
    const double value = diagonal_[at_index(j)];
    result.values.push_back(std::abs(value));
    copy_column(left_, j, result.left, k);
    copy_column(right_, j, result.right, k);
    if (value < 0.0) {
      negate_column(result.right, k);
    }
  }
  return result;
}

}  // namespace

SingularValues singular_values(const DenseMatrix& a) {
  SALTUS_EXPECT(a.rows() > 0 && a.columns() > 0 && a.is_finite(), "a matrix with finite entries");
  if (a.rows() < a.columns()) {
    SingularValues result = singular_values(a.transposed());
    std::swap(result.left, result.right);
    return result;
  }
  // A power of two, so that nothing is rounded; products of entries then neither overflow nor vanish together.
  const double largest = a.largest_entry();
  const int exponent = largest > 0.0 ? std::ilogb(largest) : 0;
  DenseMatrix scaled = a;
  for (double& entry : scaled.entries()) {
    entry = std::scalbn(entry, -exponent);
  }
  Bidiagonal bidiagonal(std::move(scaled));
  bidiagonal.iterate();
  SingularValues result = bidiagonal.sorted();
  for (double& value : result.values) {
    value = std::scalbn(value, exponent);
  }
  return result;
}

}  // namespace saltus::linalg
