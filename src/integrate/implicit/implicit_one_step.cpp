#include "integrate/implicit/implicit_one_step.hpp"

#include <cmath>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// RADAU5: growth of the step that is not worth a new factorisation.
constexpr double kIdleGrowth = 1.2;
// Corrections of this part of the tolerance that shrink no more are rounding: an algebraic unknown that balances derivatives has that of
// x/h, and where a fast state follows it smaller steps make it worse.
constexpr double kLeastCorrection = 3e-3;
// A singular iteration matrix is moved away from singularity by another h.
constexpr double kSingularFactor = 0.5;
// Estimates of a smooth f that are so much larger than the last one and the step sizes say are rare.
constexpr double kSuddenGrowth = 10.0;

Tolerances inner_tolerances(const Tolerances& tolerances, double factor) {
  Tolerances inner = tolerances;
  if (!tolerances.test_error) {
    factor = kFixedStepAccuracy / std::max(tolerances.rtol, kFixedStepAccuracy);
  }
  inner.rtol *= factor;
  for (double& atol : inner.atol) {
    atol *= factor;
  }
  return inner;
}

NewtonConvergence::Options newton_options(const Tolerances& inner, int max_iterations, double stage_gain,
                                          int step_order) {
  if (!inner.test_error) {
    return fixed_step_newton(step_order);
  }
  return {.max_iterations = max_iterations,
          .tolerance = newton_tolerance(inner.rtol, stage_gain),
          .step_order = step_order,
          .noise = newton_noise(inner.rtol),
          .least = kLeastCorrection};
}

}  // namespace

ImplicitOneStep::ImplicitOneStep(system::Evaluator& evaluator, const system::LockedDae* locked,
                                 Index n_states, Tolerances tolerances, const Choices& choices)
    : n_states_(n_states),
      tolerances_(std::move(tolerances)),
      inner_(inner_tolerances(tolerances_, choices.tolerance_factor)),
      system_(evaluator, locked, n_states, inner_, {.with_complex = choices.needs_complex}, statistics_),
      convergence_(newton_options(inner_, choices.max_iterations, choices.stage_gain, choices.step_order)),
      extension_factor_(choices.extension_factor),
      // A fixed step cannot be tried again with another Jacobian: it has its own.
      policy_(tolerances_.test_error ? JacobianPolicy::Options{} : JacobianPolicy::Options{.fast_rate = 0.0}),
      dense_(static_cast<std::size_t>((kHighestDegree + 1) * n_states)),
      moved_(n_states) {
  SALTUS_EXPECT(static_cast<Index>(tolerances_.atol.size()) == n_states, "one absolute tolerance per state");
  SALTUS_EXPECT(tolerances_.rtol >= 0.0, "tolerances are not negative");
  SALTUS_EXPECT(
      std::all_of(tolerances_.atol.begin(), tolerances_.atol.end(), [](double atol) { return atol > 0.0; }),
      "absolute tolerances are positive");
}

// Vectors of the present n_y; the accepted point keeps its time, x and ẋ.
void ImplicitOneStep::lay_out() {
  const auto n_y = static_cast<std::size_t>(system_.n_y());
  if (!storage_.empty() && y_start_.size() == n_y) {
    return;
  }
  const std::vector<double> x(state().begin(), state().end());
  const std::vector<double> xdot(derivative().begin(), derivative().end());
  const auto n = static_cast<std::size_t>(n_states_);
  constexpr std::size_t kVectorsOfY = 9;
  constexpr std::size_t kVectorsOfStates = 3;
  const std::size_t needed = kVectorsOfY * n_y + kVectorsOfStates * n;
  if (storage_.size() < needed) {
    storage_.resize(needed);
  }
  double* next = storage_.data();
  const auto take = [&next](std::size_t size) {
    return std::span<double>(std::exchange(next, next + size), size);
  };
  for (std::span<double>* vector : {&y_start_, &y_end_, &y_middle_, &error_, &scratch_, &scale_}) {
    *vector = take(n_y);
  }
  for (std::span<double>& defect : defects_) {
    defect = take(n_y);
  }
  for (std::span<double>* vector : {&ydot_start_, &ydot_end_, &ydot_middle_}) {
    *vector = take(n);
  }
  std::copy(x.begin(), x.end(), y_start_.begin());
  std::copy(xdot.begin(), xdot.end(), ydot_start_.begin());
  start_ = time();
  phase_.begin();
  resize_stages();
}

void ImplicitOneStep::fields(Archive& a) {
  // Not saved: n_states_, tolerances_, inner_, extension_factor_, storage_.
  a(statistics_, system_);
  if (a.is_loading() && a.ok()) {
    lay_out();
  }
  a(convergence_, start_, end_, h_, adjustment_, y_start_, y_end_, y_middle_, error_, scratch_, scale_,
    ydot_start_, ydot_end_, ydot_middle_);
  a(policy_, n_renewals_, defects_, dense_, moved_, phase_, has_middle_, has_defects_, is_full_, is_fresh_,
    is_start_exact_, start_failure_, is_careful_, looks_ahead_, error_before_, h_before_);
}

void ImplicitOneStep::set_evaluator(system::Evaluator& evaluator) {
  system_.set_evaluator(evaluator, nullptr);
  lay_out();
  phase_.close();
}

void ImplicitOneStep::set_system(system::Evaluator& evaluator, const system::LockedDae& locked) {
  system_.set_evaluator(evaluator, &locked);
  lay_out();
  phase_.close();
}

system::Evaluation ImplicitOneStep::probe(double t, std::span<const double> x, std::span<double> xdot) {
  ++statistics_.rhs.initial_step;
  return system_.evaluator().rhs(t, x, xdot);
}

// The accepted point becomes (t, x); what belongs to it is still to come.
void ImplicitOneStep::move_to(const trajectory::CompensatedTime& t, std::span<const double> x) {
  SALTUS_EXPECT(static_cast<Index>(x.size()) == n_states_, "x must have one place per state");
  // x may be a view of this stepper's own vectors.
  std::copy(x.begin(), x.end(), scratch_.begin());
  start_ = t;
  phase_.begin();
  is_fresh_ = true;
  is_careful_ = true;
  looks_ahead_ = false;
  is_start_exact_ = true;
  start_failure_ = {};
  forget_steps();
  convergence_.forget();
  policy_.restarted(system_.has_constant_jacobian());
  ++statistics_.restarts;
}

system::Evaluation ImplicitOneStep::finish_restart(const system::Evaluation& evaluation) {
  if (evaluation.ok()) {
    system_.evaluator().keep_solutions();
  }
  return evaluation;
}

system::Evaluation ImplicitOneStep::restart(const trajectory::CompensatedTime& t, std::span<const double> x) {
  move_to(t, x);
  const std::span<double> start = scratch_.first(static_cast<std::size_t>(n_states_));
  if (const system::Evaluation projection = system_.project_start(t.value(), start); !projection.ok()) {
    return projection;
  }
  return finish_restart(system_.find_point(t.value(), start, y_start_, ydot_start_));
}

system::Evaluation ImplicitOneStep::restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                                            std::span<const double> xdot) {
  SALTUS_EXPECT(static_cast<Index>(xdot.size()) == n_states_, "xdot must have one place per state");
  // xdot may be the derivative of this stepper itself.
  std::copy(xdot.begin(), xdot.end(), error_.begin());
  move_to(t, x);
  const std::span<double> start = scratch_.first(static_cast<std::size_t>(n_states_));
  if (const system::Evaluation projection = system_.project_start(t.value(), start); !projection.ok()) {
    return projection;
  }
  return finish_restart(system_.find_point(t.value(), start, states_of(error_), y_start_, ydot_start_));
}

// Moves the roles of the buffers from the accepted step to the one that begins.
void ImplicitOneStep::begin_step() {
  system_.evaluator().restore_solutions();
  if (phase_.is_accepted()) {
    remember_step();
    is_fresh_ = false;
    is_start_exact_ = false;
    std::swap(y_start_, y_end_);
    std::swap(ydot_start_, ydot_end_);
    start_ = end_;
  }
  phase_.begin();
  has_middle_ = false;
  has_defects_ = false;
}

void ImplicitOneStep::step_failed() {
  policy_.step_failed();
  is_careful_ = true;
  if (looks_ahead_) {
    policy_.restarted(system_.has_constant_jacobian());  // a smaller step leads elsewhere
  }
}

StepAttempt ImplicitOneStep::failed(const system::Evaluation& evaluation) {
  ++statistics_.rejected_by_evaluation;
  step_failed();
  return {StepAttempt::Status::evaluation_failed, 0.0, evaluation};
}

StepAttempt ImplicitOneStep::iteration_failed(Index unknown, bool is_singular) {
  ++statistics_.rejected_by_iteration;
  // A rate seen before would let one correction of any size pass; here the matrix may be nearly singular.
  convergence_.forget();
  step_failed();
  refine_start();
  return {StepAttempt::Status::iteration_failed, 0.0, {}, unknown, is_singular};
}

// z of an accepted point is what the iteration left. From there the next one may not converge however small the step is, since z does
// not come closer with it. So z is solved for at the accepted x, once; where that fails there is no such point.
void ImplicitOneStep::refine_start() {
  if (is_start_exact_ || !system_.has_form() || y_start_.size() == ydot_start_.size()) {
    return;
  }
  is_start_exact_ = true;
  const std::span<double> x = scratch_.first(ydot_start_.size());
  std::copy_n(y_start_.begin(), x.size(), x.begin());
  std::copy(y_start_.begin(), y_start_.end(), error_.begin());
  start_failure_ = system_.find_point(start_.value(), x, y_start_, ydot_start_);
  for (std::size_t i = x.size(); i < y_start_.size(); ++i) {
    if (std::abs(y_start_[i] - error_[i]) > system_.atol()[i] + inner_.rtol * std::abs(y_start_[i])) {
      forget_past_of(i);
    }
  }
  policy_.restarted(system_.has_constant_jacobian());
}

StepAttempt ImplicitOneStep::not_converged() {
  Index worst = -1;
  double largest = 0.0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    const double size = std::abs(last_correction(i)) / scale_[i];
    if (worst < 0 || size > largest) {
      worst = static_cast<Index>(i);
      largest = size;
    }
  }
  return iteration_failed(worst, false);
}

// Jacobian and factorisations as the policy asks. Good: ready to iterate.
StepAttempt ImplicitOneStep::prepare_matrices() {
  if (policy_.needs_jacobian()) {
    std::copy(y_start_.begin(), y_start_.end(), system_.y().begin());
    std::copy(ydot_start_.begin(), ydot_start_.end(), system_.ydot().begin());
    const double ahead = looks_ahead_ ? h_ : 0.0;
    for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
      system_.y()[i] += ahead * ydot_start_[i];
    }
    if (const system::Evaluation evaluation = system_.evaluate_jacobian(start_.value() + ahead, h_);
        !evaluation.ok()) {
      return failed(evaluation);
    }
    policy_.jacobian_evaluated();
  }
  if (policy_.needs_factorization(h_)) {
    if (const linalg::FactorStatus status = factorize(h_); !status.ok()) {
      policy_.factorization_failed();
      return iteration_failed(status.column, true);
    }
    policy_.factorized(h_);
  }
  return {};
}

bool ImplicitOneStep::renew_matrices(double t, double h, NewtonConvergence& convergence) {
  if (tolerances_.test_error || n_renewals_ == kMostRenewals) {
    return false;
  }
  ++n_renewals_;
  if (!system_.evaluate_jacobian(t, h).ok()) {
    return false;
  }
  policy_.jacobian_evaluated();
  convergence.forget();
  return factorize(h).ok();
}

StepAttempt ImplicitOneStep::do_attempt(double h, const trajectory::CompensatedTime& end) {
  begin_step();
  // From here to the end only the buffers of the new step are written: y_start_, ydot_start_ and start_ stay.
  h_ = h;
  end_ = end;
  if (!start_failure_.ok()) {
    return failed(start_failure_);
  }
  if (const StepAttempt prepared = prepare_matrices(); !prepared.good()) {
    return prepared;
  }
  const std::span<const double> atol = system_.atol();
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    const double weight = atol[i] + inner_.rtol * std::abs(y_start_[i]);
    scale_[i] = i < ydot_start_.size() ? weight : weight / convergence_.tolerance();
  }
  convergence_.begin_step(is_careful_ || !tolerances_.test_error);
  n_renewals_ = 0;
  switch (solve_stages()) {
    case StageOutcome::evaluation_failed: return failed(stage_failure());
    case StageOutcome::not_converged: return not_converged();
    case StageOutcome::converged: break;
  }
  return test_result();
}

double ImplicitOneStep::norm_of(std::span<const double> vector) const {
  const double error = error_norm(inner_, step_start_state(), step_end_state(), states_of(vector));
  return may_be_of_kink(error)
             ? error_norm(tolerances_, step_start_state(), step_end_state(), states_of(vector))
             : error;
}

// inner_ presumes that the estimate is of lower order than the step. At a kink of f within the step both are of the same: where f has kinks, an
// estimate that is not what the step before lets expect is held to the tolerance itself.
bool ImplicitOneStep::may_be_of_kink(double error) const {
  if (!(inner_.rtol > tolerances_.rtol) || !system_.evaluator().has_unwatched_kinks()) {
    return false;
  }
  const double growth = is_careful_ ? 0.0 : std::pow(h_ / h_before_, embedded_order() + 1);
  return error > kSuddenGrowth * growth * error_before_;
}

StepAttempt ImplicitOneStep::test_result() {
  double error = 0.0;
  if (tolerances_.test_error) {
    estimate_error();
    error = norm_of(error_);
  }
  if (error > 1.0 && is_careful_) {
    if (const system::Evaluation again = filter_again(); !again.ok()) {
      return failed(again);
    }
    error = norm_of(error_);
  }
  if (!(error > 1.0)) {
    if (const system::Evaluation at_end = finish_end(); !at_end.ok()) {
      return failed(at_end);
    }
    add_projection_to_error(error);
  }
  if (!(error > 1.0)) {
    add_extension_to_error(error);
  }
  if (!std::isfinite(error)) {
    return failed({system::Evaluation::Status::not_finite, worst_state()});
  }
  if (error > 1.0) {
    ++statistics_.rejected_by_error;
    step_failed();
    return {StepAttempt::Status::error_too_large, error, {}};
  }
  phase_.open();
  return {StepAttempt::Status::good, error, {}};
}

// Projection of the result. Where r is ẋ - f, ẋ is f there; a residual form keeps the slope of the method: in stiff parts f would
// enlarge the way that the result was moved. Only where constraints determine states among others it is settled
// (algebraic_states.hpp).
system::Evaluation ImplicitOneStep::finish_end() {
  if (!system_.projects()) {
    return settle_slope(end_.value(), y_end_, ydot_end_);
  }
  std::copy(y_end_.begin(), y_end_.end(), scratch_.begin());
  const std::span<double> x = y_end_.first(static_cast<std::size_t>(n_states_));
  if (const system::Evaluation projection = system_.project(end_.value(), x); !projection.ok()) {
    return projection;
  }
  adjustment_.begin();
  adjustment_.note(states_of(scratch_), x);
  if (system_.has_form()) {
    return settle_slope(end_.value(), y_end_, ydot_end_);
  }
  ++statistics_.rhs.stages;
  return system_.evaluator().rhs(end_.value(), x, ydot_end_);
}

system::Evaluation ImplicitOneStep::settle_slope(double t, std::span<const double> y,
                                                 std::span<double> ydot) {
  if (!system_.has_algebraic_states()) {
    return {};
  }
  ++statistics_.rhs.dense_output;
  return system_.settle_slope(t, states_of(y), ydot);
}

void ImplicitOneStep::add_projection_to_error(double& error) {
  if (!system_.projects() || !tolerances_.test_error) {
    return;
  }
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i] -= y_end_[i];
  }
  if (const double moved = norm_of(scratch_); moved > error) {
    error = moved;
    std::swap(error_, scratch_);
  }
}

void ImplicitOneStep::accept() {
  if (tolerances_.test_error && system_.evaluator().has_unwatched_kinks()) {
    error_before_ = error_norm(inner_, step_start_state(), step_end_state(), states_of(error_));
    h_before_ = h_;
  }
  phase_.accept(statistics_);
  if (system_.projects()) {
    adjustment_.accept(h_, order(), statistics_);
  }
  is_careful_ = false;
  looks_ahead_ = false;
  policy_.step_accepted(convergence_.step_rate());
  system_.evaluator().keep_solutions();
}

void ImplicitOneStep::reject() {
  phase_.reject(statistics_);
}

void ImplicitOneStep::retract() {
  phase_.retract(statistics_);
}

StepAdvice ImplicitOneStep::advice() const {
  // [HW96] IV.8: the safety factor falls with the iterations that were needed.
  const double spare = 2.0 * convergence_.max_iterations();
  const double factor = convergence_.step_factor();
  return {.effort_factor = (1.0 + spare) / (convergence_.iterations() + spare),
          .idle_growth = policy_.needs_jacobian() ? 1.0 : kIdleGrowth,
          .failure_factor = factor < 1.0 ? factor : kSingularFactor};
}

Index ImplicitOneStep::worst_state() const {
  return integrate::worst_state(inner_, step_start_state(), step_end_state(), states_of(error_));
}

}  // namespace saltus::integrate
