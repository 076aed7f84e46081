// Linear equations with constant coefficients, E·ẋ = A·x + b(t), by what their matrices say.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "saltus/result.hpp"

namespace saltus {

/// Row by row, all of one length. Errors of the functions below: rows of different lengths, sizes that do not fit, entries that are not finite
/// (`wrong-matrix`).
using Matrix = std::vector<std::vector<double>>;

/// A⁺, the inverse that solves A·x = b with least squares and least norm; ranks are decided as everywhere (one tolerance, docs/math/ranks.md).
[[nodiscard]] Result<Matrix> moore_penrose_inverse(const Matrix& a);

/// A^D with A·A^D = A^D·A, A^D·A·A^D = A^D, A^D·A^(ν+1) = A^ν.
struct DrazinInverse {
  Matrix inverse;
  Matrix projector;  ///< A^D·A, onto the part on which A is nonsingular, along its generalised null space
  int index = 0;     ///< ν; 0: A is nonsingular
};
[[nodiscard]] Result<DrazinInverse> drazin_inverse(const Matrix& a);

/// What the pair says of E·ẋ = A·x + b at once, without derivatives of the equations: local characteristic values.
struct PairValues {
  int rank = 0;          ///< r of E
  int algebraic = 0;     ///< a
  int strangeness = 0;   ///< s; 0: nothing is hidden
  int differential = 0;  ///< d = r - s
  int undetermined = 0;  ///< u = n - r - a
  int vanishing = 0;     ///< v = m - r - a - s
  /// Of nilpotency (Kronecker), 0: E is nonsingular; none: the pair is not square, or λE - A is singular for every λ.
  std::optional<int> index;
};
/// Any shape; both matrices have the same.
[[nodiscard]] Result<PairValues> pair_values(const Matrix& e, const Matrix& a);

/// The solution in closed form, by Drazin inverses: a reference to compare runs with. Each value takes matrix exponentials at all points of a
/// quadrature.
class LinearSolution {
 public:
  /// b(i, t): the i-th derivative of b at t, for i below the index.
  using Forcing = std::function<std::vector<double>(int derivative, double t)>;
  /// The error also: the pair is singular or not square (`singular-pair`).
  [[nodiscard]] static Result<LinearSolution> of(const Matrix& e, const Matrix& a, Forcing b, double start);

  [[nodiscard]] int index() const;
  /// x(t) of the solution that begins at the part of w that may be chosen freely.
  [[nodiscard]] std::vector<double> at(double t, const std::vector<double>& w) const;

 private:
  struct Data;
  explicit LinearSolution(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace saltus
