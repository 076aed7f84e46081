#include "slide/field/surface_rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reduce/nonlinear/probes.hpp"

namespace saltus::slide {
namespace {}  // namespace

std::optional<SurfaceRow> surface_row(const system::Evaluator& evaluator, const system::GuardInfo& info,
                                      Index guard) {
  const auto states = evaluator.guard_states(guard);
  if (!states) {
    return std::nullopt;
  }
  const system::GuardShape shape = evaluator.guard_shape(guard);
  SurfaceRow row;
  row.guard = guard;
  row.text = info.text;
  row.is_linear = shape.kind == system::GuardShape::Kind::polynomial && shape.degree <= 1;
  row.states.assign(states->begin(), states->end());
  std::sort(row.states.begin(), row.states.end());
  return row;
}

SurfaceRates::SurfaceRates(system::Evaluator& evaluator, std::span<const system::SlotInfo> slots,
                           std::size_t n_states)
    : evaluator_(evaluator),
      gradient_(n_states),
      coefficients_(n_states),
      before_(n_states),
      moved_(n_states) {
  for (std::size_t i = 0; i < n_states; ++i) {
    nominal_.push_back(slots[i].nominal);
  }
}

// ∂g/∂x by the states of the row into coefficients_, and ∂g/∂t.
bool SurfaceRates::find_gradient(const SurfaceRow& row, double t, std::span<const double> x,
                                 double& time_derivative) {
  if (row.is_linear) {
    const system::AffineGuard guard = evaluator_.affine_guard(row.guard);
    for (const Index state : row.states) {
      gradient_[static_cast<std::size_t>(state)] = 0.0;
    }
    for (std::size_t i = 0; i < guard.states.size(); ++i) {
      gradient_[static_cast<std::size_t>(guard.states[i])] = guard.coefficients[i];
    }
    time_derivative = guard.time_coefficient;
  } else if (!evaluator_.guard_gradient(row.guard, t, x, gradient_, time_derivative).ok()) {
    return false;
  }
  for (std::size_t i = 0; i < row.states.size(); ++i) {
    coefficients_[i] = gradient_[static_cast<std::size_t>(row.states[i])];
  }
  return true;
}

bool SurfaceRates::value(const SurfaceRow& row, double t, std::span<const double> x,
                         std::span<const double> xdot, double& rate) {
  if (!find_gradient(row, t, x, rate)) {
    return false;
  }
  for (std::size_t i = 0; i < row.states.size(); ++i) {
    rate += coefficients_[i] * xdot[static_cast<std::size_t>(row.states[i])];
  }
  return std::isfinite(rate);
}

bool SurfaceRates::fill(const SurfaceRow& row, double t, std::span<const double> x,
                        std::span<const double> xdot, std::span<double> entries) {
  double time_derivative = 0.0;
  if (!find_gradient(row, t, x, time_derivative)) {
    return false;
  }
  for (std::size_t i = 0; i < row.states.size(); ++i) {
    entries[static_cast<std::size_t>(row.at_rate[i])] = coefficients_[i];
  }
  if (row.is_linear) {
    return true;
  }
  std::copy_n(coefficients_.begin(), row.states.size(), before_.begin());
  const double step = reduce::kTimeDifference * time_scale(row, t, x, xdot);
  // Beside a surface gradients may have values on one side only.
  double width = step;
  if (find_gradient_along(row, t, x, xdot, -step)) {
    std::copy_n(coefficients_.begin(), row.states.size(), before_.begin());
    width = 2.0 * step;
  }
  if (!find_gradient_along(row, t, x, xdot, step)) {
    return false;
  }
  for (std::size_t i = 0; i < row.states.size(); ++i) {
    entries[static_cast<std::size_t>(row.at_state[i])] = (coefficients_[i] - before_[i]) / width;
  }
  return true;
}

double SurfaceRates::time_scale(const SurfaceRow& row, double t, std::span<const double> x,
                                std::span<const double> xdot) const {
  double speed = 1.0 / std::max(std::abs(t), 1.0);
  for (const Index state : row.states) {
    const auto i = static_cast<std::size_t>(state);
    speed = std::max(speed, std::abs(xdot[i]) / std::max(std::abs(x[i]), nominal_[i]));
  }
  return 1.0 / speed;
}

bool SurfaceRates::find_gradient_along(const SurfaceRow& row, double t, std::span<const double> x,
                                       std::span<const double> xdot, double step) {
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    moved_[i] = x[i] + step * xdot[i];
  }
  double unused = 0.0;
  return find_gradient(row, t + step, moved_, unused);
}

}  // namespace saltus::slide
