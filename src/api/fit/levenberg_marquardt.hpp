/// Nonlinear least squares within bounds.
///
/// Problem      min ½Σρ(rᵢ(x)²) over lower ≤ x ≤ upper, from residuals and their Jacobian
/// Method       Levenberg-Marquardt: a step minimises the linear model with the damping ½μ‖D·p‖² within the bounds (box_step.hpp). D has the lengths of
///              the columns of J, the largest so far (J. J. Moré, The Levenberg-Marquardt algorithm, 1978); μ follows the gain, what the step won over
///              what the model promised (H. B. Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05). Losses enter by the weights ρ' of
///              rows (loss.hpp).
/// Contract     The cost never grows. A point whose residuals cannot be computed is a step that failed: μ grows. Converged: the undamped step p of the
///              last point has
///                - ‖J·p‖/√n ≤ max(kStepOffset·‖r + J·p‖/√(m - n), ε·‖r + J·p‖/√n), ε the accuracy of J: it moves x by a small part of the standard
///                  errors (relative offset: D. M. Bates, D. G. Watts, Technometrics 23, 1981), or by what errors of J make of r, or
///                - ‖J·p‖ ≤ the accuracy of the residuals: no residual moves by more than is known of it.
///              n counts the components that no bound holds.
/// Choices      A datum at the time of an event that moves with x has a kink there, and such kinks are where minima like to be. When short steps fail,
///              gradients of both sides are blended, α·g₁ + (1 - α)·g₀, so that the least is promised: what remains leads along the kink. At a
///              minimum nothing remains (zero is in the convex hull of gradients: F. H. Clarke, Optimization and Nonsmooth Analysis, 1983); a
///              relative offset of kKinkOffset counts as that, and the result says so. One kink at a time.
/// Fails when   the residuals of the first point cannot be computed (impossible), or the problem halts. Stalled: no step that changes residuals
///              beyond their accuracy lowers the cost, though the model says so (the residuals are not smooth there).
/// Checked by   tests/unit/api_fit/levenberg_marquardt_test.cpp
#pragma once

#include <string>
#include <vector>

#include "base/interface.hpp"
#include "linalg/dense_matrix.hpp"
#include "saltus/fit.hpp"

namespace saltus::api {

struct LeastSquaresPoint {
  std::vector<double> x;
  std::vector<double> residuals;
  linalg::DenseMatrix jacobian;    ///< of the residuals
  double accuracy = 0.0;           ///< Euclidean norm of what is not known of the residuals
  double jacobian_accuracy = 0.0;  ///< relative, of its columns
};

enum class PointOutcome {
  good,
  impossible,  ///< nothing is known there
  halted,      ///< all work ends: asked from outside, or the time is over
};

class LeastSquaresProblem : public Interface {
 public:
  /// Fills all but x, which is within the bounds.
  [[nodiscard]] virtual PointOutcome evaluate(LeastSquaresPoint& point) = 0;
};

struct LeastSquaresOptions {
  std::vector<double> lower;
  std::vector<double> upper;
  Loss loss = Loss::none;
  double loss_scale = 1.0;
  int max_iterations = 100;
  double least_pivot = 0.0;  ///< what counts as a singular direction of J in the undamped step
};

struct LeastSquaresResult {
  enum class End { converged, limit, stalled, impossible, halted };
  End end = End::limit;
  LeastSquaresPoint point;  ///< the best; all but x is empty where the first was impossible or halted
  double cost = 0.0;
  std::vector<char> is_held;  ///< stands on a bound towards which the cost falls
  bool is_kink = false;       ///< converged at a kink: the Jacobian is that of one of its sides
  int iterations = 0;         ///< steps that were taken
};

[[nodiscard]] LeastSquaresResult least_squares(LeastSquaresProblem& problem, std::vector<double> start,
                                               const LeastSquaresOptions& options);

/// ½Σρ
[[nodiscard]] double cost_of(const std::vector<double>& residuals, Loss loss, double scale);

}  // namespace saltus::api
