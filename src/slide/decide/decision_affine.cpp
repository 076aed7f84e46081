// Several guards that are zero at once: the affine problem F = M·s + q of docs/semantics.md 7.1 and its solutions.
#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "slide/decide/decision.hpp"
#include "slide/decide/weights.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// Two answers whose fields differ by less than this part are one solution.
constexpr double kSameField = 1e-9;
// Rounding in M·s + q at an answer, relative to q.
constexpr double kForceRounding = 1e-12;

}  // namespace

// Rates of every active guard in the configuration the evaluator has: order 1 from the field of the pattern, or the
// one asked for where orders_ says 0 (not found yet).
Evaluation Decider::pattern_rates(system::Evaluator& evaluator, const DecisionPoint& point,
                                  std::size_t pattern, int order) {
  const std::size_t k = active_.size();
  for (std::size_t a = 0; a < k; ++a) {
    Rate& rate = rates_[pattern * k + a];
    const Index guard = guards_[active_[a]].guard;
    Evaluation evaluation;
    if (order == 1) {
      evaluation = first_rate(evaluator, point, guard, field(pattern), rate);
    } else if (orders_[a] == 0) {
      evaluation = close_look(evaluator, point, guard);
      const auto i = static_cast<std::size_t>(order - 1);
      const double sign = order % 2 == 1 ? point.direction : 1.0;
      rate =
          derivatives_.n_known >= order ? Rate{sign * derivatives_.value[i], derivatives_.noise[i]} : Rate{};
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

// ġ at the sides before and with each guard turned, k + 1 evaluations.
Evaluation Decider::gather_rates(system::Evaluator& evaluator, const DecisionPoint& point) {
  const std::size_t k = active_.size();
  pattern_guards_.resize(k);
  pattern_sides_.assign(corner_.begin(), corner_.end());
  for (std::size_t a = 0; a < k; ++a) {
    pattern_guards_[a] = guards_[active_[a]].guard;
    evaluator.set_latched(pattern_guards_[a], corner_[a]);
  }
  for (std::size_t pattern = 0; pattern <= k; ++pattern) {
    if (pattern > 0) {
      evaluator.set_latched(guards_[active_[pattern - 1]].guard, -corner_[pattern - 1]);
    }
    if (pattern > 0) {
      pattern_sides_[pattern - 1] = -corner_[pattern - 1];
    }
    const bool is_known = pattern == 0 && has_corner_field_;
    const Evaluation near =
        is_known ? Evaluation{} : evaluate_near(evaluator, point, pattern_guards_, pattern_sides_, pattern);
    if (!near.ok()) {
      return near;
    }
    if (pattern > 0) {
      pattern_sides_[pattern - 1] = corner_[pattern - 1];
    }
    if (const Evaluation evaluation = pattern_rates(evaluator, point, pattern, 1); !evaluation.ok()) {
      return evaluation;
    }
    if (pattern > 0) {
      evaluator.set_latched(guards_[active_[pattern - 1]].guard, corner_[pattern - 1]);
    }
  }
  return {};
}

// For each guard the first order that exceeds its noise in some pattern; false when some guard has none.
bool Decider::find_orders(system::Evaluator& evaluator, const DecisionPoint& point, Evaluation& evaluation) {
  const std::size_t k = active_.size();
  std::fill(orders_.begin(), orders_.end(), 0);
  for (int order = 1; order <= system::GuardDerivatives::kOrders; ++order) {
    for (std::size_t pattern = 0; order > 1 && pattern <= k; ++pattern) {
      if (pattern > 0) {
        evaluator.set_latched(guards_[active_[pattern - 1]].guard, -corner_[pattern - 1]);
      }
      evaluation = pattern_rates(evaluator, point, pattern, order);
      if (!evaluation.ok()) {
        return false;
      }
      if (pattern > 0) {
        evaluator.set_latched(guards_[active_[pattern - 1]].guard, corner_[pattern - 1]);
      }
    }
    bool all_found = true;
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t pattern = 0; orders_[a] == 0 && pattern <= k; ++pattern) {
        const Rate& rate = rates_[pattern * k + a];
        orders_[a] = sign_beyond_noise(rate.value, rate.noise) != 0 ? order : 0;
      }
      all_found = all_found && orders_[a] != 0;
    }
    if (all_found) {
      return true;
    }
  }
  return false;
}

// F = M·s + q through the k + 1 patterns; differences within the noise are zero.
void Decider::build_affine_problem() {
  const std::size_t k = active_.size();
  for (std::size_t i = 0; i < k; ++i) {
    const Rate& base = rates_[i];
    double offset = std::abs(base.value) > base.noise ? base.value : 0.0;
    force_noise_[i] = base.noise;
    for (std::size_t j = 0; j < k; ++j) {
      const Rate& turned = rates_[(j + 1) * k + i];
      const double difference = turned.value - base.value;
      const double noise = turned.noise + base.noise;
      const double slope = std::abs(difference) > noise ? difference / (-2.0 * corner_[j]) : 0.0;
      matrix_[i * k + j] = slope;
      offset -= slope * corner_[j];
      force_noise_[i] += noise;
    }
    vector_[i] = offset;
  }
}

double Decider::affine_force(std::size_t i, std::span<const double> s) const {
  double force = vector_[i];
  for (std::size_t j = 0; j < s.size(); ++j) {
    force += matrix_[i * s.size() + j] * s[j];
  }
  return force;
}

bool Decider::solve_affine(std::span<const double> corner, std::span<double> s) {
  const std::size_t k = active_.size();
  lemke_.resize(static_cast<Index>(k));
  std::copy_n(matrix_.begin(), k * k, lemke_.matrix().begin());
  std::copy_n(vector_.begin(), k, lemke_.vector().begin());
  return lemke_.solve(corner, s) == nonlinear::Lemke::Status::solved;
}

// -M positive definite, decided by the pivots of its symmetric part, is enough for exactly one solution [CPS92] 3.1.6; so is
// a dominant diagonal. A guard whose rate no weights can turn has one side and is left out. All this leaves out problems with one solution:
// those are searched for others in vain.
bool Decider::has_one_solution() {
  const std::size_t k = active_.size();
  std::size_t n_free = 0;
  for (std::size_t i = 0; i < k; ++i) {
    double reach = force_noise_[i];
    for (std::size_t j = 0; j < k; ++j) {
      reach += std::abs(matrix_[i * k + j]);
    }
    if (std::abs(vector_[i]) <= reach) {
      resting_[n_free++] = i;
    }
  }
  bool is_dominant = true;
  for (std::size_t row = 0; row < n_free; ++row) {
    const std::size_t i = resting_[row];
    double others = 0.0;
    for (std::size_t column = 0; column < n_free; ++column) {
      const std::size_t j = resting_[column];
      others += i == j ? 0.0 : std::abs(matrix_[i * k + j]);
      work_[row * n_free + column] = -0.5 * (matrix_[i * k + j] + matrix_[j * k + i]);
    }
    is_dominant = is_dominant && -matrix_[i * k + i] > others;
  }
  if (is_dominant) {
    return true;
  }
  for (std::size_t p = 0; p < n_free; ++p) {
    const double pivot = work_[p * n_free + p];
    const std::size_t own = resting_[p] * k + resting_[p];
    if (!(pivot > kEpsilon * static_cast<double>(n_free) * std::abs(matrix_[own]))) {
      return false;
    }
    for (std::size_t i = p + 1; i < n_free; ++i) {
      const double factor = work_[i * n_free + p] / pivot;
      for (std::size_t j = p + 1; j < n_free; ++j) {
        work_[i * n_free + j] -= factor * work_[p * n_free + j];
      }
    }
  }
  return true;
}

// Whether ẋ is the same at two answers: then they differ in their weights alone.
bool Decider::same_field(std::span<const double> a, std::span<const double> b) const {
  const std::size_t k = active_.size();
  for (std::size_t state = 0; state < n_; ++state) {
    double difference = 0.0;
    double size = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      const double slope = (fields_[(j + 1) * n_ + state] - fields_[state]) / (-2.0 * corner_[j]);
      difference += slope * (a[j] - b[j]);
      size += std::abs(slope);
    }
    if (std::abs(difference) > kSameField * size) {
      return false;
    }
  }
  return true;
}

// Lemke's path from other corners ends at other solutions where there are some; the nearest to the sides before stays.
void Decider::look_for_others() {
  const std::size_t k = active_.size();
  const auto distance = [&](std::span<const double> s) {
    double sum = 0.0;
    for (std::size_t a = 0; a < k; ++a) {
      sum += std::abs(s[a] - (guards_[active_[a]].before != 0.0 ? guards_[active_[a]].before : 0.0));
    }
    return sum;
  };
  double nearest = distance(answer_);
  for (std::size_t turned = 0; turned <= k + 1; ++turned) {
    for (std::size_t a = 0; a < k; ++a) {
      // All turned; then each alone; then the corner nearest the answer's opposite.
      const bool turn = turned == 0 || turned == a + 1 || (turned == k + 1 && answer_[a] == corner_[a]);
      start_[a] = turn ? -corner_[a] : corner_[a];
    }
    if (!solve_affine(start_, other_) || same_field(answer_, other_)) {
      continue;
    }
    decision_.is_ambiguous = true;
    if (const double far = distance(other_); far < nearest) {
      nearest = far;
      std::copy(other_.begin(), other_.end(), answer_.begin());
    }
  }
}

// Weights that are not unique although ẋ is: of those that meet F = 0 on all guards at rest the smallest are taken, so that a
// guard is not put on a side, where nothing moves it, when it can be slid on (the end of twisting).
void Decider::prefer_interior() {
  const std::size_t k = active_.size();
  std::size_t n_resting = 0;
  std::vector<std::size_t>& resting = resting_;
  bool any_at_bound = false;
  for (std::size_t a = 0; a < k; ++a) {
    if (std::abs(affine_force(a, answer_)) <= force_noise_[a] + kForceRounding * std::abs(vector_[a])) {
      resting[n_resting++] = a;
      any_at_bound = any_at_bound || !is_inside(answer_[a]);
    }
  }
  if (!any_at_bound) {
    return;
  }
  // What no weight of these moves is not held by one: it stays zero, as written (leave_at_rest).
  for (std::size_t row = n_resting; row-- > 0;) {
    const auto moves = [&](std::size_t b) { return matrix_[resting[row] * k + b] != 0.0; };
    const auto first = resting.begin();
    const auto last = first + static_cast<std::ptrdiff_t>(n_resting);
    if (std::none_of(first, last, moves)) {
      std::copy(first + static_cast<std::ptrdiff_t>(row) + 1, last, first + static_cast<std::ptrdiff_t>(row));
      --n_resting;
    }
  }
  const auto m = static_cast<Index>(n_resting);
  solver_.resize(m, m);
  for (std::size_t row = 0; row < n_resting; ++row) {
    double force = vector_[resting[row]];
    for (std::size_t j = 0; j < k; ++j) {
      const bool rests = std::find(resting.begin(), resting.begin() + m, j) != resting.begin() + m;
      force += rests ? 0.0 : matrix_[resting[row] * k + j] * answer_[j];
    }
    for (std::size_t column = 0; column < n_resting; ++column) {
      solver_.matrix()[row * n_resting + column] = matrix_[resting[row] * k + resting[column]];
    }
    start_[row] = -force;
  }
  if (!solver_.factorize() || solver_.rank() == m) {
    return;
  }
  solver_.solve(std::span<double>(start_).first(n_resting), std::span<double>(other_).first(n_resting));
  for (std::size_t row = 0; row < n_resting; ++row) {
    if (!is_inside(other_[row])) {
      return;
    }
  }
  for (std::size_t row = 0; row < n_resting; ++row) {
    answer_[resting[row]] = other_[row];
  }
}

}  // namespace saltus::slide
