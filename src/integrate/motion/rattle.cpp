#include "integrate/motion/rattle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

using system::Evaluation;

constexpr double kWholeStep[] = {1.0};
// Suzuki's fractal [Suz90], [HLW06] II (4.5): γ = 1/(4 - 4^(1/3)) four times and 1 - 4γ in the middle.
constexpr double kOuterPart = 0.4144907717943757;
constexpr double kFiveSteps[] = {kOuterPart, kOuterPart, 1.0 - 4.0 * kOuterPart, kOuterPart, kOuterPart};

// A step whose iteration contracts so slowly that this is not enough is far too long to mean anything.
constexpr int kMostMotionIterations = 60;
// Beside the positions: corrections that no longer fall are roundings below this, and a failure above.
constexpr double kRoundedCorrection = 1e-10;
// Corrections that are expected below this, by the contraction of the last one, are not waited for: contractions change from step to step, by
// less than a thousand.
constexpr double kNoCorrection = 1e-3 * kEpsilon;

// Beside the velocities: what roundings may make of velocities at rest in a projection.
constexpr double kAtRest = 1e-8;

// Π of another length of velocities, and what roundings may make of the difference, beside them.
constexpr double kOtherLength = 3.0;
constexpr double kLinear = 1e-6;

// Roundings of an end of a step and of the sums that bound the states between, in units of the terms.
constexpr double kMotionRounding = 8.0 * kEpsilon;

double largest_of(std::span<const double> x, std::span<const std::size_t> places) {
  double largest = 0.0;
  for (const std::size_t i : places) {
    largest = std::max(largest, std::abs(x[i]));
  }
  return largest;
}

}  // namespace

Rattle::Rattle(int order, system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
               Tolerances tolerances)
    : PolynomialStepper(evaluator, n_states, std::move(tolerances), kDegreeOfMotion, kMotionRounding),
      order_(order),
      weights_(order == 2 ? std::span<const double>(kWholeStep) : std::span<const double>(kFiveSteps)),
      knows_velocities_(std::ssize(tolerances_.rate_of) == n_states),
      rate_(locked == nullptr ? 0.0 : locked->constraint_use().rate) {
  SALTUS_EXPECT(order == 2 || order == 4, "there are methods of order 2 and 4");
  SALTUS_EXPECT(!tolerances_.test_error, "this method has no error estimate; it runs with fixed steps");
  const std::size_t n = at_index(n_states);
  for (std::size_t i = 0; knows_velocities_ && i < n; ++i) {
    (tolerances_.rate_of[i].state >= 0 ? positions_ : velocities_).push_back(i);
  }
  for (std::vector<double>* vector : {&moved_, &half_, &trial_, &way_, &normal_, &forth_, &back_}) {
    vector->resize(n, 0.0);
  }
}

Evaluation Rattle::rates(double t, std::span<const double> x, std::span<double> xdot) {
  ++statistics_.rhs.stages;
  return evaluator_->rhs(t, x, xdot);
}

void Rattle::set_system(system::Evaluator& evaluator, const system::LockedDae& locked) {
  set_evaluator(evaluator);
  rate_ = locked.constraint_use().rate;
}

void Rattle::fields(Archive& a) {
  // Not saved: order_, weights_, knows_velocities_, positions_, velocities_; what belongs to an attempt alone, half_, trial_, way_, normal_, forth_, back_.
  PolynomialStepper::fields(a);
  a(rate_, moved_);
}

// Π·w does not depend on the length that w has where it is evaluated, or forces are not linear in multipliers: in a structure that was not looked at before.
Evaluation Rattle::check_start() {
  SALTUS_EXPECT(knows_velocities_, "it is known which states are velocities");
  if (!projects()) {
    return {};
  }
  // Any velocity but a tangent one, such as rates at rest are.
  const double size =
      std::max(largest_of(x_start_, velocities_), largest_of(xdot_start_, velocities_) / rate_);
  for (const std::size_t i : velocities_) {
    way_[i] = size;
  }
  if (const Evaluation evaluation = find_normal_part(start_.value(), x_start_, size); !evaluation.ok()) {
    return evaluation;
  }
  std::swap(normal_, scratch_);
  if (const Evaluation evaluation = find_normal_part(start_.value(), x_start_, kOtherLength * size);
      !evaluation.ok()) {
    return evaluation;
  }
  for (const std::size_t i : velocities_) {
    if (!(std::abs(normal_[i] - scratch_[i]) <= kLinear * size)) {
      return {Evaluation::Status::no_projection, -1};
    }
  }
  return {};
}

StepAttempt Rattle::do_attempt(double h, const trajectory::CompensatedTime& end) {
  begin_step();
  h_ = h;
  end_ = end;
  std::copy(x_start_.begin(), x_start_.end(), x_end_.begin());
  std::copy(xdot_start_.begin(), xdot_start_.end(), xdot_end_.begin());
  std::fill(moved_.begin(), moved_.end(), 0.0);
  double part = 0.0;
  const auto at = [&](double c) { return start_.value() + (start_.low() + c * h); };
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    const bool is_last = k + 1 == weights_.size();
    const double next = part + weights_[k];
    if (const StepAttempt attempt = substep(at(part), weights_[k] * h, is_last ? end.value() : at(next));
        !attempt.good()) {
      return attempt;
    }
    part = next;
  }
  fill_dense();
  phase_.open();
  return {StepAttempt::Status::good, 0.0, {}};
}

StepAttempt Rattle::substep(double t, double h, double t_end) {
  for (const std::size_t i : velocities_) {
    half_[i] = x_end_[i] + 0.5 * h * xdot_end_[i];
  }
  drift(h);
  if (projects()) {
    if (const StepAttempt attempt = meet_constraints(t, h, t_end); !attempt.good()) {
      return attempt;
    }
  }
  for (const std::size_t i : positions_) {
    const RateState& rate = tolerances_.rate_of[i];
    moved_[i] += h * rate.sign * half_[at_index(rate.state)];
  }
  if (const Evaluation evaluation = finish(h, t_end); !evaluation.ok()) {
    return failed(evaluation);
  }
  const auto is_finite = [](double value) { return std::isfinite(value); };
  return std::all_of(x_end_.begin(), x_end_.end(), is_finite) ? StepAttempt{}
                                                              : failed({Evaluation::Status::not_finite, -1});
}

void Rattle::drift(double h) {
  for (const std::size_t i : positions_) {
    const RateState& rate = tolerances_.rate_of[i];
    half_[i] = x_end_[i] + h * rate.sign * half_[at_index(rate.state)];
  }
}

// The odd part of rates in v, from velocities that make it as large as the rest.
Evaluation Rattle::find_normal_part(double t, std::span<const double> x, double like) {
  const double size = largest_of(way_, velocities_);
  const double scale = like > 0.0 && size > 0.0 ? like / size : 1.0;
  for (const std::size_t i : positions_) {
    trial_[i] = x[i];
  }
  for (const double sign : {1.0, -1.0}) {
    for (const std::size_t i : velocities_) {
      trial_[i] = sign * scale * way_[i];
    }
    if (const Evaluation evaluation = rates(t, trial_, sign > 0.0 ? forth_ : back_); !evaluation.ok()) {
      return evaluation;
    }
  }
  const double factor = -0.5 / (rate_ * scale);
  for (const std::size_t i : velocities_) {
    normal_[i] = factor * (forth_[i] - back_[i]);
  }
  return {};
}

StepAttempt Rattle::meet_constraints(double t, double h, double t_end) {
  const double like =
      std::max(largest_of(half_, velocities_), std::abs(h) * largest_of(xdot_end_, velocities_));
  double before = 0.0;
  for (int k = 0; k < kMostMotionIterations; ++k) {
    ++statistics_.newton_iterations;
    // Onto g(q) = 0; at rest every position has consistent velocities.
    std::copy(half_.begin(), half_.end(), trial_.begin());
    for (const std::size_t i : velocities_) {
      trial_[i] = 0.0;
    }
    if (const Evaluation evaluation = evaluator_->project(t_end, trial_); !evaluation.ok()) {
      return failed(evaluation);
    }
    // Not so where the constraints of this structure move with time, which nothing here is made for.
    if (largest_of(trial_, velocities_) > kAtRest * like) {
      return failed({Evaluation::Status::no_projection, -1});
    }
    std::fill(way_.begin(), way_.end(), 0.0);
    double size = 0.0;
    for (const std::size_t i : positions_) {
      const RateState& rate = tolerances_.rate_of[i];
      const double change = trial_[i] - half_[i];
      way_[at_index(rate.state)] = rate.sign * change / h;
      size = std::max(size, std::abs(change));
    }
    const double positions = largest_of(half_, positions_);
    const bool stagnates = k > 0 && size > 0.5 * before;
    if (size <= kEpsilon * positions || (stagnates && size <= kRoundedCorrection * positions)) {
      return {};
    }
    if (const Evaluation evaluation = find_normal_part(t, x_end_, like); !evaluation.ok()) {
      return failed(evaluation);
    }
    for (const std::size_t i : velocities_) {
      half_[i] += normal_[i];
    }
    drift(h);
    if (k > 0 && size * (size / before) <= kNoCorrection * positions) {
      return {};
    }
    before = size;
  }
  ++statistics_.rejected_by_iteration;
  return {StepAttempt::Status::iteration_failed, 0.0, {}, -1, false};
}

// v₁ = (1 - Π)·v½ + h/2·rates(q₁, 0), all at q₁: rates at rest are tangent. Without constraints Π = 0.
Evaluation Rattle::finish(double h, double t_end) {
  for (const std::size_t i : positions_) {
    x_end_[i] = half_[i];
  }
  if (projects()) {
    for (const std::size_t i : velocities_) {
      way_[i] = half_[i];
    }
    if (const Evaluation evaluation = find_normal_part(t_end, x_end_, 0.0); !evaluation.ok()) {
      return evaluation;
    }
  }
  // Rates without constraints do not depend on velocities: those at rest are those of the end.
  for (const std::size_t i : velocities_) {
    x_end_[i] = 0.0;
  }
  if (const Evaluation evaluation = rates(t_end, x_end_, xdot_end_); !evaluation.ok()) {
    return evaluation;
  }
  for (const std::size_t i : velocities_) {
    x_end_[i] = half_[i] + 0.5 * h * xdot_end_[i];
  }
  if (projects()) {
    for (const std::size_t i : velocities_) {
      x_end_[i] -= normal_[i];
    }
    return rates(t_end, x_end_, xdot_end_);
  }
  for (const std::size_t i : positions_) {
    const RateState& rate = tolerances_.rate_of[i];
    xdot_end_[i] = rate.sign * x_end_[at_index(rate.state)];
  }
  return {};
}

// v(θ) is the cubic through v and v' of both ends, q(θ) = q + hv·θ + h²v'/2·θ² + c₃θ³ + c₄θ⁴ + c₅θ⁵ meets q₁, v₁ and v₁' too.
void Rattle::fill_dense() {
  const std::size_t n = at_index(n_states_);
  const auto c = [&](int power, std::size_t i) -> double& {
    return dense_[static_cast<std::size_t>(power) * n + i];
  };
  for (std::size_t i = 0; i < n; ++i) {
    c(0, i) = x_start_[i];
  }
  for (const std::size_t i : velocities_) {
    const double first = h_ * xdot_start_[i];
    const double bend = h_ * xdot_end_[i] - first;
    const double excess = (x_end_[i] - x_start_[i]) - first - 0.5 * bend;
    c(1, i) = first;
    c(2, i) = 0.5 * bend + 3.0 * excess;
    c(3, i) = -2.0 * excess;
    c(4, i) = 0.0;
    c(5, i) = 0.0;
  }
  for (const std::size_t i : positions_) {
    const RateState& rate = tolerances_.rate_of[i];
    const std::size_t j = at_index(rate.state);
    const double first = h_ * rate.sign * x_start_[j];
    const double second = h_ * h_ * rate.sign * xdot_start_[j];
    const double way = moved_[i] - first - 0.5 * second;
    const double speed = h_ * rate.sign * (x_end_[j] - x_start_[j]) - second;
    const double bend = h_ * h_ * rate.sign * (xdot_end_[j] - xdot_start_[j]);
    c(1, i) = first;
    c(2, i) = 0.5 * second;
    c(3, i) = 10.0 * way - 4.0 * speed + 0.5 * bend;
    c(4, i) = -15.0 * way + 7.0 * speed - bend;
    c(5, i) = 6.0 * way - 3.0 * speed + 0.5 * bend;
  }
}

}  // namespace saltus::integrate
