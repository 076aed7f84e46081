#include "integrate/step/polynomial_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {

PolynomialStepper::PolynomialStepper(system::Evaluator& evaluator, Index n_states, Tolerances tolerances,
                                     Index degree, double rounding)
    : evaluator_(&evaluator),
      projection_(evaluator.projection()),
      n_states_(n_states),
      tolerances_(std::move(tolerances)),
      degree_(degree),
      rounding_(rounding) {
  const std::size_t n = at_index(n_states);
  for (std::vector<double>* vector : {&x_start_, &x_end_, &xdot_start_, &xdot_end_, &scratch_, &given_}) {
    vector->resize(n, 0.0);
  }
  dense_.resize(at_index(degree + 1) * n);
}

void PolynomialStepper::fields(Archive& a) {
  // Not saved: n_states_, tolerances_, degree_, rounding_; of the evaluator evaluator_, projection_; what belongs to an attempt alone, scratch_, given_.
  a(statistics_, start_, end_, h_, phase_, x_start_, x_end_, xdot_start_, xdot_end_, dense_);
}

system::Evaluation PolynomialStepper::probe(double t, std::span<const double> x, std::span<double> xdot) {
  ++statistics_.rhs.initial_step;
  return evaluator_->rhs(t, x, xdot);
}

void PolynomialStepper::rejoin(system::Evaluator& evaluator) {
  evaluator_ = &evaluator;
  projection_ = evaluator.projection();
  forget_system();
}

void PolynomialStepper::set_evaluator(system::Evaluator& evaluator) {
  PolynomialStepper::rejoin(evaluator);
  phase_.close();
}

void PolynomialStepper::move_to(const trajectory::CompensatedTime& t, std::span<const double> x) {
  SALTUS_EXPECT(static_cast<Index>(x.size()) == n_states_, "x must have one place per state");
  std::copy(x.begin(), x.end(), scratch_.begin());  // x may be a view of this stepper's own vectors
  phase_.begin();
  start_ = t;
  std::swap(x_start_, scratch_);
  forget_system();
  ++statistics_.restarts;
}

system::Evaluation PolynomialStepper::project_start() {
  return projection_ >= system::Projection::instants ? evaluator_->project_instant(start_.value(), x_start_)
                                                     : system::Evaluation{};
}

system::Evaluation PolynomialStepper::restart(const trajectory::CompensatedTime& t,
                                              std::span<const double> x) {
  move_to(t, x);
  ++statistics_.rhs.restarts;
  system::Evaluation evaluation = project_start();
  if (evaluation.ok()) {
    evaluation = evaluator_->rhs(t.value(), x_start_, xdot_start_);
  }
  if (evaluation.ok()) {
    evaluation = check_start();
  }
  if (evaluation.ok()) {
    evaluator_->keep_solutions();
  }
  return evaluation;
}

system::Evaluation PolynomialStepper::restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                                              std::span<const double> xdot) {
  SALTUS_EXPECT(static_cast<Index>(xdot.size()) == n_states_, "xdot must have one place per state");
  std::copy(xdot.begin(), xdot.end(), given_.begin());
  move_to(t, x);
  std::copy(given_.begin(), given_.end(), xdot_start_.begin());
  system::Evaluation evaluation = project_start();
  if (evaluation.ok()) {
    evaluation = check_start();
  }
  evaluator_->keep_solutions();
  return evaluation;
}

void PolynomialStepper::begin_step() {
  evaluator_->restore_solutions();
  if (phase_.is_accepted()) {
    std::swap(x_start_, x_end_);
    std::swap(xdot_start_, xdot_end_);
    start_ = end_;
  }
  phase_.begin();
}

void PolynomialStepper::accept() {
  phase_.accept(statistics_);
  evaluator_->keep_solutions();
}

StepAttempt PolynomialStepper::failed(const system::Evaluation& evaluation) {
  ++statistics_.rejected_by_evaluation;
  return {StepAttempt::Status::evaluation_failed, 0.0, evaluation};
}

// Bernstein coefficients b_j = Σ_p C(j, p)/C(d, p)·c_p.
void PolynomialStepper::enclose_step(std::span<const Index> states, std::span<Interval> ranges) const {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  const std::size_t n = at_index(n_states_);
  const std::size_t n_terms = at_index(degree_) + 1;
  for (std::size_t slot = 0; slot < states.size(); ++slot) {
    const std::size_t i = at_index(states[slot]);
    double lower = x_start_[i];
    double upper = x_start_[i];
    double size = std::abs(x_start_[i]);
    for (std::size_t j = 1; j < n_terms; ++j) {
      double sum = 0.0;
      double ratio = 1.0;
      for (std::size_t p = 1; p <= j; ++p) {
        ratio *= static_cast<double>(j - p + 1) / static_cast<double>(n_terms - p);
        sum += ratio * dense_[p * n + i];
        size = std::max(size, std::abs(dense_[p * n + i]));
      }
      lower = std::min(lower, x_start_[i] + sum);
      upper = std::max(upper, x_start_[i] + sum);
    }
    ranges[slot] = {lower - rounding_ * size, upper + rounding_ * size};
  }
}

system::Evaluation PolynomialStepper::dense_output(DenseOutput /*which*/, trajectory::SegmentView& segment) {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  segment = {start_, h_, end_.value(), n_states_, degree_, dense_};
  return {};
}

}  // namespace saltus::integrate
