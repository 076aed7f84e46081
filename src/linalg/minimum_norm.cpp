#include "linalg/minimum_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// Rounding errors of a few ulps in every entry, doubled in their way through the reflections.
constexpr double kReflectionErrors = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace

void MinimumNorm::resize(Index rows, Index columns) {
  SALTUS_EXPECT(rows >= 0 && columns >= 0, "sizes of a matrix");
  rows_ = rows;
  columns_ = columns;
  rank_ = 0;
  a_.resize(at_index(rows * columns));
  for (std::vector<double>* list : {&left_, &right_, &head_left_, &head_right_}) {
    list->resize(at_index(std::min(rows, columns)));
  }
  order_.resize(at_index(columns));
}

void MinimumNorm::fields(Archive& a) {
  a(rows_, columns_, rank_, neglected_pivot_);
  for (std::vector<double>* list : {&a_, &left_, &right_, &head_left_, &head_right_}) {
    a.list(*list);
  }
  a.list(order_);
  if (!a.is_loading() || !a.ok()) {
    return;
  }
  const auto n = std::ssize(a_);
  const bool has_sizes = rows_ >= 0 && columns_ >= 0 && columns_ == std::ssize(order_) &&
                         (columns_ == 0 ? n == 0 : n % columns_ == 0 && n / columns_ == rows_);
  const Index least = std::min(rows_, columns_);
  bool fits = has_sizes && rank_ >= 0 && rank_ <= least;
  for (const std::vector<double>* list : {&left_, &right_, &head_left_, &head_right_}) {
    fits = fits && std::ssize(*list) == least;
  }
  for (const Index column : order_) {
    fits = fits && column >= 0 && column < columns_;
  }
  if (!fits) {
    a.refuse("the factors of a matrix do not fit");
  }
}

std::span<double> MinimumNorm::matrix() {
  return a_;
}

// Brings the column with the largest remaining part to place k.
void MinimumNorm::pivot(Index k) {
  Index largest = k;
  double most = -1.0;
  for (Index j = k; j < columns_; ++j) {
    double size = 0.0;
    for (Index i = k; i < rows_; ++i) {
      size += at(i, j) * at(i, j);
    }
    if (size > most) {
      most = size;
      largest = j;
    }
  }
  if (largest != k) {
    std::swap(order_[at_index(k)], order_[at_index(largest)]);
    for (Index i = 0; i < rows_; ++i) {
      std::swap(at(i, k), at(i, largest));
    }
  }
}

// I - β v vᵀ takes rows k… of column k to a multiple of the first unit vector; v₀ is kept apart, the diagonal holds the multiple.
void MinimumNorm::reflect_column(Index k) {
  double size = 0.0;
  for (Index i = k; i < rows_; ++i) {
    size = std::hypot(size, at(i, k));
  }
  const double diagonal = at(k, k) > 0.0 ? -size : size;
  const double head = at(k, k) - diagonal;
  // vᵀv = 2·size·|v₀|
  const double beta = size > 0.0 ? 1.0 / (size * std::abs(head)) : 0.0;
  for (Index j = k + 1; j < columns_; ++j) {
    double product = head * at(k, j);
    for (Index i = k + 1; i < rows_; ++i) {
      product += at(i, k) * at(i, j);
    }
    product *= beta;
    at(k, j) -= product * head;
    for (Index i = k + 1; i < rows_; ++i) {
      at(i, j) -= product * at(i, k);
    }
  }
  at(k, k) = diagonal;
  head_left_[at_index(k)] = head;
  left_[at_index(k)] = beta;
}

// The same from the right: takes (k, k) and row k beyond the rank to a multiple of the first.
void MinimumNorm::reflect_row(Index k) {
  double size = std::abs(at(k, k));
  for (Index j = rank_; j < columns_; ++j) {
    size = std::hypot(size, at(k, j));
  }
  const double diagonal = at(k, k) > 0.0 ? -size : size;
  const double head = at(k, k) - diagonal;
  const double beta = 1.0 / (size * std::abs(head));
  for (Index i = 0; i < k; ++i) {
    double product = head * at(i, k);
    for (Index j = rank_; j < columns_; ++j) {
      product += at(k, j) * at(i, j);
    }
    product *= beta;
    at(i, k) -= product * head;
    for (Index j = rank_; j < columns_; ++j) {
      at(i, j) -= product * at(k, j);
    }
  }
  at(k, k) = diagonal;
  head_right_[at_index(k)] = head;
  right_[at_index(k)] = beta;
}

bool MinimumNorm::factorize(double least_pivot) {
  // The first diagonal entry of a pivoted QR is the length of the longest column.
  double longest = 0.0;
  for (Index j = 0; j < columns_; ++j) {
    double square = 0.0;
    for (Index i = 0; i < rows_; ++i) {
      square += at(i, j) * at(i, j);
    }
    longest = std::max(longest, square);
  }
  const double tolerance =
      std::max(least_pivot, kReflectionErrors * static_cast<double>(std::max(rows_, columns_)));
  return factorize(tolerance * std::sqrt(longest), std::min(rows_, columns_));
}

bool MinimumNorm::factorize(double threshold, Index largest_rank) {
  if (!std::all_of(a_.begin(), a_.end(), [](double value) { return std::isfinite(value); })) {
    return false;
  }
  std::iota(order_.begin(), order_.end(), Index{0});
  rank_ = 0;
  neglected_pivot_ = 0.0;
  for (Index k = 0; k < std::min(rows_, columns_); ++k) {
    count_work((rows_ - k) * (columns_ - k));
    pivot(k);
    reflect_column(k);
    if (k == largest_rank || !(std::abs(at(k, k)) > threshold)) {
      neglected_pivot_ = std::abs(at(k, k));
      break;
    }
    ++rank_;
  }
  if (rank_ < columns_) {
    for (Index k = rank_ - 1; k >= 0; --k) {
      reflect_row(k);
    }
  }
  return true;
}

double MinimumNorm::smallest_pivot() const {
  SALTUS_EXPECT(rank_ > 0, "a matrix that is not zero");
  return std::abs(at(rank_ - 1, rank_ - 1));
}

void MinimumNorm::solve(std::span<double> b, std::span<double> x) const {
  reflect(b);
  solve_reflected(b, x);
}

void MinimumNorm::reflect(std::span<double> b) const {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == rows_, "size of the matrix");
  for (Index k = 0; k < rank_; ++k) {
    double product = head_left_[at_index(k)] * b[at_index(k)];
    for (Index i = k + 1; i < rows_; ++i) {
      product += at(i, k) * b[at_index(i)];
    }
    product *= left_[at_index(k)];
    b[at_index(k)] -= product * head_left_[at_index(k)];
    for (Index i = k + 1; i < rows_; ++i) {
      b[at_index(i)] -= product * at(i, k);
    }
  }
}

void MinimumNorm::solve_reflected(std::span<const double> b, std::span<double> x) const {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == rows_ && static_cast<Index>(x.size()) == columns_,
                "sizes of the matrix");
  // Unknowns stand at their own places in x from the start: order_ maps pivots to them.
  std::fill(x.begin(), x.end(), 0.0);
  for (Index k = rank_ - 1; k >= 0; --k) {
    double sum = b[at_index(k)];
    for (Index j = k + 1; j < rank_; ++j) {
      sum -= at(k, j) * x[at_index(order_[at_index(j)])];
    }
    x[at_index(order_[at_index(k)])] = sum / at(k, k);
  }
  if (rank_ == columns_) {
    return;
  }
  for (Index k = 0; k < rank_; ++k) {
    reflect_unknowns(k, x);
  }
}

void MinimumNorm::reflect_unknowns(Index k, std::span<double> x) const {
  double& first = x[at_index(order_[at_index(k)])];
  double product = head_right_[at_index(k)] * first;
  for (Index j = rank_; j < columns_; ++j) {
    product += at(k, j) * x[at_index(order_[at_index(j)])];
  }
  product *= right_[at_index(k)];
  first -= product * head_right_[at_index(k)];
  for (Index j = rank_; j < columns_; ++j) {
    x[at_index(order_[at_index(j)])] -= product * at(k, j);
  }
}

void MinimumNorm::keep_kernel_part(std::span<double> x) const {
  SALTUS_EXPECT(static_cast<Index>(x.size()) == columns_, "size of the matrix");
  if (rank_ == columns_) {
    std::fill(x.begin(), x.end(), 0.0);
    return;
  }
  for (Index k = rank_ - 1; k >= 0; --k) {
    reflect_unknowns(k, x);
  }
  for (Index k = 0; k < rank_; ++k) {
    x[at_index(order_[at_index(k)])] = 0.0;
  }
  for (Index k = 0; k < rank_; ++k) {
    reflect_unknowns(k, x);
  }
}

}  // namespace saltus::linalg
