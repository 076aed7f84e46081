#include "slide/decide/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "base/time_tolerance.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "saltus/contract.hpp"
#include "slide/field/own_side.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// A derivative this small beside the field (all states, times the gradient), or that moves its guard by no more than this part
// of the guard's terms in a step, may be what cancellation left: its real bound of rounding errors is asked for.
constexpr double kSmallBesideField = 1e-8;
constexpr double kSmallBesideTerms = 1e-6;

// Strictly inside: a weight of exactly ±1 would mean a side.
double inside(double weight) {
  constexpr double kLargestWeight = 1.0 - 0.5 * kEpsilon;  // the double below 1
  return std::clamp(weight, -kLargestWeight, kLargestWeight);
}

}  // namespace

Decider::Decider(Index n_states, std::span<const system::GuardInfo> guards)
    : n_(static_cast<std::size_t>(n_states)), infos_(guards), gradient_(n_) {
  resize(1);
}

void Decider::resize(std::size_t k) {
  guards_.resize(k);
  if (fields_.size() < (k + 2) * n_) {
    fields_.resize((k + 2) * n_);
    moved_.resize((k + 2) * n_);
  }
  is_moved_.assign(std::max(is_moved_.size(), k + 2), 0);
}

const Decision& Decider::failed(const Evaluation& evaluation) {
  decision_.status = Decision::Status::evaluation_failed;
  decision_.evaluation = evaluation;
  return decision_;
}

Evaluation Decider::evaluate(system::Evaluator& evaluator, const DecisionPoint& point,
                             std::span<double> xdot) {
  ++rhs_evaluations_;
  decision_.derivative_known = true;
  decision_.derivative = xdot;
  return evaluator.rhs(point.t, point.x, xdot);
}

Evaluation Decider::evaluate_near(system::Evaluator& evaluator, const DecisionPoint& point,
                                  std::span<const Index> guards, std::span<const double> sides,
                                  std::size_t pattern) {
  is_moved_[pattern] = 0;
  const Evaluation evaluation = evaluate(evaluator, point, field(pattern));
  if (evaluation.status != Evaluation::Status::not_finite) {
    return evaluation;
  }
  const std::span<double> x = moved(pattern);
  std::copy(point.x.begin(), point.x.end(), x.begin());
  for (std::size_t i = 0; i < guards.size(); ++i) {
    if (!move_to_side(evaluator, guards[i], sides[i], point.t, x, gradient_)) {
      return evaluation;
    }
  }
  is_moved_[pattern] = 1;
  DecisionPoint near = point;
  near.x = x;
  return evaluate(evaluator, near, field(pattern));
}

double Decider::width(const DecisionPoint& point) {
  return std::max(time_tolerance(point.t, 0.0), point.instant);
}

Evaluation Decider::close_look(system::Evaluator& evaluator, const DecisionPoint& point, Index guard) {
  // Whatever iterates inside may end elsewhere: the solutions no longer belong to the last right-hand side.
  decision_.derivative_known = false;
  return evaluator.guard_derivatives(guard, point.t, point.x, derivatives_);
}

Evaluation Decider::first_rate(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                               std::span<const double> xdot, Rate& rate) {
  const system::GuardShape shape = evaluator.guard_shape(guard);
  double sum = 0.0;
  double scale = 0.0;      // Σ |∂g/∂x ẋ|
  double steepness = 0.0;  // Σ |∂g/∂x|
  double terms = 0.0;      // Σ |∂g/∂x x|
  const auto add = [&](double coefficient, std::size_t state) {
    sum += coefficient * xdot[state];
    scale += std::abs(coefficient * xdot[state]);
    steepness += std::abs(coefficient);
    terms += std::abs(coefficient * point.x[state]);
  };
  bool is_steep = false;  // √d at d = 0: a value, and no slope
  if (shape.kind == system::GuardShape::Kind::polynomial && shape.degree <= 1) {
    const system::AffineGuard affine = evaluator.affine_guard(guard);
    sum = affine.time_coefficient;
    terms = std::abs(affine.constant) + std::abs(affine.time_coefficient * point.t);
    for (std::size_t i = 0; i < affine.states.size(); ++i) {
      add(affine.coefficients[i], static_cast<std::size_t>(affine.states[i]));
    }
  } else {
    const Evaluation evaluation = evaluator.guard_gradient(guard, point.t, point.x, gradient_, sum);
    is_steep = evaluation.status == Evaluation::Status::not_finite;
    if (!evaluation.ok() && !is_steep) {
      return evaluation;
    }
    // Through blocks of equations the terms are not seen: noise tells how large they are.
    terms = std::max(std::abs(sum * point.t), evaluator.guard_noise(guard, point.t, point.x) / kEpsilon);
    for (std::size_t state = 0; state < n_ && !is_steep; ++state) {
      add(gradient_[state], state);
    }
  }
  double largest = 0.0;
  for (const double value : xdot) {
    largest = std::max(largest, std::abs(value));
  }
  rate = is_steep ? Rate{} : Rate{point.direction * sum, reduce::kRateUlps * kEpsilon * scale};
  const bool is_small = is_steep || std::abs(sum) <= kSmallBesideField * steepness * largest ||
                        std::abs(sum * point.step) < kSmallBesideTerms * terms;
  if (is_small) {
    if (const Evaluation evaluation = close_look(evaluator, point, guard); !evaluation.ok()) {
      return evaluation;
    }
    if (derivatives_.n_known > 0) {
      rate = {point.direction * derivatives_.value[0],
              derivatives_.noise[0] + drift_within(derivatives_, 1, point.instant)};
    }
  }
  return {};
}

// The derivative that moves the guard in the configuration the evaluator has, of which xdot is the field.
Evaluation Decider::look_at_motion(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                                   std::span<const double> xdot, Side& side) {
  if (const Evaluation evaluation = first_rate(evaluator, point, guard, xdot, side.rate); !evaluation.ok()) {
    return evaluation;
  }
  side.motion = {sign_beyond_noise(side.rate.value, side.rate.noise), 1};
  if (side.motion.sign != 0) {
    return {};
  }
  if (const Evaluation evaluation = close_look(evaluator, point, guard); !evaluation.ok()) {
    return evaluation;
  }
  side.motion = motion_of(derivatives_, point.direction, width(point));
  if (side.motion.order > 1) {
    const auto i = static_cast<std::size_t>(side.motion.order - 1);
    side.rate = {side.motion.sign * std::abs(derivatives_.value[i]), derivatives_.noise[i]};
  }
  return {};
}

Evaluation Decider::look_at_side(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                                 double which, std::size_t pattern, Side& side) {
  const Evaluation evaluation = evaluate_near(evaluator, point, {&guard, 1}, {&which, 1}, pattern);
  if (!evaluation.ok()) {
    return evaluation;
  }
  const std::span<const double> xdot = field(pattern);
  if (point.leaving.empty() || point.leaving[0] != which) {
    return look_at_motion(evaluator, point, guard, xdot, side);
  }
  // A weight that has reached its bound: this side's derivative is zero and grows outwards.
  side.motion = {static_cast<int>(which), 1};
  return first_rate(evaluator, point, guard, xdot, side.rate);
}

// docs/semantics.md 7.2. Leaves a side with value 0 where only the relation as written can decide.
void Decider::classify(const Side& plus, const Side& minus, bool may_slide, GuardDecision& guard) const {
  // The lowest order at which anything moves; a side that moves at a higher one does not at this.
  const int some_order = std::max(plus.motion.order, minus.motion.order);
  guard.order = plus.motion.order == 0 || minus.motion.order == 0
                    ? std::max(some_order, 1)
                    : std::min(plus.motion.order, minus.motion.order);
  guard.rate_plus = plus.motion.order == guard.order ? plus.rate.value : 0.0;
  guard.rate_minus = minus.motion.order == guard.order ? minus.rate.value : 0.0;
  guard.encounter = encounter(plus.motion.sign, minus.motion.sign);
  guard.kind = GuardDecision::Kind::side;
  switch (guard.encounter) {
    case Encounter::to_plus: guard.value = 1.0; break;
    case Encounter::to_minus: guard.value = -1.0; break;
    case Encounter::repels: guard.value = std::abs(guard.before) == 1.0 ? guard.before : 0.0; break;
    case Encounter::undecided:
      guard.kind = GuardDecision::Kind::stays_zero;
      guard.value = 0.0;
      break;
    case Encounter::attracts:
      guard.is_barred = !may_slide;
      if (guard.is_barred) {
        guard.value = guard.before != 0.0 ? -std::copysign(1.0, guard.before) : 0.0;
      } else {
        guard.kind = GuardDecision::Kind::slides;
        guard.value = inside((guard.rate_plus + guard.rate_minus) / (guard.rate_minus - guard.rate_plus));
      }
      break;
  }
}

// No side before that could decide; and where the second derivative attracts, the guard at zero may already be the solution
// (sign is 0 there), which needs no weights.
bool Decider::asks_as_written(const GuardDecision& guard) const {
  return (guard.kind == GuardDecision::Kind::side && guard.value == 0.0) ||
         (guard.kind == GuardDecision::Kind::slides && guard.order > 1);
}

Evaluation Decider::decide_as_written(system::Evaluator& evaluator, const DecisionPoint& point,
                                      GuardDecision& guard, system::Configuration& configuration) {
  configuration.latched[static_cast<std::size_t>(guard.guard)] = 0.0;
  evaluator.set_configuration(configuration);
  if (const Evaluation evaluation = evaluate(evaluator, point, field(0)); !evaluation.ok()) {
    return evaluation;
  }
  Side side;
  if (const Evaluation evaluation = look_at_motion(evaluator, point, guard.guard, field(0), side);
      !evaluation.ok()) {
    return evaluation;
  }
  if (guard.kind == GuardDecision::Kind::slides && side.motion.sign != 0) {
    return {};  // it moves as written, so it slides with its weight
  }
  guard.kind = side.motion.sign == 0 ? GuardDecision::Kind::stays_zero : GuardDecision::Kind::side;
  guard.value = static_cast<double>(side.motion.sign);
  return {};
}

const Decision& Decider::decide_one(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                                    double before, system::Configuration& configuration) {
  // The side before comes first: most guards cross, and then the last right-hand side is the one to go on with.
  const double first = before >= 0.0 ? 1.0 : -1.0;
  Side plus;
  Side minus;
  for (const double which : {first, -first}) {
    evaluator.set_latched(guard, which);
    const Evaluation evaluation =
        look_at_side(evaluator, point, guard, which, which == first ? 0 : 1, which > 0.0 ? plus : minus);
    if (!evaluation.ok()) {
      return failed(evaluation);
    }
  }
  GuardDecision& decided = guards_[0];
  decided = {};
  decided.guard = guard;
  decided.before = before;
  const bool may_slide = point.may_slide && infos_[static_cast<std::size_t>(guard)].can_slide;
  classify(plus, minus, may_slide, decided);
  if (asks_as_written(decided)) {
    if (const Evaluation evaluation = decide_as_written(evaluator, point, decided, configuration);
        !evaluation.ok()) {
      return failed(evaluation);
    }
    decision_.derivative_known =
        decision_.derivative_known && decided.kind == GuardDecision::Kind::stays_zero;
  } else {
    decision_.derivative_known = decision_.derivative_known && decided.value == -first;
  }
  const std::size_t pattern = decided.value == first ? 0 : 1;
  if (std::abs(decided.value) == 1.0 && is_moved_[pattern] != 0) {
    decision_.own_side = moved(pattern);
  }
  configuration.latched[static_cast<std::size_t>(guard)] = decided.value;
  if (decided.kind == GuardDecision::Kind::stays_zero) {
    evaluator.set_configuration(configuration);
  } else {
    evaluator.set_latched(guard, decided.value);
  }
  decision_.is_repelling = decided.encounter == Encounter::repels;
  decision_.slides = decided.kind == GuardDecision::Kind::slides;
  return decision_;
}

// ẋ is the same on all sides here, so the solution goes on in one way only: sides to which it moves when they are taken are those
// that it takes. False: not so, or not known.
bool Decider::crosses_continuously(system::Evaluator& evaluator, const DecisionPoint& point,
                                   std::span<const Index> zero, std::span<const double> before,
                                   system::Configuration& configuration) {
  for (std::size_t i = 0; i < zero.size(); ++i) {
    if (!infos_[static_cast<std::size_t>(zero[i])].is_continuous || std::abs(before[i]) != 1.0 ||
        (!point.leaving.empty() && point.leaving[i] != 0.0)) {
      return false;
    }
  }
  pattern_sides_.resize(zero.size());
  for (std::size_t i = 0; i < zero.size(); ++i) {
    pattern_sides_[i] = -before[i];
    evaluator.set_latched(zero[i], pattern_sides_[i]);
  }
  if (!evaluate_near(evaluator, point, zero, pattern_sides_, 0).ok()) {
    return false;
  }
  for (std::size_t i = 0; i < zero.size(); ++i) {
    Rate rate;
    const double side = pattern_sides_[i];
    if (!first_rate(evaluator, point, zero[i], field(0), rate).ok() ||
        sign_beyond_noise(rate.value, rate.noise) != static_cast<int>(side)) {
      return false;
    }
    constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();
    guards_[i] = {.guard = zero[i],
                  .value = side,
                  .before = before[i],
                  .rate_plus = side > 0.0 ? rate.value : kNotAsked,
                  .rate_minus = side > 0.0 ? kNotAsked : rate.value,
                  .encounter = side > 0.0 ? Encounter::to_plus : Encounter::to_minus};
  }
  for (std::size_t i = 0; i < zero.size(); ++i) {
    configuration.latched[static_cast<std::size_t>(zero[i])] = pattern_sides_[i];
  }
  if (is_moved_[0] != 0) {
    decision_.own_side = moved(0);
  }
  return true;
}

const Decision& Decider::decide(system::Evaluator& evaluator, const DecisionPoint& point,
                                std::span<const Index> zero, std::span<const double> before,
                                system::Configuration& configuration) {
  SALTUS_EXPECT(zero.size() == before.size(), "one side before for each guard");
  SALTUS_EXPECT(point.leaving.empty() || point.leaving.size() == zero.size(), "one bound for each guard");
  decision_ = {};
  resize(zero.size());
  decision_.guards = guards_;
  if (zero.empty() || crosses_continuously(evaluator, point, zero, before, configuration)) {
    return decision_;
  }
  return zero.size() == 1 ? decide_one(evaluator, point, zero[0], before[0], configuration)
                          : decide_several(evaluator, point, zero, before, configuration);
}

// The guard itself has other values in the two modes: of order 0, as in algebraic_sides.hpp. False: it has not.
bool Decider::decide_values(system::Evaluator& plus, system::Evaluator& minus, const DecisionPoint& point,
                            double before, GuardDecision& decided) {
  double on_plus = 0.0;
  double on_minus = 0.0;
  if (!plus.guards({&decided.guard, 1}, point.t, point.x, {&on_plus, 1}).ok() ||
      !minus.guards({&decided.guard, 1}, point.t, point.x, {&on_minus, 1}).ok()) {
    return false;
  }
  const double noise =
      plus.guard_noise(decided.guard, point.t, point.x) + minus.guard_noise(decided.guard, point.t, point.x);
  if (!(std::abs(on_plus - on_minus) > reduce::kBeyondNoise * noise)) {
    return false;
  }
  decided.order = 0;
  decided.rate_plus = on_plus;
  decided.rate_minus = on_minus;
  decided.before = before;
  const double bound = point.leaving.empty() ? 0.0 : point.leaving[0];
  const double other = before > 0.0 ? on_minus : on_plus;
  // In the mode that is left the guard is at its end; the other mode agrees, or has the value that leads back.
  const bool slides = bound == 0.0 && other * before > 0.0;
  decided.encounter = slides ? Encounter::attracts : before > 0.0 ? Encounter::to_minus : Encounter::to_plus;
  decided.is_barred = slides && !point.may_slide;
  decided.kind = slides && point.may_slide ? GuardDecision::Kind::slides : GuardDecision::Kind::side;
  decided.is_zero = slides;
  decided.value = decided.kind == GuardDecision::Kind::slides ? inside(before)
                  : bound != 0.0                              ? bound
                                                              : -before;
  return true;
}

const Decision& Decider::decide_pair(system::Evaluator& plus, system::Evaluator& minus,
                                     const DecisionPoint& point, Index guard, double before) {
  decision_ = {};
  resize(1);
  decision_.guards = guards_;
  guards_[0] = {};
  guards_[0].guard = guard;
  if (decide_values(plus, minus, point, before, guards_[0])) {
    decision_.slides = guards_[0].kind == GuardDecision::Kind::slides;
    return decision_;
  }
  Side on_plus;
  Side on_minus;
  for (const double which : {1.0, -1.0}) {
    const Evaluation evaluation = look_at_side(which > 0.0 ? plus : minus, point, guard, which,
                                               which > 0.0 ? 0 : 1, which > 0.0 ? on_plus : on_minus);
    if (!evaluation.ok()) {
      return failed(evaluation);
    }
  }
  GuardDecision& decided = guards_[0];
  decided = {};
  decided.guard = guard;
  decided.before = before;
  // Two modes slide wherever both sides push: whether selects over the guard can be blended is another matter.
  classify(on_plus, on_minus, point.may_slide, decided);
  decision_.derivative_known = false;
  decision_.is_repelling = decided.encounter == Encounter::repels;
  decision_.slides = decided.kind == GuardDecision::Kind::slides;
  return decision_;
}

Evaluation Decider::motion(system::Evaluator& evaluator, const DecisionPoint& point, Index guard,
                           Motion& motion) {
  const Evaluation evaluation = evaluator.guard_derivatives(guard, point.t, point.x, derivatives_);
  motion = evaluation.ok() ? motion_of(derivatives_, point.direction, width(point)) : Motion{};
  return evaluation;
}

}  // namespace saltus::slide
