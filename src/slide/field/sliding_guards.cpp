// Guards beside the surfaces of a SlidingField, and its exits.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// By how many times its noise the value of a guard that depends on a weight must change: iterations leave as much.
constexpr double kDependsBeyondNoise = 4.0;

}  // namespace

// Whether the value of a guard changes with the weight of a surface at (t, x). Not evaluable there counts as no: then another
// point has said so, or nobody can.
bool SlidingField::depends(Index guard, double t, std::span<const double> x, std::size_t surface) {
  double plus = 0.0;
  double minus = 0.0;
  set_weight(surface, 1.0);
  const bool plus_ok = plus_.guards({&guard, 1}, t, x, {&plus, 1}).ok();
  set_weight(surface, -1.0);
  system::Evaluator& other = is_pair() && surface == 0 ? *minus_ : plus_;
  const bool minus_ok = other.guards({&guard, 1}, t, x, {&minus, 1}).ok();
  return plus_ok && minus_ok && plus != minus &&
         std::abs(plus - minus) > kDependsBeyondNoise * other.guard_noise(guard, t, x);
}

void SlidingField::find_dependents(const SlidingSet& set) {
  std::fill(is_dependent_.begin(), is_dependent_.end(), std::uint8_t{0});
  if (set.x.size() != n_) {
    return;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const double odd = 1.0 + std::sqrt(static_cast<double>(i) + 2.0);
    column_[i] = set.x[i] + reduce::kDisplacement * std::sqrt(metric_[i]) * odd;
  }
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    auto found = std::find_if(dependents_.begin(), dependents_.end(),
                              [&](const Dependents& entry) { return entry.surface == surfaces_[k]; });
    if (found == dependents_.end()) {
      found = dependents_.insert(dependents_.end(), {surfaces_[k], std::vector<Dependence>(infos_.size())});
    }
    for (const Index guard : set.watched) {
      Dependence& known = found->guards[static_cast<std::size_t>(guard)];
      if (known == Dependence::unknown) {
        known = depends(guard, set.t, set.x, k) || depends(guard, set.t, column_, k) ? Dependence::depends
                                                                                     : Dependence::none;
        set_weight(k, weights_[k]);
      }
      if (known == Dependence::depends) {
        is_dependent_[static_cast<std::size_t>(guard)] = 1;
      }
    }
  }
}

bool SlidingField::is_dependent(Index guard) const {
  return is_dependent_[static_cast<std::size_t>(guard)] != 0;
}

system::GuardShape SlidingField::guard_shape(Index guard) const {
  return is_exit(guard) || is_dependent(guard) ? system::GuardShape{} : plus_.guard_shape(guard);
}

std::optional<std::span<const Index>> SlidingField::guard_states(Index guard) const {
  return is_exit(guard) || is_dependent(guard) ? std::nullopt : plus_.guard_states(guard);
}

// A guard that depends on the weights, at point_ with its weights.
Evaluation SlidingField::guard_value(Index guard, double t, double& value) {
  set_weights();
  const Evaluation evaluation = plus_.guards({&guard, 1}, t, point_, {&value, 1});
  if (!evaluation.ok() || !is_pair()) {
    return evaluation;
  }
  double minus = 0.0;
  const Evaluation other = minus_->guards({&guard, 1}, t, point_, {&minus, 1});
  const double share = 0.5 * (1.0 + weights_[0]);
  value = share * value + (1.0 - share) * minus;
  return other;
}

// 1 - s, 1 + s of each surface in turn; of the elements of a vector 1 - |w|, w all of them.
double SlidingField::exit_value(std::size_t exit) const {
  const std::size_t surface = exit / 2;
  const auto norm_of = [this](std::size_t k) { return infos_[static_cast<std::size_t>(surfaces_[k])].norm; };
  if (norm_of(surface) < 0) {
    return exit % 2 == 0 ? 1.0 - weights_[surface] : 1.0 + weights_[surface];
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    sum += norm_of(k) == norm_of(surface) ? weights_[k] * weights_[k] : 0.0;
  }
  return 1.0 - std::sqrt(sum);
}

Evaluation SlidingField::guards(std::span<const Index> which, double t, std::span<const double> x,
                                std::span<double> values) {
  const bool is_plain = std::none_of(which.begin(), which.end(),
                                     [this](Index guard) { return is_exit(guard) || is_dependent(guard); });
  if (is_plain) {
    return plus_.guards(which, t, x, values);
  }
  if (const Evaluation evaluation = solve_projected(t, x); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t i = 0; i < which.size(); ++i) {
    Evaluation evaluation;
    if (is_exit(which[i])) {
      values[i] = exit_value(static_cast<std::size_t>(which[i] - n_guards()));
    } else if (is_dependent(which[i])) {
      evaluation = guard_value(which[i], t, values[i]);
    } else {
      evaluation = plus_.guards(which.subspan(i, 1), t, x, values.subspan(i, 1));
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

double SlidingField::guard_noise(Index i, double t, std::span<const double> x) {
  if (!is_exit(i) && !is_dependent(i)) {
    return plus_.guard_noise(i, t, x);
  }
  if (!solve_projected(t, x).ok()) {
    return std::numeric_limits<double>::infinity();
  }
  if (is_exit(i)) {
    return weight_noise_;
  }
  double noise = plus_.guard_noise(i, t, point_);
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    const double weight = weights_[k];
    double plus = 0.0;
    double minus = 0.0;
    weights_[k] = 1.0;
    const bool plus_ok = guard_value(i, t, plus).ok();
    weights_[k] = -1.0;
    const bool minus_ok = guard_value(i, t, minus).ok();
    weights_[k] = weight;
    noise += plus_ok && minus_ok ? 0.5 * std::abs(plus - minus) * weight_noise_ : 0.0;
  }
  return noise;
}

Evaluation SlidingField::guard_gradient(Index i, double t, std::span<const double> x,
                                        std::span<double> gradient, double& time_derivative) {
  if (is_exit(i)) {
    return {Evaluation::Status::no_weights, surfaces_[static_cast<std::size_t>(i - n_guards()) / 2]};
  }
  return plus_.guard_gradient(i, t, x, gradient, time_derivative);
}

// dg/dt along the sliding motion at the projection of x, which is left in point_, and ẋ in scratch_.
Evaluation SlidingField::guard_rate(Index i, double t, std::span<const double> x, double& value,
                                    double& noise) {
  std::copy(x.begin(), x.end(), point_.begin());
  if (const Evaluation evaluation = project(t, point_); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = solve(t, point_, scratch_); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = plus_.guard_gradient(i, t, point_, column_, value); !evaluation.ok()) {
    return evaluation;
  }
  double scale = std::abs(value);
  double slope = 0.0;  // of the sides: what an error of the weights does
  for (std::size_t state = 0; state < n_; ++state) {
    value += column_[state] * scratch_[state];
    scale += std::abs(column_[state] * scratch_[state]);
    slope += std::abs(column_[state]) *
             (combines_sides_ ? std::abs(field_plus_[state]) + std::abs(field_minus_[state]) : field_scale_);
  }
  noise = reduce::kRateUlps * kEpsilon * (scale + slope) + slope * weight_noise_;
  return {};
}

// A guard that depends on the weights, which follow from the point: by central differences along the motion, their error bounded by
// what twice the distance changes.
Evaluation SlidingField::dependent_derivatives(Index i, double t, std::span<const double> x,
                                               system::GuardDerivatives& derivatives) {
  std::copy(x.begin(), x.end(), point_.begin());
  if (const Evaluation evaluation = project(t, point_); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = solve(t, point_, scratch_); !evaluation.ok()) {
    return evaluation;
  }
  double speed = 1.0 / std::max(std::abs(t), 1.0);
  for (std::size_t state = 0; state < n_; ++state) {
    const double size = std::max(std::abs(point_[state]), std::sqrt(metric_[state]));
    speed = std::max(speed, std::abs(scratch_[state]) / size);
    along_[state] = scratch_[state];
    from_[state] = point_[state];
  }
  const double distance = std::cbrt(kEpsilon) / speed;
  const double noise = guard_noise(i, t, from_);
  std::array<double, 2> slopes{};
  for (std::size_t k = 0; k < 2; ++k) {
    std::array<double, 2> values{};
    const double reach = distance * static_cast<double>(k + 1);
    for (std::size_t end = 0; end < 2; ++end) {
      const double shift = end == 0 ? -reach : reach;
      for (std::size_t state = 0; state < n_; ++state) {
        moved_[state] = from_[state] + shift * along_[state];
      }
      if (!guards({&i, 1}, t + shift, moved_, {&values[end], 1}).ok()) {
        return {};  // nothing is known next to the end of what can be evaluated
      }
    }
    slopes[k] = (values[1] - values[0]) / (2.0 * reach);
  }
  derivatives.value[0] = slopes[0];
  derivatives.noise[0] = noise / distance + std::abs(slopes[1] - slopes[0]);
  derivatives.n_known = std::isfinite(derivatives.noise[0]) ? 1 : 0;
  return {};
}

// The first order exactly; the second, where the first vanishes, by central differences along the motion, their error
// bounded by what half the distance changes.
Evaluation SlidingField::guard_derivatives(Index i, double t, std::span<const double> x,
                                           system::GuardDerivatives& derivatives) {
  derivatives = {};
  if (is_exit(i)) {
    return {};
  }
  if (is_dependent(i)) {
    return dependent_derivatives(i, t, x, derivatives);
  }
  if (const Evaluation evaluation = guard_rate(i, t, x, derivatives.value[0], derivatives.noise[0]);
      !evaluation.ok()) {
    return evaluation;
  }
  derivatives.n_known = 1;
  if (std::abs(derivatives.value[0]) > derivatives.noise[0]) {
    return {};
  }
  double size = 1.0;
  double speed = 0.0;
  for (std::size_t state = 0; state < n_; ++state) {
    size = std::max(size, std::abs(point_[state]) / std::sqrt(metric_[state]));
    speed = std::max(speed, std::abs(scratch_[state]) / std::sqrt(metric_[state]));
    along_[state] = scratch_[state];
    from_[state] = point_[state];
  }
  if (!(speed > 0.0)) {
    return {};
  }
  std::array<double, 2> second{};
  double rate_noise = 0.0;
  double distance = std::cbrt(kEpsilon) * size / speed;
  for (double& difference : second) {
    std::array<double, 2> rates{};
    for (std::size_t end = 0; end < 2; ++end) {
      const double shift = end == 0 ? -distance : distance;
      for (std::size_t state = 0; state < n_; ++state) {
        moved_[state] = from_[state] + shift * along_[state];
      }
      double noise = 0.0;
      if (!guard_rate(i, t + shift, moved_, rates[end], noise).ok()) {
        return {};  // no second order near the end of what can be evaluated
      }
      rate_noise = std::max(rate_noise, noise);
    }
    difference = (rates[1] - rates[0]) / (2.0 * distance);
    distance *= 0.5;
  }
  derivatives.value[1] = second[1];
  derivatives.noise[1] = 2.0 * std::abs(second[1] - second[0]) + rate_noise / distance;
  derivatives.n_known = 2;
  return {};
}

Interval SlidingField::enclose_guard(Index i, const Interval& t, std::span<const Interval> x) {
  return is_exit(i) || is_dependent(i) ? GuardFunctions::enclose_guard(i, t, x)
                                       : plus_.enclose_guard(i, t, x);
}

Interval SlidingField::enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                          std::span<const Interval> xdot) {
  return is_exit(i) || is_dependent(i) ? GuardFunctions::enclose_guard_rate(i, t, x, xdot)
                                       : plus_.enclose_guard_rate(i, t, x, xdot);
}

system::GuardBounds SlidingField::bound_guard(Index i, const system::CurvePiece& piece) {
  return is_exit(i) || is_dependent(i) ? GuardFunctions::bound_guard(i, piece) : plus_.bound_guard(i, piece);
}

}  // namespace saltus::slide
