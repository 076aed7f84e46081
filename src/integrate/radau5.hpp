/// Problem      one step of r(t, y, ẏ) = 0, index at most 1, y = (x, z); stiff or not
/// Method       3-stage Radau IIA, order 5, L-stable, stiffly accurate [HW96] IV.5, IV.8: the collocation polynomial q of degree 3
///              with q(t₀) = y₀ and r(t, q, q̇) = 0 at t₀ + c_i h; y₁ = q(t₁), ẏ₁ = q̇(t₁) satisfy r = 0 without more work.
///              Error estimate: how much q misses the slope at the start, filtered,
///                err = (γ̂/h·B + A)⁻¹ B (ẏ₀ - q̇(t₀)),   A = ∂r/∂y, B = ∂r/∂ẏ,
///              which is [HW96] IV.8 (8.19) where r = Mẏ - f(y): O(h⁴) in smooth parts, bounded by the distance from the smooth
///              solution in stiff ones. No inverse of B is formed: it may be singular and depend on t, y.
///              In the first step and after a rejection an estimate that is too large is filtered again (8.20),
///                err := -(γ̂/h·B + A)⁻¹ r(t₀, y₀ + err, q̇(t₀)).
/// Notation     Z_i = Y_i - y₀ of the stages; x the first n_states entries of y
/// Contract     Stepper. The accepted point is x; z and ẏ are kept beside it.
///              Results are projected where the evaluator projects, and the way they are moved counts as error too.
/// Choices      Stages start from the continuation of q of the step before, after a restart from y₀ ([HW96] IV.8).
///              Tolerances for the estimate, which is of order 3 where the step is of order 5: 0.1·rtol^(2/3) and atol in
///              proportion (RADAU5); κ of the iteration from the same number. Without error test (fixed steps) the iteration
///              goes on to kFixedStepAccuracy.
///              Standard dense output: q, order 3. Full: the polynomial of degree 5 through x and ẋ at both ends and in the
///              middle, where these come from a step of size h/2: order 5 in the step, so states at events have the order of
///              the method. Just after a start off the smooth solution of a stiff system, ẋ at the start belongs to a
///              transient shorter than the step; it is then left out (degree 4).
///              The estimate and the iteration serve x and z; only x is tested: errors of z do not propagate.
/// Fails when   an evaluation fails: evaluation_failed; the iteration does not converge or a matrix is singular:
///              iteration_failed, advice() says how much smaller the step should be
/// Cost         per step 3 residuals per iteration (2-4 iterations) and a solve; Jacobian and factorisations by policy
///              (newton_policy.hpp); full dense output: two factorisations and one or two iterations
/// Checked by   tests/contract/, tests/unit/integrate/radau5_test.cpp, tests/convergence/implicit_order_test.cpp
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "integrate/implicit_system.hpp"
#include "integrate/newton_policy.hpp"
#include "integrate/radau5_stages.hpp"
#include "integrate/stepper.hpp"

namespace saltus::integrate {

class Radau5 final : public Stepper {
 public:
  /// `evaluator` outlives the stepper or the next set_evaluator(); `locked` may be null (no residual form).
  Radau5(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
         Tolerances tolerances);

  [[nodiscard]] Index n_states() const override { return n_states_; }
  [[nodiscard]] int order() const override { return 5; }
  [[nodiscard]] int embedded_order() const override { return 3; }
  [[nodiscard]] const Tolerances& tolerances() const override { return tolerances_; }
  [[nodiscard]] const trajectory::CompensatedTime& time() const override { return accepted_ ? end_ : start_; }
  [[nodiscard]] std::span<const double> state() const override {
    return states_of(accepted_ ? y_end_ : y_start_);
  }
  [[nodiscard]] std::span<const double> derivative() const override {
    return accepted_ ? ydot_end_ : ydot_start_;
  }

  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x) override;
  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                             std::span<const double> xdot) override;
  void set_evaluator(system::Evaluator& evaluator) override;
  void set_system(system::Evaluator& evaluator, const system::LockedDae& locked) override;
  void accept() override;
  void reject() override;
  void retract() override;

  [[nodiscard]] std::span<const double> step_start_state() const override { return states_of(y_start_); }
  [[nodiscard]] std::span<const double> step_end_state() const override { return states_of(y_end_); }
  [[nodiscard]] const trajectory::CompensatedTime& step_start_time() const override { return start_; }
  [[nodiscard]] double step_size() const override { return h_; }
  void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const override;
  system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) override;
  [[nodiscard]] int dense_order(DenseOutput which) const override {
    return which == DenseOutput::full ? 5 : 3;
  }
  [[nodiscard]] StepAdvice advice() const override;
  [[nodiscard]] Index worst_state() const override;

  system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) override;
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }
  /// Of the last attempt, for x.
  [[nodiscard]] std::span<const double> error_estimate() const { return states_of(error_); }
  // For a multistep method that starts with this one and shares its system and counts.
  [[nodiscard]] ImplicitSystem& system() { return system_; }
  [[nodiscard]] Statistics& counts() { return statistics_; }
  /// y at both ends of the open step, and Y_i - y₀ of its stages.
  [[nodiscard]] std::span<const double> whole_start() const { return y_start_; }
  [[nodiscard]] std::span<const double> whole_end() const { return y_end_; }
  [[nodiscard]] std::span<const double> stage_change(std::size_t stage) const { return z_[stage]; }
  /// z of the accepted point.
  [[nodiscard]] std::span<const double> algebraic() const {
    return std::span<const double>(accepted_ ? y_end_ : y_start_)
        .subspan(static_cast<std::size_t>(n_states_));
  }

 private:
  StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) override;
  [[nodiscard]] std::span<const double> states_of(std::span<const double> y) const {
    return y.first(std::min(y.size(), static_cast<std::size_t>(n_states_)));
  }
  void lay_out();
  void begin_step();
  void move_to(const trajectory::CompensatedTime& t, std::span<const double> x);
  system::Evaluation finish_restart(const system::Evaluation& evaluation);
  void load_start();
  [[nodiscard]] StepAttempt prepare_matrices();
  void predict_stages();
  void remember_polynomial();
  [[nodiscard]] Radau5Stages::Times stage_times(double h, double end) const;
  [[nodiscard]] StepAttempt failed(const system::Evaluation& evaluation);
  [[nodiscard]] StepAttempt not_converged();
  void take_end(const Radau5Stages::Stages& z, double h, std::span<double> y, std::span<double> ydot) const;
  [[nodiscard]] system::Evaluation finish_end();
  [[nodiscard]] double estimate_error();
  [[nodiscard]] system::Evaluation filter_again();
  void add_projection_to_error(double& error);

  // Dense output.
  [[nodiscard]] bool find_middle(system::Evaluation& evaluation);
  [[nodiscard]] bool starts_in_transient() const;
  void fill_collocation();
  void fill_hermite();
  void fill_without_start_slope();
  [[nodiscard]] std::span<double> dense_row(Index power);

  Index n_states_;
  Tolerances tolerances_;
  Tolerances inner_;  // of the estimate and the iteration
  Statistics statistics_;
  ImplicitSystem system_;
  Radau5Stages stages_;
  NewtonConvergence convergence_;
  JacobianPolicy policy_;

  std::vector<double> storage_;
  std::span<double> y_start_, y_end_, error_, scratch_, scale_;
  std::span<double> ydot_start_, ydot_end_;  // of the states
  Radau5Stages::Stages z_;
  Radau5Stages::Stages past_;  // q of the accepted step before, in divided differences from its end
  double past_size_ = 0.0;     // 0: there is none
  // The middle of the open step.
  Radau5Stages::Stages z_middle_;
  std::span<double> y_middle_, ydot_middle_;
  std::vector<double> dense_;

  trajectory::CompensatedTime start_;
  trajectory::CompensatedTime end_;
  double h_ = 0.0;
  bool accepted_ = false;
  bool open_ = false;
  bool has_middle_ = false;
  bool is_careful_ = true;  // first step or after a rejection: a large estimate is filtered again
};

}  // namespace saltus::integrate
