/// Problem      one step of r(t, y, ẏ) = 0, index at most 1, y = (x, z); stiff, smooth over many steps
/// Method       Backward differentiation of variable order 1-5 (6 on demand) and variable step in the fixed-leading-coefficient
///              form of DASSL [BCP96] 5.2: with the polynomial p through the last k + 1 values,
///                r(t₁, y, ṗ(t₁) + γ_k/h (y - p(t₁))) = 0,   γ_k = 1 + 1/2 + … + 1/k.
///              The matrix depends on h and k through γ_k/h alone, so it outlives many steps; fully variable coefficients
///              would be a little more stable but ask for a new one at every change.
///              Error: max(α, |α + α₀ - γ_k|)·(y - p(t₁)), the larger of interpolation and truncation (bdf_weights.hpp).
///              Start: not from order one. One step of radau5, or as many as its size needs to settle, gives four values that
///              lie close together and the first steps have order 3 (a Runge-Kutta start, [Gea80]).
/// Notation     past values y_n, y_(n-1), … at t_n - s_j; x the first n_states entries of y
/// Contract     Stepper. What is kept are values, so retract() restores the history by doing nothing to it.
///              Order and size of the next step are chosen by BdfController; without one the order stays.
///              Without error test (fixed steps) the order is fixed; as many steps as it needs are made by radau5 first.
///              Results are projected where the evaluator projects [Eic93], and the way they are moved counts as error too.
/// Choices      Matrix and Jacobian are kept while γ_k/h stays within kMatrixRange, and corrections are scaled by 2/(1 + ratio)
///              (DASSL); an iteration that fails with an old one is repeated with a new one.
///              The error of z is not tested: z is what the equations make of x, its errors do not propagate.
///              Dense output: the polynomial of degree k through the values at t₁, t_n, …; there is no other one. Its error is part
///              of the estimate, also where x follows the equations at once.
/// Fails when   an evaluation fails: evaluation_failed; the iteration does not converge with a new matrix or that is
///              singular: iteration_failed
/// Cost         1-3 residuals and solves; 2 passes over the past values
/// Checked by   tests/contract/, tests/unit/integrate/bdf_test.cpp, tests/convergence/bdf_slope_test.cpp
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/implicit/bdf_order.hpp"
#include "integrate/implicit/bdf_weights.hpp"
#include "integrate/implicit/radau5.hpp"
#include "integrate/step/adjustment.hpp"

namespace saltus::integrate {

class Bdf final : public Stepper {
 public:
  /// `evaluator` outlives the stepper or the next set_evaluator(); `locked` may be null (no residual form).
  Bdf(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states, Tolerances tolerances,
      const bdf::OrderPolicy::Options& orders = {});

  [[nodiscard]] Index n_states() const override { return n_states_; }
  [[nodiscard]] int order() const override { return highest_order_; }
  [[nodiscard]] int order_of_step() const override { return is_starting_ ? starter_.order() : order_; }
  [[nodiscard]] int embedded_order() const override { return starter_.embedded_order(); }
  [[nodiscard]] const Tolerances& tolerances() const override { return tolerances_; }
  [[nodiscard]] const trajectory::CompensatedTime& time() const override;
  [[nodiscard]] std::span<const double> state() const override;
  [[nodiscard]] std::span<const double> derivative() const override;
  [[nodiscard]] system::ResidualPoint residual_point() const override;

  void start_is_singular() override { starter_.start_is_singular(); }
  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x) override;
  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                             std::span<const double> xdot) override;
  void set_evaluator(system::Evaluator& evaluator) override;
  void rejoin(system::Evaluator& evaluator) override { starter_.rejoin(evaluator); }
  void set_system(system::Evaluator& evaluator, const system::LockedDae& locked) override;
  void accept() override;
  void reject() override;
  void retract() override;

  [[nodiscard]] std::span<const double> step_start_state() const override;
  [[nodiscard]] std::span<const double> step_end_state() const override;
  [[nodiscard]] const trajectory::CompensatedTime& step_start_time() const override;
  [[nodiscard]] double step_size() const override { return is_starting_ ? starter_.step_size() : h_; }
  void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const override;
  system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) override;
  bool settle_extension(double theta) override;
  [[nodiscard]] double extension_defect(const trajectory::SegmentView& extension, double theta) override;
  [[nodiscard]] int dense_order(DenseOutput which) const override;
  [[nodiscard]] StepAdvice advice() const override;
  [[nodiscard]] std::span<const double> error_estimate() const override;
  [[nodiscard]] Index worst_state() const override;

  system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) override;
  [[nodiscard]] const Statistics& statistics() const override { return starter_.statistics(); }

  // For the choice of order and size.
  [[nodiscard]] const bdf::OrderPolicy::Options& orders() const { return orders_; }
  /// Order of the last multistep attempt.
  [[nodiscard]] int step_order() const { return order_; }
  /// Of the last multistep attempt that was good or had too large an error.
  [[nodiscard]] bdf::Terms terms();
  void set_next_order(int order) { next_order_ = order; }
  /// The open or last step is one of radau5.
  [[nodiscard]] bool is_starting() const { return is_starting_; }
  [[nodiscard]] const Radau5& starter() const { return starter_; }
  /// The step after the open one is another one of radau5.
  void continue_start() { ends_start_ = false; }
  /// The next attempt forgets the past values.
  void begin_anew() { needs_start_ = true; }

  void fields(Archive& a) override;

 private:
  StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) override;
  [[nodiscard]] std::span<const double> states_of(std::span<const double> y) const {
    return y.first(static_cast<std::size_t>(n_states_));
  }
  void lay_out();
  system::Evaluation started(const system::Evaluation& evaluation);
  void begin_step();
  void push_newest();
  void take_start();
  [[nodiscard]] bool can_leave_start() const;
  [[nodiscard]] StepAttempt start_attempt(double h, const trajectory::CompensatedTime& end);
  [[nodiscard]] StepAttempt multistep_attempt(double h, const trajectory::CompensatedTime& end);
  void predict();
  [[nodiscard]] StepAttempt solve();
  void place_iterate(double alpha);
  [[nodiscard]] StepAttempt prepare_matrix(double alpha);
  [[nodiscard]] StepAttempt iterate(double alpha);
  [[nodiscard]] Index worst_correction() const;
  [[nodiscard]] double estimate_error();
  [[nodiscard]] system::Evaluation finish_end(double& error);
  [[nodiscard]] StepAttempt failed(const system::Evaluation& evaluation);
  [[nodiscard]] double term(int order);
  [[nodiscard]] std::span<double> dense_row(Index power) {
    return std::span<double>(dense_).subspan(static_cast<std::size_t>(power * n_states_),
                                             static_cast<std::size_t>(n_states_));
  }
  // In the system, all unknowns at θ from the polynomial over the values; the states and their slopes from an extension.
  void place(const trajectory::SegmentView& extension, double theta);
  [[nodiscard]] double time_within(double theta) const {
    return start_.value() + (start_.low() + theta * h_);
  }
  // What dense_output() has filled in.
  [[nodiscard]] trajectory::SegmentView open_segment() const;

  Index n_states_;
  Tolerances tolerances_;
  bdf::OrderPolicy::Options orders_;
  int highest_order_;
  Radau5 starter_;
  ImplicitSystem& system_;  // of the starter
  NewtonConvergence convergence_;

  std::vector<double> storage_;
  std::array<std::span<double>, bdf::kMostPoints> past_;
  bdf::Offsets offsets_{};
  int n_past_ = 0;
  std::span<double> y_end_, predicted_, change_, residual_, scale_, error_;
  std::span<double> ydot_start_, ydot_end_, ydot_predicted_;  // of the states
  std::vector<double> dense_;
  MovedExtension moved_;

  trajectory::CompensatedTime start_;
  trajectory::CompensatedTime end_;
  double h_ = 0.0;
  Adjustment adjustment_;
  int order_ = 1;
  int next_order_ = 1;
  double matrix_alpha_ = 0.0;  // 0: there is no matrix
  bool is_starting_ = true;
  bool ends_start_ = true;
  bool needs_start_ = false;
  StepPhase phase_;
};

}  // namespace saltus::integrate
