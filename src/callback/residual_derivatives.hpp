/// A residual, its total derivatives in time and their Jacobian, from what the user gives or from differences.
///
/// Problem      F, dF/dt, …, dˡF/dtˡ as functions of t, x, ẋ, …, x⁽ˡ⁺¹⁾, and their derivatives by these
/// Method       What the user gives is taken: the array, its Jacobian, ∂F/∂(t, x, ẋ). Else along the polynomial p with the derivatives x⁽ᵏ⁾ at t:
///              dᵏF/dtᵏ is that of F(t + τ, p, p') (or of F_t + F_x·p' + F_ẋ·p'', one order less), by line_derivatives.hpp, and
///              ∂F⁽ᵏ⁾/∂x⁽ʲ⁾ = C(k, j)·D^(k-j) F_x + C(k, j-1)·D^(k-j+1) F_ẋ ([KM06] 3.2, Leibniz), D being d/dτ of the Jacobians along p.
///              Jacobians that are not given: differences in each unknown.
/// Notation     unit: the time in which p changes by the sizes of the unknowns
/// Contract     While sliding everything is the multilinear blend over the sides (side_weights.hpp). Rows by order, then by equation; columns
///              by order, then by unknown; matrices by rows. Does not allocate after construction. A point beside the one asked for
///              at which a function throws or has no value makes the steps of differences smaller.
/// Fails when   F or what is given has no finite value at the point: not_finite, the culprit is a row (-1: not known)
/// Cost         with Jacobians 12·(l > 0) + 1 calls of them for a matrix; without them about 24·n times as many calls of F
/// Checked by   tests/unit/callback/residual_derivatives_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "callback/line_derivatives.hpp"
#include "callback/side_weights.hpp"
#include "system/evaluation.hpp"

namespace saltus::callback {

class ResidualDerivatives {
 public:
  ResidualDerivatives(std::shared_ptr<const CallbackModel> model, std::size_t mode, int depth);

  [[nodiscard]] SideWeights& weights() { return weights_; }

  system::Evaluation values(double t, std::span<const double> slots, std::span<double> rows);
  system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries);
  /// The largest estimated error in the last Jacobian, relative to the largest entry of its row in the sizes of the unknowns and the unit
  /// of time: what ranks see after equilibration.
  [[nodiscard]] double error() const { return error_; }

 private:
  struct Matrices {  // by rows
    std::vector<double> by_x;
    std::vector<double> by_xdot;
    std::vector<double> by_time;
  };

  [[nodiscard]] bool residual(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> values);
  [[nodiscard]] bool given_matrices(double t, std::span<const double> x, std::span<const double> xdot);
  [[nodiscard]] bool differenced_matrices(double t, std::span<const double> x, std::span<const double> xdot);
  [[nodiscard]] bool matrices(double t, std::span<const double> x, std::span<const double> xdot);
  [[nodiscard]] bool call_array(double t, std::span<const double> slots, std::span<double> rows);
  [[nodiscard]] bool call_array_jacobian(double t, std::span<const double> slots, std::span<double> entries);
  [[nodiscard]] bool difference_array(double t, std::span<const double> slots, std::span<double> entries);
  [[nodiscard]] bool follow(double t, std::span<const double> slots, double tau);
  void measure(std::span<const double> slots);
  void compose(std::span<double> entries) const;
  [[nodiscard]] double relative_error(std::span<const double> entries) const;
  [[nodiscard]] bool sample_rates(std::span<double> values);

  std::shared_ptr<const CallbackModel> model_;
  const CallbackResidual& equations_;
  int depth_;
  std::size_t n_;  // unknowns
  std::size_t m_;  // equations
  SideWeights weights_;
  double error_ = 0.0;
  double unit_ = 1.0;
  std::vector<double> sizes_;         // of the unknowns at the point
  std::vector<double> row_terms_;     // of the equations: the sum of what the unknowns do to them
  std::vector<double> row_largest_;   // … the largest of that
  std::vector<double> row_errors_;    // of differences in unknowns, in the same units: of the last matrices
  std::vector<double> point_errors_;  // … of those at the point
  bool has_terms_ = false;
  Matrices blended_;
  Matrices corner_;
  double along_t_ = 0.0;  // p at τ
  std::vector<double> along_;
  std::vector<double> along_dot_;
  std::vector<double> along_dot2_;
  std::vector<double> corner_values_;
  std::vector<double> corner_entries_;
  std::vector<double> moved_;
  std::vector<double> scale_;
  std::vector<double> no_scale_;
  LineDerivatives of_values_;    // of F, or of dF/dt, along p
  LineDerivatives of_matrices_;  // of (F_x, F_ẋ) along p
  LineDerivatives in_unknown_;   // of F in one unknown
  LineDerivatives in_slot_;      // of the array in one slot
};

}  // namespace saltus::callback
