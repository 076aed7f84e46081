/// Equations in many unknowns, from far away: damped Gauss-Newton steps of least change.
///
/// Problem      r(t, s) = 0 over the rows that count, s near a given point, changes by levels (tiered_step.hpp)
/// Method       damped Newton (nonlinear/damped_newton.hpp) with c the step of least change; λ by the restricted natural monotonicity
///              test ‖c̄‖ ≤ (1 - λ/4)‖c‖ and the predictor of [Deu04] 4.3.4 (Gauss-Newton with natural level functions)
/// Contract     On success s satisfies every row that counts: |row| ≤ kConsistent of its length, and the last step was at most
///              kStepTolerance of max(|s|, nominal), or rounding. On failure s is where the iteration came to rest.
/// Choices      a trial where a row is not finite halves λ; below kDampingAtRest the iteration has come to rest. Steps that no
///              longer shrink and are smaller than kRoundingStep end it.
/// Fails when   it comes to rest with rows that are not met (stuck), needs more than kMostGaussNewtonSteps, or the first point cannot be
///              evaluated (not_finite, culprit: row)
/// Cost         one Jacobian and factorisation and at least two residuals for each step
/// Checked by   tests/unit/reduce/damped_gauss_newton_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/nonlinear/consistency.hpp"
#include "reduce/nonlinear/tiered_step.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

class DampedGaussNewton {
 public:
  enum class Status : std::uint8_t { solved, stuck, too_many_steps, not_finite };

  static constexpr int kMostGaussNewtonSteps = 100;

  struct Outcome {
    Status status = Status::solved;
    Index culprit = -1;  ///< row that is not finite
    int n_steps = 0;

    [[nodiscard]] bool solved() const { return status == Status::solved; }
  };

  /// All outlive this object. `counts` as in TieredStep.
  DampedGaussNewton(const system::EquationSet& equations, system::EquationRunner& runner,
                    std::span<const int> level, std::span<const double> nominal,
                    std::span<const std::uint8_t> counts, LeastChange::Algebra algebra);

  [[nodiscard]] Outcome solve(double t, std::span<double> s);

  /// At the last point.
  [[nodiscard]] std::span<const double> residual() const { return residual_; }
  [[nodiscard]] bool counts(std::size_t row) const { return counts_[row] != 0; }
  /// |row| in units of its length, 0 for those that do not count.
  [[nodiscard]] double distance(std::size_t row) const;
  [[nodiscard]] TieredStep& step() { return step_; }
  /// Factorises at s; false where that is not finite.
  [[nodiscard]] bool prepare(double t, std::span<const double> s);

 private:
  struct Iteration;  // nonlinear/damped_newton.hpp
  [[nodiscard]] double size(std::span<const double> change) const;
  [[nodiscard]] double largest_part(std::span<const double> change, std::span<const double> s) const;
  [[nodiscard]] bool rows_are_met() const;

  system::EquationRunner& runner_;
  std::vector<double> nominal_;
  std::vector<std::uint8_t> counts_;
  TieredStep step_;
  std::vector<double> entries_;
  std::vector<double> residual_;
  std::vector<double> trial_residual_;
  std::vector<double> change_;
  std::vector<double> simplified_;
  std::vector<double> trial_;
  std::vector<double> kept_;
  std::vector<double> kept_residual_;
};

}  // namespace saltus::reduce
