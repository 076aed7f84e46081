/// Post-stabilisation: results of steps are moved towards the constraints by two passes, positions first.
///
/// Problem      M(q) v' = D + Jᵀλ with Φ_n(q, v) = 0 and Φ_h(q) = 0: a step leaves residuals of the order of its local error
/// Method       [Com01] (3.27)-(3.30), a variation on [ACR95]. With F = Jᵀ(J Jᵀ)⁺, J = ∂(Φ_n, dΦ_h/dt)/∂v of the given point and
///              S = (Φ_n, dΦ_h/dt + σΦ_h), each of two passes takes
///                q := q - F Φ,   v := v - F S,
///              F that of the beginning of the pass, S of the positions as moved.
/// Notation     velocities are the states whose derivatives are computed, positions those whose derivatives are velocities. A row of
///              J is the gradient of the highest derivative of a constraint that contains states only, with respect to velocities.
/// Contract     Constraints are differentiated once or twice (applies()). Residuals become of the order of their fourth power (those of
///              a step of order p: h^(4(p+1)), if J does not change much). project() moves x or leaves it as it was.
/// Choices      Positions::all, as printed: Φ_n moves positions through its gradient with respect to velocities, which has no geometric
///              meaning; Positions::holonomic leaves that out. Changes are measured in nominal values of the velocities, or, with a Metric,
///              by the mass matrix: F = M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ (motion_equations.hpp), the least kinetic energy, whatever the coordinates are.
///              Rows that repeat others count once (least_change.hpp).
/// Fails when   a constraint or its gradient has no value; with a Metric, where constraints are redundant (no_projection)
/// Cost         two Jacobians and factorisations, four residuals
/// Checked by   tests/unit/reduce/post_stabilization_test.cpp, tests/mechanics/formulations_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reduce/nonlinear/least_change.hpp"
#include "reduce/project/motion_equations.hpp"
#include "reduce/project/projector.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

class PostStabilization final : public Projector {
 public:
  enum class Positions : std::uint8_t { all, holonomic };

  /// `rate`: σ; `rates`: that of each row of `constraints`, where they differ.
  PostStabilization(std::shared_ptr<const system::EquationSet> constraints,
                    const std::vector<system::StateInfo>& states, Positions positions, double rate,
                    std::span<const double> rates = {});

  /// Changes are measured by the mass matrix of `locked` from now on. `of` gives its rates and outlives this object. Where the equations
  /// of motion are not of the form (motion_equations.hpp) project() fails.
  void use_mass(const system::LockedDae& locked, system::Evaluator& of);

  /// Whether every constraint is one of positions or of velocities.
  [[nodiscard]] static bool applies(const system::EquationSet& constraints);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  system::Evaluation project(double t, std::span<double> x) override;
  [[nodiscard]] const system::EquationSet& constraints() const override { return *constraints_; }

  void fields(Archive& a) override {
    // Not saved, of the system: constraints_, rows_, velocities_, positions_, signs_, scale_, pattern_, entry_of_, moves_, evaluator_.
    a(runner_, algebra_, mass_, given_, residual_, entries_, gradient_, surface_, change_, answer_);
  }

 private:
  // The rows of one constraint.
  struct Row {
    std::size_t lowest = 0;   // as written
    std::size_t highest = 0;  // about velocities; the same: a constraint of velocities
    double rate = 0.0;        // σ
  };

  void find_rows(double rate, std::span<const double> rates);
  void pair_states(const std::vector<system::StateInfo>& states);
  void build_pattern();
  [[nodiscard]] bool pass(double t, std::span<double> x);
  [[nodiscard]] bool factorize(double t, std::span<const double> x);
  // change_ for surface_.
  void solve();

  std::shared_ptr<const system::EquationSet> constraints_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<Row> rows_;
  std::vector<std::size_t> velocities_;  // states
  std::vector<Index> positions_;         // by velocity: the state whose derivative it is; -1: none
  std::vector<double> signs_;            // … and that derivative is the velocity times this
  std::vector<double> scale_;
  system::RectangularPattern pattern_;  // of J
  std::vector<std::size_t> entry_of_;   // by entry of J: the entry of the constraints
  std::unique_ptr<LeastChange> algebra_;
  Positions moves_;
  std::unique_ptr<MotionEquations> mass_;  // null: nominal values measure
  system::Evaluator* evaluator_ = nullptr;
  std::vector<double> answer_;  // of the rates, by state
  std::vector<double> given_;
  std::vector<double> residual_;
  std::vector<double> entries_;
  std::vector<double> gradient_;  // J
  std::vector<double> surface_;   // Φ, then S
  std::vector<double> change_;
};

}  // namespace saltus::reduce
