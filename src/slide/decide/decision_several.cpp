// Several guards that are zero at once: from the affine problem to the decision (docs/semantics.md 7).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/time_tolerance.hpp"
#include "slide/decide/decision.hpp"
#include "slide/decide/weights.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// Turns of sides for each guard before the search for a combination of them is given up: where there is one, each guard turns once or twice.
// Limit of work.
constexpr std::size_t kMostTurnsOfAGuard = 8;
// Fewer guards than this are always looked at one by one: it costs no more than looking at them together.
constexpr std::size_t kFewGuards = 3;

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

// Sides alone, with which every guard moves to its own side or stays: from those of before on, the first guard that moves away from its
// side is turned, until none does ([CPS92] 4.2, least index; it ends where the problem of the rates has a P-matrix, as that of
// diodes between resistors has, however much their rates depend on each other's sides). True: answer_ has them.
bool Decider::turn_sides(system::Evaluator& evaluator, const DecisionPoint& point,
                         system::Configuration& configuration) {
  const std::size_t k = active_.size();
  const std::span<double> motion = field(k + 1);
  std::copy(corner_.begin(), corner_.end(), other_.begin());
  for (std::size_t turn = 0; turn <= kMostTurnsOfAGuard * k; ++turn) {
    for (std::size_t a = 0; a < k; ++a) {
      configuration.latched[static_cast<std::size_t>(guards_[active_[a]].guard)] = other_[a];
    }
    evaluator.set_configuration(configuration);
    if (!evaluate(evaluator, point, motion).ok()) {
      return false;
    }
    std::size_t a = 0;
    for (Side side; a < k; ++a) {
      if (!look_at_motion(evaluator, point, guards_[active_[a]].guard, motion, side).ok()) {
        return false;
      }
      if (side.motion.sign * other_[a] < 0.0) {
        break;
      }
    }
    if (a == k) {
      std::copy(other_.begin(), other_.end(), answer_.begin());
      return true;
    }
    other_[a] = -other_[a];
  }
  return false;
}

// No motion between the sides was found. True: the sides are final.
bool Decider::take_sides_alone(system::Evaluator& evaluator, const DecisionPoint& point,
                               system::Configuration& configuration) {
  stays_as_written_ = turn_sides(evaluator, point, configuration);
  decision_.status = stays_as_written_ ? decision_.status : Decision::Status::none;
  return stays_as_written_;
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
    is_final = take_sides_alone(evaluator, point, configuration);
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
  bool is_solution = evaluation.ok() && solves_problem();
  if (evaluation.ok() && !is_solution) {
    evaluation = newton(evaluator, point, is_solution);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  if (!is_solution) {
    is_final = take_sides_alone(evaluator, point, configuration);
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
