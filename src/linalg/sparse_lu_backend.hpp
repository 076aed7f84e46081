/// What a sparse LU library must offer; private to src/linalg.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linalg/sparse_lu.hpp"

namespace saltus::linalg {

template <class Scalar>
class BasicSparseLuNumeric<Scalar>::Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual FactorStatus factorize(std::span<const Scalar> values) = 0;
  /// Whether the last one of them that succeeded took the pivots of one before.
  [[nodiscard]] virtual bool has_kept_pivots() const { return false; }
  virtual void solve(std::span<Scalar> b) = 0;
  virtual void solve_transposed(std::span<Scalar> b) = 0;
  /// One after the other, where a library has nothing better.
  virtual void solve_rows(std::span<Scalar> b, Index n_right) {
    const auto step = static_cast<std::size_t>(n_right);
    std::vector<Scalar> one(b.size() / step);
    for (std::size_t k = 0; k < step; ++k) {
      for (std::size_t i = 0; i < one.size(); ++i) {
        one[i] = b[i * step + k];
      }
      solve(one);
      for (std::size_t i = 0; i < one.size(); ++i) {
        b[i * step + k] = one[i];
      }
    }
  }
  [[nodiscard]] virtual double reciprocal_condition() = 0;
};

struct SparseLuSymbolic::Analysis {
  Analysis() = default;
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;
  virtual ~Analysis() = default;
};

[[nodiscard]] std::unique_ptr<SparseLuSymbolic::Analysis> analyze_with_klu(const SparsePattern& pattern);
// For double and std::complex<double>.
template <class Scalar>
[[nodiscard]] std::unique_ptr<typename BasicSparseLuNumeric<Scalar>::Backend> make_klu_backend(
    const SparseLuSymbolic& symbolic);
template <class Scalar>
[[nodiscard]] std::unique_ptr<typename BasicSparseLuNumeric<Scalar>::Backend> make_eigen_backend(
    const SparsePattern& pattern);

}  // namespace saltus::linalg
