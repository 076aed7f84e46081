/// Problem      the stages of one step of the 3-stage Radau IIA method for r(t, y, ẏ) = 0:
///              r(t₀ + c_i h, y₀ + Z_i, (1/h) Σ_j (A⁻¹)_ij Z_j) = 0, i = 1, 2, 3
/// Method       simplified Newton iteration. In W = (T⁻¹⊗I) Z its linear systems fall apart into a real one with γ̂/h·B + A and
///              a complex one with (α̂ + iβ̂)/h·B + A: [HW96] IV.8 (8.4)-(8.7), there for M ẏ = f(y); here with A = ∂r/∂y and
///              B = ∂r/∂ẏ at the start of the step.
/// Contract     The system's Jacobian is factorised for the size h (factorize()). solve() starts from the stages it is given.
/// Fails when   a residual cannot be evaluated, or the iteration does not converge (newton_policy.hpp)
/// Cost         per iteration three residuals, a real and a complex solve
/// Checked by   tests/unit/integrate/radau5_test.cpp, tests/convergence/implicit_order_test.cpp
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/implicit/implicit_one_step.hpp"
#include "integrate/implicit/radau5_table.hpp"
#include "integrate/step/implicit_system.hpp"
#include "integrate/step/newton_policy.hpp"

namespace saltus::integrate {

class Radau5Stages {
 public:
  using Stages = std::array<std::span<double>, radau5::kStages>;
  using Times = std::array<double, radau5::kStages>;

  explicit Radau5Stages(ImplicitSystem& system) : system_(system) {}

  /// After the system's n_y() has changed.
  void resize();
  /// Both matrices for a step of size h.
  [[nodiscard]] linalg::FactorStatus factorize(double h);

  /// `z`: in the starting values, out the solution. `scale`: what counts as 1 in every entry of y.
  [[nodiscard]] StageOutcome solve(const Times& times, double h, std::span<const double> y0,
                                   std::span<const double> scale, NewtonConvergence& convergence,
                                   const Stages& z);
  /// Writes y and ẏ of a stage into the system.
  void place_stage(std::size_t stage, double h, std::span<const double> y0, const Stages& z);
  /// Why the last solve() failed.
  [[nodiscard]] const system::Evaluation& evaluation() const { return evaluation_; }
  /// The last correction of y at the end of the step, in entry i.
  [[nodiscard]] double last_correction(std::size_t i) const { return delta_[0][i] + delta_[1][i]; }

  void fields(Archive& a) { a(evaluation_, w_, delta_, complex_); }

 private:
  [[nodiscard]] bool evaluate_residuals(const Times& times, double h, std::span<const double> y0,
                                        const Stages& z);
  void find_correction();
  [[nodiscard]] double correction_norm(std::span<const double> scale) const;
  void add_correction(const Stages& z);

  ImplicitSystem& system_;
  system::Evaluation evaluation_;
  std::array<std::vector<double>, radau5::kStages> w_;      // transformed stages
  std::array<std::vector<double>, radau5::kStages> delta_;  // residuals, then corrections of w_
  std::vector<std::complex<double>> complex_;
};

}  // namespace saltus::integrate
