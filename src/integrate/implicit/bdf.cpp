#include "integrate/implicit/bdf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/step/weighted_sum.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

using bdf::kMostPoints;

// DASSL: iterations allowed.
constexpr int kMostIterationsOfBdf = 4;
// Part of the tolerance that the iteration may leave; DASSL's 1/3 saves few iterations and shows in the differences.
constexpr double kIterationTolerance = 0.1;
constexpr double kFailedIterationFactor = 0.25;
// The values that a step of radau5 leaves: its two inner stages and both ends.
constexpr int kStartOrder = 3;

// radau5 turns tolerances τ into 0.1 τ^(2/3) for its estimate, which is of the order of the starting values: they are to be as
// good as the given tolerance.
double starter_factor(const Tolerances& tolerances) {
  if (!tolerances.test_error || tolerances.norm != ErrorNorm::weighted_rms || tolerances.atol.empty()) {
    return 1.0;
  }
  const double base = tolerances.rtol > 0.0
                          ? tolerances.rtol
                          : *std::min_element(tolerances.atol.begin(), tolerances.atol.end());
  return std::pow(10.0 * base, 1.5) / base;
}

Tolerances starter_tolerances(const Tolerances& tolerances) {
  Tolerances changed = tolerances;
  const double factor = starter_factor(tolerances);
  changed.rtol *= factor;
  for (double& atol : changed.atol) {
    atol *= factor;
  }
  return changed;
}

NewtonConvergence::Options newton_options(const Tolerances& tolerances) {
  if (!tolerances.test_error) {
    return fixed_step_newton(4);
  }
  return {.max_iterations = kMostIterationsOfBdf,
          .tolerance = kIterationTolerance,
          .step_order = 4,
          .noise = newton_noise(tolerances.rtol)};
}

int highest_of(const bdf::OrderPolicy::Options& orders) {
  return orders.fixed_order > 0 ? orders.fixed_order : orders.max_order;
}

}  // namespace

Bdf::Bdf(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states, Tolerances tolerances,
         const bdf::OrderPolicy::Options& orders)
    : n_states_(n_states),
      tolerances_(std::move(tolerances)),
      orders_(orders),
      highest_order_(highest_of(orders)),
      starter_(evaluator, locked, n_states, starter_tolerances(tolerances_),
               1.0 / starter_factor(tolerances_)),
      system_(starter_.system()),
      convergence_(newton_options(tolerances_)),
      moved_(n_states) {
  SALTUS_EXPECT(highest_order_ >= 1 && highest_order_ <= bdf::kHighestOrder, "orders are 1 to 6");
  dense_.assign(static_cast<std::size_t>((bdf::kHighestOrder + 1) * n_states), 0.0);
  lay_out();
}

void Bdf::lay_out() {
  const auto n_y = static_cast<std::size_t>(system_.n_y());
  const auto n = static_cast<std::size_t>(n_states_);
  constexpr std::size_t kVectorsOfY = kMostPoints + 5;
  constexpr std::size_t kVectorsOfHistory = 4;
  const std::size_t needed = kVectorsOfY * n_y + kVectorsOfHistory * n;
  if (storage_.size() < needed) {
    storage_.resize(needed);
  }
  double* next = storage_.data();
  const auto take = [&next](std::size_t size) {
    return std::span<double>(std::exchange(next, next + size), size);
  };
  for (std::span<double>& value : past_) {
    value = take(n_y);
  }
  for (std::span<double>* vector : {&y_end_, &predicted_, &change_, &residual_, &scale_}) {
    *vector = take(n_y);
  }
  for (std::span<double>* vector : {&error_, &ydot_start_, &ydot_end_, &ydot_predicted_}) {
    *vector = take(n);
  }
}

void Bdf::fields(Archive& a) {
  // Not saved: n_states_, tolerances_, orders_, highest_order_, storage_.
  a(starter_);
  if (a.is_loading() && a.ok()) {
    lay_out();
  }
  a(convergence_, past_, offsets_, n_past_, y_end_, predicted_, change_, residual_, scale_, error_,
    ydot_start_, ydot_end_, ydot_predicted_, dense_, moved_, start_, end_, h_, adjustment_, order_,
    next_order_, matrix_alpha_, is_starting_, ends_start_, needs_start_, phase_);
}

void Bdf::set_evaluator(system::Evaluator& evaluator) {
  starter_.set_evaluator(evaluator);
  lay_out();
  phase_.close();
}

void Bdf::set_system(system::Evaluator& evaluator, const system::LockedDae& locked) {
  starter_.set_system(evaluator, locked);
  lay_out();
  phase_.close();
}

const trajectory::CompensatedTime& Bdf::time() const {
  return is_starting_ ? starter_.time() : phase_.is_accepted() ? end_ : start_;
}

std::span<const double> Bdf::state() const {
  return is_starting_ ? starter_.state() : states_of(phase_.is_accepted() ? y_end_ : past_[0]);
}

std::span<const double> Bdf::derivative() const {
  return is_starting_ ? starter_.derivative() : phase_.is_accepted() ? ydot_end_ : ydot_start_;
}

system::ResidualPoint Bdf::residual_point() const {
  if (is_starting_) {
    return starter_.residual_point();
  }
  return system_.has_form() ? system::ResidualPoint{phase_.is_accepted() ? y_end_ : past_[0], derivative()}
                            : system::ResidualPoint{};
}

std::span<const double> Bdf::step_start_state() const {
  return is_starting_ ? starter_.step_start_state() : states_of(past_[0]);
}

std::span<const double> Bdf::step_end_state() const {
  return is_starting_ ? starter_.step_end_state() : states_of(y_end_);
}

const trajectory::CompensatedTime& Bdf::step_start_time() const {
  return is_starting_ ? starter_.step_start_time() : start_;
}

system::Evaluation Bdf::probe(double t, std::span<const double> x, std::span<double> xdot) {
  return starter_.probe(t, x, xdot);
}

system::Evaluation Bdf::started(const system::Evaluation& evaluation) {
  is_starting_ = true;
  ends_start_ = true;
  needs_start_ = false;
  phase_.begin();
  n_past_ = 0;
  matrix_alpha_ = 0.0;
  return evaluation;
}

system::Evaluation Bdf::restart(const trajectory::CompensatedTime& t, std::span<const double> x) {
  return started(starter_.restart(t, x));
}

system::Evaluation Bdf::restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                                std::span<const double> xdot) {
  return started(starter_.restart(t, x, xdot));
}

// The accepted end becomes the newest of the past values; the oldest makes room for the next end.
void Bdf::push_newest() {
  const std::span<double> oldest = past_.back();
  for (std::size_t j = kMostPoints - 1; j > 0; --j) {
    past_[j] = past_[j - 1];
    offsets_[j] = offsets_[j - 1] + h_;
  }
  past_[0] = std::exchange(y_end_, oldest);
  n_past_ = std::min(n_past_ + 1, static_cast<int>(kMostPoints));
}

bool Bdf::can_leave_start() const {
  return tolerances_.test_error ? ends_start_ : n_past_ > highest_order_;
}

// Takes over what the accepted step of radau5 has left.
void Bdf::take_start() {
  h_ = starter_.step_size();
  const std::span<const double> from = starter_.whole_start();
  const std::span<const double> to = starter_.whole_end();
  if (tolerances_.test_error) {
    n_past_ = kStartOrder + 1;
    offsets_ = {0.0, (1.0 - radau5::kC[1]) * h_, (1.0 - radau5::kC[0]) * h_, h_};
    std::copy(to.begin(), to.end(), past_[0].begin());
    std::copy(from.begin(), from.end(), past_[3].begin());
    for (std::size_t stage = 0; stage < 2; ++stage) {
      const std::span<const double> z = starter_.stage_change(stage);
      for (std::size_t i = 0; i < z.size(); ++i) {
        past_[2 - stage][i] = from[i] + z[i];
      }
    }
  } else {
    if (n_past_ == 0) {
      n_past_ = 1;
      offsets_[0] = 0.0;
      std::copy(from.begin(), from.end(), past_[0].begin());
    }
    std::copy(to.begin(), to.end(), y_end_.begin());
    push_newest();
  }
  if (!can_leave_start()) {
    ends_start_ = true;
    return;
  }
  next_order_ = tolerances_.test_error ? std::min(kStartOrder, highest_order_) : highest_order_;
  start_ = starter_.time();
  const std::span<const double> slope = starter_.derivative();
  std::copy(slope.begin(), slope.end(), ydot_start_.begin());
  convergence_.forget();
  is_starting_ = false;
}

void Bdf::begin_step() {
  const bool was_accepted = phase_.is_accepted();
  phase_.begin();
  if (was_accepted && is_starting_) {
    take_start();
  } else if (was_accepted) {
    push_newest();
    std::swap(ydot_start_, ydot_end_);
    start_ = end_;
  }
}

StepAttempt Bdf::do_attempt(double h, const trajectory::CompensatedTime& end) {
  begin_step();
  if (!is_starting_ && (needs_start_ || h * offsets_[1] < 0.0)) {
    // Also where time turns back: the past would lie ahead.
    const system::Evaluation evaluation = started(starter_.restart(start_, states_of(past_[0]), ydot_start_));
    --starter_.counts().restarts;
    if (!evaluation.ok()) {
      return failed(evaluation);
    }
  }
  return is_starting_ ? start_attempt(h, end) : multistep_attempt(h, end);
}

StepAttempt Bdf::start_attempt(double h, const trajectory::CompensatedTime& end) {
  const StepAttempt attempt = end.low() == 0.0 ? starter_.attempt_to(end.value()) : starter_.attempt(h);
  if (attempt.good()) {
    phase_.open();
  }
  return attempt;
}

void Bdf::predict() {
  const bdf::Predictor weights = bdf::predictor(order_, h_, offsets_);
  const auto n_points = static_cast<std::size_t>(order_) + 1;
  weighted_sum(past_, weights.value, n_points, predicted_);
  for (std::size_t i = 0; i < predicted_.size(); ++i) {
    predicted_[i] += past_[0][i];
  }
  weighted_sum(past_, weights.slope, n_points, ydot_predicted_);
}

StepAttempt Bdf::failed(const system::Evaluation& evaluation) {
  ++starter_.counts().rejected_by_evaluation;
  return {StepAttempt::Status::evaluation_failed, 0.0, evaluation};
}

StepAttempt Bdf::multistep_attempt(double h, const trajectory::CompensatedTime& end) {
  system_.evaluator().restore_solutions();
  // From here to the end only the buffers of the new step are written.
  h_ = h;
  end_ = end;
  order_ = std::min(next_order_, n_past_ - 1);
  predict();
  const std::span<const double> atol = system_.atol();
  const double rtol = tolerances_.test_error ? tolerances_.rtol : kFixedStepAccuracy;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    scale_[i] = 1.0 / (atol[i] + rtol * std::abs(past_[0][i]));
  }
  if (const StepAttempt solved = solve(); !solved.good()) {
    return solved;
  }
  double error = estimate_error();
  const bool tests_error = tolerances_.test_error;
  if (!tests_error || error <= 1.0) {
    if (const system::Evaluation at_end = finish_end(error); !at_end.ok()) {
      return failed(at_end);
    }
  }
  if (!std::isfinite(error)) {
    return failed({system::Evaluation::Status::not_finite, worst_state()});
  }
  if (tests_error && error > 1.0) {
    ++starter_.counts().rejected_by_error;
    return {StepAttempt::Status::error_too_large, error, {}};
  }
  phase_.open();
  return {StepAttempt::Status::good, tests_error ? error : 0.0, {}};
}

double Bdf::estimate_error() {
  const double constant = bdf::error_constant(order_, h_, offsets_);
  for (std::size_t i = 0; i < error_.size(); ++i) {
    error_[i] = constant * change_[i];
  }
  return error_norm(tolerances_, step_start_state(), step_end_state(), error_);
}

// Projection of the newest value. Where r is ẋ - f, ẋ is f there; a residual form keeps the slope of the formula.
system::Evaluation Bdf::finish_end(double& error) {
  if (!system_.projects()) {
    return {};
  }
  const std::span<double> x = y_end_.first(static_cast<std::size_t>(n_states_));
  std::copy(x.begin(), x.end(), residual_.begin());
  if (const system::Evaluation projection = system_.project(end_.value(), x); !projection.ok()) {
    return projection;
  }
  adjustment_.begin();
  adjustment_.note(states_of(residual_), x);
  if (!system_.has_form()) {
    ++starter_.counts().rhs.stages;
    if (const system::Evaluation slope = system_.evaluator().rhs(end_.value(), x, ydot_end_); !slope.ok()) {
      return slope;
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    residual_[i] -= x[i];
  }
  const double moved = error_norm(tolerances_, step_start_state(), step_end_state(), states_of(residual_));
  if (moved > error) {
    error = moved;
    std::copy_n(residual_.begin(), x.size(), error_.begin());
  }
  return {};
}

// ‖h^(m+1) x^(m+1)‖ for another m than that of the step.
double Bdf::term(int order) {
  const bdf::Difference weights = bdf::scaled_difference(order, h_, offsets_);
  const std::span<double> sum = residual_.first(static_cast<std::size_t>(n_states_));
  weighted_sum(past_, weights.past, static_cast<std::size_t>(order) + 1, sum);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += weights.newest * (y_end_[i] - past_[0][i]);
  }
  return error_norm(tolerances_, step_start_state(), step_end_state(), sum);
}

bdf::Terms Bdf::terms() {
  bdf::Terms result;
  const double factor = bdf::scaled_difference_factor(order_, h_, offsets_);
  const std::span<double> sum = residual_.first(static_cast<std::size_t>(n_states_));
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = factor * change_[i];
  }
  result.here = error_norm(tolerances_, step_start_state(), step_end_state(), sum);
  if (order_ > 1) {
    result.below = term(order_ - 1);
  }
  if (order_ > 2) {
    result.two_below = term(order_ - 2);
  }
  if (order_ < highest_order_ && n_past_ >= order_ + 2) {
    result.above = term(order_ + 1);
  }
  return result;
}

void Bdf::accept() {
  phase_.accept();
  if (is_starting_) {
    starter_.accept();
    return;
  }
  system_.evaluator().keep_solutions();
  ++starter_.counts().accepted;
  if (system_.projects()) {
    adjustment_.accept(h_, order_, starter_.counts());
  }
}

void Bdf::reject() {
  const bool was_good = phase_.reject();
  if (is_starting_) {
    starter_.reject();
  } else {
    starter_.counts().rejected_by_error += was_good ? 1 : 0;
  }
}

void Bdf::retract() {
  phase_.retract();
  needs_start_ = false;
  if (is_starting_) {
    ends_start_ = true;
    starter_.retract();
    return;
  }
  next_order_ = order_;
  --starter_.counts().accepted;
  ++starter_.counts().retracted;
}

StepAdvice Bdf::advice() const {
  return is_starting_ ? starter_.advice() : StepAdvice{.failure_factor = kFailedIterationFactor};
}

std::span<const double> Bdf::error_estimate() const {
  return is_starting_ ? starter_.error_estimate() : error_;
}

Index Bdf::worst_state() const {
  return is_starting_ ? starter_.worst_state()
                      : integrate::worst_state(tolerances_, step_start_state(), step_end_state(), error_);
}

}  // namespace saltus::integrate
