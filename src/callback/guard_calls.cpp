#include "callback/guard_calls.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::callback {
namespace {

// Balances truncation and rounding of a central difference.
const double kGuardStep = std::cbrt(kEpsilon);
// A user's guard adds and multiplies a few terms; each costs a rounding of the largest.
constexpr double kTermRoundings = 4.0;

}  // namespace

GuardCalls::GuardCalls(std::shared_ptr<const CallbackModel> model)
    : model_(std::move(model)),
      values_(model_->guards.size()),
      gradient_(model_->states.size()),
      moved_(model_->states.size()) {}

double GuardCalls::value(Index guard, const CallbackPoint& at) {
  const auto& affine = model_->guards[static_cast<std::size_t>(guard)].affine;
  if (!affine) {
    model_->guard_values(at, values_);
    return values_[static_cast<std::size_t>(guard)];
  }
  double value = affine->constant + affine->time_coefficient * at.t;
  for (std::size_t j = 0; j < at.x.size(); ++j) {
    value += affine->coefficients[j] * at.x[j];
  }
  return value;
}

system::Evaluation GuardCalls::values(std::span<const Index> which, const CallbackPoint& at,
                                      std::span<double> values) {
  bool is_known = false;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto i = static_cast<std::size_t>(which[k]);
    if (model_->guards[i].affine || !is_known) {
      values[k] = value(which[k], at);
      is_known = is_known || !model_->guards[i].affine;
    } else {
      values[k] = values_[i];
    }
    if (!std::isfinite(values[k])) {
      return {system::Evaluation::Status::not_finite, -1 - which[k]};
    }
  }
  return {};
}

void GuardCalls::gradient(Index guard, const CallbackPoint& at, std::span<double> gradient,
                          double& time_derivative) {
  const auto& affine = model_->guards[static_cast<std::size_t>(guard)].affine;
  if (affine) {
    std::copy(affine->coefficients.begin(), affine->coefficients.end(), gradient.begin());
    time_derivative = affine->time_coefficient;
    return;
  }
  if (model_->guard_gradient) {
    model_->guard_gradient(guard, at, gradient, time_derivative);
    return;
  }
  std::copy(at.x.begin(), at.x.end(), moved_.begin());
  CallbackPoint moved = at;
  moved.x = moved_;
  for (std::size_t j = 0; j < at.x.size(); ++j) {
    const double x = at.x[j];
    const double delta = kGuardStep * std::max(std::abs(x), model_->nominal(j));
    moved_[j] = x + delta;
    const double above = value(guard, moved);
    moved_[j] = x - delta;
    const double below = value(guard, moved);
    moved_[j] = x;
    gradient[j] = (above - below) / ((x + delta) - (x - delta));
  }
  const double delta = kGuardStep * std::max(std::abs(at.t), 1.0);
  moved.t = at.t + delta;
  const double after = value(guard, moved);
  moved.t = at.t - delta;
  time_derivative = (after - value(guard, moved)) / ((at.t + delta) - (at.t - delta));
}

double GuardCalls::noise(Index guard, const CallbackPoint& at) {
  double time_derivative = 0.0;
  gradient(guard, at, gradient_, time_derivative);
  double terms = std::abs(time_derivative * at.t);
  for (std::size_t j = 0; j < at.x.size(); ++j) {
    terms += std::abs(gradient_[j] * at.x[j]);
  }
  const auto& affine = model_->guards[static_cast<std::size_t>(guard)].affine;
  terms += affine ? std::abs(affine->constant) : std::abs(value(guard, at));
  return kTermRoundings * kEpsilon * terms;
}

double GuardCalls::rate_noise(Index guard) const {
  const bool is_exact = model_->guards[static_cast<std::size_t>(guard)].affine || model_->guard_gradient;
  // A central difference with the step ε^⅓ has a relative error of about ε^⅔.
  return kTermRoundings * (is_exact ? kEpsilon : kGuardStep * kGuardStep);
}

}  // namespace saltus::callback
