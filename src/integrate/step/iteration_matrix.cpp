#include "integrate/step/iteration_matrix.hpp"

#include <algorithm>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// Measured for one step of radau5 (two factorisations, seven solves), time of dense LU against KLU's refactorisation:
// tridiagonal patterns are equal at order 6, patterns with six entries in a column at order 13.
constexpr Index kDenseOrder = 6;
constexpr double kDenseFill = 0.45;
// A bound on memory for what is not sparse at all.
constexpr Index kLargestDenseOrder = 500;

bool prefers_dense(Index n, std::size_t n_entries) {
  const auto order = static_cast<double>(n);
  return n <= kDenseOrder ||
         (n <= kLargestDenseOrder && static_cast<double>(n_entries) > kDenseFill * order * order);
}

// Pattern of A + αB.
linalg::SparsePattern sum_pattern(const system::RectangularPattern& jacobian, Index n_y, Index n_states) {
  linalg::SparsePattern sum{n_y, {0}, {}};
  const auto column = [&](Index j) {
    const auto first = jacobian.rows.begin() + jacobian.column_starts[static_cast<std::size_t>(j)];
    const auto last = jacobian.rows.begin() + jacobian.column_starts[static_cast<std::size_t>(j) + 1];
    return std::pair(first, last);
  };
  for (Index j = 0; j < n_y; ++j) {
    const auto a = column(j);
    const auto b = j < n_states ? column(n_y + j) : std::pair(a.second, a.second);
    std::set_union(a.first, a.second, b.first, b.second, std::back_inserter(sum.rows));
    sum.column_starts.push_back(static_cast<Index>(sum.rows.size()));
  }
  return sum;
}

}  // namespace

IterationPattern::IterationPattern(const system::RectangularPattern& jacobian, Index n_states,
                                   MatrixStorage storage)
    : n_y_(jacobian.n_rows), n_states_(n_states) {
  SALTUS_EXPECT(n_states <= n_y_ && jacobian.n_columns == n_y_ + n_states,
                "columns of the Jacobian: y, then the derivatives of the states");
  linalg::SparsePattern sum = sum_pattern(jacobian, n_y_, n_states);
  const bool is_dense = storage == MatrixStorage::dense ||
                        (storage == MatrixStorage::automatic && prefers_dense(n_y_, sum.n_entries()));
  first_b_ = static_cast<std::size_t>(jacobian.column_starts[static_cast<std::size_t>(n_y_)]);
  places_.reserve(jacobian.n_entries());
  for (Index j = 0; j < jacobian.n_columns; ++j) {
    const Index target = j < n_y_ ? j : j - n_y_;
    const auto first = sum.rows.begin() + sum.column_starts[static_cast<std::size_t>(target)];
    const auto last = sum.rows.begin() + sum.column_starts[static_cast<std::size_t>(target) + 1];
    for (Index k = jacobian.column_starts[static_cast<std::size_t>(j)];
         k < jacobian.column_starts[static_cast<std::size_t>(j) + 1]; ++k) {
      const Index row = jacobian.rows[static_cast<std::size_t>(k)];
      places_.push_back(is_dense ? row + target * n_y_
                                 : std::lower_bound(first, last, row) - sum.rows.begin());
    }
  }
  b_rows_.assign(jacobian.rows.begin() + static_cast<Index>(first_b_), jacobian.rows.end());
  for (Index j = n_y_; j <= jacobian.n_columns; ++j) {
    b_starts_.push_back(jacobian.column_starts[static_cast<std::size_t>(j)] - static_cast<Index>(first_b_));
  }
  n_values_ = is_dense ? static_cast<std::size_t>(n_y_ * n_y_) : sum.n_entries();
  if (!is_dense) {
    symbolic_ = std::make_shared<linalg::SparseLuSymbolic>(std::move(sum));
  }
}

void IterationPattern::multiply_b(std::span<const double> entries, std::span<const double> v,
                                  std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t j = 0; j < static_cast<std::size_t>(n_states_); ++j) {
    for (auto k = static_cast<std::size_t>(b_starts_[j]); k < static_cast<std::size_t>(b_starts_[j + 1]);
         ++k) {
      out[static_cast<std::size_t>(b_rows_[k])] += entries[first_b_ + k] * v[j];
    }
  }
}

template <class Scalar>
BasicIterationMatrix<Scalar>::BasicIterationMatrix(std::shared_ptr<const IterationPattern> pattern)
    : pattern_(std::move(pattern)) {
  if (pattern_->is_dense()) {
    dense_.emplace(pattern_->n_y());
  } else {
    sparse_.emplace(pattern_->symbolic());
    values_.resize(pattern_->n_values());
  }
}

template <class Scalar>
void BasicIterationMatrix<Scalar>::combine(Scalar alpha, std::span<const double> entries,
                                           std::span<Scalar> values) const {
  const std::span<const Index> places = pattern_->places();
  const std::size_t first_b = pattern_->first_b();
  std::fill(values.begin(), values.end(), Scalar(0.0));
  for (std::size_t k = 0; k < first_b; ++k) {
    values[static_cast<std::size_t>(places[k])] = entries[k];
  }
  for (std::size_t k = first_b; k < places.size(); ++k) {
    values[static_cast<std::size_t>(places[k])] += alpha * entries[k];
  }
}

template <class Scalar>
linalg::FactorStatus BasicIterationMatrix<Scalar>::factorize(Scalar alpha, std::span<const double> entries) {
  SALTUS_EXPECT(entries.size() == pattern_->n_jacobian_entries(), "a number for every entry of the Jacobian");
  if (dense_) {
    combine(alpha, entries, dense_->matrix());
    return dense_->factorize();
  }
  combine(alpha, entries, values_);
  return sparse_->factorize(values_);
}

template <class Scalar>
void BasicIterationMatrix<Scalar>::solve(std::span<Scalar> b) {
  if (dense_) {
    dense_->solve(b);
  } else {
    sparse_->solve(b);
  }
}

template <class Scalar>
double BasicIterationMatrix<Scalar>::pivot_ratio() const {
  return dense_ ? dense_->pivot_ratio() : sparse_->reciprocal_condition();
}

template class BasicIterationMatrix<double>;
template class BasicIterationMatrix<std::complex<double>>;

}  // namespace saltus::integrate
