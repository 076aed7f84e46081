#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "program/guards/guard_series.hpp"
#include "program/guards/guard_set.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {

using system::Evaluation;
using system::GuardShape;

namespace {

/// Error of what implicit blocks give, relative to the larger of value and nominal: they are solved to the level of
/// rounding, and refinement or the last Newton correction leaves some spacings (block_solver.hpp).
constexpr double kSolvedError = 4.0 * kEpsilon;
// Rounding errors of time and of the states themselves: cos(time) at π/2 is not zero. Constraints that hold a guard at zero leave them of its derivatives, and nothing else.
// (Projections leave 2 spacings of each state, and there are as many again in the velocities.)
constexpr double kStateError = 8.0 * kEpsilon;
// How states and time are rounded otherwise, to see what a block makes of it.
constexpr double kOtherRounding = 4.0 * kEpsilon;

Evaluation checked(double value, Index guard) {
  return std::isfinite(value) ? Evaluation{} : Evaluation{Evaluation::Status::not_finite, -1 - guard};
}

}  // namespace

GuardRunner::GuardRunner(const GuardSet& set, std::span<const double> guess, SolutionStore* store)
    : set_(set),
      registers_(set.numbers().values),
      intervals_(set.numbers().intervals),
      tangents_(set.tape().n_registers()),
      adjoints_(set.tape().n_registers()),
      point_(set.code().n_states()),
      state_adjoints_(set.code().n_states()),
      solved_errors_(set.solved() ? set.tape().n_inputs : 0),
      solution_(set.code().solved_inputs().size()),
      affine_states_(set.code().n_coefficients()),
      coefficients_(set.code().n_coefficients()),
      affine_(static_cast<std::size_t>(set.size())) {
  if (set.solved()) {
    solver_.emplace(*set.solved(), guess);
    rounded_point_.resize(set.code().n_states());
    rounded_.resize(solution_.size());
  }
  if (set.rates()) {
    rates_.emplace(*set.rates(), guess);
    moved_.resize(set.code().n_states());
    rate_.resize(set.code().n_states());
    rate_change_.resize(set.code().n_states());
    neighbour_rate_.resize(set.code().n_states());
    new_rate_change_.resize(set.code().n_states());
  }
  known_closure_.x.resize(set.code().closures().empty() ? 0 : set.code().n_states());
  for (const GuardSet::Closure& closure : set.code().closures()) {
    const std::size_t order = closure.inputs.size();
    closure_solvers_.resize(std::max(closure_solvers_.size(), order + 1));
    if (closure_solvers_[order] == nullptr) {
      closure_solvers_[order] = std::make_unique<linalg::DenseLu>(static_cast<Index>(order));
    }
    multipliers_.resize(std::max(multipliers_.size(), order));
  }
  for (Index i = 0; i < set.size(); ++i) {
    if (set[i].closure >= 0) {
      const std::size_t order = set.code().closures()[static_cast<std::size_t>(set[i].closure)].inputs.size();
      closure_rows_.resize(std::max(closure_rows_.size(), order * (set[i].states->size() + 1)));
    }
  }
  if (!set.code().closures().empty() || !set.code().large_closures().empty()) {
    const std::size_t n_registers = set.tape().n_registers();
    value_tangents_.resize(n_registers);
    interval_adjoints_.resize(n_registers);
    interval_gradient_.resize(set.code().n_states());
    levels_.resize(n_registers, Continuity::continuous);
  }
  for (const auto* closures : {&set.code().closures(), &set.code().large_closures()}) {
    for (const GuardSet::Closure& closure : *closures) {
      const std::size_t order = std::max(tube_point_.size(), closure.inputs.size());
      tube_start_.resize(order);
      tube_point_.resize(order);
      tube_errors_.resize(order);
    }
  }
  for (const GuardSet::Closure& closure : set.code().closures()) {
    tubes_.emplace_back(set.tape(), closure, set.code().n_states());
  }
  for (const GuardSet::Closure& closure : set.code().large_closures()) {
    estimates_.emplace_back(set.tape(), closure, set.code().n_states());
  }
  for (Index i = 0; i < set.size() && series_ == nullptr; ++i) {
    if (set[i].has_series) {
      series_ = std::make_unique<GuardSeries>(set.code());
    }
  }
  for (std::optional<SequenceRunner>* runner : {&solver_, &rates_}) {
    if (*runner && store != nullptr) {
      (*runner)->share(*store, true);
    }
  }
}

GuardRunner::~GuardRunner() = default;

void GuardRunner::fields(Archive& a) {
  // Not saved: series_, which are made anew and are the same.
  a(registers_, intervals_, tangents_, adjoints_, point_, state_adjoints_, solved_errors_, solution_,
    rounded_point_, rounded_, coefficients_);
  a.index(affine_states_, state_adjoints_.size());
  if (a.is_loading() && a.ok() && affine_states_.size() != coefficients_.size()) {
    a.refuse("the states of guards do not fit");
  }
  for (AffineNumbers& affine : affine_) {
    a(affine.time_coefficient, affine.constant, affine.version);
  }
  Index known = known_closure_.guard == nullptr ? -1 : known_closure_.guard - &set_[0];
  a(version_, solver_, rates_, closure_solvers_, known_closure_.version, known, known_closure_.t,
    known_closure_.x);
  if (a.is_loading()) {
    known_closure_.guard = known >= 0 && known < set_.size() ? &set_[known] : nullptr;
  }
  a(multipliers_, closure_rows_);
  for (GuardTube& tube : tubes_) {
    a(tube);
  }
  for (GuardEstimate& estimate : estimates_) {
    a(estimate);
  }
  a(value_tangents_, interval_adjoints_, interval_gradient_, levels_, tube_start_, tube_point_, tube_errors_,
    moved_, rate_, rate_change_, neighbour_rate_, new_rate_change_);
}

void GuardRunner::set_held(std::size_t i, double value) {
  SALTUS_EXPECT(i < set_.code().n_held(), "no such held input");
  registers_[1 + i] = value;
  intervals_[1 + i] = point_interval(value);
  ++version_;
  if (solver_) {
    solver_->set_held(i, value);
  }
  if (rates_) {
    rates_->set_held(i, value);
  }
}

Evaluation GuardRunner::solve(double t, const double* x) {
  if (const Evaluation evaluation = solver_->run(t, x, solution_.data()); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t k = 0; k < solution_.size(); ++k) {
    registers_[set_.code().solved_inputs()[k]] = solution_[k];
    solved_errors_[set_.code().solved_inputs()[k]] =
        kSolvedError * std::max(std::abs(solution_[k]), set_.solved_nominals()[k]);
  }
  return {};
}

Evaluation GuardRunner::prepare(const TapePiece& piece, double t, const double* x) {
  registers_[0] = t;
  return piece.solved_inputs.empty() ? Evaluation{} : solve(t, x);
}

bool GuardRunner::has_effect(Index i) {
  const TapePiece& effect = set_[i].effect;
  if (effect.roots.empty()) {
    return true;
  }
  run_tape(set_.tape().code_of(effect), registers_.data(), static_cast<const double*>(nullptr));
  return read_operand(effect.roots[0], registers_.data(), static_cast<const double*>(nullptr)) != 0.0;
}

Evaluation GuardRunner::values(std::span<const Index> which, double t, std::span<const double> x,
                               std::span<double> values) {
  registers_[0] = t;
  const GuardTape& tape = set_.tape();
  const bool all_at_once = static_cast<Index>(which.size()) == set_.size() && which.size() > 1;
  if (all_at_once) {
    run_tape(tape.code_of(set_.code().all()), registers_.data(), x.data());
  }
  Evaluation result;
  bool is_solved = false;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const TapePiece& piece = set_[which[k]].value;
    if (!piece.is_complete) {
      values[k] = std::numeric_limits<double>::quiet_NaN();
      result = checked(values[k], which[k]);
      continue;
    }
    if (!piece.solved_inputs.empty() && !is_solved) {
      is_solved = true;
      if (const Evaluation evaluation = solve(t, x.data()); !evaluation.ok()) {
        return evaluation;
      }
    }
    if (!all_at_once || !piece.solved_inputs.empty()) {
      run_tape(tape.code_of(piece), registers_.data(), x.data());
    }
    values[k] = read_operand(piece.roots[0], registers_.data(), x.data());
    if (!std::isfinite(values[k])) {
      result = checked(values[k], which[k]);
    }
  }
  return result;
}

void GuardRunner::run_point_intervals(const TapePiece& piece, double t, std::span<const double> x,
                                      double state_error) {
  intervals_[0] = {t - state_error * std::abs(t), t + state_error * std::abs(t)};
  for (const Index state : piece.states) {
    const auto i = static_cast<std::size_t>(state);
    const double error = state_error * std::abs(x[i]);
    point_[i] = {x[i] - error, x[i] + error};
  }
  for (const std::uint32_t input : piece.solved_inputs) {
    const double error = solved_errors_[input];
    intervals_[input] = {registers_[input] - error, registers_[input] + error};
  }
  run_tape(set_.tape().code_of(piece), intervals_.data(), point_.data());
}

double GuardRunner::radius(double value, const Interval& enclosure) {
  const double largest = std::max(enclosure.upper - value, value - enclosure.lower);
  return largest >= 0.0 ? largest : std::numeric_limits<double>::infinity();
}

// Rounding errors of what a block is given come back multiplied by its condition, which may be large (resistances of 1e-3 beside
// conductances of 1e-6): seen from a solution with time and states rounded otherwise.
void GuardRunner::widen_solved_errors(double t, std::span<const double> x) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    rounded_point_[k] = x[k] * (1.0 + (k % 2 == 0 ? kOtherRounding : -kOtherRounding));
  }
  if (!solver_->run(t * (1.0 + kOtherRounding), rounded_point_.data(), rounded_.data()).ok()) {
    return;
  }
  for (std::size_t k = 0; k < solution_.size(); ++k) {
    double& error = solved_errors_[set_.code().solved_inputs()[k]];
    error = std::max(error, std::abs(rounded_[k] - solution_[k]));
  }
}

double GuardRunner::noise(Index i, double t, std::span<const double> x) {
  const TapePiece& piece = set_[i].value;
  if (!piece.is_complete || !prepare(piece, t, x.data()).ok()) {
    return std::numeric_limits<double>::infinity();
  }
  if (!piece.solved_inputs.empty()) {
    widen_solved_errors(t, x);
  }
  if (piece.count == 0 && piece.solved_inputs.empty()) {
    return 0.0;  // a state, time or a constant: exact
  }
  run_tape(set_.tape().code_of(piece), registers_.data(), x.data());
  run_point_intervals(piece, t, x, 0.0);
  const double value = read_operand(piece.roots[0], registers_.data(), x.data());
  const double noise = radius(value, read_operand(piece.roots[0], intervals_.data(), point_.data()));
  if (set_[i].closure >= 0) {
    const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(set_[i].closure)];
    run_tape(set_.tape().code_of(closure.rows), registers_.data(), x.data());
  }
  // Two solutions may be off by the same: a value next to it is looked at by what the solution leaves of its equations.
  return std::abs(value) > noise && is_near_rounding(set_[i], value)
             ? std::max(noise, noise_through_blocks(set_[i], x))
             : noise;
}

// ∂root/∂x at `states` into the gradient, ∂root/∂input into adjoints_; after run_tape.
void GuardRunner::run_adjoints(const TapePiece& piece, std::int32_t root, std::span<const Index> states,
                               std::span<const std::uint32_t> inputs, std::span<const double> x,
                               std::span<double> gradient) {
  const std::span<const TapeInstruction> code = set_.tape().code_of(piece);
  clear_adjoints(code, adjoints_.data());
  adjoints_[0] = 0.0;
  for (const std::uint32_t input : inputs) {
    adjoints_[input] = 0.0;
  }
  for (const Index state : states) {
    gradient[static_cast<std::size_t>(state)] = 0.0;
  }
  run_tape_adjoints(code, root, registers_.data(), x.data(), adjoints_.data(), gradient.data());
}

Evaluation GuardRunner::gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                 double& time_derivative) {
  const GuardSet::Guard& guard = set_[i];
  const TapePiece& piece = guard.value;
  if (!piece.is_complete) {
    return {Evaluation::Status::not_finite, -1 - i};
  }
  if (const Evaluation evaluation = prepare(piece, t, x.data()); !evaluation.ok()) {
    return evaluation;
  }
  std::fill(gradient.begin(), gradient.end(), 0.0);
  if (!piece.solved_inputs.empty() &&
      (guard.closure < 0 || !gradient_through_blocks(guard, x, gradient, time_derivative))) {
    return gradient_by_differences(i, t, x, gradient, time_derivative);
  }
  if (piece.solved_inputs.empty()) {
    run_tape(set_.tape().code_of(piece), registers_.data(), x.data());
    run_adjoints(piece, piece.roots[0], piece.states, {}, x, gradient);
    time_derivative = adjoints_[0];
  }
  Evaluation result = checked(time_derivative, i);
  for (const Index state : *guard.states) {
    if (!std::isfinite(gradient[static_cast<std::size_t>(state)])) {
      result = {Evaluation::Status::not_finite, -1 - i};
    }
  }
  return result;
}

// A guard of degree one: its value at zero is the constant, its gradient anywhere the coefficients.
void GuardRunner::compute_affine(const GuardSet::Guard& guard) const {
  const TapePiece& piece = guard.value;
  const std::span<const TapeInstruction> code = set_.tape().code_of(piece);
  AffineNumbers& numbers = affine_[static_cast<std::size_t>(&guard - &set_[0])];
  registers_[0] = 0.0;
  for (const Index state : piece.states) {
    state_adjoints_[static_cast<std::size_t>(state)] = 0.0;
  }
  // As a point, too, the zeros serve: nothing is added to them until the values have been computed.
  run_tape(code, registers_.data(), state_adjoints_.data());
  numbers.constant = read_operand(piece.roots[0], registers_.data(), state_adjoints_.data());
  clear_adjoints(code, adjoints_.data());
  adjoints_[0] = 0.0;
  std::fill_n(coefficients_.begin() + guard.first_coefficient, piece.states.size(), 0.0);
  run_tape_adjoints(code, piece.roots[0], registers_.data(), state_adjoints_.data(), adjoints_.data(),
                    state_adjoints_.data());
  numbers.time_coefficient = adjoints_[0];
  for (std::size_t k = 0; k < piece.states.size(); ++k) {
    affine_states_[guard.first_coefficient + k] = piece.states[k];
    coefficients_[guard.first_coefficient + k] = state_adjoints_[static_cast<std::size_t>(piece.states[k])];
  }
}

system::AffineGuard GuardRunner::affine(Index i) const {
  const GuardSet::Guard& guard = set_[i];
  SALTUS_EXPECT(guard.shape.kind == GuardShape::Kind::polynomial && guard.shape.degree <= 1,
                "the guard is not affine");
  AffineNumbers& numbers = affine_[static_cast<std::size_t>(i)];
  const std::uint64_t version = !guard.value.held.empty() ? version_ : 1;
  if (numbers.version != version) {
    compute_affine(guard);
    numbers.version = version;
  }
  const std::size_t n = guard.value.states.size();
  return {.states = std::span<const Index>(affine_states_).subspan(guard.first_coefficient, n),
          .coefficients = std::span<const double>(coefficients_).subspan(guard.first_coefficient, n),
          .time_coefficient = numbers.time_coefficient,
          .constant = numbers.constant};
}

Evaluation GuardRunner::derivatives(Index i, double t, std::span<const double> x,
                                    system::GuardDerivatives& derivatives) {
  derivatives = {};
  const GuardSet::Guard& guard = set_[i];
  if (!guard.value.is_complete) {
    return {Evaluation::Status::not_finite, -1 - i};
  }
  const TapePiece& piece = guard.derivatives;
  if (!piece.roots.empty()) {
    if (const Evaluation evaluation = prepare(piece, t, x.data()); !evaluation.ok()) {
      return evaluation;
    }
    run_tape(set_.tape().code_of(piece), registers_.data(), x.data());
    run_point_intervals(piece, t, x, kStateError);
    for (std::size_t k = 0; k < piece.roots.size(); ++k) {
      const double value = read_operand(piece.roots[k], registers_.data(), x.data());
      if (!std::isfinite(value)) {
        break;  // a lower order may be enough
      }
      derivatives.value[k] = value;
      derivatives.noise[k] = radius(value, read_operand(piece.roots[k], intervals_.data(), point_.data()));
      derivatives.n_known = static_cast<int>(k) + 1;
    }
    if (derivatives.n_known == 0) {
      // √d where d is zero: the value is there, its slope is infinite, or zero times infinite
      return rates_ ? difference_derivatives(i, t, x, derivatives)
                    : Evaluation{Evaluation::Status::not_finite, -1 - i};
    }
  }
  return piece.roots.size() < 2 ? difference_derivatives(i, t, x, derivatives) : Evaluation{};
}

Interval GuardRunner::enclose(Index i, const Interval& t, std::span<const Interval> x) {
  const TapePiece& piece = set_[i].value;
  if (!piece.is_complete || !piece.solved_inputs.empty()) {
    return entire_interval();
  }
  intervals_[0] = t;
  run_tape(set_.tape().code_of(piece), intervals_.data(), x.data());
  const Interval result = read_operand(piece.roots[0], intervals_.data(), x.data());
  return result.empty() ? entire_interval() : result;
}

Interval GuardRunner::enclose_rate(Index i, const Interval& t, std::span<const Interval> x,
                                   std::span<const Interval> xdot) {
  const TapePiece& piece = set_[i].value;
  if (set_[i].shape.kind == GuardShape::Kind::opaque || !piece.solved_inputs.empty()) {
    return entire_interval();
  }
  intervals_[0] = t;
  tangents_[0] = {1.0, 1.0};
  run_tape_tangents(set_.tape().code_of(piece), intervals_.data(), x.data(), tangents_.data(), xdot.data());
  const Interval result = read_operand(piece.roots[0], tangents_.data(), xdot.data());
  return result.empty() ? entire_interval() : result;
}

}  // namespace saltus::program
