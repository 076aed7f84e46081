#include "reduce/nonlinear/damped_gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus::reduce {
namespace {

constexpr double kStepTolerance = 1e-13;
constexpr double kRoundingStep = 1e-9;
constexpr double kDampingAtRest = 1e-6;
// Of the predicted damping no more is taken than this multiple of the one before, as for step sizes.
constexpr double kMostResidualGrowth = 10.0;

}  // namespace

DampedGaussNewton::DampedGaussNewton(const system::EquationSet& equations, system::EquationRunner& runner,
                                     std::span<const int> level, std::span<const double> nominal,
                                     std::span<const std::uint8_t> counts, LeastChange::Algebra algebra)
    : runner_(runner),
      nominal_(nominal.begin(), nominal.end()),
      counts_(counts.begin(), counts.end()),
      step_(equations.pattern(), level, nominal, counts, algebra),
      entries_(equations.pattern().n_entries()),
      residual_(static_cast<std::size_t>(equations.n_rows())),
      trial_residual_(residual_.size()),
      change_(nominal.size()),
      simplified_(nominal.size()),
      trial_(nominal.size()) {
  counts_.resize(residual_.size(), 1);
}

double DampedGaussNewton::size(std::span<const double> change) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < change.size(); ++j) {
    sum = std::hypot(sum, change[j] / nominal_[j]);
  }
  return sum;
}

double DampedGaussNewton::largest_part(std::span<const double> change, std::span<const double> s) const {
  double most = 0.0;
  for (std::size_t j = 0; j < change.size(); ++j) {
    most = std::max(most, std::abs(change[j]) / std::max(std::abs(s[j]), nominal_[j]));
  }
  return most;
}

double DampedGaussNewton::distance(std::size_t row) const {
  return counts_[row] == 0 ? 0.0 : std::abs(residual_[row]) * step_.row_scale()[row];
}

bool DampedGaussNewton::rows_are_met() const {
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    if (!(distance(i) <= kConsistent)) {
      return false;
    }
  }
  return true;
}

bool DampedGaussNewton::prepare(double t, std::span<const double> s) {
  return runner_.jacobian(t, s, entries_).ok() && step_.factorize(entries_);
}

bool DampedGaussNewton::damp(double t, std::span<double> s) {
  const double full = size(change_);
  for (; damping_ >= kDampingAtRest; damping_ *= 0.5) {
    for (std::size_t j = 0; j < s.size(); ++j) {
      trial_[j] = s[j] + damping_ * change_[j];
    }
    if (!runner_.residual(t, trial_, trial_residual_).ok()) {
      continue;
    }
    step_.solve(trial_residual_, simplified_);
    const double after = size(simplified_);
    if (!(after <= (1.0 - 0.25 * damping_) * full)) {
      continue;
    }
    std::copy(trial_.begin(), trial_.end(), s.begin());
    std::swap(residual_, trial_residual_);
    // λ(next) = ‖c‖·‖c̄_expected‖ / (‖c̄ - (1 - λ)c‖·‖c̄‖)·λ, [Deu04] (3.47)
    for (std::size_t j = 0; j < s.size(); ++j) {
      simplified_[j] -= (1.0 - damping_) * change_[j];
    }
    const double bend = size(simplified_);
    const double predicted = bend > 0.0 && after > 0.0 ? damping_ * full * full / (bend * after)
                                                       : std::numeric_limits<double>::max();
    damping_ = std::min({1.0, predicted, kMostResidualGrowth * damping_});
    return true;
  }
  return false;
}

DampedGaussNewton::Outcome DampedGaussNewton::rest(int n_steps) const {
  return {rows_are_met() ? Status::solved : Status::stuck, -1, n_steps};
}

DampedGaussNewton::Outcome DampedGaussNewton::solve(double t, std::span<double> s) {
  if (const system::Evaluation first = runner_.residual(t, s, residual_); !first.ok()) {
    return {Status::not_finite, first.culprit, 0};
  }
  damping_ = 1.0;
  double before = std::numeric_limits<double>::infinity();
  for (int n = 0; n < kMostGaussNewtonSteps; ++n) {
    if (const system::Evaluation slopes = runner_.jacobian(t, s, entries_); !slopes.ok()) {
      return {Status::not_finite, slopes.culprit, n};
    }
    if (!step_.factorize(entries_)) {
      return {Status::not_finite, -1, n};
    }
    step_.solve(residual_, change_);
    const double part = largest_part(change_, s);
    if (part <= kStepTolerance || (part <= kRoundingStep && part > 0.5 * before)) {
      return rest(n);
    }
    before = part;
    // So near a full step is taken whatever rounding says of its merit.
    if (part <= kRoundingStep) {
      for (std::size_t j = 0; j < s.size(); ++j) {
        s[j] += change_[j];
      }
      if (const system::Evaluation last = runner_.residual(t, s, residual_); !last.ok()) {
        return {Status::not_finite, last.culprit, n};
      }
    } else if (!damp(t, s)) {
      return rest(n);
    }
  }
  return {Status::too_many_steps, -1, kMostGaussNewtonSteps};
}

}  // namespace saltus::reduce
