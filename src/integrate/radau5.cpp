#include "integrate/radau5.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

using radau5::kStages;

// RADAU5: tolerance of the estimate, factor and exponent.
constexpr double kToleranceFactor = 0.1;
constexpr double kToleranceExponent = -1.0 / 3.0;
// Below this rtol counts as this much.
constexpr double kSmallestTolerance = 10.0 * std::numeric_limits<double>::epsilon();
// Part of the size of y to which stages are solved where no tolerance is given by an error test.
constexpr double kFixedStepAccuracy = 1e-12;
// RADAU5: iterations allowed, and growth of the step that is not worth a new factorisation.
constexpr int kMaxIterations = 7;
// Fixed steps cannot be made smaller: iterations that converge at all may take their time.
constexpr int kMaxFixedStepIterations = 25;
constexpr double kIdleGrowth = 1.2;
// A singular iteration matrix is moved away from singularity by another h.
constexpr double kSingularFactor = 0.5;

Tolerances inner_tolerances(const Tolerances& tolerances) {
  Tolerances inner = tolerances;
  double factor = 1.0;
  if (!tolerances.test_error) {
    factor = kFixedStepAccuracy / std::max(tolerances.rtol, kFixedStepAccuracy);
  } else if (tolerances.norm == ErrorNorm::weighted_rms && tolerances.rtol > 0.0) {
    factor = kToleranceFactor * std::pow(std::max(tolerances.rtol, kSmallestTolerance), kToleranceExponent);
  }
  inner.rtol *= factor;
  for (double& atol : inner.atol) {
    atol *= factor;
  }
  return inner;
}

NewtonConvergence::Options newton_options(const Tolerances& inner) {
  if (!inner.test_error) {
    return {.max_iterations = kMaxFixedStepIterations, .tolerance = 1.0, .step_order = 4};
  }
  return {.max_iterations = kMaxIterations, .tolerance = newton_tolerance(inner.rtol), .step_order = 4};
}

}  // namespace

Radau5::Radau5(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
               Tolerances tolerances)
    : n_states_(n_states),
      tolerances_(std::move(tolerances)),
      inner_(inner_tolerances(tolerances_)),
      system_(evaluator, locked, n_states, inner_, {.with_complex = true}, statistics_),
      stages_(system_),
      convergence_(newton_options(inner_)),
      // A fixed step cannot be tried again with another Jacobian: it has its own.
      policy_(tolerances_.test_error ? JacobianPolicy::Options{}
                                     : JacobianPolicy::Options{.fast_rate = 0.0}) {
  SALTUS_EXPECT(static_cast<Index>(tolerances_.atol.size()) == n_states, "one absolute tolerance per state");
  SALTUS_EXPECT(tolerances_.rtol >= 0.0, "tolerances are not negative");
  SALTUS_EXPECT(
      std::all_of(tolerances_.atol.begin(), tolerances_.atol.end(), [](double atol) { return atol > 0.0; }),
      "absolute tolerances are positive");
  constexpr Index kHighestDegree = 5;
  dense_.assign(static_cast<std::size_t>((kHighestDegree + 1) * n_states), 0.0);
  lay_out();
}

// Vectors of the present n_y; the accepted point keeps its time, x and ẋ.
void Radau5::lay_out() {
  const auto n_y = static_cast<std::size_t>(system_.n_y());
  if (!storage_.empty() && y_start_.size() == n_y) {
    return;
  }
  const std::vector<double> x(state().begin(), state().end());
  const std::vector<double> xdot(derivative().begin(), derivative().end());
  const auto n = static_cast<std::size_t>(n_states_);
  constexpr std::size_t kVectorsOfY = 6 + 3 * kStages;
  constexpr std::size_t kVectorsOfStates = 3;
  const std::size_t needed = kVectorsOfY * n_y + kVectorsOfStates * n;
  if (storage_.size() < needed) {
    storage_.resize(needed);
  }
  double* next = storage_.data();
  const auto take = [&next](std::size_t size) {
    return std::span<double>(std::exchange(next, next + size), size);
  };
  for (std::span<double>* vector : {&y_start_, &y_end_, &error_, &scratch_, &scale_, &y_middle_}) {
    *vector = take(n_y);
  }
  for (Radau5Stages::Stages* stages : {&z_, &past_, &z_middle_}) {
    for (std::span<double>& stage : *stages) {
      stage = take(n_y);
    }
  }
  for (std::span<double>* vector : {&ydot_start_, &ydot_end_, &ydot_middle_}) {
    *vector = take(n);
  }
  std::copy(x.begin(), x.end(), y_start_.begin());
  std::copy(xdot.begin(), xdot.end(), ydot_start_.begin());
  start_ = time();
  accepted_ = false;
  stages_.resize();
}

void Radau5::set_evaluator(system::Evaluator& evaluator) {
  system_.set_evaluator(evaluator, nullptr);
  lay_out();
  open_ = false;
}

void Radau5::set_system(system::Evaluator& evaluator, const system::LockedDae& locked) {
  system_.set_evaluator(evaluator, &locked);
  lay_out();
  open_ = false;
}

system::Evaluation Radau5::probe(double t, std::span<const double> x, std::span<double> xdot) {
  ++statistics_.rhs.initial_step;
  return system_.evaluator().rhs(t, x, xdot);
}

// The accepted point becomes (t, x); what belongs to it is still to come.
void Radau5::move_to(const trajectory::CompensatedTime& t, std::span<const double> x) {
  SALTUS_EXPECT(static_cast<Index>(x.size()) == n_states_, "x must have one place per state");
  // x may be a view of this stepper's own vectors.
  std::copy(x.begin(), x.end(), scratch_.begin());
  accepted_ = false;
  open_ = false;
  start_ = t;
  past_size_ = 0.0;
  is_careful_ = true;
  convergence_.forget();
  policy_.restarted(system_.has_constant_jacobian());
  ++statistics_.restarts;
}

system::Evaluation Radau5::finish_restart(const system::Evaluation& evaluation) {
  if (evaluation.ok()) {
    system_.evaluator().keep_solutions();
  }
  return evaluation;
}

system::Evaluation Radau5::restart(const trajectory::CompensatedTime& t, std::span<const double> x) {
  move_to(t, x);
  const std::span<double> start = scratch_.first(static_cast<std::size_t>(n_states_));
  if (system_.projects()) {
    if (const system::Evaluation projection = system_.project(t.value(), start); !projection.ok()) {
      return projection;
    }
  }
  return finish_restart(system_.find_point(t.value(), start, y_start_, ydot_start_));
}

system::Evaluation Radau5::restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                                   std::span<const double> xdot) {
  SALTUS_EXPECT(static_cast<Index>(xdot.size()) == n_states_, "xdot must have one place per state");
  // xdot may be the derivative of this stepper itself.
  std::copy(xdot.begin(), xdot.end(), error_.begin());
  move_to(t, x);
  const std::span<double> start = scratch_.first(static_cast<std::size_t>(n_states_));
  if (system_.projects()) {
    if (const system::Evaluation projection = system_.project(t.value(), start); !projection.ok()) {
      return projection;
    }
  }
  return finish_restart(system_.find_point(t.value(), start, states_of(error_), y_start_, ydot_start_));
}

// Moves the roles of the buffers from the accepted step to the one that begins.
void Radau5::begin_step() {
  system_.evaluator().restore_solutions();
  if (accepted_) {
    remember_polynomial();
    std::swap(y_start_, y_end_);
    std::swap(ydot_start_, ydot_end_);
    start_ = end_;
    accepted_ = false;
  }
  open_ = false;
  has_middle_ = false;
}

void Radau5::load_start() {
  std::copy(y_start_.begin(), y_start_.end(), system_.y().begin());
  std::copy(ydot_start_.begin(), ydot_start_.end(), system_.ydot().begin());
}

StepAttempt Radau5::failed(const system::Evaluation& evaluation) {
  ++statistics_.rejected_by_evaluation;
  policy_.step_failed();
  is_careful_ = true;
  return {StepAttempt::Status::evaluation_failed, 0.0, evaluation};
}

StepAttempt Radau5::not_converged() {
  ++statistics_.rejected_by_iteration;
  policy_.step_failed();
  is_careful_ = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n_states_); ++i) {
    error_[i] = stages_.last_correction(i);
    y_end_[i] = y_start_[i];
  }
  return {StepAttempt::Status::iteration_failed, 0.0, {}};
}

// Jacobian and factorisations as the policy asks. Good: ready to iterate.
StepAttempt Radau5::prepare_matrices() {
  if (policy_.needs_jacobian()) {
    load_start();
    if (const system::Evaluation evaluation = system_.evaluate_jacobian(start_.value(), h_);
        !evaluation.ok()) {
      return failed(evaluation);
    }
    policy_.jacobian_evaluated();
  }
  if (policy_.needs_factorization(h_)) {
    if (!stages_.factorize(h_).ok()) {
      policy_.factorization_failed();
      return not_converged();
    }
    policy_.factorized(h_);
  }
  return {};
}

// q(t₁ + s h₋) - q(t₁) of the step before = s (D₀ + (s + 1 - c₂)(D₁ + (s + 1 - c₁) D₂)), divided differences over
// t₁, t₁ - (1 - c₂)h₋, t₁ - (1 - c₁)h₋, t₁ - h₋ in units of h₋.
void Radau5::remember_polynomial() {
  const auto& c = radau5::kC;
  for (std::size_t i = 0; i < y_start_.size(); ++i) {
    const double first = (z_[2][i] - z_[1][i]) / (1.0 - c[1]);
    const double second = (z_[1][i] - z_[0][i]) / (c[1] - c[0]);
    const double third = z_[0][i] / c[0];
    const double bend = (first - second) / (1.0 - c[0]);
    past_[0][i] = first;
    past_[1][i] = bend;
    past_[2][i] = bend - (second - third) / c[1];
  }
  past_size_ = h_;
}

void Radau5::predict_stages() {
  const auto& c = radau5::kC;
  for (std::size_t s = 0; s < kStages; ++s) {
    if (past_size_ == 0.0) {
      std::fill(z_[s].begin(), z_[s].end(), 0.0);
      continue;
    }
    const double at = c[s] * h_ / past_size_;
    for (std::size_t i = 0; i < y_start_.size(); ++i) {
      z_[s][i] = at * (past_[0][i] + (at + (1.0 - c[1])) * (past_[1][i] + (at + (1.0 - c[0])) * past_[2][i]));
    }
  }
}

Radau5Stages::Times Radau5::stage_times(double h, double end) const {
  const auto at = [&](double c) { return start_.value() + (start_.low() + c * h); };
  return {at(radau5::kC[0]), at(radau5::kC[1]), end};
}

void Radau5::take_end(const Radau5Stages::Stages& z, double h, std::span<double> y,
                      std::span<double> ydot) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_start_[i] + z[2][i];
  }
  const auto& row = radau5::kInverse[2];
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = (row[0] * z[0][i] + row[1] * z[1][i] + row[2] * z[2][i]) / h;
  }
}

StepAttempt Radau5::do_attempt(double h, const trajectory::CompensatedTime& end) {
  begin_step();
  // From here to the end only the buffers of the new step are written: y_start_, ydot_start_ and start_ stay.
  h_ = h;
  end_ = end;
  if (const StepAttempt prepared = prepare_matrices(); !prepared.good()) {
    return prepared;
  }
  const std::span<const double> atol = system_.atol();
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    scale_[i] = atol[i] + inner_.rtol * std::abs(y_start_[i]);
  }
  predict_stages();
  const Radau5Stages::Outcome outcome =
      stages_.solve(stage_times(h, end.value()), h, y_start_, scale_, convergence_, z_);
  statistics_.newton_iterations += convergence_.iterations();
  if (outcome == Radau5Stages::Outcome::evaluation_failed) {
    return failed(stages_.evaluation());
  }
  if (outcome == Radau5Stages::Outcome::not_converged) {
    return not_converged();
  }
  take_end(z_, h, y_end_, ydot_end_);
  double error = tolerances_.test_error ? estimate_error() : 0.0;
  if (error > 1.0 && is_careful_) {
    if (const system::Evaluation again = filter_again(); !again.ok()) {
      return failed(again);
    }
    error = error_norm(inner_, step_start_state(), step_end_state(), states_of(error_));
  }
  if (!(error > 1.0)) {
    if (const system::Evaluation at_end = finish_end(); !at_end.ok()) {
      return failed(at_end);
    }
    add_projection_to_error(error);
  }
  if (!std::isfinite(error)) {
    return failed({system::Evaluation::Status::not_finite, worst_state()});
  }
  if (error > 1.0) {
    ++statistics_.rejected_by_error;
    policy_.step_failed();
    is_careful_ = true;
    return {StepAttempt::Status::error_too_large, error, {}};
  }
  open_ = true;
  return {StepAttempt::Status::good, error, {}};
}

// err of the header; ẏ₀ - q̇(t₀) has no z part, and B no columns for it.
double Radau5::estimate_error() {
  const auto& slope = radau5::kPowers[0];
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    scratch_[i] = ydot_start_[i] - (slope[0] * z_[0][i] + slope[1] * z_[1][i] + slope[2] * z_[2][i]) / h_;
  }
  system_.multiply_b(scratch_, error_);
  system_.solve(error_);
  return error_norm(inner_, step_start_state(), step_end_state(), states_of(error_));
}

system::Evaluation Radau5::filter_again() {
  const auto& slope = radau5::kPowers[0];
  const std::span<double> y = system_.y();
  const std::span<double> ydot = system_.ydot();
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_start_[i] + error_[i];
  }
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = (slope[0] * z_[0][i] + slope[1] * z_[1][i] + slope[2] * z_[2][i]) / h_;
  }
  const system::Evaluation evaluation = system_.residual(start_.value(), scratch_);
  if (evaluation.ok()) {
    std::swap(error_, scratch_);
    system_.solve(error_);
    for (double& value : error_) {
      value = -value;
    }
  }
  return evaluation;
}

// Projection of the result. Where r is ẋ - f, ẋ is f there; a residual form keeps q̇: in stiff parts f would enlarge the way
// that the result was moved.
system::Evaluation Radau5::finish_end() {
  if (!system_.projects()) {
    return {};
  }
  std::copy(y_end_.begin(), y_end_.end(), scratch_.begin());
  const std::span<double> x = y_end_.first(static_cast<std::size_t>(n_states_));
  if (const system::Evaluation projection = system_.project(end_.value(), x); !projection.ok()) {
    return projection;
  }
  if (system_.has_form()) {
    return {};
  }
  ++statistics_.rhs.stages;
  return system_.evaluator().rhs(end_.value(), x, ydot_end_);
}

void Radau5::add_projection_to_error(double& error) {
  if (!system_.projects() || !tolerances_.test_error) {
    return;
  }
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i] -= y_end_[i];
  }
  const double moved = error_norm(inner_, step_start_state(), step_end_state(), states_of(scratch_));
  if (moved > error) {
    error = moved;
    std::swap(error_, scratch_);
  }
}

void Radau5::accept() {
  SALTUS_EXPECT(open_ && !accepted_, "only a good attempt can be accepted, and once");
  accepted_ = true;
  is_careful_ = false;
  policy_.step_accepted(convergence_.rate());
  system_.evaluator().keep_solutions();
  ++statistics_.accepted;
}

void Radau5::reject() {
  SALTUS_EXPECT(!accepted_, "an accepted step cannot be rejected; retract it instead");
  open_ = false;
}

void Radau5::retract() {
  SALTUS_EXPECT(open_ && accepted_, "only an accepted step that is still open can be retracted");
  accepted_ = false;
  open_ = false;
  --statistics_.accepted;
  ++statistics_.retracted;
}

StepAdvice Radau5::advice() const {
  // [HW96] IV.8: the safety factor falls with the iterations that were needed.
  const double spare = 2.0 * convergence_.max_iterations();
  const double factor = convergence_.step_factor();
  return {.effort_factor = (1.0 + spare) / (convergence_.iterations() + spare),
          .idle_growth = policy_.needs_jacobian() ? 1.0 : kIdleGrowth,
          .failure_factor = factor < 1.0 ? factor : kSingularFactor};
}

Index Radau5::worst_state() const {
  return integrate::worst_state(inner_, step_start_state(), step_end_state(), states_of(error_));
}

}  // namespace saltus::integrate
