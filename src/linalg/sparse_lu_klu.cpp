// KLU behind Backend. The only file that converts to SuiteSparse's integers.
#ifdef SALTUS_WITH_KLU

#include <klu.h>

#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "linalg/block_factors.hpp"
#include "linalg/sparse_lu_backend.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// Smallest reciprocal pivot growth at which kept pivots are still used: half of the digits are then safe. The
// same order as SUNDIALS's limit on the condition estimate, eps^(2/3).
constexpr double kSmallestPivotGrowth = 1e-8;

std::vector<int> to_klu_integers(const std::vector<Index>& values) {
  std::vector<int> result;
  result.reserve(values.size());
  for (const Index value : values) {
    SALTUS_EXPECT(value <= std::numeric_limits<int>::max(), "fewer than 2^31 entries");
    result.push_back(static_cast<int>(value));
  }
  return result;
}

klu_common default_common() {
  klu_common common;
  klu_defaults(&common);
  common.halt_if_singular = 1;
  return common;
}

// KLU says by its status what the rest of saltus says by an exception; its int runs out before the memory does.
void require_memory(const klu_common& common) {
  if (common.status == KLU_OUT_OF_MEMORY || common.status == KLU_TOO_LARGE) {
    throw std::bad_alloc();
  }
}

// klu_analyze permutes for a zero-free diagonal only; values are seen by the numeric phase.
struct KluAnalysis final : SparseLuSymbolic::Analysis {
  explicit KluAnalysis(const SparsePattern& pattern)
      : n(static_cast<int>(pattern.n)),
        column_starts(to_klu_integers(pattern.column_starts)),
        rows(to_klu_integers(pattern.rows)) {
    symbolic = klu_analyze(n, column_starts.data(), rows.data(), &common);
    require_memory(common);
  }
  ~KluAnalysis() override { klu_free_symbolic(&symbolic, &common); }

  int n;
  std::vector<int> column_starts;
  std::vector<int> rows;
  klu_common common = default_common();
  klu_symbolic* symbolic = nullptr;
};

// The functions of KLU by kind of number. Complex numbers are pairs of doubles to it.
template <class Scalar>
struct Klu;

template <>
struct Klu<double> {
  static constexpr auto kFactor = klu_factor;
  static constexpr auto kRefactor = klu_refactor;
  static constexpr auto kGrowth = klu_rgrowth;
  static constexpr auto kSolve = klu_solve;
  static constexpr auto kSolveTransposed = klu_tsolve;
  static constexpr auto kCondition = klu_rcond;
  static constexpr auto kFree = klu_free_numeric;
};

template <>
struct Klu<std::complex<double>> {
  static constexpr auto kFactor = klu_z_factor;
  static constexpr auto kRefactor = klu_z_refactor;
  static constexpr auto kGrowth = klu_z_rgrowth;
  static constexpr auto kSolve = klu_z_solve;
  static constexpr auto kSolveTransposed = [](klu_symbolic* symbolic, klu_numeric* numeric, int n,
                                              int n_sides, double* sides, klu_common* common) {
    const int conjugates = 0;
    return klu_z_tsolve(symbolic, numeric, n, n_sides, sides, conjugates, common);
  };
  static constexpr auto kCondition = klu_z_rcond;
  static constexpr auto kFree = klu_z_free_numeric;
};

template <class Scalar>
class KluBackend final : public BasicSparseLuNumeric<Scalar>::Backend {
 public:
  // KLU's functions take pointers to non-const but only read the pattern and the symbolic object.
  explicit KluBackend(const KluAnalysis& analysis)
      : column_starts_(const_cast<int*>(analysis.column_starts.data())),
        rows_(const_cast<int*>(analysis.rows.data())),
        symbolic_(analysis.symbolic),
        n_(analysis.n) {}
  ~KluBackend() override { Klu<Scalar>::kFree(&numeric_, &common_); }

  FactorStatus factorize(std::span<const Scalar> values) override {
    if (symbolic_ == nullptr || symbolic_->structural_rank < n_) {
      return {.kind = FactorStatus::Kind::singular};
    }
    has_factors_ = false;
    auto* entries = reinterpret_cast<double*>(const_cast<Scalar*>(values.data()));
    has_kept_pivots_ = numeric_ != nullptr && refactorize(entries);
    if (has_kept_pivots_) {
      return {};
    }
    Klu<Scalar>::kFree(&numeric_, &common_);
    numeric_ = Klu<Scalar>::kFactor(column_starts_, rows_, entries, symbolic_, &common_);
    require_memory(common_);
    if (numeric_ == nullptr || common_.status == KLU_SINGULAR) {
      const int column = common_.singular_col;
      Klu<Scalar>::kFree(&numeric_, &common_);
      return {.kind = FactorStatus::Kind::singular, .column = column < n_ ? column : -1};
    }
    return {};
  }

  [[nodiscard]] bool has_kept_pivots() const override { return has_kept_pivots_; }

  void solve(std::span<Scalar> b) override {
    Klu<Scalar>::kSolve(symbolic_, numeric_, n_, 1, reinterpret_cast<double*>(b.data()), &common_);
  }

  void solve_transposed(std::span<Scalar> b) override {
    Klu<Scalar>::kSolveTransposed(symbolic_, numeric_, n_, 1, reinterpret_cast<double*>(b.data()), &common_);
  }

  void solve_rows(std::span<Scalar> b, Index n_right) override {
    if constexpr (std::is_same_v<Scalar, double>) {
      if (n_right > 1) {
        if (!std::exchange(has_factors_, true)) {
          extract();
        }
        factors_.solve_rows(b, n_right);
        return;
      }
    }
    BasicSparseLuNumeric<Scalar>::Backend::solve_rows(b, n_right);
  }

  double reciprocal_condition() override {
    Klu<Scalar>::kCondition(symbolic_, numeric_, &common_);
    return common_.rcond;
  }

 private:
  void extract() {
    factors_.lower.resize(n_, numeric_->lnz);
    factors_.upper.resize(n_, numeric_->unz);
    factors_.above.resize(n_, numeric_->nzoff);
    factors_.resize(n_, numeric_->nblocks);
    klu_extract(numeric_, symbolic_, factors_.lower.starts.data(), factors_.lower.rows.data(),
                factors_.lower.values.data(), factors_.upper.starts.data(), factors_.upper.rows.data(),
                factors_.upper.values.data(), factors_.above.starts.data(), factors_.above.rows.data(),
                factors_.above.values.data(), factors_.row_order.data(), factors_.column_order.data(),
                factors_.scales.data(), factors_.blocks.data(), &common_);
  }
  bool refactorize(double* entries) {
    return Klu<Scalar>::kRefactor(column_starts_, rows_, entries, symbolic_, numeric_, &common_) != 0 &&
           common_.status == KLU_OK &&
           Klu<Scalar>::kGrowth(column_starts_, rows_, entries, symbolic_, numeric_, &common_) != 0 &&
           common_.rgrowth >= kSmallestPivotGrowth;
  }

  int* column_starts_;
  int* rows_;
  klu_symbolic* symbolic_;
  int n_;
  klu_common common_ = default_common();
  klu_numeric* numeric_ = nullptr;
  bool has_kept_pivots_ = false;
  BlockFactors factors_;  // of numeric_ …
  bool has_factors_ = false;
};

}  // namespace

std::unique_ptr<SparseLuSymbolic::Analysis> analyze_with_klu(const SparsePattern& pattern) {
  SALTUS_EXPECT(pattern.n < std::numeric_limits<int>::max(), "order below 2^31");
  return std::make_unique<KluAnalysis>(pattern);
}

template <class Scalar>
std::unique_ptr<typename BasicSparseLuNumeric<Scalar>::Backend> make_klu_backend(
    const SparseLuSymbolic& symbolic) {
  return std::make_unique<KluBackend<Scalar>>(static_cast<const KluAnalysis&>(*symbolic.analysis()));
}

template std::unique_ptr<SparseLuNumeric::Backend> make_klu_backend<double>(const SparseLuSymbolic&);
template std::unique_ptr<ComplexSparseLuNumeric::Backend> make_klu_backend<std::complex<double>>(
    const SparseLuSymbolic&);

}  // namespace saltus::linalg

#endif
