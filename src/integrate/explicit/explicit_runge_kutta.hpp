/// Problem      one step of ẋ = f(t, x)
/// Method       the explicit Runge–Kutta method of a Tableau with its embedded error estimate and continuous
///              extensions [HNW93] II.1, II.4, II.6
/// Contract     Stepper. `evaluator` outlives the stepper; its rhs() reports derivatives that are not finite.
///              An evaluator that projects is asked to project the argument of every stage, and the result before f(end)
///              is evaluated there. So the method is applied to the field f(t, P(x)), which is smooth where P is and has the
///              same solution on the surfaces: all orders stay (docs/math/sliding.md). The estimate is that of the stages,
///              and at least the way that the result was moved: that is error too, and on curved surfaces it is seen where
///              the estimate of a long step vanishes by chance (first-same-as-last only: the estimate waits for f(end)).
/// Choices      f at the end of the step belongs to the attempt, also for methods without first-same-as-last: the next
///              step and the Hermite interpolation need it, it costs nothing more (except after the last step), and a
///              point where f cannot be evaluated is never accepted. It is skipped when the error test fails.
///              accept() only sets a flag; buffers change roles at the next attempt, so the step stays open.
///              The estimate of a step away from a singular point of f (√ of a depth, at contact) may be a hundred times too
///              small, whatever the tolerance; the extensions, which use other stages, then differ in the middle as much as
///              the step is wrong. second_error() tells; its two evaluations serve the location of events too.
///              A peak between two stages is not in the estimate, and a kink of f is there with a small part of the error that it makes. Steps
///              whose extension bends as if there were one, and all where f has kinks that no guard knows of, are measured by its defect
///              in the middle (explicit_unseen_error.cpp).
/// Fails when   a stage cannot be evaluated or x₁ overflows: StepAttempt::evaluation_failed
/// Cost         s evaluations per attempt (s - 1 with first-same-as-last); s + 5 vectors, plus the extensions' stages
/// Checked by   tests/contract/, tests/convergence/
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "integrate/explicit/stage_combination.hpp"
#include "integrate/step/adjustment.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/step_phase.hpp"
#include "integrate/step/stepper.hpp"
#include "integrate/step/tableau.hpp"

namespace saltus::integrate {

class ExplicitRungeKutta final : public Stepper {
 public:
  /// tolerances.atol has n_states entries.
  ExplicitRungeKutta(const Tableau& tableau, system::Evaluator& evaluator, Index n_states,
                     Tolerances tolerances);

  [[nodiscard]] Index n_states() const override { return n_states_; }
  [[nodiscard]] int order() const override { return tableau_.order; }
  [[nodiscard]] int embedded_order() const override { return tableau_.embedded_order; }
  [[nodiscard]] const Tolerances& tolerances() const override { return tolerances_; }
  [[nodiscard]] const trajectory::CompensatedTime& time() const override {
    return phase_.is_accepted() ? end_ : start_;
  }
  [[nodiscard]] std::span<const double> state() const override {
    return phase_.is_accepted() ? x_end_ : x_start_;
  }
  [[nodiscard]] std::span<const double> derivative() const override;

  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x) override;
  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                             std::span<const double> xdot) override;
  void set_evaluator(system::Evaluator& evaluator) override;
  void rejoin(system::Evaluator& evaluator) override;
  void accept() override;
  void reject() override;
  void retract() override;

  [[nodiscard]] std::span<const double> step_start_state() const override { return x_start_; }
  [[nodiscard]] std::span<const double> step_end_state() const override { return x_end_; }
  [[nodiscard]] const trajectory::CompensatedTime& step_start_time() const override { return start_; }
  [[nodiscard]] double step_size() const override { return h_; }
  void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const override;
  system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) override;
  [[nodiscard]] int dense_order(DenseOutput which) const override;
  [[nodiscard]] DenseOutput output_extension() const override;
  [[nodiscard]] double extension_error(double theta) override;
  [[nodiscard]] double extension_defect(const trajectory::SegmentView& extension, double theta) override;
  [[nodiscard]] double second_error() override;
  [[nodiscard]] Stiffness stiffness() override;
  [[nodiscard]] Index worst_state() const override;

  system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) override;
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }
  [[nodiscard]] const Tableau& tableau() const { return tableau_; }
  /// h Σ (b_i - b̂_i) k_i of the last attempt.
  [[nodiscard]] std::span<const double> error_estimate() const override { return error_; }

  void fields(Archive& a) override;

 private:
  // Combinations of one continuous extension, prepared at construction.
  struct DensePlan {
    std::vector<Combination> extra_stages;
    std::vector<Combination> corrections;  // q_j, of differences to the first stage
    double rounding = 0.0;                 // of these, in units of h ẋ
  };

  StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) override;
  void prepare_plans();
  static void prepare_corrections(const DenseTable& table, DensePlan& plan);
  void begin_step();
  void move_to(const trajectory::CompensatedTime& t, std::span<const double> x);
  [[nodiscard]] double stage_time(double c) const;
  // Projects x first where the evaluator asks for `least` or more.
  system::Evaluation evaluate_stage(double t, std::span<double> x, std::size_t stage,
                                    system::Projection least);
  // x_start_ onto constraints, where there are some.
  system::Evaluation project_start();
  [[nodiscard]] bool projects() const { return projection_ >= system::Projection::results; }
  // The stage that holds f(end): the last one of the method, or one more.
  [[nodiscard]] std::size_t end_stage() const;
  system::Evaluation evaluate_inner_stages();
  system::Evaluation evaluate_end();
  void take_second_estimate();
  // The powers of the extension of a good attempt do not fall as those of a solution that its stages resolve.
  [[nodiscard]] bool is_in_doubt();
  StepAttempt checked_in_middle(double error);
  // Of the free extension, 1 is what a step may have.
  [[nodiscard]] double defect_in_middle();
  // Norm of the estimate, or of what the projection has taken away if that is larger.
  [[nodiscard]] double measured_error();
  [[nodiscard]] std::span<double> dense_row(Index power);
  void fill_hermite();
  [[nodiscard]] double without_rounding(double value, double f0, double f1, double rounding) const;
  void add_corrections(const DensePlan& plan);
  system::Evaluation evaluate_extra_stages(const DenseTable& table, const DensePlan& plan);

  const Tableau& tableau_;
  system::Rates* rates_;
  system::Projections* projections_;
  system::Projection projection_;
  Index n_states_;
  Tolerances tolerances_;
  Statistics statistics_;

  std::vector<Combination> stage_plans_;
  Combination solution_plan_;
  Combination error_plan_;
  Combination second_plan_;  // Tableau::b_second
  std::vector<DensePlan> dense_plans_;

  trajectory::CompensatedTime start_;
  trajectory::CompensatedTime end_;
  double h_ = 0.0;
  StepPhase phase_;
  Adjustment adjustment_;
  int n_extra_known_ = 0;  // extra stages evaluated for the open step

  std::vector<double> storage_;
  std::array<double*, kMaxStages> k_{};
  std::span<double> x_start_;
  std::span<double> x_end_;
  std::span<double> scratch_;
  std::span<double> error_;
  std::span<double> unmoved_;  // x_end_ before it was projected
  std::span<double> bend_;     // h Σ b_j (k_j - k_0) of the last attempt
  std::vector<double> dense_;
};

}  // namespace saltus::integrate
