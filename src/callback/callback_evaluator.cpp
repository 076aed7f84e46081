#include "callback/callback_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "base/number_text.hpp"
#include "saltus/contract.hpp"

namespace saltus::callback {
namespace {

using system::Evaluation;

// Balances truncation and rounding of a central difference, [HNW93] II.8 for the reasoning.
const double kRateStep = std::cbrt(kEpsilon);

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

CallbackEvaluator::CallbackEvaluator(std::shared_ptr<const CallbackModel> model, std::size_t mode)
    : model_(std::move(model)),
      rhs_(model_->modes[mode].rhs),
      n_states_(model_->states.size()),
      weights_(*model_),
      guards_(model_),
      gradient_(n_states_),
      along_(n_states_),
      field_(n_states_),
      corner_(n_states_),
      point_x_(n_states_),
      point_values_(n_states_ + model_->output_names.size() + model_->names.size()) {
  if (model_->rhs_chooses_sides) {
    own_side_.emplace(model_);
  }
  for (std::size_t i = 0; i < n_states_; ++i) {
    state_indices_.push_back(static_cast<Index>(i));
  }
}

void CallbackEvaluator::set_configuration(const system::Configuration& configuration) {
  weights_.set_configuration(configuration);
  if (own_side_) {
    own_side_->forget();
  }
}

void CallbackEvaluator::set_latched(Index guard, double value) {
  weights_.set_latched(guard, value);
}

// False: beyond a surface there is no value.
bool CallbackEvaluator::ask(CallbackPoint at, std::span<double> xdot) {
  if (own_side_) {
    const std::optional<CallbackPoint> placed = own_side_->place(at);
    if (!placed) {
      return false;
    }
    at = *placed;
  }
  rhs_(at, xdot);
  return true;
}

bool CallbackEvaluator::blend(double t, std::span<const double> x, std::span<double> xdot) {
  std::fill(xdot.begin(), xdot.end(), 0.0);
  bool is_known = true;
  weights_.for_corners([&](double share, std::span<const double> sides) {
    is_known = ask({t, x, sides, weights_.parameters()}, corner_);
    for (std::size_t j = 0; j < n_states_; ++j) {
      xdot[j] += share * corner_[j];
    }
    return is_known;
  });
  return is_known;
}

Evaluation CallbackEvaluator::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  if (n_states_ == 0) {
    return {};
  }
  if (!rhs_) {
    return {Evaluation::Status::no_convergence, -1};
  }
  const bool is_known =
      weights_.is_blended() && !model_->rhs_takes_weights ? blend(t, x, xdot) : ask(weights_.at(t, x), xdot);
  if (!is_known) {
    return {Evaluation::Status::not_finite, -1 - own_side_->beyond()};
  }
  return finite_or_not(xdot);
}

Evaluation CallbackEvaluator::outputs(double t, std::span<const double> x, std::span<double> values) {
  const std::size_t n_outputs = model_->output_names.size();
  std::copy(x.begin(), x.end(), values.begin());
  if (model_->outputs) {
    model_->outputs(weights_.at(t, x), values.subspan(n_states_, n_outputs));
  }
  std::copy(weights_.parameters().begin(), weights_.parameters().end(),
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

system::GuardShape CallbackEvaluator::guard_shape(Index guard) const {
  if (model_->guards[static_cast<std::size_t>(guard)].affine) {
    return {system::GuardShape::Kind::polynomial, 1};
  }
  return {};
}

system::AffineGuard CallbackEvaluator::affine_guard(Index i) const {
  const auto& affine = model_->guards[static_cast<std::size_t>(i)].affine;
  SALTUS_EXPECT(affine.has_value(), "the guard is affine");
  return {state_indices_, affine->coefficients, affine->time_coefficient, affine->constant};
}

Evaluation CallbackEvaluator::guards(std::span<const Index> which, double t, std::span<const double> x,
                                     std::span<double> values) {
  return guards_.values(which, weights_.at(t, x), values);
}

double CallbackEvaluator::guard_noise(Index i, double t, std::span<const double> x) {
  return guards_.noise(i, weights_.at(t, x));
}

Evaluation CallbackEvaluator::guard_gradient(Index i, double t, std::span<const double> x,
                                             std::span<double> gradient, double& time_derivative) {
  guards_.gradient(i, weights_.at(t, x), gradient, time_derivative);
  if (!finite_or_not(gradient).ok() || !std::isfinite(time_derivative)) {
    return {Evaluation::Status::not_finite, -1 - i};
  }
  return {};
}

Evaluation CallbackEvaluator::rate_of(Index i, double t, std::span<const double> x, Rate& rate) {
  if (const Evaluation evaluation = rhs(t, x, field_); !evaluation.ok()) {
    return evaluation;
  }
  double time_derivative = 0.0;
  guards_.gradient(i, weights_.at(t, x), gradient_, time_derivative);
  double size = std::abs(time_derivative);
  rate.value = time_derivative;
  for (std::size_t j = 0; j < n_states_; ++j) {
    const double term = gradient_[j] * field_[j];
    rate.value += term;
    size += std::abs(term);
  }
  rate.noise = guards_.rate_noise(i) * size;
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
                                                system::GuardDerivatives& derivatives) {
  const double speed = largest(along_);
  const double size = largest(x);
  const double scale = speed > 0.0 ? (size > 0.0 ? size : 1.0) / speed : 1.0;
  const double delta = kRateStep * std::max(scale, std::abs(t) * kRateStep);
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
                                                system::GuardDerivatives& derivatives) {
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
  const auto guard = static_cast<std::size_t>(-1 - evaluation.culprit);
  std::string what = "the functions of the model";
  if (evaluation.culprit < 0 && guard < model_->guards.size()) {
    if (own_side_ && own_side_->beyond() == static_cast<Index>(guard)) {
      return fmt::format("the right-hand side has no value on its side of the surface '{}' at time {}",
                         model_->guards[guard].name, number_text(t));
    }
    what = fmt::format("the guard '{}'", model_->guards[guard].name);
  } else if (culprit < n_states_) {
    what = "der(" + model_->states[culprit] + ")";
  } else if (culprit - n_states_ < n_states_) {
    what = model_->states[culprit - n_states_];
  } else if (culprit - 2 * n_states_ < model_->output_names.size()) {
    what = model_->output_names[culprit - 2 * n_states_];
  }
  return fmt::format("{} is not finite at time {}", what, number_text(t));
}

}  // namespace saltus::callback
