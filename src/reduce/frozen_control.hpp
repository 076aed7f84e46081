/// Forces of constraints that are computed at the beginning of a step and kept in it: a mistake, made on purpose.
///
/// Problem      [Com01] 3.5.3: post-stabilisation makes constraints look perfect whatever accelerations are used, and the motion may be wrong
/// Method       u = u_eq(t_k, x_k) for all stages of the step from t_k: at a stage, ẋ = ẋ_eq + B·(u - u_eq) with ẋ_eq, u_eq of the stage itself and
///              M·B of motion_equations.hpp. u is computed anew at the projected end of a step.
/// Contract     An Evaluator that owns the one it decorates, whose constraints are met by its project(). Outputs and guards are those of the inner
///              one: multipliers are shown as u_eq. No tangents and no residual form: methods must be explicit.
/// Choices      what is projected is only a candidate until the rates are asked for there: others project too (events on constraints).
/// Fails when   the equations of motion are not of that form (no_projection) or singular at a stage (no_convergence)
/// Cost         two evaluations of rates, one of outputs and a sparse factorisation for each stage
/// Checked by   tests/mechanics/frozen_control_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "reduce/nonlinear/forwarding_evaluator.hpp"
#include "reduce/project/motion_equations.hpp"

namespace saltus::reduce {

class FrozenControl final : public ForwardingEvaluator {
 public:
  /// `multipliers`: as variables of the system.
  [[nodiscard]] static std::unique_ptr<system::Evaluator> make(std::unique_ptr<system::Evaluator> inner,
                                                               const system::LockedDae& locked,
                                                               std::vector<Index> multipliers);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  system::Evaluation project(double t, std::span<double> x) override;
  system::Evaluation project_instant(double t, std::span<double> x) override;
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  void keep_solutions() override;
  void restore_solutions() override;
  [[nodiscard]] system::EquationRunner* residual_runner() override { return nullptr; }

  void fields(Archive& a) override {
    ForwardingEvaluator::fields(a);
    // Not saved: multipliers_, ones_.
    a(motion_, candidate_.time, candidate_.values, now_.time, now_.values, kept_.time, kept_.values, given_,
      answer_);
  }

 private:
  struct Control {
    double time = 0.0;
    std::vector<double> values;  // by multiplier; empty: not known
  };

  FrozenControl(std::unique_ptr<system::Evaluator> inner, std::unique_ptr<MotionEquations> motion,
                std::vector<Index> multipliers, std::size_t n_states);
  [[nodiscard]] bool take_candidate(double t, std::span<const double> x);

  std::unique_ptr<MotionEquations> motion_;  // null: not of the form
  std::vector<Index> multipliers_;
  std::vector<double> ones_;
  Control candidate_;
  Control now_;
  Control kept_;  // of the accepted point
  std::vector<double> given_;
  std::vector<double> answer_;
};

}  // namespace saltus::reduce
