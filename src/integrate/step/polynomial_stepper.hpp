/// What steppers have in common that read rates alone and whose extension is one polynomial from end to end.
///
/// Contract     A derived class has do_attempt(), which begins with begin_step(), fills x_end_, xdot_end_ and dense_ (powers of θ from 0 to the degree,
///              state by state) and opens the phase. From begin_step() on only the buffers of the new step are written: x_start_, start_
///              and xdot_start_ stay.
/// Checked by   tests/exact, tests/motion
#pragma once

#include <span>
#include <vector>

#include "integrate/step/step_phase.hpp"
#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

class PolynomialStepper : public Stepper {
 public:
  [[nodiscard]] Index n_states() const override { return n_states_; }
  [[nodiscard]] const Tolerances& tolerances() const override { return tolerances_; }
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }
  [[nodiscard]] const trajectory::CompensatedTime& time() const override {
    return phase_.is_accepted() ? end_ : start_;
  }
  [[nodiscard]] std::span<const double> state() const override {
    return phase_.is_accepted() ? x_end_ : x_start_;
  }
  [[nodiscard]] std::span<const double> derivative() const override {
    return phase_.is_accepted() ? xdot_end_ : xdot_start_;
  }

  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x) override;
  system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                             std::span<const double> xdot) override;
  void set_evaluator(system::Evaluator& evaluator) override;
  void rejoin(system::Evaluator& evaluator) override;
  system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) override;
  void accept() override;
  void reject() override { phase_.reject(statistics_); }
  void retract() override { phase_.retract(statistics_); }

  [[nodiscard]] std::span<const double> step_start_state() const override { return x_start_; }
  [[nodiscard]] std::span<const double> step_end_state() const override { return x_end_; }
  [[nodiscard]] const trajectory::CompensatedTime& step_start_time() const override { return start_; }
  [[nodiscard]] double step_size() const override { return h_; }
  void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const override;
  system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) override;

  void fields(Archive& a) override;

 protected:
  /// `rounding`: of the ends and of the sums that bound the states between, in units of the terms.
  PolynomialStepper(system::Evaluator& evaluator, Index n_states, Tolerances tolerances, Index degree,
                    double rounding);

  /// Another evaluator, or another configuration of it.
  virtual void forget_system() {}
  /// Whether the method can go on from x_start_ with the rates xdot_start_.
  virtual system::Evaluation check_start() { return {}; }
  void begin_step();
  [[nodiscard]] bool projects() const { return projection_ >= system::Projection::results; }
  [[nodiscard]] StepAttempt failed(const system::Evaluation& evaluation);

  system::Evaluator* evaluator_;
  system::Projection projection_;
  Index n_states_;
  Tolerances tolerances_;
  Statistics statistics_;
  trajectory::CompensatedTime start_;
  trajectory::CompensatedTime end_;
  double h_ = 0.0;
  StepPhase phase_;
  std::vector<double> x_start_;
  std::vector<double> x_end_;
  std::vector<double> xdot_start_;
  std::vector<double> xdot_end_;
  std::vector<double> scratch_;
  std::vector<double> dense_;

 private:
  void move_to(const trajectory::CompensatedTime& t, std::span<const double> x);
  system::Evaluation project_start();

  Index degree_;
  double rounding_;
  std::vector<double> given_;  // rates, which may be a view of this stepper's own vectors
};

}  // namespace saltus::integrate
