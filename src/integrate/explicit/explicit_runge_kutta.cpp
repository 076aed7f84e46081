#include "integrate/explicit/explicit_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// Rows of storage are padded to whole cache lines so that every vector starts aligned alike.
constexpr Index kRowAlignment = 8;

Index padded(Index n) {
  return (n + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

int most_extra_stages(const Tableau& tableau) {
  int most = 0;
  for (const DenseTable& table : tableau.dense) {
    most = std::max(most, table.n_extra());
  }
  return most;
}

int highest_degree(const Tableau& tableau) {
  int highest = kHermiteOrder;
  for (const DenseTable& table : tableau.dense) {
    highest = std::max(highest, table.degree);
  }
  return highest;
}

// b_i(θ)
double dense_weight(const DenseTable& table, std::size_t stage, double theta) {
  const auto degree = static_cast<std::size_t>(table.degree);
  double sum = 0.0;
  for (std::size_t power = degree; power > 0 && stage * degree < table.polynomial.size(); --power) {
    sum = theta * (sum + table.polynomial[stage * degree + power - 1]);
  }
  return sum;
}

}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(const Tableau& tableau, system::Evaluator& evaluator, Index n_states,
                                       Tolerances tolerances)
    : tableau_(tableau),
      rates_(&evaluator),
      projections_(&evaluator),
      projection_(evaluator.projection()),
      n_states_(n_states),
      tolerances_(std::move(tolerances)) {
  SALTUS_EXPECT(n_states >= 0, "the number of states is not negative");
  SALTUS_EXPECT(static_cast<Index>(tolerances_.atol.size()) == n_states, "one absolute tolerance per state");
  SALTUS_EXPECT(tolerances_.rtol >= 0.0, "tolerances are not negative");
  SALTUS_EXPECT(!tolerances_.test_error || tableau.embedded_order > 0,
                "this method has no error estimate; it runs with fixed steps");
  SALTUS_EXPECT(!tolerances_.test_error || std::all_of(tolerances_.atol.begin(), tolerances_.atol.end(),
                                                       [](double atol) { return atol > 0.0; }),
                "absolute tolerances are positive");
  // One more: f in the middle of a step in doubt.
  const std::size_t n_stages = end_stage() + 2 + static_cast<std::size_t>(most_extra_stages(tableau));
  SALTUS_ASSERT(n_stages <= kMaxStages && highest_degree(tableau) <= trajectory::kMaxSegmentDegree);

  const Index stride = padded(n_states);
  constexpr Index kVectorsBesideStages = 6;
  storage_.assign(static_cast<std::size_t>((static_cast<Index>(n_stages) + kVectorsBesideStages) * stride),
                  0.0);
  double* next = storage_.data();
  const auto take = [&next, stride] { return std::exchange(next, next + stride); };
  for (std::size_t stage = 0; stage < n_stages; ++stage) {
    k_[stage] = take();
  }
  for (std::span<double>* vector : {&x_start_, &x_end_, &scratch_, &error_, &unmoved_, &bend_}) {
    *vector = {take(), static_cast<std::size_t>(n_states)};
  }
  dense_.assign(static_cast<std::size_t>((highest_degree(tableau) + 1) * n_states), 0.0);
  prepare_plans();
}

void ExplicitRungeKutta::prepare_plans() {
  for (int stage = 1; stage < tableau_.n_stages(); ++stage) {
    stage_plans_.emplace_back(tableau_.row(stage));
  }
  solution_plan_ = Combination(tableau_.b);
  for (std::size_t stage = 0; stage < tableau_.b_embedded.size(); ++stage) {
    error_plan_.add(stage, tableau_.b[stage] - tableau_.b_embedded[stage]);
  }
  second_plan_ = Combination(tableau_.b_second);
  for (const DenseTable& table : tableau_.dense) {
    DensePlan& plan = dense_plans_.emplace_back();
    for (int extra = 0; extra < table.n_extra(); ++extra) {
      plan.extra_stages.emplace_back(tableau_.extra_row(table, extra));
    }
    prepare_corrections(table, plan);
  }
}

std::size_t ExplicitRungeKutta::end_stage() const {
  return static_cast<std::size_t>(tableau_.n_step_stages()) - 1;
}

std::span<const double> ExplicitRungeKutta::derivative() const {
  return {k_[phase_.is_accepted() ? end_stage() : 0], static_cast<std::size_t>(n_states_)};
}

double ExplicitRungeKutta::stage_time(double c) const {
  // The low part joins c·h before the sum: stages are apart even where h is near the spacing of doubles at t.
  return start_.value() + (start_.low() + c * h_);
}

system::Evaluation ExplicitRungeKutta::evaluate_stage(double t, std::span<double> x, std::size_t stage,
                                                      system::Projection least) {
  if (projection_ >= least) {
    if (const system::Evaluation projection = projections_->project(t, x); !projection.ok()) {
      return projection;
    }
  }
  return rates_->rhs(t, x, {k_[stage], static_cast<std::size_t>(n_states_)});
}

system::Evaluation ExplicitRungeKutta::probe(double t, std::span<const double> x, std::span<double> xdot) {
  ++statistics_.rhs.initial_step;
  return rates_->rhs(t, x, xdot);
}

void ExplicitRungeKutta::set_evaluator(system::Evaluator& evaluator) {
  rates_ = &evaluator;
  projections_ = &evaluator;
  projection_ = evaluator.projection();
  phase_.close();
}

void ExplicitRungeKutta::rejoin(system::Evaluator& evaluator) {
  rates_ = &evaluator;
  projections_ = &evaluator;
  projection_ = evaluator.projection();
}

// Vectors change their places: what is in them is saved, not where they are.
void ExplicitRungeKutta::fields(Archive& a) {
  // Not saved: n_states_, tolerances_, the plans (stage_plans_, solution_plan_, error_plan_, second_plan_, dense_plans_), storage_; of the
  // evaluator rates_, projections_, projection_.
  a(statistics_, start_, end_, h_, phase_, adjustment_, n_extra_known_, x_start_, x_end_, scratch_, error_,
    unmoved_, bend_, dense_);
  const std::size_t n_stages = end_stage() + 2 + static_cast<std::size_t>(most_extra_stages(tableau_));
  for (std::size_t stage = 0; stage < n_stages; ++stage) {
    a(std::span<double>(k_[stage], x_start_.size()));
  }
}

// The accepted point becomes (t, x); its derivative is still to come.
void ExplicitRungeKutta::move_to(const trajectory::CompensatedTime& t, std::span<const double> x) {
  SALTUS_EXPECT(static_cast<Index>(x.size()) == n_states_, "x must have one place per state");
  // x may be a view of this stepper's own vectors.
  std::copy(x.begin(), x.end(), scratch_.begin());
  phase_.begin();
  start_ = t;
  std::swap(x_start_, scratch_);
  ++statistics_.restarts;
}

system::Evaluation ExplicitRungeKutta::restart(const trajectory::CompensatedTime& t,
                                               std::span<const double> x) {
  move_to(t, x);
  ++statistics_.rhs.restarts;
  system::Evaluation evaluation = project_start();
  if (evaluation.ok()) {
    evaluation = rates_->rhs(t.value(), x_start_, {k_[0], static_cast<std::size_t>(n_states_)});
  }
  if (evaluation.ok()) {
    rates_->keep_solutions();
  }
  return evaluation;
}

system::Evaluation ExplicitRungeKutta::project_start() {
  return projection_ >= system::Projection::instants ? projections_->project_instant(start_.value(), x_start_)
                                                     : system::Evaluation{};
}

system::Evaluation ExplicitRungeKutta::restart(const trajectory::CompensatedTime& t,
                                               std::span<const double> x, std::span<const double> xdot) {
  SALTUS_EXPECT(static_cast<Index>(xdot.size()) == n_states_, "xdot must have one place per state");
  // xdot may be the derivative of this stepper itself.
  std::copy(xdot.begin(), xdot.end(), error_.begin());
  move_to(t, x);
  std::copy(error_.begin(), error_.end(), k_[0]);
  const system::Evaluation evaluation = project_start();
  rates_->keep_solutions();
  return evaluation;
}

// Moves the roles of the buffers from the accepted step to the one that begins.
void ExplicitRungeKutta::begin_step() {
  // An attempt depends on the accepted point and h, not on attempts before it.
  rates_->restore_solutions();
  if (phase_.is_accepted()) {
    std::swap(x_start_, x_end_);
    std::swap(k_[0], k_[end_stage()]);
    start_ = end_;
  }
  phase_.begin();
  adjustment_.begin();
  n_extra_known_ = 0;
}

system::Evaluation ExplicitRungeKutta::evaluate_end() {
  ++statistics_.rhs.stages;
  if (!projects()) {
    return evaluate_stage(end_.value(), x_end_, end_stage(), system::Projection::results);
  }
  std::copy(x_end_.begin(), x_end_.end(), unmoved_.begin());
  const system::Evaluation evaluation =
      evaluate_stage(end_.value(), x_end_, end_stage(), system::Projection::results);
  adjustment_.note(unmoved_, x_end_);
  return evaluation;
}

// Stages 2..s but for f(end) of a first-same-as-last method.
system::Evaluation ExplicitRungeKutta::evaluate_inner_stages() {
  const std::size_t n = stage_plans_.size() + 1 - (tableau_.first_same_as_last ? 1 : 0);
  for (std::size_t stage = 1; stage < n; ++stage) {
    stage_plans_[stage - 1].apply(x_start_, h_, k_, scratch_);
    ++statistics_.rhs.stages;
    const double c = tableau_.c[stage];
    const system::Evaluation evaluation =
        evaluate_stage(c == 1.0 ? end_.value() : stage_time(c), scratch_, stage, system::Projection::stages);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

StepAttempt ExplicitRungeKutta::do_attempt(double h, const trajectory::CompensatedTime& end) {
  begin_step();
  // From here to the end only the buffers of the new step are written: x_start_, start_ and k_[0] stay.
  h_ = h;
  end_ = end;
  const auto failed = [this](const system::Evaluation& evaluation) {
    ++statistics_.rejected_by_evaluation;
    return StepAttempt{StepAttempt::Status::evaluation_failed, 0.0, evaluation};
  };
  if (const system::Evaluation inner = evaluate_inner_stages(); !inner.ok()) {
    return failed(inner);
  }
  // x + h k₀ + h Σ b_j (k_j - k₀): exact where the stages are alike, whatever the rounding of the b_j.
  solution_plan_.apply_to_differences(h, k_, bend_);
  for (std::size_t i = 0; i < x_end_.size(); ++i) {
    x_end_[i] = x_start_[i] + (h * k_[0][i] + bend_[i]);
  }
  // With first-same-as-last the estimate needs f(end); otherwise f(end) waits for the error test.
  if (tableau_.first_same_as_last) {
    if (const system::Evaluation at_end = evaluate_end(); !at_end.ok()) {
      return failed(at_end);
    }
  }
  error_plan_.apply(h, k_, error_);
  if (!tableau_.b_second.empty()) {
    take_second_estimate();
  }
  const double error = tolerances_.test_error ? measured_error() : 0.0;
  if (!std::isfinite(error) || (!tolerances_.test_error && !all_finite(x_end_))) {
    return failed({system::Evaluation::Status::not_finite, worst_state()});
  }
  if (error > 1.0) {
    ++statistics_.rejected_by_error;
    return {StepAttempt::Status::error_too_large, error, {}};
  }
  if (!tableau_.first_same_as_last) {
    if (const system::Evaluation at_end = evaluate_end(); !at_end.ok()) {
      return failed(at_end);
    }
  }
  phase_.open();
  return is_in_doubt() ? checked_in_middle(error) : StepAttempt{StepAttempt::Status::good, error, {}};
}

// A good attempt that may not have seen all of the solution.
StepAttempt ExplicitRungeKutta::checked_in_middle(double error) {
  const double unseen = defect_in_middle();
  if (unseen > 1.0) {
    phase_.close();
    std::swap(error_, scratch_);
    ++statistics_.rejected_by_error;
    return {StepAttempt::Status::error_too_large, unseen, {}};
  }
  // Solutions of iterations that are kept with the step are those of its end.
  if (const system::Evaluation at_end = evaluate_end(); !at_end.ok()) {
    phase_.close();
    ++statistics_.rejected_by_evaluation;
    return {StepAttempt::Status::evaluation_failed, 0.0, at_end};
  }
  return {StepAttempt::Status::good, std::max(error, unseen), {}};
}

double ExplicitRungeKutta::measured_error() {
  const double estimate = error_norm(tolerances_, x_start_, x_end_, error_);
  if (!projects() || !tableau_.first_same_as_last) {
    return estimate;
  }
  for (std::size_t i = 0; i < x_end_.size(); ++i) {
    scratch_[i] = unmoved_[i] - x_end_[i];
  }
  const double moved = error_norm(tolerances_, x_start_, x_end_, scratch_);
  if (!(moved > estimate)) {
    return estimate;
  }
  std::swap(error_, scratch_);
  return moved;
}

double ExplicitRungeKutta::extension_error(double theta) {
  SALTUS_EXPECT(phase_.is_open(), "extensions belong to a good attempt");
  // A stage that cannot be evaluated says nothing of the error.
  if (dense_plans_.size() < 2 || !tolerances_.test_error ||
      !evaluate_extra_stages(tableau_.dense.back(), dense_plans_.back()).ok()) {
    return 0.0;
  }
  const DenseTable& full = tableau_.dense.back();
  Combination difference;
  for (std::size_t stage = 1; stage * static_cast<std::size_t>(full.degree) < full.polynomial.size();
       ++stage) {
    difference.add(stage,
                   dense_weight(full, stage, theta) - dense_weight(tableau_.dense.front(), stage, theta));
  }
  difference.apply_to_differences(h_, k_, scratch_);
  return error_norm(tolerances_, x_start_, x_end_, scratch_);
}

double ExplicitRungeKutta::second_error() {
  SALTUS_EXPECT(phase_.is_open() && !phase_.is_accepted(), "the second measure is that of a good attempt");
  const double difference = extension_error(0.5);
  if (difference == 0.0) {
    return 0.0;
  }
  const double error = difference / tableau_.dense.front().error_in_middle;
  if (error > 1.0) {
    std::swap(error_, scratch_);
    ++statistics_.rejected_by_error;
  }
  return error;
}

void ExplicitRungeKutta::accept() {
  phase_.accept(statistics_);
  if (projects()) {
    adjustment_.accept(h_, order(), statistics_);
  }
  rates_->keep_solutions();
}

void ExplicitRungeKutta::reject() {
  phase_.reject(statistics_);
}

void ExplicitRungeKutta::retract() {
  phase_.retract(statistics_);
}

Index ExplicitRungeKutta::worst_state() const {
  return integrate::worst_state(tolerances_, x_start_, x_end_, error_);
}

}  // namespace saltus::integrate
