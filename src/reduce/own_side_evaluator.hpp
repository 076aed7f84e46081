/// A locked system near surfaces beyond which its side has no value, as an evaluator.
///
/// Problem      points of the solution lie on a surface up to rounding, and stages of the first step away from it may lie a
///              little beyond (at a tangency the first stage goes straight on): |g|^1.5 with |g| locked as g has no value there
/// Method       where an evaluation is not finite and a watched guard has the wrong sign, the evaluation is made next to the
///              surface on the locked side (own_side.hpp) [CMR16] 2.2: for guards within rounding of zero always, for those
///              named by extend() at any distance: f continued constantly along the gradient
/// Contract     An Evaluator that owns the one it decorates and changes nothing while that can be evaluated.
/// Cost         one more call; guards, noise and gradients for evaluations that fail
/// Checked by   tests/unit/reduce/own_side_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/locked_dae.hpp"

namespace saltus::reduce {

class OwnSideEvaluator final : public system::Evaluator {
 public:
  /// `watched`: guards that can be evaluated in this mode.
  OwnSideEvaluator(std::unique_ptr<system::Evaluator> inner, Index n_states, Index n_guards,
                   std::vector<Index> watched);

  /// Surfaces the solution has just left; replaces those before.
  void extend(std::span<const Index> guards);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  [[nodiscard]] system::Projection projection() const override { return inner_->projection(); }
  system::Evaluation project(double t, std::span<double> x) override { return inner_->project(t, x); }
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override {
    return inner_->residual_point(t, x, y, ydot);
  }
  [[nodiscard]] system::EquationRunner* residual_runner() override { return inner_->residual_runner(); }
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override;
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override;
  void keep_solutions() override { inner_->keep_solutions(); }
  void restore_solutions() override { inner_->restore_solutions(); }
  void copy_output_solutions(std::span<double> guess) const override { inner_->copy_output_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { inner_->set_output_solutions(guess); }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override {
    return inner_->describe(evaluation, t);
  }

  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override {
    return inner_->guard_shape(guard);
  }
  [[nodiscard]] std::optional<std::span<const Index>> guard_states(Index guard) const override {
    return inner_->guard_states(guard);
  }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override {
    return inner_->guards(which, t, x, values);
  }
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override {
    return inner_->guard_noise(i, t, x);
  }
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override {
    return inner_->guard_gradient(i, t, x, gradient, time_derivative);
  }
  [[nodiscard]] system::AffineGuard affine_guard(Index i) const override { return inner_->affine_guard(i); }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;
  [[nodiscard]] Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override {
    return inner_->enclose_guard(i, t, x);
  }
  [[nodiscard]] Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                            std::span<const Interval> xdot) override {
    return inner_->enclose_guard_rate(i, t, x, xdot);
  }

 private:
  // Whether x could be moved: then moved_ is next to it, on the sides that are locked.
  [[nodiscard]] bool move(double t, std::span<const double> x);

  std::unique_ptr<system::Evaluator> inner_;
  std::vector<Index> watched_;
  std::vector<double> sides_;
  std::vector<std::uint8_t> is_extended_;
  std::vector<double> moved_;
  std::vector<double> gradient_;
  std::vector<double> column_;
  std::vector<double> column_values_;
};

}  // namespace saltus::reduce
