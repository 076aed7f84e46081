// Several guards whose rates are not affine in the weights: a Newton method on intervals (nonlinear/box_newton.hpp) whose steps
// solve the affine problem of decision_affine.cpp.
#include <algorithm>
#include <cmath>

#include "nonlinear/box_newton.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "slide/decide/decision.hpp"
#include "slide/decide/weights.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// How far an answer may be from solving the problem, relative to what the weights do: beyond it ġ is not affine.
constexpr double kNotAffine = 1e-7;
constexpr int kMostNewtonSteps = 40;     // limit of work
constexpr double kShortestShare = 1e-3;  // of a Newton step; not measured
const nonlinear::BoxPolicy kRatesPolicy = {
    .most_steps = kMostNewtonSteps, .solved = kNotAffine, .shortest_share = kShortestShare};

double natural_residual(double s, double force) {
  return s - std::clamp(s + force, -1.0, 1.0);
}

}  // namespace

// F at answer_, from an evaluation there; into forces_. `pattern` is where the field goes.
Evaluation Decider::evaluate_forces(system::Evaluator& evaluator, const DecisionPoint& point,
                                    std::size_t pattern) {
  pattern_guards_.clear();
  pattern_sides_.clear();
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Index guard = guards_[active_[a]].guard;
    evaluator.set_latched(guard, answer_[a]);
    if (!is_inside(answer_[a])) {
      pattern_guards_.push_back(guard);
      pattern_sides_.push_back(answer_[a]);
    }
  }
  const Evaluation near = evaluate_near(evaluator, point, pattern_guards_, pattern_sides_, pattern);
  if (!near.ok()) {
    return near;
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Index guard = guards_[active_[a]].guard;
    Rate rate;
    Evaluation evaluation;
    if (orders_[a] == 1) {
      evaluation = first_rate(evaluator, point, guard, field(pattern), rate);
    } else {
      evaluation = close_look(evaluator, point, guard);
      const double sign = orders_[a] % 2 == 1 ? point.direction : 1.0;
      rate.value = sign * derivatives_.value[static_cast<std::size_t>(orders_[a] - 1)];
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
    forces_[a] = rate.value;
  }
  return {};
}

// How far forces_ are from what the problem asks at answer_, row by row relative to what the weights can do: 0 solves it.
double Decider::violation() const {
  const std::size_t k = active_.size();
  double worst = 0.0;
  for (std::size_t a = 0; a < k; ++a) {
    double size = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      size += std::abs(matrix_[a * k + j]);
    }
    const double beyond = std::max(std::abs(forces_[a]) - force_noise_[a], 0.0);
    const double force = std::copysign(beyond, forces_[a]);
    const double scaled = force == 0.0 ? 0.0 : size > 0.0 ? force / size : std::copysign(1.0, force);
    worst = std::max(worst, std::abs(natural_residual(answer_[a], scaled)));
  }
  return worst;
}

bool Decider::solves_problem() const {
  return violation() <= kNotAffine;
}

// F and ∂F/∂s at answer_ as the affine problem.
Evaluation Decider::linearize(system::Evaluator& evaluator, const DecisionPoint& point, std::size_t pattern) {
  const std::size_t k = active_.size();
  std::copy(forces_.begin(), forces_.end(), vector_.begin());
  for (std::size_t j = 0; j < k; ++j) {
    const double kept = answer_[j];
    const bool is_affine = infos_[static_cast<std::size_t>(guards_[active_[j]].guard)].is_affine_in_weight;
    answer_[j] += std::copysign(is_affine ? 1.0 : reduce::kWeightDifference, -kept);
    const double step = answer_[j] - kept;
    const Evaluation evaluation = evaluate_forces(evaluator, point, pattern);
    answer_[j] = kept;
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < k; ++i) {
      matrix_[i * k + j] = (forces_[i] - vector_[i]) / step;
    }
  }
  std::copy(vector_.begin(), vector_.end(), forces_.begin());
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      vector_[i] -= matrix_[i * k + j] * answer_[j];
    }
  }
  return {};
}

struct Decider::Iteration {
  Decider& self;
  system::Evaluator& evaluator;
  const DecisionPoint& point;
  std::size_t pattern;
  Evaluation evaluation = {};

  bool linearize() {
    evaluation = self.linearize(evaluator, point, pattern);
    return evaluation.ok();
  }
  bool solve_affine() {
    std::copy(self.answer_.begin(), self.answer_.end(), self.start_.begin());
    return self.solve_affine(self.corner_, self.other_);
  }
  bool go(double share) {
    for (std::size_t a = 0; a < self.active_.size(); ++a) {
      self.answer_[a] =
          share == 1.0 ? self.other_[a] : self.start_[a] + share * (self.other_[a] - self.start_[a]);
    }
    evaluation = self.evaluate_forces(evaluator, point, pattern);
    return evaluation.ok();
  }
  [[nodiscard]] double violation() const { return self.violation(); }
};

// ġ is not affine.
Evaluation Decider::newton(system::Evaluator& evaluator, const DecisionPoint& point, bool& is_solution) {
  is_solution = false;
  Iteration iteration{*this, evaluator, point, active_.size() + 1};
  if (nonlinear::box_newton(iteration, kRatesPolicy) == nonlinear::BoxEnd::failed) {
    return iteration.evaluation;
  }
  if (const Evaluation evaluation = evaluate_forces(evaluator, point, iteration.pattern); !evaluation.ok()) {
    return evaluation;
  }
  is_solution = solves_problem();
  return {};
}

}  // namespace saltus::slide
