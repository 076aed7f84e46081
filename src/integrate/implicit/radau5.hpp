/// Problem      one step of r(t, y, ẏ) = 0, index at most 1, y = (x, z); stiff or not
/// Method       3-stage Radau IIA, order 5, L-stable, stiffly accurate [HW96] IV.5, IV.8: the collocation polynomial q of degree 3
///              with q(t₀) = y₀ and r(t, q, q̇) = 0 at t₀ + c_i h; y₁ = q(t₁), ẏ₁ = q̇(t₁) satisfy r = 0 without more work.
///              Error estimate: how much q misses the slope at the start, filtered,
///                err = (γ̂/h·B + A)⁻¹ B (ẏ₀ - q̇(t₀)),   A = ∂r/∂y, B = ∂r/∂ẏ,
///              which is [HW96] IV.8 (8.19) where r = Mẏ - f(y): O(h⁴) in smooth parts, bounded by the distance from the smooth
///              solution in stiff ones. No inverse of B is formed: it may be singular and depend on t, y.
///              In the first step and after a rejection an estimate that is too large is filtered again (8.20),
///                err := -(γ̂/h·B + A)⁻¹ r(t₀, y₀ + err, q̇(t₀)).                          docs/math/radau5.md
/// Notation     Z_i = Y_i - y₀ of the stages
/// Contract     ImplicitOneStep
/// Choices      Stages start from the continuation of q of the step before, after a restart from y₀ ([HW96] IV.8), where r is not linear in
///              a slope from y₀ + c_i h ẏ₀.
///              Tolerances for the estimate, which is of order 3 where the step is of order 5: 0.1·rtol^(2/3) and atol in
///              proportion (RADAU5); κ of the iteration from the same number.
///              Standard dense output, order 4 and within the tolerance: q + a multiple of err that gives it the slope ẏ₀ where
///              nothing is stiff, and where that may not do, a multiple of its filtered defect, which makes it pass through
///              one more value of x where x follows the equations at once (radau5_dense.cpp, docs/math/dense_output.md).
/// Cost         per step 3 residuals per iteration (2-4 iterations) and a solve; two residuals and solves for the extension of
///              stiff steps; Jacobian and factorisations by policy
///              (newton_policy.hpp); full dense output: two factorisations and one or two iterations
/// Checked by   tests/contract/, tests/unit/integrate/radau5_test.cpp, tests/convergence/implicit_order_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/implicit/implicit_one_step.hpp"
#include "integrate/implicit/radau5_stages.hpp"

namespace saltus::integrate {

class Radau5 final : public ImplicitOneStep {
 public:
  /// `evaluator` outlives the stepper or the next set_evaluator(); `locked` may be null (no residual form).
  /// `extension_factor`: of the tolerance between the ends of a step.
  Radau5(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states, Tolerances tolerances,
         double extension_factor = 1.0);

  [[nodiscard]] int order() const override { return 5; }
  [[nodiscard]] int embedded_order() const override { return 3; }
  void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const override;
  [[nodiscard]] int dense_order(DenseOutput which) const override {
    return which == DenseOutput::full ? 5 : 4;
  }
  /// Y_i - y₀ of the stages of the open step, for a multistep method that starts with this one.
  [[nodiscard]] std::span<const double> stage_change(std::size_t stage) const { return z_[stage]; }

  void fields(Archive& a) override;

 private:
  void resize_stages() override;
  [[nodiscard]] linalg::FactorStatus factorize(double h) override { return stages_.factorize(h); }
  [[nodiscard]] StageOutcome solve_stages() override;
  [[nodiscard]] StageOutcome solve_middle(double t, NewtonConvergence& convergence) override;
  [[nodiscard]] const system::Evaluation& stage_failure() const override { return stages_.evaluation(); }
  [[nodiscard]] double last_correction(std::size_t i) const override { return stages_.last_correction(i); }
  void estimate_error() override;
  system::Evaluation filter_again() override;
  void remember_step() override;
  void forget_steps() override {
    past_size_ = 0.0;
    miss_ = {};
    first_defect_ = {};
  }
  void forget_past_of(std::size_t i) override;
  [[nodiscard]] double measure_extension() override;
  void extension_point(double theta, std::span<double> y, std::span<double> ydot) const override;
  Index fill_standard() override;
  [[nodiscard]] bool starts_in_transient() const override;

  void predict_stages();
  void predict_first_stages();
  [[nodiscard]] StageOutcome solve(double h, double end, NewtonConvergence& convergence,
                                   const Radau5Stages::Stages& z);
  [[nodiscard]] Radau5Stages::Times stage_times(double h, double end) const;
  void take_end(const Radau5Stages::Stages& z, double h, std::span<double> y, std::span<double> ydot) const;
  // h q̇(t₀)
  [[nodiscard]] double start_slope(std::size_t i) const {
    const auto& row = radau5::kPowers[0];
    return row[0] * z_[0][i] + row[1] * z_[1][i] + row[2] * z_[2][i];
  }

  // By how much q misses the slope at the start beyond the estimate; its size.
  [[nodiscard]] double slope_miss(std::span<double> miss) const;
  void take_defect(std::span<double> defect);
  [[nodiscard]] double measure_inside();
  [[nodiscard]] double measure_end(std::span<double> end) const;
  // Defect of the extension at θ, filtered, and its size.
  [[nodiscard]] bool measure_at(double theta, std::span<double> defect, double& size);

  Radau5Stages stages_;
  std::vector<double> stage_storage_;
  Radau5Stages::Stages z_;
  Radau5Stages::Stages z_middle_;
  Radau5Stages::Stages past_;  // q of the accepted step before, in divided differences from its end
  double past_size_ = 0.0;     // 0: there is none
  // The size of something that falls with h⁴: now, and in the steps before (it fades).
  struct Remembered {
    double now = 0.0;
    double past = 0.0;
  };
  [[nodiscard]] double expected(const Remembered& size) const;
  void remember(Remembered& size) const;
  Remembered miss_;          // what q misses of the slope
  Remembered first_defect_;  // at the first point
  // What the extension has besides the stages.
  std::span<double> bend_;    // the estimate as filtered first
  std::span<double> defect_;  // filtered defect at the first point, or zero
};

}  // namespace saltus::integrate
