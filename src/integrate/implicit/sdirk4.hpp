/// Problem      one step of r(t, y, ẏ) = 0, index at most 1, y = (x, z); stiff or not
/// Method       singly diagonally implicit Runge–Kutta method with five stages, order 4, L-stable, stiffly accurate, embedded order
///              3 [HW96] IV.6 (6.16), the method SDIRK4 that [Com01] used:
///                r(t₀ + c_i h, y₀ + Z_i, Ẏ_i) = 0,  Z_i = h Σ_(j≤i) a_ij Ẏ_j in x, one stage after the other,
///              so one real matrix 1/(γh)·B + A serves all of them, A = ∂r/∂y, B = ∂r/∂ẏ.
///              Error estimate e = h Σ (b_i - b̂_i) Ẏ_i, filtered in stiff parts: err = (1/(γh)·B + A)⁻¹ B e/(γh). The embedded
///              method is not stiffly accurate: e = O(h²) where x follows the equations at once, the filter leaves 4e/(hλ), and
///              tight tolerances take many steps (1e-8 and λ = 1e5: h = 2e-3).
/// Contract     ImplicitOneStep
/// Choices      A stage starts with the slope of the stage whose node is nearest, the first one with ẏ₀, after a restart with zero
///              (ẏ₀ may belong to a transient) except where r is not linear in it. The last stage is the result: ẏ₁ = Ẏ₅ costs nothing.
///              Standard dense output, within the tolerance: the cubic through x and ẋ at both ends, order 3, and where that
///              does not do, corrected by filtered defects (sdirk4_dense.cpp, docs/math/dense_output.md).
/// Cost         per step one residual and one solve per iteration and stage; two for the extension, four where it is corrected
/// Checked by   tests/contract/, tests/unit/integrate/sdirk4_test.cpp
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/implicit/implicit_one_step.hpp"

namespace saltus::integrate {

class Sdirk4 final : public ImplicitOneStep {
 public:
  static constexpr std::size_t kStages = 5;

  /// As Radau5.
  Sdirk4(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
         Tolerances tolerances);

  [[nodiscard]] int order() const override { return 4; }
  [[nodiscard]] int embedded_order() const override { return 3; }
  void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const override;
  [[nodiscard]] int dense_order(DenseOutput which) const override {
    return which == DenseOutput::full ? 4 : 3;
  }

  void fields(Archive& a) override;

 private:
  void resize_stages() override;
  [[nodiscard]] linalg::FactorStatus factorize(double h) override;
  [[nodiscard]] StageOutcome solve_stages() override;
  [[nodiscard]] StageOutcome solve_middle(double t, NewtonConvergence& convergence) override;
  [[nodiscard]] const system::Evaluation& stage_failure() const override { return evaluation_; }
  [[nodiscard]] double last_correction(std::size_t i) const override { return delta_[i]; }
  void estimate_error() override;
  [[nodiscard]] double measure_extension() override;
  void extension_point(double theta, std::span<double> y, std::span<double> ydot) const override;
  Index fill_standard() override;
  // Degree 4 is enough for order 4, and does without the slope at a start.
  [[nodiscard]] bool starts_in_transient() const override { return is_fresh_start(); }

  // All stages of a step of size h: y and ydot at its end. `keep` is called with every stage that is solved.
  template <class Keep>
  [[nodiscard]] StageOutcome solve(double h, double end, NewtonConvergence& convergence, std::span<double> y,
                                   std::span<double> ydot, const Keep& keep);
  [[nodiscard]] StageOutcome solve_stage(std::size_t stage, double t, double h,
                                         NewtonConvergence& convergence);
  void predict_stage(std::size_t stage, double h);
  // Powers 1 to 4 of the extension of state i, from θ = 0.
  [[nodiscard]] std::array<double, 4> extension_powers(std::size_t i) const;
  [[nodiscard]] bool find_defect(std::size_t point);

  system::Evaluation evaluation_;
  std::vector<double> delta_;  // residual, then correction
  std::vector<double> y_stage_;
  std::vector<double> known_;                        // h Σ_(j<i) a_ij Ẏ_j, of the states
  std::array<std::vector<double>, kStages> slopes_;  // Ẏ_i
  // What the extension has besides both ends, at θ = ¼, ½, ¾: values of z, filtered defects of the cubic or zero.
  std::array<std::vector<double>, 3> inner_z_;
  std::array<std::vector<double>, 3> inner_defects_;
  std::vector<double> unfiltered_;  // e
  bool is_corrected_ = false;
};

}  // namespace saltus::integrate
