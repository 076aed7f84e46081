/// One step of Radau IIA with three stages on the adjoint equation of a residual form, backwards in time.
///
/// Problem    with E = ∂r/∂ẋ, A = (Aˣ, Aᶻ) = ∂r/∂y, y = (x, z), and G = (E, Aᶻ): ∂f/∂x = -(I, 0)·G⁻¹·Aˣ, so -λ̇ = (∂f/∂x)ᵀλ is
///              λ̇ = (Aˣ)ᵀ·w,  Gᵀ·w = (λ, 0),
///            and what falls to parameters is λᵀ·∂f/∂p = -wᵀ·∂r/∂p.
/// Method     Radau IIA, order 5, from t₁ to t₁ + H, in w alone: Λᵢ = λ₁ + H·Σⱼ aᵢⱼ·(Aⱼˣ)ᵀ·wⱼ gives
///              Gᵢᵀ·wᵢ - H·Σⱼ aᵢⱼ·((Aⱼˣ)ᵀ·wⱼ, 0) = (λ₁, 0),
///            one linear system of order 3·n_y. λ at the end is E₃ᵀ·w₃, which does not multiply by the large entries of Aˣ.
///            Estimate: [HW96] IV.8 (8.19), e = (γ̂/H - J)⁻¹·(λ̇₁ - P'(0)), J = (Aˣ)ᵀ·G⁻ᵀ·(I, 0) at the start, P the collocation polynomial:
///              (G - H/γ̂·(Aˣ, 0))ᵀ·v = H/γ̂·(λ̇₁ - P'(0), 0),  e = Eᵀ·v.
/// Contract   step() tries; accept() keeps what the next step begins with. Steps follow each other without gaps, towards θ = 0.
/// Fails when an evaluation fails, or a matrix is singular
/// Checked by tests/sensitivity/adjoint_test.cpp
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "integrate/implicit/radau5_table.hpp"
#include "sensitivity/adjoint/adjoint_field.hpp"
#include "sensitivity/square_solver.hpp"
#include "trajectory/segment.hpp"

namespace saltus::sensitivity {

class BackwardStages {
 public:
  explicit BackwardStages(AdjointField& field);

  /// From θ = `from` down by `width`; `error` is an estimate of that of `result`.
  [[nodiscard]] system::Evaluation step(const trajectory::SegmentView& segment, double from, double width,
                                        std::span<const double> lambda, std::span<double> result,
                                        std::span<double> error);
  /// What the step that was tried last adds to the sums; those of x are the caller's.
  void accept(AdjointSums& sums);
  /// The next step does not follow the last one.
  void restart() { has_begun_ = false; }

 private:
  /// values[place] += factor·entries[entry], of one stage or point.
  struct Part {
    std::size_t place = 0;
    std::size_t entry = 0;
  };
  struct Block {
    std::vector<Part> whole;   // of G
    std::vector<Part> scaled;  // of Aˣ
  };
  void make_patterns();
  [[nodiscard]] system::Evaluation begin(const trajectory::SegmentView& segment, double theta,
                                         std::span<const double> lambda);
  [[nodiscard]] bool solve_stages(double h, std::span<const double> lambda);
  [[nodiscard]] bool estimate(double h, std::span<double> error);
  // out = Eᵀ·v, or (Aˣ)ᵀ·v; by state.
  void multiply(std::span<const double> entries, bool by_rates, std::span<const double> v,
                std::span<double> out) const;

  AdjointField& field_;
  VariationEquations& equations_;
  std::size_t n_;    // states
  std::size_t n_y_;  // rows
  bool has_begun_ = false;
  std::optional<SquareSolver> stage_solver_;
  std::array<std::array<Block, integrate::radau5::kStages>, integrate::radau5::kStages> blocks_;
  std::vector<double> stage_values_;
  std::optional<SquareSolver> point_solver_;
  Block point_block_;
  std::vector<double> point_values_;
  std::array<std::vector<double>, integrate::radau5::kStages> entries_;
  std::array<std::vector<double>, integrate::radau5::kStages> slots_;
  std::array<Pulled, integrate::radau5::kStages> pulled_;
  std::vector<double> start_entries_;
  std::vector<double> start_rates_;  // λ̇ there
  std::vector<double> end_rates_;
  std::vector<double> w_;  // of the stages
  std::vector<double> x_;
  std::vector<double> at_stage_;  // λ
  std::vector<double> slope_;
  std::vector<double> v_;
  double h_ = 0.0;  // of the step tried last
};

}  // namespace saltus::sensitivity
