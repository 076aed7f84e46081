/// An evaluator that passes every call on to the one it owns: the base of decorators, which override what they change.
///
/// Contract     The inner evaluator belongs to this object; inner() is for decorators alone.
/// Checked by   tests/unit/reduce/forwarding_evaluator_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/archive.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

class ForwardingEvaluator : public system::Evaluator {
 public:
  explicit ForwardingEvaluator(std::unique_ptr<system::Evaluator> inner) : inner_(std::move(inner)) {}

  void set_configuration(const system::Configuration& configuration) override {
    inner_->set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { inner_->set_latched(guard, value); }
  [[nodiscard]] system::Projection projection() const override { return inner_->projection(); }
  system::Evaluation project(double t, std::span<double> x) override { return inner_->project(t, x); }
  system::Evaluation project_instant(double t, std::span<double> x) override {
    return inner_->project_instant(t, x);
  }
  void keep_along(double t, std::span<const double> x, std::span<double> gradient) override {
    inner_->keep_along(t, x, gradient);
  }
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    return inner_->rhs(t, x, xdot);
  }
  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override {
    return inner_->residual_point(t, x, y, ydot);
  }
  [[nodiscard]] system::EquationRunner* residual_runner() override { return inner_->residual_runner(); }
  [[nodiscard]] std::shared_ptr<const system::EquationSet> own_residual_form() override {
    return inner_->own_residual_form();
  }
  [[nodiscard]] Index n_divisors() override { return inner_->n_divisors(); }
  system::Evaluation divisors(double t, std::span<const double> x, std::span<double> values) override {
    return inner_->divisors(t, x, values);
  }
  [[nodiscard]] system::DivisorInfo divisor_info(Index divisor) const override {
    return inner_->divisor_info(divisor);
  }
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    return inner_->outputs(t, x, values);
  }
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    return inner_->outputs_block(t, x, values);
  }
  void keep_solutions() override { inner_->keep_solutions(); }
  void restore_solutions() override { inner_->restore_solutions(); }
  [[nodiscard]] bool has_unwatched_kinks() const override { return inner_->has_unwatched_kinks(); }
  void copy_output_solutions(std::span<double> guess) const override { inner_->copy_output_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { inner_->set_output_solutions(guess); }
  bool begin_at(const system::ResidualPoint& point) override { return inner_->begin_at(point); }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override {
    return inner_->describe(evaluation, t);
  }

  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override {
    return inner_->guard_shape(guard);
  }
  [[nodiscard]] std::optional<std::span<const Index>> guard_states(Index guard) const override {
    return inner_->guard_states(guard);
  }
  [[nodiscard]] bool guard_has_effect(Index guard) override { return inner_->guard_has_effect(guard); }
  [[nodiscard]] std::optional<std::span<const Index>> guard_sides(Index guard) const override {
    return inner_->guard_sides(guard);
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
                                       system::GuardDerivatives& derivatives) override {
    return inner_->guard_derivatives(i, t, x, derivatives);
  }
  [[nodiscard]] Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override {
    return inner_->enclose_guard(i, t, x);
  }
  [[nodiscard]] Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                            std::span<const Interval> xdot) override {
    return inner_->enclose_guard_rate(i, t, x, xdot);
  }
  [[nodiscard]] system::GuardBounds bound_guard(Index i, const system::CurvePiece& piece) override {
    return inner_->bound_guard(i, piece);
  }

  void fields(Archive& a) override { a(inner_); }

 protected:
  [[nodiscard]] system::Evaluator& inner() { return *inner_; }
  [[nodiscard]] const system::Evaluator& inner() const { return *inner_; }

 private:
  std::unique_ptr<system::Evaluator> inner_;
};

}  // namespace saltus::reduce
