#include "slide/decide/algebraic_sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nonlinear/box_newton.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "saltus/contract.hpp"
#include "slide/decide/weights.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// Part of what the sides do to a guard by which it is thought to have moved on.
constexpr double kShift = 1e-9;
// How far an answer may be from solving the problem, relative to what the sides do.
constexpr double kSolved = 1e-7;
constexpr int kMostAlgebraicSteps = 40;  // limit of work
const nonlinear::BoxPolicy kSidesPolicy = {.most_steps = kMostAlgebraicSteps, .solved = kSolved};

}  // namespace

// Which guards come back to themselves along the sides that values depend on (Warshall's closure).
void AlgebraicSides::find_own_causes(const system::Evaluator& evaluator, std::span<const Index> zero) {
  const std::size_t n = zero.size();
  reaches_.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto sides = evaluator.guard_sides(zero[i]);
    for (std::size_t j = 0; j < n; ++j) {
      const bool depends = !sides || std::find(sides->begin(), sides->end(), zero[j]) != sides->end();
      reaches_[i * n + j] = depends ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n && reaches_[i * n + k] != 0; ++j) {
        reaches_[i * n + j] |= reaches_[k * n + j];
      }
    }
  }
}

Evaluation AlgebraicSides::find(system::Evaluator& evaluator, const DecisionPoint& point,
                                std::span<const Index> zero, std::span<const double> before) {
  algebraic_.clear();
  driven_.clear();
  others_.clear();
  find_own_causes(evaluator, zero);
  first_.resize(zero.size());
  second_.resize(zero.size());
  for (const double turn : {1.0, -1.0}) {
    for (std::size_t k = 0; k < zero.size(); ++k) {
      evaluator.set_latched(zero[k], before[k] >= 0.0 ? turn : -turn);
    }
    const Evaluation evaluation =
        evaluator.guards(zero, point.t, point.x, std::span<double>(turn > 0.0 ? first_ : second_));
    if (evaluation.status == Evaluation::Status::not_finite) {
      others_.assign(zero.begin(), zero.end());  // a side without values: no side of values
      return {};
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  for (std::size_t k = 0; k < zero.size(); ++k) {
    const double difference = std::abs(first_[k] - second_[k]);
    const bool jumps = difference > 0.0 &&
                       difference > reduce::kBeyondNoise * evaluator.guard_noise(zero[k], point.t, point.x);
    const bool is_own_cause = reaches_[k * zero.size() + k] != 0;
    (!jumps ? others_ : is_own_cause ? algebraic_ : driven_).push_back(zero[k]);
  }
  return {};
}

void AlgebraicSides::resize(std::size_t k) {
  for (std::vector<double>* vector :
       {&corner_, &base_, &noise_, &shift_, &vector_, &answer_, &values_, &moved_}) {
    vector->assign(k, 0.0);
  }
  matrix_.assign(k * k, 0.0);
}

Evaluation AlgebraicSides::values_at(system::Evaluator& evaluator, const DecisionPoint& point,
                                     std::span<const double> s, std::span<double> values) {
  for (std::size_t a = 0; a < guards_.size(); ++a) {
    evaluator.set_latched(guards_[a], s[a]);
  }
  const Evaluation evaluation = evaluator.guards(guards_, point.t, point.x, values);
  for (std::size_t a = 0; a < guards_.size(); ++a) {
    values[a] += shift_[a];
  }
  return evaluation;
}

// M and q of g near s = `at`, by differences towards 0 of the size `step`.
Evaluation AlgebraicSides::linearize(system::Evaluator& evaluator, const DecisionPoint& point,
                                     std::span<const double> at, double step) {
  const std::size_t k = guards_.size();
  if (const Evaluation evaluation = values_at(evaluator, point, at, base_); !evaluation.ok()) {
    return evaluation;
  }
  std::copy(at.begin(), at.end(), moved_.begin());
  for (std::size_t j = 0; j < k; ++j) {
    moved_[j] = at[j] + std::copysign(step, -at[j]);
    const double change = moved_[j] - at[j];
    if (const Evaluation evaluation = values_at(evaluator, point, moved_, values_); !evaluation.ok()) {
      return evaluation;
    }
    moved_[j] = at[j];
    for (std::size_t i = 0; i < k; ++i) {
      const double difference = values_[i] - base_[i];
      matrix_[i * k + j] = std::abs(difference) > 2.0 * noise_[i] ? difference / change : 0.0;
    }
  }
  for (std::size_t i = 0; i < k; ++i) {
    vector_[i] = base_[i];
    for (std::size_t j = 0; j < k; ++j) {
      vector_[i] -= matrix_[i * k + j] * at[j];
    }
  }
  return {};
}

// Guards that are zero on the side before have been reached there: the moment after decides.
Evaluation AlgebraicSides::find_shifts(system::Evaluator& evaluator, const DecisionPoint& point,
                                       Decider& decider) {
  const std::size_t k = guards_.size();
  for (std::size_t a = 0; a < k; ++a) {
    double reach = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      reach += std::abs(matrix_[a * k + j]);
    }
    if (std::abs(base_[a]) > std::max(noise_[a], kShift * reach)) {
      continue;
    }
    for (std::size_t j = 0; j < k; ++j) {
      evaluator.set_latched(guards_[j], corner_[j]);
    }
    Motion motion;
    if (const Evaluation evaluation = decider.motion(evaluator, point, guards_[a], motion);
        !evaluation.ok()) {
      return evaluation;
    }
    shift_[a] = static_cast<double>(motion.sign) * 2.0 * kShift * reach;
    vector_[a] += shift_[a];
  }
  return {};
}

// How far values_ are from what the problem asks at answer_, relative to what the sides do.
double AlgebraicSides::violation() const {
  const std::size_t k = guards_.size();
  double worst = 0.0;
  for (std::size_t a = 0; a < k; ++a) {
    double reach = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      reach += std::abs(matrix_[a * k + j]);
    }
    const double beyond = std::max(std::abs(values_[a]) - reduce::kBeyondNoise * noise_[a], 0.0);
    const double force = std::copysign(reach > 0.0 ? beyond / reach : beyond, values_[a]);
    worst = std::max(worst, std::abs(answer_[a] - std::clamp(answer_[a] + force, -1.0, 1.0)));
  }
  return worst;
}

struct AlgebraicSides::Iteration {
  AlgebraicSides& self;
  system::Evaluator& evaluator;
  const DecisionPoint& point;
  Evaluation evaluation = {};
  bool is_linearized = true;  // around the corner, over the whole range

  bool linearize() {
    if (is_linearized) {
      is_linearized = false;
      return true;
    }
    std::copy(self.answer_.begin(), self.answer_.end(), self.second_.begin());
    evaluation =
        self.linearize(evaluator, point, std::span<const double>(self.second_).first(self.guards_.size()),
                       reduce::kWeightDifference);
    return evaluation.ok();
  }
  bool solve_affine() {
    std::copy(self.matrix_.begin(), self.matrix_.end(), self.lemke_.matrix().begin());
    std::copy(self.vector_.begin(), self.vector_.end(), self.lemke_.vector().begin());
    return self.lemke_.solve(self.corner_, self.answer_) == nonlinear::Lemke::Status::solved;
  }
  bool go(double /*share*/) {
    evaluation = self.values_at(evaluator, point, self.answer_, self.values_);
    return evaluation.ok();
  }
  [[nodiscard]] double violation() const { return self.violation(); }
};

Evaluation AlgebraicSides::solve(system::Evaluator& evaluator, const DecisionPoint& point, Decider& decider) {
  const std::size_t k = guards_.size();
  if (const Evaluation evaluation = values_at(evaluator, point, corner_, base_); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t a = 0; a < k; ++a) {
    noise_[a] = evaluator.guard_noise(guards_[a], point.t, point.x);
  }
  if (const Evaluation evaluation = linearize(evaluator, point, corner_, 2.0); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = find_shifts(evaluator, point, decider); !evaluation.ok()) {
    return evaluation;
  }
  lemke_.resize(static_cast<Index>(k));
  Iteration iteration{*this, evaluator, point};
  const nonlinear::BoxEnd end = nonlinear::box_newton(iteration, kSidesPolicy);
  decision_.status = end == nonlinear::BoxEnd::solved ? Decision::Status::decided : Decision::Status::none;
  return iteration.evaluation;
}

void AlgebraicSides::report(const DecisionPoint& point) {
  const std::size_t k = guards_.size();
  for (std::size_t a = 0; a < k; ++a) {
    GuardDecision& guard = decided_[places_[a]];
    guard.value = answer_[a];
    guard.kind = is_inside(answer_[a]) ? GuardDecision::Kind::slides : GuardDecision::Kind::side;
    guard.order = 0;
    guard.is_zero = is_inside(answer_[a]) || std::abs(values_[a]) <= std::abs(shift_[a]) + noise_[a];
    const double own = matrix_[a * k + a];
    double others = vector_[a];
    for (std::size_t j = 0; j < k; ++j) {
      others += j == a ? 0.0 : matrix_[a * k + j] * answer_[j];
    }
    guard.rate_plus = others + own;
    guard.rate_minus = others - own;
    guard.encounter = guard.kind == GuardDecision::Kind::slides ? Encounter::attracts
                      : answer_[a] > 0.0                        ? Encounter::to_plus
                                                                : Encounter::to_minus;
    if (guard.kind == GuardDecision::Kind::slides &&
        (!point.may_slide || !infos_[static_cast<std::size_t>(guard.guard)].can_slide)) {
      guard.is_barred = true;
      decision_.status = Decision::Status::none;
    }
    decision_.slides = decision_.slides || guard.kind == GuardDecision::Kind::slides;
  }
}

const Decision& AlgebraicSides::decide(system::Evaluator& evaluator, const DecisionPoint& point,
                                       Decider& decider, std::span<const Index> guards,
                                       std::span<const double> before, system::Configuration& configuration) {
  SALTUS_EXPECT(guards.size() == before.size(), "one side before for each guard");
  decision_ = {};
  decided_.assign(guards.size(), {});
  guards_.clear();
  places_.clear();
  for (std::size_t i = 0; i < guards.size(); ++i) {
    decided_[i].guard = guards[i];
    decided_[i].before = before[i];
    decided_[i].order = 0;
    const double bound = point.leaving.empty() ? 0.0 : point.leaving[i];
    if (bound != 0.0) {
      decided_[i].value = bound;
      decided_[i].encounter = bound > 0.0 ? Encounter::to_plus : Encounter::to_minus;
      evaluator.set_latched(guards[i], bound);
    } else {
      guards_.push_back(guards[i]);
      places_.push_back(i);
    }
  }
  resize(guards_.size());
  second_.resize(std::max(second_.size(), guards_.size()));
  for (std::size_t a = 0; a < guards_.size(); ++a) {
    corner_[a] = before[places_[a]] >= 0.0 ? 1.0 : -1.0;
  }
  decision_.guards = decided_;
  if (!guards_.empty()) {
    if (const Evaluation evaluation = solve(evaluator, point, decider); !evaluation.ok()) {
      decision_.status = Decision::Status::evaluation_failed;
      decision_.evaluation = evaluation;
      return decision_;
    }
    report(point);
  }
  for (const GuardDecision& guard : decided_) {
    if (decision_.ok()) {
      configuration.latched[static_cast<std::size_t>(guard.guard)] = guard.value;
      evaluator.set_latched(guard.guard, guard.value);
    }
  }
  return decision_;
}

}  // namespace saltus::slide
