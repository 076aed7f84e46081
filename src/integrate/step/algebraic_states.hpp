/// Slopes of states that constraints determine.
///
/// Problem      r(t, x, ẋ) = 0 of index 1 in which ∂r/∂ẋ is singular: some combinations of the states are algebraic (modes reduced
///              by ranks, where all unknowns are states). The slope that a method has for them is a quotient of its stages and
///              one or more orders worse than x; a Hermite polynomial through it is as bad.
/// Method       With A = ∂r/∂x, B = ∂r/∂ẋ and Z an orthonormal basis of ker Bᵀ the constraints are Zᵀr, and their derivative is
///              met by f, the rate that the equations have at x, but not by ẋ of the method. The slope taken is ẋ* with
///              B·ẋ* = B·ẋ and Zᵀ·A·(ẋ* - f) = 0, that is (B + Z·Zᵀ·A)·(ẋ* - f) = B·(ẋ - f).
/// Choices      f itself would do where nothing is stiff. In stiff parts it enlarges the error of x; what B determines is
///              therefore left to the method.
/// Cost         a decomposition of B and of the sum for each Jacobian
/// Checked by   tests/convergence/rank_order_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/dense_lu.hpp"

namespace saltus::integrate {

class AlgebraicStates {
 public:
  explicit AlgebraicStates(Index n) : sum_(n), slope_(static_cast<std::size_t>(n)) {}

  /// Of another Jacobian: all of A, then all of B, column by column.
  void take(std::span<const double> jacobian);
  /// Moves the slope of the method; f is the rate at the same point. Nothing where ẋ is determined by B alone.
  void settle(std::span<const double> jacobian, std::span<const double> f, std::span<double> xdot);

  void fields(Archive& a) { a(sum_, slope_, has_constraints_); }

 private:
  linalg::DenseLu sum_;
  std::vector<double> slope_;
  bool has_constraints_ = false;
};

}  // namespace saltus::integrate
