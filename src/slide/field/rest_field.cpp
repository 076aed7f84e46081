#include "slide/field/rest_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus::slide {
namespace {

const double kStep =
    std::cbrt(std::numeric_limits<double>::epsilon());  // balances the errors of a central difference
constexpr int kProjections = 2;  // the second removes what the first has left of the curvature

}  // namespace

RestField::RestField(system::Evaluator& inner, Index n_guards, std::vector<double> nominal)
    : inner_(inner),
      n_guards_(n_guards),
      nominal_(std::move(nominal)),
      impulse_(nominal_.size()),
      field_(nominal_.size()),
      gradient_(nominal_.size()),
      rate_field_(nominal_.size()),
      moved_(nominal_.size()) {}

bool RestField::begin(Index guard, std::span<const double> impulse, double t, std::span<double> x) {
  guard_ = guard;
  double size = 0.0;
  for (std::size_t i = 0; i < impulse_.size(); ++i) {
    size = std::max(size, std::abs(impulse[i]) / nominal_[i]);
  }
  if (!(size > 0.0)) {
    return false;
  }
  for (std::size_t i = 0; i < impulse_.size(); ++i) {
    impulse_[i] = impulse[i] / size;
  }
  double lambda = 0.0;
  return project(t, x).ok() && multiplier(t, x, lambda).ok() && lambda > 0.0;
}

// ġ = ∂g/∂x·f + ∂g/∂t
system::Evaluation RestField::rate(double t, std::span<const double> x, double& value) {
  if (const system::Evaluation evaluation = inner_.rhs(t, x, rate_field_); !evaluation.ok()) {
    return evaluation;
  }
  if (const system::Evaluation evaluation = inner_.guard_gradient(guard_, t, x, gradient_, value);
      !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    value += gradient_[i] * rate_field_[i];
  }
  return {};
}

// The change of ġ per unit along (direction, dt).
system::Evaluation RestField::change_along(std::span<const double> direction, double dt, double t,
                                           std::span<const double> x, double& value) {
  double speed = 0.0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    speed = std::max(speed, std::abs(direction[i]) / nominal_[i]);
  }
  const double step = kStep / (speed > 0.0 ? speed : 1.0);
  double ends[2] = {0.0, 0.0};
  for (const int end : {0, 1}) {
    const double signed_step = end == 0 ? -step : step;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      moved_[i] = x[i] + signed_step * direction[i];
    }
    if (const system::Evaluation evaluation = rate(t + signed_step * dt, moved_, ends[end]);
        !evaluation.ok()) {
      return evaluation;
    }
  }
  value = (ends[1] - ends[0]) / (2.0 * step);
  return {};
}

system::Evaluation RestField::multiplier(double t, std::span<const double> x, double& lambda) {
  double along_field = 0.0;
  double along_impulse = 0.0;
  system::Evaluation evaluation = inner_.rhs(t, x, field_);
  if (evaluation.ok()) {
    evaluation = change_along(field_, 1.0, t, x, along_field);
  }
  if (evaluation.ok()) {
    evaluation = change_along(impulse_, 0.0, t, x, along_impulse);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  if (along_impulse == 0.0) {
    return {system::Evaluation::Status::no_weights, guard_};
  }
  lambda = -along_field / along_impulse;
  size_ = std::max(std::abs(lambda), 1.0 / std::abs(along_impulse));
  return {};
}

system::Evaluation RestField::project(double t, std::span<double> x) {
  for (int k = 0; k < kProjections; ++k) {
    double value = 0.0;
    double time_derivative = 0.0;
    system::Evaluation evaluation = inner_.guards({&guard_, 1}, t, x, {&value, 1});
    if (evaluation.ok()) {
      evaluation = inner_.guard_gradient(guard_, t, x, gradient_, time_derivative);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
    double square = 0.0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      square += gradient_[i] * gradient_[i] * nominal_[i] * nominal_[i];
    }
    for (std::size_t i = 0; i < gradient_.size() && square > 0.0; ++i) {
      x[i] -= value / square * gradient_[i] * nominal_[i] * nominal_[i];
    }
    double along_impulse = 0.0;
    evaluation = rate(t, x, value);
    if (evaluation.ok()) {
      evaluation = change_along(impulse_, 0.0, t, x, along_impulse);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < impulse_.size() && along_impulse != 0.0; ++i) {
      x[i] -= value / along_impulse * impulse_[i];
    }
  }
  return {};
}

system::Evaluation RestField::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  double lambda = 0.0;
  if (const system::Evaluation evaluation = multiplier(t, x, lambda); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t i = 0; i < xdot.size(); ++i) {
    xdot[i] = field_[i] + lambda * impulse_[i];
  }
  return {};
}

system::GuardShape RestField::guard_shape(Index guard) const {
  return guard == n_guards_ ? system::GuardShape{} : inner_.guard_shape(guard);
}

system::Evaluation RestField::guards(std::span<const Index> which, double t, std::span<const double> x,
                                     std::span<double> values) {
  for (std::size_t k = 0; k < which.size(); ++k) {
    const system::Evaluation evaluation =
        which[k] == n_guards_ ? multiplier(t, x, values[k])
                              : inner_.guards(which.subspan(k, 1), t, x, values.subspan(k, 1));
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

double RestField::guard_noise(Index i, double t, std::span<const double> x) {
  return i == n_guards_ ? kStep * kStep * size_ : inner_.guard_noise(i, t, x);
}

system::Evaluation RestField::guard_gradient(Index i, double t, std::span<const double> x,
                                             std::span<double> gradient, double& time_derivative) {
  if (i != n_guards_) {
    return inner_.guard_gradient(i, t, x, gradient, time_derivative);
  }
  // Nobody needs it: λ is opaque, and the guards that are slid on are others.
  std::fill(gradient.begin(), gradient.end(), 0.0);
  time_derivative = 0.0;
  return {};
}

Interval RestField::enclose_guard(Index i, const Interval& t, std::span<const Interval> x) {
  return i == n_guards_ ? GuardFunctions::enclose_guard(i, t, x) : inner_.enclose_guard(i, t, x);
}

Interval RestField::enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                       std::span<const Interval> xdot) {
  return i == n_guards_ ? GuardFunctions::enclose_guard_rate(i, t, x, xdot)
                        : inner_.enclose_guard_rate(i, t, x, xdot);
}

system::GuardBounds RestField::bound_guard(Index i, const system::CurvePiece& piece) {
  return i == n_guards_ ? GuardFunctions::bound_guard(i, piece) : inner_.bound_guard(i, piece);
}

// Along the held field only the first derivative is known.
system::Evaluation RestField::guard_derivatives(Index i, double t, std::span<const double> x,
                                                system::GuardDerivatives& derivatives) {
  derivatives = {};
  double value = 0.0;
  system::Evaluation evaluation = rhs(t, x, rate_field_);
  std::copy(rate_field_.begin(), rate_field_.end(), moved_.begin());
  if (evaluation.ok()) {
    evaluation = inner_.guard_gradient(i, t, x, gradient_, value);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  double size = std::abs(value);
  for (std::size_t j = 0; j < gradient_.size(); ++j) {
    value += gradient_[j] * moved_[j];
    size += std::abs(gradient_[j]) * (std::abs(moved_[j]) + size_ * std::abs(impulse_[j]));
  }
  derivatives.value[0] = value;
  derivatives.noise[0] = kStep * size;
  derivatives.n_known = 1;
  return {};
}

}  // namespace saltus::slide
