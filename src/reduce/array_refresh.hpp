/// When the matrix of a simplified Gauss-Newton iteration is made anew, as a small object that decides from contractions.
///
/// Method       A matrix is kept from point to point as long as its iterations contract by kSlowContraction or better: then a
///              few more iterations are cheaper than a matrix [Deu04] 4.1, 4.4. A step that fails with a matrix of another
///              point is tried again with a fresh one before it is damped.
/// Checked by   tests/unit/reduce/array_refresh_test.cpp
#pragma once

namespace saltus::reduce {

class ArrayRefreshPolicy {
 public:
  enum class Advice { keep, refresh };

  /// Three decimal digits in three iterations.
  static constexpr double kSlowContraction = 0.1;

  [[nodiscard]] bool has_matrix() const { return has_matrix_; }
  /// Whether the matrix is that of the present iterate.
  [[nodiscard]] bool is_fresh() const { return is_fresh_; }
  /// A matrix has been made at the present iterate.
  void made() { has_matrix_ = is_fresh_ = true; }
  /// What the matrix was made of has changed (configuration, ranks).
  void forget() { has_matrix_ = is_fresh_ = false; }
  /// The iterate moves on, or another point begins.
  void moved() { is_fresh_ = false; }
  /// After a full step: `contraction` is the ratio of the lengths of two corrections.
  [[nodiscard]] Advice after_step(double contraction) const {
    return contraction > kSlowContraction ? Advice::refresh : Advice::keep;
  }
  /// After a step that did not come nearer.
  [[nodiscard]] Advice after_failure() const { return is_fresh_ ? Advice::keep : Advice::refresh; }

 private:
  bool has_matrix_ = false;
  bool is_fresh_ = false;
};

}  // namespace saltus::reduce
