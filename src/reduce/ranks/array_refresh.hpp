/// When the matrix of a simplified Gauss-Newton iteration is made anew, as a small object that decides from contractions.
///
/// Method       A matrix is kept from point to point: a few more iterations are cheaper than a matrix [Deu04] 4.1, 4.4. Beside the
///              constraints the solution found depends on the matrix, by the distance from them times the age of the matrix. Within a
///              step it must therefore stay the same, or a method would see another field in every stage and lose its
///              order; so a matrix whose iterations contract by no more than kStaleContraction is replaced between two steps,
///              and within one only above kSlowContraction. An iteration that fails with a matrix of another point is tried
///              again with a fresh one before it is damped.
/// Checked by   tests/unit/reduce/array_refresh_test.cpp, tests/unit/reduce/array_evaluator_test.cpp (order)
#pragma once

#include <cstdint>

#include "base/archive.hpp"

namespace saltus::reduce {

class ArrayRefreshPolicy {
 public:
  enum class Advice : std::uint8_t { keep, refresh };

  static constexpr double kStaleContraction = 0.05;
  static constexpr double kSlowContraction = 0.5;

  [[nodiscard]] bool has_matrix() const { return has_matrix_; }
  /// Whether the matrix is that of the present iterate.
  [[nodiscard]] bool is_fresh() const { return is_fresh_; }
  /// A matrix has been made at the present iterate.
  void made() {
    has_matrix_ = is_fresh_ = true;
    is_stale_ = false;
  }
  /// What the matrix was made of has changed (configuration, ranks).
  void forget() { has_matrix_ = is_fresh_ = is_stale_ = false; }
  /// The iterate moves on, or another point begins.
  void moved() { is_fresh_ = false; }
  /// A step has been accepted: now is the time for another matrix.
  void next_step() {
    if (is_stale_) {
      forget();
    }
  }
  /// After a full iteration: `contraction` is the ratio of the lengths of two corrections.
  [[nodiscard]] Advice after_iteration(double contraction) {
    is_stale_ = is_stale_ || contraction > kStaleContraction;
    return contraction > kSlowContraction ? Advice::refresh : Advice::keep;
  }
  /// After an iteration that did not come nearer.
  [[nodiscard]] Advice after_failure() const { return is_fresh_ ? Advice::keep : Advice::refresh; }

  void fields(Archive& a) { a(has_matrix_, is_fresh_, is_stale_); }

 private:
  bool has_matrix_ = false;
  bool is_fresh_ = false;
  bool is_stale_ = false;
};

}  // namespace saltus::reduce
