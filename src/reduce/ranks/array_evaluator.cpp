#include "reduce/ranks/array_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/machine.hpp"
#include "reduce/nonlinear/rank_codes.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;

// Rates come from an iteration that ends at corrections of 1e-13 of them or at its rounding errors: a few digits are allowed for
// the condition.
constexpr double kArrayRateNoise = 1e-11;

AnalysisOptions with_states(AnalysisOptions options) {
  options.form = AnalysisForm::states;
  return options;
}

std::string row_text(const system::EquationSet& equations, Index row) {
  const system::RowInfo& info = equations.rows()[at_index(row)];
  return info.order == 0 ? fmt::format("'{}'", info.text)
                         : fmt::format("'{}' (an equation differentiated {})", info.text,
                                       info.order == 1 ? "once" : fmt::format("{} times", info.order));
}

}  // namespace

ArrayEvaluator::ArrayEvaluator(std::unique_ptr<system::Evaluator> inner, const system::LockedDae& dae,
                               const AnalysisOptions& options)
    : ForwardingEvaluator(std::move(inner)),
      dae_(dae),
      options_(with_states(options)),
      rates_(dae.states().size()),
      gradient_(dae.states().size()) {}

// Made anew over the array of its level, with the groups that it had.
void ArrayEvaluator::newton_fields(Archive& a, std::unique_ptr<ArrayNewton>& newton) {
  bool is_there = newton != nullptr;
  std::vector<ArrayGroup> groups = is_there ? newton->groups() : std::vector<ArrayGroup>();
  a(is_there, groups);
  if (a.is_loading() && a.ok()) {
    newton = nullptr;
    const auto array = dae_.derivative_array(array_level_);
    if (is_there && !array) {
      a.refuse("a derivative array cannot be had");
    } else if (is_there) {
      std::vector<double> nominal;
      for (const system::SlotInfo& slot : (*array)->slots()) {
        nominal.push_back(slot.nominal);
      }
      newton = std::make_unique<ArrayNewton>(*array, std::move(groups), std::move(nominal));
    }
  }
  a(newton);
}

void ArrayEvaluator::fields(Archive& a) {
  // Not saved: options_.
  ForwardingEvaluator::fields(a);
  a(configuration_, state_, values_, failure_, last_time_, ranks_differ_, pivots_, array_level_);
  newton_fields(a, newton_);
  newton_fields(a, relaxed_);
  int last = last_newton_ == nullptr ? 0 : last_newton_ == newton_.get() ? 1 : 2;
  bool has_reduced = reduced_ != nullptr;
  bool has_contradicted = contradicted_ != nullptr;
  a(layout_, has_reduced, last, has_contradicted, contradicted_level_);
  if (a.is_loading() && a.ok()) {
    last_newton_ = last == 0 ? nullptr : last == 1 ? newton_.get() : relaxed_.get();
    if (has_reduced) {
      (void)residual_runner();
    } else {
      reduced_ = nullptr;
    }
    contradicted_ = nullptr;
    if (has_contradicted) {
      if (const auto array = dae_.derivative_array(contradicted_level_)) {
        contradicted_ = *array;
      }
    }
  }
  a(reduced_, is_reduced_, response_, slots_, kept_slots_, rates_, gradient_, contradiction_,
    contradicted_rows_, last_miss_, not_finite_row_);
}

system::Projection ArrayEvaluator::projection() const {
  return std::max(inner().projection(), system::Projection::results);
}

void ArrayEvaluator::set_configuration(const system::Configuration& configuration) {
  ForwardingEvaluator::set_configuration(configuration);
  ranks_differ_ = false;
  if (configuration == configuration_ && state_ != State::failed) {
    return;
  }
  configuration_ = configuration;
  if (newton_) {
    newton_->set_configuration(configuration);
    relaxed_->set_configuration(configuration);
  }
  if (reduced_) {
    reduced_->set_configuration(configuration);
  }
  state_ = state_ == State::ready || state_ == State::unverified ? State::unverified : State::unknown;
}

void ArrayEvaluator::set_latched(Index guard, double value) {
  ForwardingEvaluator::set_latched(guard, value);
  SALTUS_EXPECT(at_index(guard) < configuration_.latched.size(), "a guard of the configuration");
  configuration_.latched[at_index(guard)] = value;
  if (newton_) {
    newton_->set_latched(guard, value);
    relaxed_->set_latched(guard, value);
  }
  if (reduced_) {
    reduced_->set_latched(guard, value);
  }
}

void ArrayEvaluator::analyse_again() {
  state_ = State::unknown;
  ranks_differ_ = false;
}

Evaluation ArrayEvaluator::fail(Diagnostics problems) {
  failure_ = problems.items().empty() ? std::string("no analysis") : problems.items().front().message;
  state_ = State::failed;
  return {Evaluation::Status::no_convergence, -1};
}

Evaluation ArrayEvaluator::prepare(double t, std::span<const double> x) {
  if (state_ == State::ready) {
    return {};
  }
  if (state_ == State::unverified && still_holds(t, x)) {
    state_ = State::ready;
    return {};
  }
  return analyse(t, x);
}

bool ArrayEvaluator::still_holds(double t, std::span<const double> x) {
  if (values_->undetermined > 0) {
    return false;
  }
  bool is_same = false;
  return solve(t, x).ok() && newton_->compare_ranks(t, slots_, is_same).ok() && is_same;
}

Evaluation ArrayEvaluator::analyse(double t, std::span<const double> x) {
  auto values = find_characteristic_values(dae_, configuration_, t, x, options_);
  if (!values) {
    return fail(std::move(values).error());
  }
  const int level = values->level + 1;
  auto before = dae_.derivative_array(values->level);
  auto array = dae_.derivative_array(level);
  if (!before || !array) {
    return fail(std::move(before ? array : before).error());
  }
  array_level_ = level;
  // Rows of the array before are no rows of this one.
  last_miss_ = {};
  not_finite_row_ = -1;
  layout_ = make_array_layout(**array, level, dae_.states());
  slots_ = extended_slots(make_array_layout(**before, values->level), values->slots, layout_);
  std::vector<double> nominal;
  for (const system::SlotInfo& slot : (*array)->slots()) {
    nominal.push_back(slot.nominal);
  }
  const bool least_rates = values->undetermined > 0;
  newton_ = std::make_unique<ArrayNewton>(
      *array, newton_groups(layout_, StateOrder::algebraic_first, least_rates), nominal);
  relaxed_ = std::make_unique<ArrayNewton>(*array, newton_groups(layout_, StateOrder::all_alike, least_rates),
                                           nominal);
  Evaluation evaluation = freeze_ranks(*relaxed_, t);
  if (evaluation.ok()) {
    const ArrayLayout by_numbers = layout_by_numbers(layout_, **array, level, relaxed_->entries());
    if (by_numbers.algebraic.size() != layout_.algebraic.size()) {
      layout_ = by_numbers;
      newton_ = std::make_unique<ArrayNewton>(
          *array, newton_groups(layout_, StateOrder::algebraic_first, least_rates), nominal);
    }
    evaluation = freeze_ranks(*newton_, t);
  }
  if (!evaluation.ok()) {
    state_ = State::unknown;
    return {Evaluation::Status::no_projection, evaluation.culprit};
  }
  const Index constraints = newton_->ranks()[0] + newton_->ranks()[1];
  if (constraints != values->algebraic) {
    Diagnostics problems;
    problems.error(
        kIndexNotFound,
        fmt::format("{} differentiations show {} constraints of the states, {} show {}: the ranks are not "
                    "constant near time = {:g}",
                    values->level, values->algebraic, level, constraints, t));
    return fail(std::move(problems));
  }
  values_ = *std::move(values);
  is_reduced_ = false;
  kept_slots_ = slots_;
  contradiction_ = {};
  contradicted_ = nullptr;
  state_ = State::ready;
  return {};
}

// Ranks at a solution near the slots, which become that solution.
Evaluation ArrayEvaluator::freeze_ranks(ArrayNewton& newton, double t) {
  newton.set_configuration(configuration_);
  Evaluation evaluation = newton.decide_ranks(t, slots_);
  if (evaluation.ok()) {
    newton.clear_ranks();
    evaluation = newton.solve(t, slots_);
    last_miss_ = newton.miss();
  }
  return evaluation.ok() ? newton.decide_ranks(t, slots_) : evaluation;
}

Evaluation ArrayEvaluator::solve(double t, std::span<const double> x) {
  const Evaluation evaluation = solve_with(*newton_, t, x);
  if (evaluation.status != Evaluation::Status::no_projection || layout_.algebraic.empty()) {
    return evaluation;
  }
  std::copy(kept_slots_.begin(), kept_slots_.end(), slots_.begin());
  return solve_with(*relaxed_, t, x);
}

Evaluation ArrayEvaluator::solve_with(ArrayNewton& newton, double t, std::span<const double> x) {
  last_time_ = t;
  for (std::size_t i = 0; i < x.size(); ++i) {
    slots_[at_index(layout_.state[i])] = x[i];
  }
  last_newton_ = &newton;
  const Evaluation evaluation = note_row(newton.solve(t, slots_));
  last_miss_ = newton.miss();
  if (!evaluation.ok()) {
    return {evaluation.status == Evaluation::Status::no_convergence ? Evaluation::Status::no_projection
                                                                    : evaluation.status,
            evaluation.culprit};
  }
  if (last_miss_.is_contradiction()) {
    if (!newton.equations().is_linear()) {
      return {Evaluation::Status::no_projection, last_miss_.row};
    }
    if (last_miss_.relative > contradiction_.relative) {
      contradiction_ = last_miss_;
      contradicted_ = newton.shared_equations();
      contradicted_level_ = array_level_;
      contradicted_rows_.assign(newton.misses().begin(), newton.misses().end());
    }
  }
  return {};
}

// A culprit of the array is a row of it: nobody else can describe it.
Evaluation ArrayEvaluator::note_row(const Evaluation& evaluation) {
  not_finite_row_ = evaluation.status == Evaluation::Status::not_finite ? evaluation.culprit : -1;
  return evaluation;
}

Evaluation ArrayEvaluator::project(double t, std::span<double> x) {
  if (const Evaluation evaluation = prepare(t, x); !evaluation.ok()) {
    return evaluation;
  }
  // Stages end here, and what is only recorded has none.
  newton_->next_step();
  if (const Evaluation evaluation = solve(t, x); !evaluation.ok()) {
    std::copy(kept_slots_.begin(), kept_slots_.end(), slots_.begin());
    return evaluation;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = slots_[at_index(layout_.state[i])];
  }
  return {};
}

Evaluation ArrayEvaluator::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  if (const Evaluation evaluation = prepare(t, x); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = solve(t, x); !evaluation.ok()) {
    std::copy(kept_slots_.begin(), kept_slots_.end(), slots_.begin());
    return evaluation;
  }
  for (std::size_t i = 0; i < xdot.size(); ++i) {
    xdot[i] = slots_[at_index(layout_.rate[i])];
  }
  return {};
}

system::EquationRunner* ArrayEvaluator::residual_runner() {
  if (!reduced_) {
    reduced_ = std::make_unique<ReducedEquations>(dae_, static_cast<ConsistentPoints&>(*this));
    is_reduced_ = false;
  }
  return reduced_.get();
}

Evaluation ArrayEvaluator::make_ready(double t, std::span<const double> x) {
  if (const Evaluation evaluation = prepare(t, x); !evaluation.ok()) {
    return evaluation;
  }
  if (!is_reduced_) {
    is_reduced_ = reduced_->take(*values_);
    reduced_->set_configuration(configuration_);
  }
  return is_reduced_ ? Evaluation{} : Evaluation{Evaluation::Status::no_convergence, -1};
}

Evaluation ArrayEvaluator::residual_point(double t, std::span<const double> x, std::span<double> y,
                                          std::span<double> ydot) {
  std::copy(x.begin(), x.end(), y.begin());
  return rhs(t, x, ydot);
}

Evaluation ArrayEvaluator::nearest(double t, std::span<const double> x, std::span<double> states,
                                   std::span<double> rates) {
  if (const Evaluation evaluation = solve(t, x); !evaluation.ok()) {
    std::copy(kept_slots_.begin(), kept_slots_.end(), slots_.begin());
    return evaluation;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i] = slots_[at_index(layout_.state[i])];
    rates[i] = slots_[at_index(layout_.rate[i])];
  }
  return {};
}

Evaluation ArrayEvaluator::linearise(double t) {
  response_.resize(slots_.size());
  return note_row(last_newton_->linearise(t, slots_));
}

void ArrayEvaluator::respond(Index state, std::span<double> states, std::span<double> rates) {
  last_newton_->respond(layout_.state[at_index(state)], response_);
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i] = response_[at_index(layout_.state[i])];
    rates[i] = response_[at_index(layout_.rate[i])];
  }
}

bool ArrayEvaluator::freeze_divisors(double t, std::span<const double> x) {
  if (!prepare(t, x).ok() || newton_->equations().has_constant_jacobian() || !solve(t, x).ok() ||
      !newton_->make_matrix(t, slots_).ok()) {
    return false;
  }
  pivots_.freeze(newton_->matrix(), newton_->equations().n_rows(), newton_->group_sizes(), newton_->ranks());
  return true;
}

Index ArrayEvaluator::n_divisors() {
  return state_ == State::ready && !newton_->equations().has_constant_jacobian() ? pivots_.n_pivots() : 0;
}

Evaluation ArrayEvaluator::divisors(double t, std::span<const double> x, std::span<double> values) {
  Evaluation evaluation = solve(t, x);
  if (evaluation.ok()) {
    evaluation = note_row(newton_->make_matrix(t, slots_));
  }
  if (evaluation.ok()) {
    pivots_.pivots(newton_->matrix(), values);
  }
  return evaluation;
}

system::DivisorInfo ArrayEvaluator::divisor_info(Index /*divisor*/) const {
  return {{}};
}

void ArrayEvaluator::keep_solutions() {
  ForwardingEvaluator::keep_solutions();
  if (newton_) {
    newton_->next_step();
    relaxed_->next_step();
  }
  std::copy(slots_.begin(), slots_.end(), kept_slots_.begin());
  compare_at_accepted_point();
}

void ArrayEvaluator::compare_at_accepted_point() {
  ranks_differ_ = false;
  if (state_ != State::ready || newton_->equations().has_constant_jacobian()) {
    return;
  }
  bool is_same = true;
  ranks_differ_ = newton_->compare_ranks(last_time_, slots_, is_same).ok() && !is_same;
}

Result<CharacteristicValues> ArrayEvaluator::values_at(double t, std::span<const double> x) const {
  return find_characteristic_values(dae_, configuration_, t, x, options_);
}

void ArrayEvaluator::restore_solutions() {
  ForwardingEvaluator::restore_solutions();
  std::copy(kept_slots_.begin(), kept_slots_.end(), slots_.begin());
}

Evaluation ArrayEvaluator::check(double t, std::span<const double> x, bool& has_changed) {
  has_changed = false;
  if (const Evaluation evaluation = prepare(t, x); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = solve(t, x); !evaluation.ok()) {
    return evaluation;
  }
  bool is_same = true;
  const Evaluation evaluation = note_row(newton_->compare_ranks(t, slots_, is_same));
  has_changed = evaluation.ok() && !is_same;
  return evaluation;
}

std::string ArrayEvaluator::contradiction_text() const {
  return contradicted_ != nullptr && contradiction_.row >= 0 ? row_text(*contradicted_, contradiction_.row)
                                                             : std::string();
}

std::vector<Index> ArrayEvaluator::contradicted_variables() const {
  std::vector<Index> variables;
  if (contradicted_ == nullptr) {
    return variables;
  }
  const system::RectangularPattern& pattern = contradicted_->pattern();
  for (std::size_t j = 0; j < contradicted_->slots().size(); ++j) {
    const auto first = pattern.rows.begin() + pattern.column_starts[j];
    const auto last = pattern.rows.begin() + pattern.column_starts[j + 1];
    if (std::any_of(first, last,
                    [this](Index row) { return contradicted_rows_[at_index(row)] > kConsistent; })) {
      variables.push_back(contradicted_->slots()[j].quantity().variable);
    }
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

std::string ArrayEvaluator::describe(const Evaluation& evaluation, double t) const {
  // Of the analysis, also where another configuration has been set since.
  if (evaluation.status == Evaluation::Status::no_convergence && evaluation.culprit < 0) {
    return failure_.empty() ? fmt::format("the equations could not be reduced at time {}", t) : failure_;
  }
  const bool is_row =
      newton_ && evaluation.culprit >= 0 && evaluation.culprit < newton_->equations().n_rows();
  if (evaluation.status == Evaluation::Status::no_projection && is_row) {
    const std::string text = row_text(newton_->equations(), evaluation.culprit);
    return evaluation.culprit == last_miss_.row
               ? fmt::format(
                     "no values near the solution satisfy all equations at time {}: {} is missed by {:.3g}",
                     t, text, last_miss_.residual)
               : fmt::format("no values near the solution satisfy all equations at time {}: {}", t, text);
  }
  if (evaluation.status == Evaluation::Status::not_finite && is_row &&
      evaluation.culprit == not_finite_row_) {
    return fmt::format("{} is not finite at time {}", row_text(newton_->equations(), evaluation.culprit), t);
  }
  if (evaluation.status == Evaluation::Status::no_projection) {
    return fmt::format("no values near the solution satisfy all equations at time {}", t);
  }
  return ForwardingEvaluator::describe(evaluation, t);
}

Evaluation ArrayEvaluator::guard_derivatives(Index i, double t, std::span<const double> x,
                                             system::GuardDerivatives& derivatives) {
  derivatives = {};
  double time_derivative = 0.0;
  if (const Evaluation evaluation = rhs(t, x, rates_); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = inner().guard_gradient(i, t, x, gradient_, time_derivative);
      !evaluation.ok()) {
    return evaluation;
  }
  double sum = time_derivative;
  double terms = std::abs(time_derivative);
  for (std::size_t k = 0; k < rates_.size(); ++k) {
    sum += gradient_[k] * rates_[k];
    terms += std::abs(gradient_[k] * rates_[k]);
  }
  derivatives.value[0] = sum;
  derivatives.noise[0] = kArrayRateNoise * terms;
  derivatives.n_known = 1;
  return {};
}

}  // namespace saltus::reduce
