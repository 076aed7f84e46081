// Several guards that are zero at once: from the affine problem to the decision (docs/semantics.md 7).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/time_tolerance.hpp"
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
// Turns of sides for each guard before the search for a combination of them is given up: where there is one, each guard turns once or twice.
// Limit of work.
constexpr std::size_t kMostTurnsOfAGuard = 8;
// Fewer guards than this are always looked at one by one: it costs no more than looking at them together.
constexpr std::size_t kFewGuards = 3;

double natural_residual(double s, double force) {
  return s - std::clamp(s + force, -1.0, 1.0);
}

}  // namespace

// Guards at a bound that nothing moves there are looked at by their higher derivatives, as one guard is; where others slide,
// their weights move too and those derivatives say nothing.
Evaluation Decider::settle_touching(system::Evaluator& evaluator, const DecisionPoint& point) {
  const std::size_t k = active_.size();
  if (std::any_of(answer_.begin(), answer_.end(), is_inside)) {
    return {};
  }
  for (std::size_t a = 0; a < k; ++a) {
    evaluator.set_latched(guards_[active_[a]].guard, answer_[a]);
  }
  for (std::size_t a = 0; a < k; ++a) {
    if (std::abs(affine_force(a, answer_)) > force_noise_[a]) {
      continue;
    }
    if (const Evaluation evaluation = close_look(evaluator, point, guards_[active_[a]].guard);
        !evaluation.ok()) {
      return evaluation;
    }
    const Motion motion = motion_of(derivatives_, point.direction, width(point));
    const double slope = matrix_[a * k + a];
    if (motion.sign != 0 && motion.sign != static_cast<int>(answer_[a]) && slope < 0.0) {
      answer_[a] *= 1.0 - 0.5 * std::numeric_limits<double>::epsilon();
    }
  }
  return {};
}

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

  // Sides alone, with which every guard moves to its own side or stays: from those of before on, the first guard that moves away from its
  // side is turned, until none does ([CPS92] 4.2, least index; it ends where the problem of the rates has a P-matrix, as that of
  // diodes between resistors has, however much their rates depend on each other's sides). True: answer_ has them.
  bool turn_sides(system::Configuration& configuration) {
    const std::size_t k = self.active_.size();
    std::copy(self.corner_.begin(), self.corner_.end(), self.other_.begin());
    for (std::size_t turn = 0; turn <= kMostTurnsOfAGuard * k; ++turn) {
      for (std::size_t a = 0; a < k; ++a) {
        configuration.latched[static_cast<std::size_t>(self.guards_[self.active_[a]].guard)] = self.other_[a];
      }
      evaluator.set_configuration(configuration);
      if (!self.evaluate(evaluator, point, self.field(pattern)).ok()) {
        return false;
      }
      std::size_t a = 0;
      for (Side side; a < k; ++a) {
        const Index guard = self.guards_[self.active_[a]].guard;
        if (!self.look_at_motion(evaluator, point, guard, self.field(pattern), side).ok()) {
          return false;
        }
        if (side.motion.sign * self.other_[a] < 0.0) {
          break;
        }
      }
      if (a == k) {
        std::copy(self.other_.begin(), self.other_.end(), self.answer_.begin());
        return true;
      }
      self.other_[a] = -self.other_[a];
    }
    return false;
  }

  // No motion between the sides was found.
  void take_sides_alone(system::Configuration& configuration, bool& is_final) {
    is_final = turn_sides(configuration);
    self.stays_as_written_ = is_final;
    self.decision_.status = is_final ? self.decision_.status : Decision::Status::none;
  }
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
  is_solution = violation() <= kNotAffine;
  return {};
}

// Several solutions and guards without a side before. These begin at zero, as the relations are written, the others with the sides of the
// answer; every guard then takes the side to which it moves, until all stay: that is the solution that is taken. Where none is found
// so, the answer stays.
Evaluation Decider::choose_as_written(system::Evaluator& evaluator, const DecisionPoint& point,
                                      system::Configuration& configuration) {
  const std::size_t k = active_.size();
  std::copy(answer_.begin(), answer_.end(), other_.begin());
  for (std::size_t a = 0; a < k; ++a) {
    other_[a] = guards_[active_[a]].before == 0.0 ? 0.0 : answer_[a];
  }
  const auto give = [&](std::span<const double> sides) {
    for (std::size_t a = 0; a < k; ++a) {
      configuration.latched[static_cast<std::size_t>(guards_[active_[a]].guard)] = sides[a];
    }
    evaluator.set_configuration(configuration);
  };
  // Each turn that is not the last moves one guard at least from zero to its side.
  for (std::size_t turn = 0; turn <= k + 1; ++turn) {
    give(other_);
    if (const Evaluation evaluation = evaluate(evaluator, point, field(k + 1)); !evaluation.ok()) {
      return evaluation;
    }
    std::copy(other_.begin(), other_.end(), start_.begin());
    bool is_possible = true;
    for (std::size_t a = 0; a < k; ++a) {
      const GuardDecision& guard = guards_[active_[a]];
      Side side;
      if (const Evaluation evaluation = look_at_motion(evaluator, point, guard.guard, field(k + 1), side);
          !evaluation.ok()) {
        return evaluation;
      }
      if (side.motion.sign != 0) {
        other_[a] = static_cast<double>(side.motion.sign);
      }
      is_possible = is_possible && !is_inside(start_[a] == 0.0 ? 1.0 : start_[a]);
    }
    if (!is_possible) {
      break;
    }
    if (std::equal(other_.begin(), other_.end(), start_.begin())) {
      std::copy(other_.begin(), other_.end(), answer_.begin());
      stays_as_written_ = true;
      return {};
    }
  }
  give(answer_);
  return {};
}

void Decider::resize_problem() {
  const std::size_t k = active_.size();
  for (std::vector<double>* vector :
       {&corner_, &vector_, &force_noise_, &answer_, &other_, &start_, &forces_}) {
    vector->resize(k);
  }
  rates_.resize((k + 1) * k);
  orders_.resize(k);
  matrix_.resize(k * k);
  work_.resize(k * k);
  resting_.resize(k);
  for (std::size_t a = 0; a < k; ++a) {
    const double found = found_[active_[a]];
    corner_[a] = (found != 0.0 ? found : guards_[active_[a]].before) >= 0.0 ? 1.0 : -1.0;
  }
}

// Takes a guard out of the problem with a value that is fixed.
void Decider::fix(std::size_t a, double value, GuardDecision::Kind kind, system::Evaluator& evaluator,
                  system::Configuration& configuration) {
  GuardDecision& guard = guards_[active_[a]];
  guard.kind = kind;
  guard.value = value;
  configuration.latched[static_cast<std::size_t>(guard.guard)] = value;
  if (kind == GuardDecision::Kind::stays_zero) {
    evaluator.set_configuration(configuration);
  } else {
    evaluator.set_latched(guard.guard, value);
  }
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(a));
}

// Guards of contacts are moved by states that no side changes at once: where turning all of them changes no rate, every guard goes
// where its rate points. Two evaluations take the place of one for each guard. False: not so, or not known.
bool Decider::crosses_together(system::Evaluator& evaluator, const DecisionPoint& point) {
  const std::size_t k = active_.size();
  const std::size_t turned = k + 1;
  has_corner_field_ = false;
  if (k < kFewGuards) {
    return false;
  }
  pattern_guards_.resize(k);
  pattern_sides_.resize(k);
  for (const double side : {1.0, -1.0}) {
    for (std::size_t a = 0; a < k; ++a) {
      pattern_guards_[a] = guards_[active_[a]].guard;
      pattern_sides_[a] = side * corner_[a];
      evaluator.set_latched(pattern_guards_[a], pattern_sides_[a]);
    }
    const std::size_t pattern = side > 0.0 ? 0 : turned;
    if (!evaluate_near(evaluator, point, pattern_guards_, pattern_sides_, pattern).ok()) {
      return false;
    }
    has_corner_field_ = true;
    for (std::size_t a = 0; a < k; ++a) {
      Rate rate;
      if (!first_rate(evaluator, point, pattern_guards_[a], field(pattern), rate).ok() ||
          sign_beyond_noise(rate.value, rate.noise) != -static_cast<int>(corner_[a]) ||
          (pattern == turned && std::abs(rate.value - vector_[a]) > rate.noise + force_noise_[a])) {
        return false;
      }
      vector_[a] = rate.value;
      force_noise_[a] = rate.noise;
    }
  }
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  std::fill(orders_.begin(), orders_.end(), 1);
  std::copy(pattern_sides_.begin(), pattern_sides_.end(), answer_.begin());
  return true;
}

// One attempt with the guards that are active. `is_final`: nothing had to be fixed.
Evaluation Decider::solve_active(system::Evaluator& evaluator, const DecisionPoint& point,
                                 system::Configuration& configuration, bool& is_final) {
  resize_problem();
  is_final = false;
  stays_as_written_ = false;
  if (crosses_together(evaluator, point)) {
    is_final = true;
    return {};
  }
  if (const Evaluation evaluation = gather_rates(evaluator, point); !evaluation.ok()) {
    return evaluation;
  }
  Evaluation evaluation;
  if (!find_orders(evaluator, point, evaluation)) {
    for (std::size_t a = active_.size(); evaluation.ok() && a-- > 0;) {
      if (orders_[a] == 0) {
        fix(a, 0.0, GuardDecision::Kind::stays_zero, evaluator, configuration);
      }
    }
    return evaluation;
  }
  build_affine_problem();
  if (!solve_affine(corner_, answer_)) {
    Iteration{*this, evaluator, point, active_.size() + 1}.take_sides_alone(configuration, is_final);
    return {};
  }
  if (!has_one_solution()) {
    look_for_others();
    prefer_interior();
  }
  const bool has_no_side = std::any_of(active_.begin(), active_.end(),
                                       [this](std::size_t place) { return guards_[place].before == 0.0; });
  if (decision_.is_ambiguous && has_no_side) {
    evaluation = choose_as_written(evaluator, point, configuration);
    if (!evaluation.ok() || stays_as_written_) {
      is_final = stays_as_written_;
      return evaluation;
    }
  }
  evaluation = settle_touching(evaluator, point);
  if (evaluation.ok()) {
    evaluation = evaluate_forces(evaluator, point, active_.size() + 1);
  }
  bool is_solution = evaluation.ok() && violation() <= kNotAffine;
  if (evaluation.ok() && !is_solution) {
    evaluation = newton(evaluator, point, is_solution);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  if (!is_solution) {
    Iteration{*this, evaluator, point, active_.size() + 1}.take_sides_alone(configuration, is_final);
    return {};
  }
  is_final = !bar_sliding(evaluator, point, configuration) && !leave_at_rest(evaluator, point, configuration);
  return {};
}

void Decider::report_several(system::Evaluator& evaluator, system::Configuration& configuration) {
  const std::size_t k = active_.size();
  for (std::size_t a = 0; a < k; ++a) {
    GuardDecision& guard = guards_[active_[a]];
    guard.value = answer_[a];
    const bool is_written = stays_as_written_ && guard.value == 0.0;
    guard.kind = is_written               ? GuardDecision::Kind::stays_zero
                 : is_inside(guard.value) ? GuardDecision::Kind::slides
                                          : GuardDecision::Kind::side;
    guard.order = orders_[a];
    const double own = matrix_[a * k + a];
    const double others = affine_force(a, answer_) - own * answer_[a];
    guard.rate_plus = others + own;
    guard.rate_minus = others - own;
    guard.encounter = encounter(sign_beyond_noise(guard.rate_plus, force_noise_[a]),
                                sign_beyond_noise(guard.rate_minus, force_noise_[a]));
    configuration.latched[static_cast<std::size_t>(guard.guard)] = guard.value;
    decision_.slides = decision_.slides || guard.kind == GuardDecision::Kind::slides;
  }
  if (stays_as_written_) {
    evaluator.set_configuration(configuration);
    decision_.derivative_known = false;
    return;
  }
  if (is_moved_[k + 1] != 0 && !decision_.slides) {
    decision_.own_side = moved(k + 1);
  }
  for (std::size_t a = 0; a < k; ++a) {
    evaluator.set_latched(guards_[active_[a]].guard, answer_[a]);
  }
}

const Decision& Decider::decide_several(system::Evaluator& evaluator, const DecisionPoint& point,
                                        std::span<const Index> zero, std::span<const double> before,
                                        system::Configuration& configuration) {
  active_.resize(zero.size());
  found_.assign(zero.size(), 0.0);
  for (std::size_t place = 0; place < zero.size(); ++place) {
    active_[place] = place;
    guards_[place] = {};
    guards_[place].guard = zero[place];
    guards_[place].before = before[place];
  }
  for (std::size_t place = point.leaving.size(); place-- > 0;) {
    if (point.leaving[place] != 0.0) {
      guards_[place].encounter = point.leaving[place] > 0.0 ? Encounter::to_plus : Encounter::to_minus;
      fix(place, point.leaving[place], GuardDecision::Kind::side, evaluator, configuration);
    }
  }
  bool is_final = active_.empty();
  std::size_t n_woken = 0;
  while (!is_final && decision_.status == Decision::Status::decided && !active_.empty()) {
    decision_.is_ambiguous = false;
    if (const Evaluation evaluation = solve_active(evaluator, point, configuration, is_final);
        !evaluation.ok()) {
      return failed(evaluation);
    }
    // Each time one guard at least has a side that had none.
    if ((is_final || active_.empty()) && n_woken < zero.size() &&
        wake_resting(evaluator, point, configuration)) {
      is_final = false;
      ++n_woken;
    }
  }
  // What was fixed last has not been evaluated.
  decision_.derivative_known = decision_.derivative_known && is_final && !active_.empty();
  if (decision_.status == Decision::Status::decided && is_final) {
    report_several(evaluator, configuration);
  }
  return decision_;
}

}  // namespace saltus::slide
