/// A system at rest on a guard after its events have accumulated (docs/semantics.md 9.3).
///
/// Problem      ẋ = f(t, x) + λ b on g(t, x) = 0, ġ(t, x) = 0, with the multiplier λ that keeps it there
/// Method       b is the direction in which the body of the accumulating event changed the state: the impulse acts on as a
///              force. λ = -D_f ġ / D_b ġ from central differences of ġ along the field and along b.
/// Contract     Guards i < n_guards are those of the inner system; guard n_guards is λ, opaque. While λ > 0 the guard is
///              held; it lets go where λ changes its sign. Stages and results are projected onto g = 0 (along its gradient)
///              and ġ = 0 (along b).
/// Fails when   ġ does not depend on x along b: begin() answers false and nothing can be held
/// Cost         5 inner evaluations
/// Checked by   tests/unit/hybrid/ball_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "system/locked_dae.hpp"

namespace saltus::slide {

class RestField final : public system::Evaluator {
 public:
  RestField(system::Evaluator& inner, Index n_guards, std::vector<double> nominal);

  /// Holds this guard from (t, x) on; moves x onto it.
  [[nodiscard]] bool begin(Index guard, std::span<const double> impulse, double t, std::span<double> x);

  void set_configuration(const system::Configuration& configuration) override {
    inner_.set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { inner_.set_latched(guard, value); }
  [[nodiscard]] system::Projection projection() const override { return system::Projection::stages; }
  system::Evaluation project(double t, std::span<double> x) override;
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    return inner_.outputs(t, x, values);
  }
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    return inner_.outputs_block(t, x, values);
  }
  void keep_solutions() override { inner_.keep_solutions(); }
  void restore_solutions() override { inner_.restore_solutions(); }
  [[nodiscard]] bool has_unwatched_kinks() const override { return inner_.has_unwatched_kinks(); }
  void copy_output_solutions(std::span<double> guess) const override { inner_.copy_output_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { inner_.set_output_solutions(guess); }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override {
    return inner_.describe(evaluation, t);
  }

  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override;
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override;
  [[nodiscard]] system::AffineGuard affine_guard(Index i) const override { return inner_.affine_guard(i); }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;
  [[nodiscard]] Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override;
  [[nodiscard]] Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                            std::span<const Interval> xdot) override;
  [[nodiscard]] system::GuardBounds bound_guard(Index i, const system::CurvePiece& piece) override;

 private:
  system::Evaluation rate(double t, std::span<const double> x, double& value);
  system::Evaluation change_along(std::span<const double> direction, double dt, double t,
                                  std::span<const double> x, double& value);
  system::Evaluation multiplier(double t, std::span<const double> x, double& lambda);

  system::Evaluator& inner_;
  Index n_guards_;
  std::vector<double> nominal_;
  Index guard_ = -1;
  std::vector<double> impulse_;  // b, of size one in nominal values
  std::vector<double> field_;    // f at the point
  std::vector<double> gradient_;
  std::vector<double> rate_field_;
  std::vector<double> moved_;
  double size_ = 0.0;  // of the terms of the last multiplier
};

}  // namespace saltus::slide
