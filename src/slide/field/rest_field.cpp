#include "slide/field/rest_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus::slide {
namespace {

const double kStep =
    std::cbrt(std::numeric_limits<double>::epsilon());  // balances the errors of a central difference
constexpr double kRateRoundings = 16.0;                 // of a sum of rates that are rounded themselves
constexpr int kProjections = 2;  // the second removes what the first has left of the curvature

double size_in(std::span<const double> nominal, std::span<const double> direction) {
  double size = 0.0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    size = std::max(size, std::abs(direction[i]) / nominal[i]);
  }
  return size;
}

}  // namespace

void RestField::hold(system::Evaluator& inner, Index n_inner, std::span<const double> nominal,
                     std::vector<Contact> contacts) {
  inner_ = &inner;
  n_inner_ = n_inner;
  nominal_.assign(nominal.begin(), nominal.end());
  contacts_ = std::move(contacts);
  lu_ = std::make_unique<linalg::DenseLu>(static_cast<Index>(size()));
  for (std::vector<double>* const by_contact : {&sizes_, &lambda_, &values_}) {
    by_contact->assign(size(), 0.0);
  }
  ends_.assign(2 * size(), 0.0);
  gradients_.assign(size() * nominal_.size(), 0.0);
  for (std::vector<double>* const by_state : {&field_, &gradient_, &rate_field_, &moved_}) {
    by_state->assign(nominal_.size(), 0.0);
  }
}

void RestField::fields(Archive& a) {
  a.pointer(inner_);
  a(n_inner_, nominal_, contacts_);
  if (a.is_loading() && a.ok() && inner_ != nullptr) {
    const std::vector<double> nominal = nominal_;
    hold(*inner_, n_inner_, nominal, std::move(contacts_));
  }
  a(lu_, sizes_, lambda_, values_, ends_, gradients_, field_, gradient_, rate_field_, moved_);
}

// ġ = ∂g/∂x·f + ∂g/∂t
system::Evaluation RestField::rates(double t, std::span<const double> x, std::span<double> values) {
  if (const system::Evaluation evaluation = inner_->rhs(t, x, rate_field_); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t k = 0; k < size(); ++k) {
    if (const system::Evaluation evaluation =
            inner_->guard_gradient(contacts_[k].guard, t, x, gradient_, values[k]);
        !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      values[k] += gradient_[i] * rate_field_[i];
    }
  }
  return {};
}

// The change of ġ per unit along (direction, dt).
system::Evaluation RestField::changes_along(std::span<const double> direction, double dt, double t,
                                            std::span<const double> x, std::span<double> values) {
  const double speed = size_in(nominal_, direction);
  const double step = kStep / (speed > 0.0 ? speed : 1.0);
  const std::span<double> ends(ends_);
  for (const int end : {0, 1}) {
    const double signed_step = end == 0 ? -step : step;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      moved_[i] = x[i] + signed_step * direction[i];
    }
    if (const system::Evaluation evaluation =
            rates(t + signed_step * dt, moved_, ends.subspan(static_cast<std::size_t>(end) * size(), size()));
        !evaluation.ok()) {
      return evaluation;
    }
  }
  for (std::size_t k = 0; k < size(); ++k) {
    values[k] = (ends[size() + k] - ends[k]) / (2.0 * step);
  }
  return {};
}

// D_b ġ, by columns.
system::Evaluation RestField::factorize_impulses(double t, std::span<const double> x) {
  const std::span<double> matrix = lu_->matrix();
  for (std::size_t j = 0; j < size(); ++j) {
    if (const system::Evaluation evaluation =
            changes_along(contacts_[j].impulse, 0.0, t, x, matrix.subspan(j * size(), size()));
        !evaluation.ok()) {
      return evaluation;
    }
  }
  for (std::size_t k = 0; k < size(); ++k) {
    sizes_[k] = 1.0 / std::abs(matrix[k * size() + k]);
  }
  // Differences leave this much of columns that depend on each other.
  if (!lu_->factorize().ok() || lu_->pivot_ratio() < kStep * kStep) {
    return {system::Evaluation::Status::no_weights, contacts_.front().guard};
  }
  return {};
}

system::Evaluation RestField::multipliers(double t, std::span<const double> x, std::span<double> lambda) {
  system::Evaluation evaluation = inner_->rhs(t, x, field_);
  if (evaluation.ok()) {
    evaluation = changes_along(field_, 1.0, t, x, lambda);
  }
  if (evaluation.ok()) {
    evaluation = factorize_impulses(t, x);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  lu_->solve(lambda);
  for (std::size_t k = 0; k < size(); ++k) {
    lambda[k] = -lambda[k];
    sizes_[k] = std::max(std::abs(lambda[k]), sizes_[k]);
  }
  return {};
}

// x moves by the least change in nominal values: -N²Gᵀ(G N² Gᵀ)⁻¹ g, G = ∂g/∂x.
system::Evaluation RestField::put_onto_guards(double t, std::span<double> x) {
  const std::size_t n = nominal_.size();
  for (std::size_t k = 0; k < size(); ++k) {
    double time_derivative = 0.0;
    system::Evaluation evaluation =
        inner_->guards({&contacts_[k].guard, 1}, t, x, std::span(values_).subspan(k, 1));
    if (evaluation.ok()) {
      evaluation = inner_->guard_gradient(contacts_[k].guard, t, x, std::span(gradients_).subspan(k * n, n),
                                          time_derivative);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  const std::span<double> matrix = lu_->matrix();
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t k = 0; k < size(); ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += gradients_[k * n + i] * gradients_[j * n + i] * nominal_[i] * nominal_[i];
      }
      matrix[j * size() + k] = sum;
    }
  }
  if (!lu_->factorize().ok()) {
    return {system::Evaluation::Status::no_weights, contacts_.front().guard};
  }
  lu_->solve(values_);
  for (std::size_t k = 0; k < size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] -= values_[k] * gradients_[k * n + i] * nominal_[i] * nominal_[i];
    }
  }
  return {};
}

// x moves along B until ġ = 0.
system::Evaluation RestField::stop(double t, std::span<double> x) {
  system::Evaluation evaluation = factorize_impulses(t, x);
  if (evaluation.ok()) {
    evaluation = rates(t, x, values_);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  lu_->solve(values_);
  for (std::size_t k = 0; k < size(); ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] -= values_[k] * contacts_[k].impulse[i];
    }
  }
  return {};
}

system::Evaluation RestField::project(double t, std::span<double> x) {
  for (int turn = 0; turn < kProjections; ++turn) {
    system::Evaluation evaluation = inner_->project(t, x);
    if (evaluation.ok()) {
      evaluation = put_onto_guards(t, x);
    }
    if (evaluation.ok()) {
      evaluation = stop(t, x);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

system::Evaluation RestField::distance_from_rest(std::size_t k, double t, std::span<const double> x,
                                                 double& distance) {
  double time_derivative = 0.0;
  double value = 0.0;
  system::Evaluation evaluation = factorize_impulses(t, x);
  if (evaluation.ok()) {
    evaluation = rates(t, x, values_);
  }
  if (evaluation.ok()) {
    evaluation = inner_->guards({&contacts_[k].guard, 1}, t, x, {&value, 1});
  }
  if (evaluation.ok()) {
    evaluation = inner_->guard_gradient(contacts_[k].guard, t, x, gradient_, time_derivative);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  lu_->solve(values_);
  double square = 0.0;
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    square += gradient_[i] * gradient_[i] * nominal_[i] * nominal_[i];
  }
  distance = std::max(std::abs(values_[k]), square > 0.0 ? std::abs(value) / std::sqrt(square) : 0.0);
  return {};
}

system::Evaluation RestField::acts_on(Index guard, double t, std::span<const double> x, bool& acts) {
  double time_derivative = 0.0;
  acts = false;
  if (const system::Evaluation evaluation = inner_->guard_gradient(guard, t, x, gradient_, time_derivative);
      !evaluation.ok()) {
    return evaluation;
  }
  for (const Contact& contact : contacts_) {
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      acts = acts || gradient_[i] * contact.impulse[i] != 0.0;
    }
  }
  return {};
}

system::Evaluation RestField::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  if (const system::Evaluation evaluation = multipliers(t, x, lambda_); !evaluation.ok()) {
    return evaluation;
  }
  std::copy(field_.begin(), field_.end(), xdot.begin());
  for (std::size_t k = 0; k < size(); ++k) {
    for (std::size_t i = 0; i < xdot.size(); ++i) {
      xdot[i] += lambda_[k] * contacts_[k].impulse[i];
    }
  }
  return {};
}

system::GuardShape RestField::guard_shape(Index guard) const {
  return guard >= n_inner_ ? system::GuardShape{} : inner_->guard_shape(guard);
}

system::Evaluation RestField::guards(std::span<const Index> which, double t, std::span<const double> x,
                                     std::span<double> values) {
  bool has_multipliers = false;
  for (std::size_t i = 0; i < which.size(); ++i) {
    system::Evaluation evaluation;
    if (which[i] < n_inner_) {
      evaluation = inner_->guards(which.subspan(i, 1), t, x, values.subspan(i, 1));
    } else if (!has_multipliers) {
      evaluation = multipliers(t, x, lambda_);
      has_multipliers = true;
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
    if (which[i] >= n_inner_) {
      values[i] = lambda_[static_cast<std::size_t>(which[i] - n_inner_)];
    }
  }
  return {};
}

double RestField::guard_noise(Index i, double t, std::span<const double> x) {
  return i >= n_inner_ ? kStep * kStep * sizes_[static_cast<std::size_t>(i - n_inner_)]
                       : inner_->guard_noise(i, t, x);
}

system::Evaluation RestField::guard_gradient(Index i, double t, std::span<const double> x,
                                             std::span<double> gradient, double& time_derivative) {
  if (i < n_inner_) {
    return inner_->guard_gradient(i, t, x, gradient, time_derivative);
  }
  // Nobody needs it: λ is opaque, and the guards that are slid on are others.
  std::fill(gradient.begin(), gradient.end(), 0.0);
  time_derivative = 0.0;
  return {};
}

Interval RestField::enclose_guard(Index i, const Interval& t, std::span<const Interval> x) {
  return i >= n_inner_ ? GuardFunctions::enclose_guard(i, t, x) : inner_->enclose_guard(i, t, x);
}

Interval RestField::enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                                       std::span<const Interval> xdot) {
  return i >= n_inner_ ? GuardFunctions::enclose_guard_rate(i, t, x, xdot)
                       : inner_->enclose_guard_rate(i, t, x, xdot);
}

system::GuardBounds RestField::bound_guard(Index i, const system::CurvePiece& piece) {
  return i >= n_inner_ ? GuardFunctions::bound_guard(i, piece) : inner_->bound_guard(i, piece);
}

// Along the held field only the first derivative is known.
system::Evaluation RestField::guard_derivatives(Index i, double t, std::span<const double> x,
                                                system::GuardDerivatives& derivatives) {
  derivatives = {};
  double value = 0.0;
  system::Evaluation evaluation = rhs(t, x, rate_field_);
  std::copy(rate_field_.begin(), rate_field_.end(), moved_.begin());
  if (evaluation.ok()) {
    evaluation = inner_->guard_gradient(i, t, x, gradient_, value);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  double size = std::abs(value);
  double by_forces = 0.0;  // these come from differences; what none of them moves has rounding errors alone
  for (std::size_t j = 0; j < gradient_.size(); ++j) {
    value += gradient_[j] * moved_[j];
    size += std::abs(gradient_[j] * moved_[j]);
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      by_forces += sizes_[k] * std::abs(gradient_[j] * contacts_[k].impulse[j]);
    }
  }
  derivatives.value[0] = value;
  derivatives.noise[0] = kRateRoundings * std::numeric_limits<double>::epsilon() * size + kStep * by_forces;
  derivatives.n_known = 1;
  return {};
}

}  // namespace saltus::slide
