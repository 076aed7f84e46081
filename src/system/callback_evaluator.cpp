#include "system/callback_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::system {
namespace {

// Steps that balance truncation and rounding of a central difference, [HNW93] II.8 for the reasoning.
const double kDifferenceStep = std::cbrt(kEpsilon);
// A user's guard adds and multiplies a few terms; each costs a rounding of the largest.
constexpr double kTermRoundings = 4.0;

Evaluation finite_or_not(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return {Evaluation::Status::not_finite, static_cast<Index>(i)};
    }
  }
  return {};
}

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

}  // namespace

CallbackEvaluator::CallbackEvaluator(std::shared_ptr<const CallbackModel> model)
    : model_(std::move(model)),
      n_states_(model_->states.size()),
      sides_(model_->guards.size(), 1.0),
      is_blended_(model_->guards.size(), 0),
      parameters_(model_->parameters),
      guard_values_(model_->guards.size()),
      gradient_(n_states_),
      moved_(n_states_),
      along_(n_states_),
      field_(n_states_),
      corner_(n_states_),
      corner_sides_(model_->guards.size()),
      point_x_(n_states_),
      point_values_(n_states_ + model_->output_names.size() + model_->names.size()) {
  for (std::size_t i = 0; i < n_states_; ++i) {
    state_indices_.push_back(static_cast<Index>(i));
  }
}

CallbackPoint CallbackEvaluator::at(double t, std::span<const double> x) const {
  return {t, x, sides_, parameters_};
}

void CallbackEvaluator::set_configuration(const Configuration& configuration) {
  SALTUS_EXPECT(configuration.latched.size() == sides_.size(), "the configuration is of this system");
  std::copy(configuration.latched.begin(), configuration.latched.end(), sides_.begin());
  std::copy(configuration.discrete.begin(), configuration.discrete.end(), parameters_.begin());
  std::fill(is_blended_.begin(), is_blended_.end(), std::uint8_t{0});
  n_blended_ = 0;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i] != 0.0) {
      set_latched(static_cast<Index>(i), sides_[i]);
    }
  }
}

void CallbackEvaluator::set_latched(Index guard, double value) {
  const auto i = static_cast<std::size_t>(guard);
  const bool is_blended = std::abs(value) != 1.0;  // weights beyond ±1 occur in iterations
  n_blended_ += static_cast<Index>(is_blended) - static_cast<Index>(is_blended_[i]);
  is_blended_[i] = static_cast<std::uint8_t>(is_blended);
  sides_[i] = value;
}

// Multilinear in the weights: Σ over the corners σ of Π (1 + σ_k s_k)/2 · f(σ).
void CallbackEvaluator::blend(double t, std::span<const double> x, std::span<double> xdot) {
  std::fill(xdot.begin(), xdot.end(), 0.0);
  std::copy(sides_.begin(), sides_.end(), corner_sides_.begin());
  for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << n_blended_); ++corner) {
    double share = 1.0;
    std::uint64_t bits = corner;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (is_blended_[i] != 0) {
        corner_sides_[i] = (bits & 1U) != 0 ? 1.0 : -1.0;
        share *= 0.5 * (1.0 + corner_sides_[i] * sides_[i]);
        bits >>= 1U;
      }
    }
    model_->rhs({t, x, corner_sides_, parameters_}, corner_);
    for (std::size_t j = 0; j < n_states_; ++j) {
      xdot[j] += share * corner_[j];
    }
  }
}

Evaluation CallbackEvaluator::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  if (n_states_ == 0) {
    return {};
  }
  if (n_blended_ == 0 || model_->rhs_takes_weights) {
    model_->rhs(at(t, x), xdot);
  } else {
    blend(t, x, xdot);
  }
  return finite_or_not(xdot);
}

Evaluation CallbackEvaluator::outputs(double t, std::span<const double> x, std::span<double> values) {
  const std::size_t n_outputs = model_->output_names.size();
  std::copy(x.begin(), x.end(), values.begin());
  if (model_->outputs) {
    model_->outputs(at(t, x), values.subspan(n_states_, n_outputs));
  }
  std::copy(parameters_.begin(), parameters_.end(),
            values.begin() + static_cast<std::ptrdiff_t>(n_states_ + n_outputs));
  Evaluation evaluation = finite_or_not(values);
  if (!evaluation.ok()) {
    evaluation.culprit += static_cast<Index>(n_states_);
  }
  return evaluation;
}

Evaluation CallbackEvaluator::outputs_block(std::span<const double> t, std::span<const double> x,
                                            std::span<double> values) {
  const std::size_t width = t.size();
  for (std::size_t point = 0; point < width; ++point) {
    for (std::size_t i = 0; i < n_states_; ++i) {
      point_x_[i] = x[i * width + point];
    }
    if (const Evaluation evaluation = outputs(t[point], point_x_, point_values_); !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < point_values_.size(); ++i) {
      values[i * width + point] = point_values_[i];
    }
  }
  return {};
}

GuardShape CallbackEvaluator::guard_shape(Index guard) const {
  if (model_->guards[static_cast<std::size_t>(guard)].affine) {
    return {GuardShape::Kind::polynomial, 1};
  }
  return {};
}

AffineGuard CallbackEvaluator::affine_guard(Index i) const {
  const auto& affine = model_->guards[static_cast<std::size_t>(i)].affine;
  SALTUS_EXPECT(affine.has_value(), "the guard is affine");
  return {state_indices_, affine->coefficients, affine->time_coefficient, affine->constant};
}

double CallbackEvaluator::guard_value(Index i, double t, std::span<const double> x) {
  const auto& affine = model_->guards[static_cast<std::size_t>(i)].affine;
  if (!affine) {
    model_->guard_values(at(t, x), guard_values_);
    return guard_values_[static_cast<std::size_t>(i)];
  }
  double value = affine->constant + affine->time_coefficient * t;
  for (std::size_t j = 0; j < n_states_; ++j) {
    value += affine->coefficients[j] * x[j];
  }
  return value;
}

Evaluation CallbackEvaluator::guards(std::span<const Index> which, double t, std::span<const double> x,
                                     std::span<double> values) {
  bool is_known = false;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto i = static_cast<std::size_t>(which[k]);
    if (model_->guards[i].affine || !is_known) {
      values[k] = guard_value(which[k], t, x);
      is_known = is_known || !model_->guards[i].affine;
    } else {
      values[k] = guard_values_[i];
    }
    if (!std::isfinite(values[k])) {
      return {Evaluation::Status::not_finite, which[k]};
    }
  }
  return {};
}

void CallbackEvaluator::gradient_of(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) {
  const auto& affine = model_->guards[static_cast<std::size_t>(i)].affine;
  if (affine) {
    std::copy(affine->coefficients.begin(), affine->coefficients.end(), gradient.begin());
    time_derivative = affine->time_coefficient;
    return;
  }
  if (model_->guard_gradient) {
    model_->guard_gradient(i, at(t, x), gradient, time_derivative);
    return;
  }
  std::copy(x.begin(), x.end(), moved_.begin());
  for (std::size_t j = 0; j < n_states_; ++j) {
    const double nominal = model_->nominals.empty() ? 1.0 : model_->nominals[j];
    const double delta = kDifferenceStep * std::max(std::abs(x[j]), nominal);
    moved_[j] = x[j] + delta;
    const double above = guard_value(i, t, moved_);
    moved_[j] = x[j] - delta;
    const double below = guard_value(i, t, moved_);
    moved_[j] = x[j];
    gradient[j] = (above - below) / ((x[j] + delta) - (x[j] - delta));
  }
  const double delta = kDifferenceStep * std::max(std::abs(t), 1.0);
  time_derivative =
      (guard_value(i, t + delta, x) - guard_value(i, t - delta, x)) / ((t + delta) - (t - delta));
}

double CallbackEvaluator::guard_noise(Index i, double t, std::span<const double> x) {
  double time_derivative = 0.0;
  gradient_of(i, t, x, gradient_, time_derivative);
  double terms = std::abs(time_derivative * t);
  for (std::size_t j = 0; j < n_states_; ++j) {
    terms += std::abs(gradient_[j] * x[j]);
  }
  const auto& affine = model_->guards[static_cast<std::size_t>(i)].affine;
  terms += affine ? std::abs(affine->constant) : std::abs(guard_value(i, t, x));
  return kTermRoundings * kEpsilon * terms;
}

Evaluation CallbackEvaluator::guard_gradient(Index i, double t, std::span<const double> x,
                                             std::span<double> gradient, double& time_derivative) {
  gradient_of(i, t, x, gradient, time_derivative);
  if (const Evaluation evaluation = finite_or_not(gradient); !evaluation.ok()) {
    return evaluation;
  }
  return finite_or_not({&time_derivative, 1});
}

Evaluation CallbackEvaluator::rate_of(Index i, double t, std::span<const double> x, Rate& rate) {
  if (const Evaluation evaluation = rhs(t, x, field_); !evaluation.ok()) {
    return evaluation;
  }
  double time_derivative = 0.0;
  gradient_of(i, t, x, gradient_, time_derivative);
  double size = std::abs(time_derivative);
  rate.value = time_derivative;
  for (std::size_t j = 0; j < n_states_; ++j) {
    const double term = gradient_[j] * field_[j];
    rate.value += term;
    size += std::abs(term);
  }
  const bool is_exact = model_->guards[static_cast<std::size_t>(i)].affine || model_->guard_gradient;
  // A central difference with the step ε^⅓ has a relative error of about ε^⅔.
  rate.noise =
      (is_exact ? kTermRoundings * kEpsilon : kTermRoundings * kDifferenceStep * kDifferenceStep) * size;
  return finite_or_not({&rate.value, 1});
}

// (ġ(t + δ, x + δ·ẋ) - ġ(t - δ, x - δ·ẋ)) / 2δ along the field at the point.
Evaluation CallbackEvaluator::rate_change(Index i, double t, std::span<const double> x, double delta,
                                          Rate& change) {
  Rate above;
  Rate below;
  std::vector<double>& probe = point_x_;
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t j = 0; j < n_states_; ++j) {
      probe[j] = x[j] + sign * delta * along_[j];
    }
    const Evaluation evaluation = rate_of(i, t + sign * delta, probe, sign > 0.0 ? above : below);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  change.value = (above.value - below.value) / (2.0 * delta);
  change.noise = (above.noise + below.noise) / (2.0 * delta);
  return {};
}

// By differences with two steps: their disagreement bounds the truncation.
Evaluation CallbackEvaluator::second_derivative(Index i, double t, std::span<const double> x,
                                                GuardDerivatives& derivatives) {
  const double speed = largest(along_);
  const double size = largest(x);
  const double scale = speed > 0.0 ? (size > 0.0 ? size : 1.0) / speed : 1.0;
  const double delta = kDifferenceStep * std::max(scale, std::abs(t) * kDifferenceStep);
  Rate fine;
  Rate coarse;
  if (!rate_change(i, t, x, delta, fine).ok() || !rate_change(i, t, x, 2.0 * delta, coarse).ok()) {
    return {};  // beyond a place where the field ends nothing is known of its change
  }
  derivatives.value[1] = fine.value;
  derivatives.noise[1] = fine.noise + std::abs(fine.value - coarse.value);
  derivatives.n_known = 2;
  return {};
}

Evaluation CallbackEvaluator::guard_derivatives(Index i, double t, std::span<const double> x,
                                                GuardDerivatives& derivatives) {
  derivatives = {};
  Rate rate;
  if (const Evaluation evaluation = rate_of(i, t, x, rate); !evaluation.ok()) {
    return evaluation;
  }
  derivatives.value[0] = rate.value;
  derivatives.noise[0] = rate.noise;
  derivatives.n_known = 1;
  if (std::abs(rate.value) > rate.noise) {
    return {};  // whoever asks stops at the first that differs from zero
  }
  std::copy(field_.begin(), field_.end(), along_.begin());
  return second_derivative(i, t, x, derivatives);
}

std::string CallbackEvaluator::describe(const Evaluation& evaluation, double t) const {
  const auto culprit = static_cast<std::size_t>(evaluation.culprit);
  std::string what = "the functions of the model";
  if (evaluation.culprit >= 0 && culprit < n_states_) {
    what = "der(" + model_->states[culprit] + ")";
  } else if (evaluation.culprit >= 0 && culprit - n_states_ < n_states_) {
    what = model_->states[culprit - n_states_];
  } else if (evaluation.culprit >= 0 && culprit - 2 * n_states_ < model_->output_names.size()) {
    what = model_->output_names[culprit - 2 * n_states_];
  }
  return what + " is not finite at t = " + std::to_string(t);
}

}  // namespace saltus::system
