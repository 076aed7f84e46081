#include "linalg/sparse_lu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/work_watch.hpp"
#include "linalg/plain_lu.hpp"
#include "linalg/sparse_lu_backend.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

bool is_well_formed(const SparsePattern& pattern) {
  if (pattern.n < 0 || pattern.column_starts.size() != static_cast<std::size_t>(pattern.n) + 1 ||
      pattern.column_starts.front() != 0 ||
      pattern.column_starts.back() != static_cast<Index>(pattern.rows.size())) {
    return false;
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.n); ++j) {
    if (pattern.column_starts[j] > pattern.column_starts[j + 1]) {
      return false;
    }
    Index previous = -1;
    for (Index k = pattern.column_starts[j]; k < pattern.column_starts[j + 1]; ++k) {
      const Index row = pattern.rows[static_cast<std::size_t>(k)];
      if (row <= previous || row >= pattern.n) {
        return false;
      }
      previous = row;
    }
  }
  return true;
}

}  // namespace

// To eliminate it, with what fills in, in units of base/work_watch.hpp.
static constexpr std::int64_t kWorkOfAnEntry = 10;

SparseBackend default_sparse_backend() {
#ifdef SALTUS_WITH_KLU
  return SparseBackend::klu;
#else
  return SparseBackend::eigen;
#endif
}

SparseLuSymbolic::SparseLuSymbolic(SparsePattern pattern, SparseBackend backend)
    : pattern_(std::move(pattern)), backend_(backend) {
  SALTUS_EXPECT(is_well_formed(pattern_), "compressed columns with ascending rows");
#ifdef SALTUS_WITH_KLU
  if (backend_ == SparseBackend::klu && pattern_.n > 0) {
    analysis_ = analyze_with_klu(pattern_);
  }
#else
  SALTUS_EXPECT(backend_ == SparseBackend::eigen, "KLU is not built in");
#endif
#ifndef SALTUS_WITH_EIGEN
  SALTUS_EXPECT(backend_ == SparseBackend::klu, "Eigen is not built in");
#endif
}

SparseLuSymbolic::~SparseLuSymbolic() = default;

template <class Scalar>
BasicSparseLuNumeric<Scalar>::BasicSparseLuNumeric(std::shared_ptr<const SparseLuSymbolic> symbolic)
    : symbolic_(std::move(symbolic)) {
  if (n() == 0) {
    return;
  }
#ifdef SALTUS_WITH_KLU
  if (symbolic_->backend() == SparseBackend::klu) {
    backend_ = make_klu_backend<Scalar>(*symbolic_);
    return;
  }
#endif
#ifdef SALTUS_WITH_EIGEN
  backend_ = make_eigen_backend<Scalar>(symbolic_->pattern());
#endif
}

template <class Scalar>
BasicSparseLuNumeric<Scalar>::BasicSparseLuNumeric(BasicSparseLuNumeric&&) noexcept = default;
template <class Scalar>
BasicSparseLuNumeric<Scalar>& BasicSparseLuNumeric<Scalar>::operator=(BasicSparseLuNumeric&&) noexcept =
    default;
template <class Scalar>
BasicSparseLuNumeric<Scalar>::~BasicSparseLuNumeric() = default;

template <class Scalar>
FactorStatus BasicSparseLuNumeric<Scalar>::factorize(std::span<const Scalar> values) {
  SALTUS_EXPECT(values.size() == symbolic_->pattern().n_entries(), "a value for every entry of the pattern");
  factorized_ = false;
  if (!std::all_of(values.begin(), values.end(),
                   [](const Scalar& value) { return plain_lu::is_finite(value); })) {
    return {.kind = FactorStatus::Kind::not_finite};
  }
  FactorStatus status;
  if (n() > 0) {
    count_work(kWorkOfAnEntry * static_cast<std::int64_t>(values.size()));
    status = backend_->factorize(values);
    keeps_pivots_ = status.ok() && backend_->has_kept_pivots();
    if (!status.ok()) {
      pivoted_.clear();
    } else if (!keeps_pivots_) {
      pivoted_.assign(values.begin(), values.end());
    }
    values_.assign(values.begin(), values.end());
  }
  factorized_ = status.ok();
  return status;
}

template <class Scalar>
void BasicSparseLuNumeric<Scalar>::fields(Archive& a) {
  a(factorized_, keeps_pivots_, pivoted_, values_);
  if (!a.is_loading() || !a.ok() || pivoted_.empty()) {
    return;
  }
  const std::size_t n_entries = symbolic_->pattern().n_entries();
  if (pivoted_.size() != n_entries || values_.size() != n_entries) {
    a.refuse("the entries of a matrix do not fit");
    return;
  }
  // The factors of now, by the pivots of then.
  if (!backend_->factorize(pivoted_).ok() || (keeps_pivots_ && !backend_->factorize(values_).ok())) {
    a.refuse("a matrix cannot be factorised again");
  }
}

template <class Scalar>
void BasicSparseLuNumeric<Scalar>::solve(std::span<Scalar> b) {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n(), "a right side of the order of the matrix");
  SALTUS_EXPECT(factorized_, "a successful factorize()");
  if (n() > 0) {
    backend_->solve(b);
  }
}

template <class Scalar>
void BasicSparseLuNumeric<Scalar>::solve_transposed(std::span<Scalar> b) {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n(), "a right side of the order of the matrix");
  SALTUS_EXPECT(factorized_, "a successful factorize()");
  if (n() > 0) {
    backend_->solve_transposed(b);
  }
}

template <class Scalar>
void BasicSparseLuNumeric<Scalar>::solve_rows(std::span<Scalar> b, Index n_right) {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == n() * n_right, "right sides of the order of the matrix");
  SALTUS_EXPECT(factorized_, "a successful factorize()");
  if (n() > 0 && n_right > 0) {
    backend_->solve_rows(b, n_right);
  }
}

template <class Scalar>
double BasicSparseLuNumeric<Scalar>::reciprocal_condition() const {
  SALTUS_EXPECT(factorized_, "a successful factorize()");
  return n() == 0 ? 1.0 : backend_->reciprocal_condition();
}

template class BasicSparseLuNumeric<double>;
template class BasicSparseLuNumeric<std::complex<double>>;

}  // namespace saltus::linalg
