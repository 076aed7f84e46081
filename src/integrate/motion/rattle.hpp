/// Problem      one step of q' = v, v' = a(t, q) + P(q)·ν with g(q) = 0, without dissipation: M v' = f(t, q) + Gᵀλ, G = ∂g/∂q, and P = M⁻¹Gᵀ(G M⁻¹Gᵀ)⁻¹
/// Method       RATTLE [And83], [HLW06] VII.1.4: symplectic (M constant, f a gradient), symmetric, of order 2, on the constraints and their derivatives
///                v½ = v + h/2·a(t, q) + P(q)·ν,   q₁ = q + h·v½,   g(q₁) = 0
///                v₁ = v½ + h/2·a(t₁, q₁) + P(q₁)·μ,                G(q₁)·v₁ = 0
///              which is velocity Verlet where there are no constraints. Order 4: five such steps of sizes γᵢ·h, Suzuki's fractal [Suz90], [HLW06] II.4.
/// Notation     rates(q, v) = a(q) - P·(G·a + γ(q, v) + σ·G·v), γ quadratic in v, are what the evaluator gives: the constraint stands in it as D²g + σ·Dg = 0
///              (flat::Formulation::Row::surface). Π = P·G, the projector onto normal velocities, is its odd part:
///                Π·w = -(rates(q, w) - rates(q, -w)) / 2σ
///              exactly, for w of any length. What of a lies in the range of P does not matter: ν and μ take it up.
/// Contract     Stepper with fixed steps. Tolerances::rate_of pairs positions with velocities. Who makes it has made sure that the equations are of this
///              form (structure/motion_form.hpp) and that the evaluator has rows with σ = ConstraintUse::rate. project() of the evaluator moves
///              positions onto g = 0.
///              A step backwards leads back, up to rounding errors.
/// Choices      ν by q₁ ← q₁ + Π(q)·δ, δ what project() would move q₁ by: Newton's method for ν with G(q) for G(q₁), contraction O(h) (O(h²) for rods), from
///              residuals O(h³); until corrections are roundings. No matrix of the system is formed: sparse ones stay sparse.
///              σ = 1/h makes the rounding errors of Π those of an increment of a step, in any units.
///              Between the ends: for q the quintic through q, v and v' of both, for v the cubic through v and v'. The derivative of the quintic would be
///              off by the local error over h, several times the error of the ends.
/// Fails when   rates or projections cannot be evaluated; constraints move with time or forces are not linear in multipliers, in a structure that
///              was not looked at before (no_projection);
///              the iteration for ν does not converge (steps much too long): iteration_failed
/// Cost         without constraints one evaluation; with them 4 and 2 for each iteration, of which there are 2 to 5, and a projection for each.
///              Five times as much for order 4.
/// Checked by   tests/motion/
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/polynomial_stepper.hpp"

namespace saltus::integrate {

class Rattle final : public PolynomialStepper {
 public:
  /// Of the segments.
  static constexpr Index kDegreeOfMotion = 5;

  /// `order`: 2 or 4. tolerances.atol and tolerances.rate_of have n_states entries; it cannot be started without the latter. Null: `locked` is
  /// not known before set_system() or loading.
  Rattle(int order, system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
         Tolerances tolerances);

  [[nodiscard]] int order() const override { return order_; }
  [[nodiscard]] int embedded_order() const override { return 0; }
  [[nodiscard]] int dense_order(DenseOutput /*which*/) const override { return order_; }
  void set_system(system::Evaluator& evaluator, const system::LockedDae& locked) override;
  [[nodiscard]] Index worst_state() const override { return -1; }

  void fields(Archive& a) override;

 private:
  StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) override;
  system::Evaluation check_start() override;

  // Moves x_end_ and xdot_end_ by one step of order 2.
  [[nodiscard]] StepAttempt substep(double t, double h, double t_end);
  // v½ and q₁ in half_, such that g(q₁) = 0.
  [[nodiscard]] StepAttempt meet_constraints(double t, double h, double t_end);
  // v₁ from v½, and the rates there.
  [[nodiscard]] system::Evaluation finish(double h, double t_end);
  // q₁ = q + h·v½ of half_.
  void drift(double h);
  // normal_ = Π(x)·w, w = way_, from rates at velocities of the size of `like`, where that is not zero.
  [[nodiscard]] system::Evaluation find_normal_part(double t, std::span<const double> x, double like);
  system::Evaluation rates(double t, std::span<const double> x, std::span<double> xdot);
  void fill_dense();

  int order_;
  std::span<const double> weights_;
  bool knows_velocities_;
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> velocities_;

  double rate_ = 0.0;  // σ

  std::vector<double> moved_;  // by position: q₁ - q of the whole step, before it was rounded
  std::vector<double> half_;   // q₁ and v½
  std::vector<double> trial_;
  std::vector<double> way_;  // w
  std::vector<double> normal_;
  std::vector<double> forth_;
  std::vector<double> back_;
};

}  // namespace saltus::integrate
