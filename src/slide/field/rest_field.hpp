/// A system at rest on guards whose events have accumulated (docs/semantics.md 9.3).
///
/// Problem      ẋ = f(t, x) + B λ on g(t, x) = 0, ġ(t, x) = 0, with the multipliers λ that keep it there: one contact, one guard, one column of B
/// Method       bₖ is the direction in which the body of the accumulating event changed the state: the impulse acts on as a
///              force. (D_b ġ) λ = -D_f ġ from central differences of ġ along the field and along the columns of B.
/// Contract     f is that of the field below, which may slide: its guards are those i < n_inner, guard n_inner + k is λₖ, opaque. While
///              λₖ > 0 the k-th guard is held; it lets go where λₖ changes its sign. Stages and results are projected as the field below
///              asks, then onto g = 0 (along the gradients) and ġ = 0 (along B).
/// Fails when   ġ does not depend on x along B, or contacts are not independent: no_weights, and nothing can be held
/// Cost         3 + 2m inner evaluations for m contacts
/// Checked by   tests/unit/hybrid/ball_test.cpp, tests/events/rest_test.cpp
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "linalg/dense_lu.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

/// One guard that is held.
struct Contact {
  Index guard = -1;
  double side = 0.0;            ///< it came from this one and will return to it
  std::vector<double> impulse;  ///< b, by state; of size one in nominal values

  void fields(Archive& a) { a(guard, impulse, side); }
};

class RestField final : public system::Evaluator {
 public:
  /// Of this field, with its guards and those that it adds, and with the nominal values of its states. Replaces what was held before.
  void hold(system::Evaluator& inner, Index n_inner, std::span<const double> nominal,
            std::vector<Contact> contacts);
  [[nodiscard]] Index first_multiplier() const { return n_inner_; }
  /// Whether hold() was called: else there is nothing to evaluate.
  [[nodiscard]] bool has_field() const { return inner_ != nullptr; }
  [[nodiscard]] system::Evaluation multipliers(double t, std::span<const double> x, std::span<double> lambda);
  /// ġ of every contact without the forces.
  [[nodiscard]] system::Evaluation rates(double t, std::span<const double> x, std::span<double> values);
  /// How far a point is from rest on the k-th contact, in nominal values: of position and of the impulse that would stop it.
  [[nodiscard]] system::Evaluation distance_from_rest(std::size_t k, double t, std::span<const double> x,
                                                      double& distance);
  /// Whether the force of a contact moves this guard: then what slides on it does not know of the force.
  [[nodiscard]] system::Evaluation acts_on(Index guard, double t, std::span<const double> x, bool& acts);

  void set_configuration(const system::Configuration& configuration) override {
    inner_->set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { inner_->set_latched(guard, value); }
  [[nodiscard]] system::Projection projection() const override { return system::Projection::stages; }
  system::Evaluation project(double t, std::span<double> x) override;
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
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
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override {
    return inner_->describe(evaluation, t);
  }

  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override;
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override;
  [[nodiscard]] system::AffineGuard affine_guard(Index i) const override { return inner_->affine_guard(i); }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;
  [[nodiscard]] Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override;
  [[nodiscard]] Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                            std::span<const Interval> xdot) override;
  [[nodiscard]] system::GuardBounds bound_guard(Index i, const system::CurvePiece& piece) override;

  void fields(Archive& a) override;

 private:
  [[nodiscard]] std::size_t size() const { return contacts_.size(); }
  system::Evaluation changes_along(std::span<const double> direction, double dt, double t,
                                   std::span<const double> x, std::span<double> values);
  system::Evaluation factorize_impulses(double t, std::span<const double> x);
  system::Evaluation put_onto_guards(double t, std::span<double> x);
  system::Evaluation stop(double t, std::span<double> x);

  system::Evaluator* inner_ = nullptr;
  Index n_inner_ = 0;
  std::vector<double> nominal_;
  std::vector<Contact> contacts_;
  std::unique_ptr<linalg::DenseLu> lu_;
  std::vector<double> sizes_;   // by contact: of the terms of the last multiplier
  std::vector<double> lambda_;  // by contact, as what follows
  std::vector<double> values_;
  std::vector<double> ends_;
  std::vector<double> gradients_;  // by contact, then by state
  std::vector<double> field_;      // f at the point
  std::vector<double> gradient_;
  std::vector<double> rate_field_;
  std::vector<double> moved_;
};

}  // namespace saltus::slide
