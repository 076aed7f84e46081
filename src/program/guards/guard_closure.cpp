// Gradients and errors of guards that depend on unknowns of implicit blocks.
//
// Problem      ∂g/∂x and ∂g/∂t of g(t, x, z) where r(t, x, z) = 0 gives z; what is off in g by what is off in z
// Method       ∂g/∂x - λᵀ ∂r/∂x with (∂r/∂z)ᵀ λ = ∂g/∂z; rows of ∂r/∂(x, z) by the reverse mode, one sweep for each. z that was computed
//              leaves r(t, x, z), enclosed with all roundings, of its equations: g is off by at most Σ |λ| |r|, of first order
// Contract     z in the registers solves r. Does not allocate.
// Fails when   ∂r/∂z is singular or not finite: false
// Cost         as many sweeps over the equations as z has entries, at most GuardCode::kMostClosed, and one dense factorisation
// Checked by   tests/unit/program/guard_closure_test.cpp
#include <algorithm>
#include <cmath>

#include "program/guards/guard_set.hpp"

namespace saltus::program {
namespace {

// Of the largest unknown, or term of their equations (unknowns may stand beside constants of 1e7): values beyond it are not looked at closely. Far above what roundings leave in blocks whose condition is not a
// matter of their own. Not measured.
constexpr double kFarFromRounding = 1e-10;

}  // namespace

// Whether the rows of ∂r/∂(x, z) and their factors are those of this guard at this point: guards of one instant are asked for one
// after the other.
bool GuardRunner::knows_closure(const GuardSet::Guard& guard, std::span<const double> x) const {
  return known_closure_.version == version_ && known_closure_.guard->closure == guard.closure &&
         known_closure_.t == registers_[0] && *known_closure_.guard->states == *guard.states &&
         std::equal(x.begin(), x.end(), known_closure_.x.begin());
}

bool GuardRunner::differentiate_closure(const GuardSet::Guard& guard, std::span<const double> x) {
  known_closure_.version = 0;
  const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(guard.closure)];
  const std::vector<Index>& states = *guard.states;
  const std::size_t order = closure.inputs.size();
  const std::size_t width = states.size() + 1;
  linalg::DenseLu& solver = *closure_solvers_[order];
  run_tape(set_.tape().code_of(closure.rows), registers_.data(), x.data());
  for (std::size_t row = 0; row < order; ++row) {
    run_adjoints(closure.rows, closure.rows.roots[row], states, closure.inputs, x, state_adjoints_);
    for (std::size_t column = 0; column < order; ++column) {
      // Transposed.
      solver.matrix()[column + row * order] = adjoints_[closure.inputs[column]];
    }
    double* const derivatives = closure_rows_.data() + row * width;
    for (std::size_t k = 0; k < states.size(); ++k) {
      derivatives[k] = state_adjoints_[static_cast<std::size_t>(states[k])];
    }
    derivatives[states.size()] = adjoints_[0];
  }
  if (!solver.factorize().ok()) {
    return false;
  }
  known_closure_.version = version_;
  known_closure_.guard = &guard;
  known_closure_.t = registers_[0];
  std::copy(x.begin(), x.end(), known_closure_.x.begin());
  return true;
}

// λ of the guard into multipliers_, its own derivatives into `gradient` and adjoints_.
bool GuardRunner::multiply_closure(const GuardSet::Guard& guard, std::span<const double> x,
                                   std::span<double> gradient) {
  if (!knows_closure(guard, x) && !differentiate_closure(guard, x)) {
    return false;
  }
  const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(guard.closure)];
  const std::size_t order = closure.inputs.size();
  run_tape(set_.tape().code_of(guard.value), registers_.data(), x.data());
  run_adjoints(guard.value, guard.value.roots[0], *guard.states, closure.inputs, x, gradient);
  const std::span<double> multipliers = std::span<double>(multipliers_).first(order);
  for (std::size_t row = 0; row < order; ++row) {
    multipliers[row] = adjoints_[closure.inputs[row]];
  }
  closure_solvers_[order]->solve(multipliers);
  return std::all_of(multipliers.begin(), multipliers.end(),
                     [](double value) { return std::isfinite(value); });
}

// The registers hold the terms of the equations at the point.
bool GuardRunner::is_near_rounding(const GuardSet::Guard& guard, double value) const {
  if (guard.closure < 0) {
    return false;
  }
  const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(guard.closure)];
  double largest = 0.0;
  for (const std::uint32_t input : closure.inputs) {
    largest = std::max(largest, std::abs(registers_[input]));
  }
  for (const TapeInstruction& term : set_.tape().code_of(closure.rows)) {
    largest = std::max(largest, std::abs(registers_[static_cast<std::size_t>(term.result)]));
  }
  return std::abs(value) <= kFarFromRounding * largest;
}

double GuardRunner::noise_through_blocks(const GuardSet::Guard& guard, std::span<const double> x) {
  if (!multiply_closure(guard, x, state_adjoints_)) {
    return 0.0;
  }
  const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(guard.closure)];
  intervals_[0] = {registers_[0], registers_[0]};
  for (const Index state : closure.rows.states) {
    const auto i = static_cast<std::size_t>(state);
    point_[i] = {x[i], x[i]};
  }
  for (const std::uint32_t input : closure.rows.solved_inputs) {
    intervals_[input] = {registers_[input], registers_[input]};
  }
  run_tape(set_.tape().code_of(closure.rows), intervals_.data(), point_.data());
  double sum = 0.0;
  for (std::size_t row = 0; row < closure.inputs.size(); ++row) {
    const Interval left = read_operand(closure.rows.roots[row], intervals_.data(), point_.data());
    const double most = std::max(std::abs(left.lower), std::abs(left.upper));
    sum += multipliers_[row] == 0.0 ? 0.0 : std::abs(multipliers_[row]) * most;
  }
  return std::isfinite(sum) ? sum : 0.0;
}

bool GuardRunner::gradient_through_blocks(const GuardSet::Guard& guard, std::span<const double> x,
                                          std::span<double> gradient, double& time_derivative) {
  if (!multiply_closure(guard, x, gradient)) {
    return false;
  }
  const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(guard.closure)];
  const std::vector<Index>& states = *guard.states;
  const std::size_t width = states.size() + 1;
  time_derivative = adjoints_[0];
  for (std::size_t row = 0; row < closure.inputs.size(); ++row) {
    const double* const derivatives = closure_rows_.data() + row * width;
    for (std::size_t k = 0; k < states.size(); ++k) {
      gradient[static_cast<std::size_t>(states[k])] -= multipliers_[row] * derivatives[k];
    }
    time_derivative -= multipliers_[row] * derivatives[states.size()];
  }
  return true;
}

}  // namespace saltus::program
