// The weights of a SlidingField: s with ġ(s) = 0 at one point.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "nonlinear/kept_newton.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "slide/field/own_side.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::slide {
namespace {

using nonlinear::KeptAnswer;
using system::Evaluation;

// A correction of the weights this small is rounding.
constexpr double kConverged = 64.0 * kEpsilon;
constexpr int kMostWeightIterations = 25;  // limit of work
// Largest ġ that no weight changes, relative to what weights do to the field: beyond it the surfaces cannot be kept.
constexpr double kInconsistent = 1e-8;
// States that differ by less are the same point.
constexpr double kSamePointUlps = 4.0;
// A weight within this of a solution between the sides is one from which the iteration goes there.
constexpr double kHalvedEnough = 1e-4;

// When the weights have arrived and when their matrix, of another point, is worth keeping.
class WeightPolicy {
 public:
  explicit WeightPolicy(std::size_t n_surfaces) : n_surfaces_(n_surfaces) {}

  void begin() {}
  void set_fresh() { is_fresh_ = true; }
  [[nodiscard]] KeptAnswer look(double size) {
    if (++n_looks_ > kMostWeightIterations) {
      return KeptAnswer::lost;
    }
    if (size <= kConverged) {
      return KeptAnswer::converged;
    }
    if (is_fresh_ && !std::isfinite(size)) {
      return KeptAnswer::lost;
    }
    if (!std::isfinite(size) || !is_worth_keeping(size)) {
      previous_ = std::numeric_limits<double>::infinity();
      return KeptAnswer::refresh;
    }
    previous_ = size;
    is_fresh_ = false;
    return KeptAnswer::go_on;
  }

 private:
  // It contracts by size/previous: a new one, k evaluations, is worth it when more would be needed.
  [[nodiscard]] bool is_worth_keeping(double size) const {
    if (is_fresh_ || !std::isfinite(previous_)) {
      return true;
    }
    const double contraction = size / previous_;
    if (contraction >= 1.0) {
      return false;
    }
    const double steps_left = std::log(kConverged / size) / std::log(contraction);
    return steps_left <= static_cast<double>(n_surfaces_ + 1);
  }

  std::size_t n_surfaces_;
  int n_looks_ = 0;
  bool is_fresh_ = false;                                      // the matrix is that of the present weights
  double previous_ = std::numeric_limits<double>::infinity();  // size of the correction before
};

}  // namespace

Evaluation SlidingField::gradients(double t, std::span<const double> x) {
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    Row& row = rows_[k];
    if (row.is_affine || is_algebraic_[k] != 0) {
      continue;
    }
    const std::span<double> gradient = std::span<double>(gradients_).subspan(k * n_, n_);
    const Evaluation evaluation = plus_.guard_gradient(surfaces_[k], t, x, gradient, row.time_derivative);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

// ġ = ∂g/∂t + ∇g·ẋ; `scale` is the sum of the terms' sizes.
double SlidingField::rate(std::size_t surface, std::span<const double> xdot, double& scale) const {
  const Row& row = rows_[surface];
  double sum = row.time_derivative;
  scale = std::abs(sum);
  for (std::size_t i = 0; i < row.states.size(); ++i) {
    const double term = row.coefficients[i] * xdot[static_cast<std::size_t>(row.states[i])];
    sum += term;
    scale += std::abs(term);
  }
  return sum;
}

// ẋ with all surfaces (one, or one in each part) locked on a side; where that has no value at x, which rounding may have put beyond the surface, next to
// x on the side itself.
Evaluation SlidingField::side_field(double side, double t, std::span<const double> x,
                                    std::span<double> xdot) {
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    set_weight(k, side);
  }
  system::Evaluator& inner = side < 0.0 && is_pair() ? *minus_ : plus_;
  const Evaluation evaluation = inner_rhs(inner, t, x, xdot);
  if (evaluation.status != Evaluation::Status::not_finite || level_ != 0.0) {
    return evaluation;
  }
  std::copy(x.begin(), x.end(), moved_.begin());
  const bool is_moved = std::all_of(surfaces_.begin(), surfaces_.end(), [&](Index surface) {
    return move_to_side(inner, surface, side, t, moved_, column_);
  });
  return is_moved ? inner_rhs(inner, t, moved_, xdot) : evaluation;
}

// g of an algebraic surface at weights_, which the inner evaluators have.
Evaluation SlidingField::algebraic_value(std::size_t surface, double t, std::span<const double> x,
                                         double& value) {
  const Index guard = surfaces_[surface];
  const Evaluation evaluation = plus_.guards({&guard, 1}, t, x, {&value, 1});
  if (!evaluation.ok() || !is_pair()) {
    value -= surface == 0 ? level_ : 0.0;
    return evaluation;
  }
  double minus = 0.0;
  const Evaluation other = minus_->guards({&guard, 1}, t, x, {&minus, 1});
  const double share = 0.5 * (1.0 + weights_[0]);
  value = share * value + (1.0 - share) * minus - (surface == 0 ? level_ : 0.0);
  return other;
}

Evaluation SlidingField::side_force(double side, double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> force,
                                    std::span<double> noise) {
  // The side is locked since its field was evaluated.
  system::Evaluator& inner = side < 0.0 && is_pair() ? *minus_ : plus_;
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    if (is_algebraic_[k] == 0) {
      double scale = 0.0;
      force[k] = rate(k, xdot, scale);
      noise[k] = reduce::kRateUlps * kEpsilon * scale;
      continue;
    }
    const Evaluation evaluation = inner.guards({&surfaces_[k], 1}, t, x, {&force[k], 1});
    if (!evaluation.ok()) {
      return evaluation;
    }
    force[k] -= level_;
    noise[k] = inner.guard_noise(surfaces_[k], t, x);
  }
  return {};
}

// One surface: with a = ġ₊ and b = ġ₋ of the two sides, α = b/(b - a) is the share of the side g > 0 [CMR16] 2.3. The same with the
// values of g in an algebraic slide, and for each part of the model that has a surface.
Evaluation SlidingField::combine_sides(double t, std::span<const double> x, std::span<double> xdot) {
  if (const Evaluation evaluation = side_field(1.0, t, x, field_plus_); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = side_force(1.0, t, x, field_plus_, force_plus_, noise_plus_);
      !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = side_field(-1.0, t, x, field_minus_); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = side_force(-1.0, t, x, field_minus_, force_minus_, noise_minus_);
      !evaluation.ok()) {
    return evaluation;
  }
  weight_noise_ = 0.0;
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    const double difference = force_minus_[k] - force_plus_[k];
    const double noise = noise_plus_[k] + noise_minus_[k];
    if (!(std::abs(difference) > noise)) {
      return {Evaluation::Status::no_weights, surfaces_[k]};
    }
    weights_[k] = (force_plus_[k] + force_minus_[k]) / difference;
    weight_noise_ = std::max(weight_noise_, (2.0 + std::abs(weights_[k])) * noise / std::abs(difference));
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const std::size_t k =
        n_surfaces() == 1 ? 0 : surface_of_variable(static_cast<std::size_t>(variable_of_state_[i]));
    const double difference = force_minus_[k] - force_plus_[k];
    const double share = force_minus_[k] / difference;
    // From the nearer side, so that the field is exact where one side holds alone.
    if (share < 0.5) {
      xdot[i] = field_minus_[i] + share * (field_plus_[i] - field_minus_[i]);
    } else {
      const double rest = -force_plus_[k] / difference;
      xdot[i] = field_plus_[i] + rest * (field_minus_[i] - field_plus_[i]);
    }
  }
  return {};
}

// F = ġ at weights_.
Evaluation SlidingField::evaluate_residual(double t, std::span<const double> x, std::span<double> xdot) {
  set_weights();
  if (const Evaluation evaluation = field(t, x, xdot); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    if (is_algebraic_[k] == 0) {
      residual_[k] = rate(k, xdot, residual_scale_[k]);
      continue;
    }
    if (const Evaluation evaluation = algebraic_value(k, t, x, residual_[k]); !evaluation.ok()) {
      return evaluation;
    }
    residual_scale_[k] = 0.0;  // what weights do to it is in the matrix
  }
  return {};
}

// ∂F/∂s by differences: over half the range, and exact, where ẋ is affine in a weight.
Evaluation SlidingField::new_jacobian(double t, std::span<const double> x, std::span<const double> xdot) {
  const std::size_t k = n_surfaces();
  field_scale_ = 0.0;
  for (std::size_t j = 0; j < k; ++j) {
    const double kept = weights_[j];
    const bool is_affine =
        !has_algebraic() &&
        ((j == 0 && is_pair()) || infos_[static_cast<std::size_t>(surfaces_[j])].is_affine_in_weight);
    weights_[j] += std::copysign(is_affine ? 1.0 : reduce::kWeightDifference, -kept);
    const double step = weights_[j] - kept;
    set_weight(j, weights_[j]);
    Evaluation evaluation = field(t, x, field_plus_);
    for (std::size_t i = 0; i < k && evaluation.ok(); ++i) {
      if (is_algebraic_[i] != 0) {
        evaluation = algebraic_value(i, t, x, jacobian_[i * k + j]);
        jacobian_[i * k + j] = (jacobian_[i * k + j] - residual_[i]) / step;
      }
    }
    weights_[j] = kept;
    set_weight(j, kept);
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      field_plus_[i] = (field_plus_[i] - xdot[i]) / step;
      field_scale_ = std::max(field_scale_, std::abs(field_plus_[i]));
    }
    for (std::size_t i = 0; i < k; ++i) {
      double scale = 0.0;
      if (is_algebraic_[i] == 0) {
        jacobian_[i * k + j] = rate(i, field_plus_, scale) - rows_[i].time_derivative;
      }
    }
  }
  jacobian_known_ = true;
  factorized_ = false;
  return {};
}

// Smallest correction -J⁺F into correction_; its largest entry. NaN where J is not finite.
double SlidingField::correct() {
  if (!factorized_) {
    std::copy(jacobian_.begin(), jacobian_.end(), solver_.matrix().begin());
    if (!solver_.factorize()) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    factorized_ = true;
  }
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    values_[k] = -residual_[k];
  }
  solver_.solve(values_, correction_);
  double largest = 0.0;
  for (const double value : correction_) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// Corrections have ended: what is left of ġ must be rounding, also where no weight changes it.
Evaluation SlidingField::check_rates() {
  double noise = 0.0;
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    double size = residual_scale_[k];
    for (std::size_t j = 0; is_algebraic_[k] != 0 && j < n_surfaces(); ++j) {
      size += std::abs(jacobian_[k * n_surfaces() + j]);
    }
    for (std::size_t e = 0; is_algebraic_[k] == 0 && e < rows_[k].coefficients.size(); ++e) {
      size += std::abs(rows_[k].coefficients[e]) * field_scale_;
    }
    if (!(std::abs(residual_[k]) <= kInconsistent * size)) {
      return {Evaluation::Status::no_weights, surfaces_[k]};
    }
    noise = std::max(noise, reduce::kRateUlps * kEpsilon * size);
  }
  weight_noise_ = kConverged + (solver_.rank() > 0 ? noise / solver_.smallest_pivot() : 0.0);
  return {};
}

struct SlidingField::WeightIteration {
  SlidingField& self;
  double t;
  std::span<const double> x;
  std::span<double> xdot;
  Evaluation evaluation = {};
  bool is_evaluated = false;  // at the present weights

  nonlinear::Rows evaluate() {
    if (!is_evaluated) {
      evaluation = self.evaluate_residual(t, x, xdot);
      is_evaluated = true;
    }
    return evaluation.ok() ? nonlinear::Rows::open : nonlinear::Rows::no_value;
  }
  [[nodiscard]] bool has_matrix() const { return self.jacobian_known_; }
  [[nodiscard]] bool refresh() {
    evaluation = self.new_jacobian(t, x, xdot);
    return evaluation.ok();
  }
  double correct() { return self.correct(); }
  bool move() {
    for (std::size_t k = 0; k < self.n_surfaces(); ++k) {
      self.weights_[k] += self.correction_[k];
    }
    is_evaluated = false;
    return true;
  }
  void drop_matrix() { self.jacobian_known_ = false; }
};

Evaluation SlidingField::newton(double t, std::span<const double> x, std::span<double> xdot) {
  WeightIteration iteration{*this, t, x, xdot};
  WeightPolicy policy(n_surfaces());
  switch (nonlinear::kept_newton(iteration, policy)) {
    // A kept matrix says nothing about the size of the field: check with what it was made from.
    case nonlinear::KeptEnd::converged: return check_rates();
    case nonlinear::KeptEnd::no_value:
    case nonlinear::KeptEnd::no_matrix: return iteration.evaluation;
    case nonlinear::KeptEnd::lost: break;
  }
  jacobian_known_ = false;
  return {Evaluation::Status::no_weights, surfaces_[0]};
}

Evaluation SlidingField::solve(double t, std::span<const double> x, std::span<double> xdot) {
  if (!algebraic_known_) {
    find_algebraic(t, x);
  }
  if (const Evaluation evaluation = gradients(t, x); !evaluation.ok()) {
    return evaluation;
  }
  Evaluation evaluation = combines_sides_ ? combine_sides(t, x, xdot) : newton(t, x, xdot);
  if (evaluation.status == Evaluation::Status::no_weights && !combines_sides_ && n_surfaces() == 1 &&
      combine_sides(t, x, xdot).ok()) {
    // The weight of the convex combination is another place to begin.
    jacobian_known_ = false;
    evaluation = newton(t, x, xdot);
  }
  if (evaluation.ok() && !combines_sides_ && n_surfaces() == 1 && std::abs(weights_[0]) > 1.0) {
    evaluation = search_between(t, x, xdot);
  }
  if (evaluation.ok()) {
    remember(t, x);
  }
  return evaluation;
}

// The iteration has ended beyond ±1. Where both sides push towards the surface there is a weight between them, too.
Evaluation SlidingField::search_between(double t, std::span<const double> x, std::span<double> xdot) {
  const double beyond = weights_[0];
  double low = -1.0;
  double high = 1.0;
  weights_[0] = low;
  const bool low_ok = evaluate_residual(t, x, xdot).ok();
  const double at_low = residual_[0];
  weights_[0] = high;
  if (low_ok && evaluate_residual(t, x, xdot).ok() && at_low * residual_[0] < 0.0) {
    while (high - low > kHalvedEnough) {
      weights_[0] = 0.5 * (low + high);
      if (!evaluate_residual(t, x, xdot).ok()) {
        break;
      }
      (at_low * residual_[0] > 0.0 ? low : high) = weights_[0];
    }
  } else {
    weights_[0] = beyond;
  }
  jacobian_known_ = false;
  return newton(t, x, xdot);
}

// Leaves the projection of x in point_ and its weights in weights_.
Evaluation SlidingField::solve_projected(double t, std::span<const double> x) {
  std::copy(x.begin(), x.end(), point_.begin());
  if (const Evaluation evaluation = project(t, point_); !evaluation.ok()) {
    return evaluation;
  }
  return recall(t, point_) ? Evaluation{} : solve(t, point_, scratch_);
}

Evaluation SlidingField::weights_at(double t, std::span<const double> x, std::span<double> weights) {
  const Evaluation evaluation = solve_projected(t, x);
  if (evaluation.ok()) {
    std::copy(weights_.begin(), weights_.end(), weights.begin());
  }
  return evaluation;
}

void SlidingField::remember(double t, std::span<const double> x) {
  known_times_[next_known_] = t;
  std::copy(x.begin(), x.end(), known_states_.begin() + static_cast<std::ptrdiff_t>(next_known_ * n_));
  std::copy(weights_.begin(), weights_.end(),
            known_weights_.begin() + static_cast<std::ptrdiff_t>(next_known_ * n_surfaces()));
  next_known_ = (next_known_ + 1) % kRemembered;
  n_known_ = std::min(n_known_ + 1, kRemembered);
}

bool SlidingField::recall(double t, std::span<const double> x) {
  for (std::size_t entry = 0; entry < n_known_; ++entry) {
    const double* const known = known_states_.data() + entry * n_;
    bool is_same = known_times_[entry] == t;
    for (std::size_t i = 0; is_same && i < n_; ++i) {
      is_same = std::abs(known[i] - x[i]) <= kSamePointUlps * kEpsilon * std::abs(x[i]);
    }
    if (is_same) {
      std::copy_n(known_weights_.begin() + static_cast<std::ptrdiff_t>(entry * n_surfaces()), n_surfaces(),
                  weights_.begin());
      return true;
    }
  }
  return false;
}

}  // namespace saltus::slide
