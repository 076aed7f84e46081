#include "linalg/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "linalg/plain_lu.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// Below this order there is nothing to gain by skipping zeros.
constexpr Index kLeastCompressed = 5;
// Above it, entries that are few are the business of sparse factorisations.
constexpr Index kMostCompressed = 32;
// Solutions after which looking for zeros pays, if more follow: an iteration of Newton's method takes two.
constexpr int kSolvedBefore = 2;
// Floating-point operations in a unit of base/work_watch.hpp.
constexpr Index kOperationsOfAUnit = 5;
// Smaller ones take less time than the watch.
constexpr Index kLeastCounted = 32;

}  // namespace

template <class Scalar>
struct BasicDenseLu<Scalar>::Storage {
  explicit Storage(Index n)
      : order(n), matrix(at_index(n * n)), factors(at_index(n * n)), exchanged(at_index(n)) {
    if (may_be_compressed()) {
      non_zeros.reserve(n);
    }
  }
  [[nodiscard]] bool may_be_compressed() const {
    return order >= kLeastCompressed && order <= kMostCompressed;
  }
  [[nodiscard]] Scalar pivot(Index j) const { return factors[at_index(j + j * order)]; }

  Index order;
  std::vector<Scalar> matrix;
  std::vector<Scalar> factors;
  std::vector<Index> exchanged;
  plain_lu::NonZeros<Scalar> non_zeros;
  bool is_compressed = false;
  int n_solved = 0;  // with the present factors, up to kSolvedBefore + 1
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
  return storage_->order;
}

template <class Scalar>
std::span<Scalar> BasicDenseLu<Scalar>::matrix() {
  return storage_->matrix;
}

template <class Scalar>
FactorStatus BasicDenseLu<Scalar>::factorize() {
  Storage& s = *storage_;
  s.factorized = false;
  if (n() == 0) {
    s.factorized = true;
    return {};
  }
  if (!std::all_of(s.matrix.begin(), s.matrix.end(),
                   [](const Scalar& value) { return plain_lu::is_finite(value); })) {
    return {.kind = FactorStatus::Kind::not_finite};
  }
  if (n() > kLeastCounted) {
    count_work(n() * n() * n() / kOperationsOfAUnit);
  }
  s.factors = s.matrix;
  const Index n_columns = std::min(n(), plain_lu::factorize(s.factors.data(), s.exchanged.data(), n()) + 1);
  for (Index j = 0; j < n_columns; ++j) {
    const double pivot = plain_lu::size_of(s.pivot(j));
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
  if (s.may_be_compressed() && s.n_solved <= kSolvedBefore && ++s.n_solved > kSolvedBefore) {
    s.is_compressed = s.non_zeros.compress(s.factors.data(), n());
  }
  if (s.is_compressed) {
    s.non_zeros.solve(s.factors.data(), s.exchanged.data(), n(), b.data());
    return;
  }
  plain_lu::solve(s.factors.data(), s.exchanged.data(), n(), b.data());
}

template <class Scalar>
void BasicDenseLu<Scalar>::solve_transposed(std::span<Scalar> b) {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n(), "a right side of the order of the matrix");
  SALTUS_EXPECT(storage_->factorized, "a successful factorize()");
  plain_lu::solve_transposed(storage_->factors.data(), storage_->exchanged.data(), n(), b.data());
}

template <class Scalar>
void BasicDenseLu<Scalar>::solve_rows(std::span<Scalar> b, Index n_right) {
  Storage& s = *storage_;
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n() * n_right, "right sides of the order of the matrix");
  SALTUS_EXPECT(s.factorized, "a successful factorize()");
  plain_lu::solve_rows(s.factors.data(), s.exchanged.data(), n(), b.data(), n_right);
}

template <class Scalar>
void BasicDenseLu<Scalar>::fields(Archive& a) {
  Storage& s = *storage_;
  a(s.matrix, s.factors);
  a.index(s.exchanged, at_index(n()));
  a(s.is_compressed, s.n_solved, s.factorized);
  const std::size_t n_entries = at_index(n() * n());
  if (s.matrix.size() != n_entries || s.factors.size() != n_entries || s.exchanged.size() != at_index(n())) {
    a.refuse("the order of a matrix does not fit");
  } else if (a.is_loading() && s.is_compressed) {
    (void)s.non_zeros.compress(s.factors.data(), n());
  }
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

template class BasicDenseLu<double>;
template class BasicDenseLu<std::complex<double>>;

}  // namespace saltus::linalg
