#include "reduce/nonlinear/damped_gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "nonlinear/damped_newton.hpp"

namespace saltus::reduce {
namespace {

constexpr double kStepTolerance = 1e-13;
constexpr double kRoundingStep = 1e-9;
constexpr double kDampingAtRest = 1e-6;
// Contraction that counts as quadratic convergence, as in blocks.
constexpr double kFastSteps = 0.1;
const nonlinear::NewtonPolicy kGaussNewtonPolicy = {.most_steps = DampedGaussNewton::kMostGaussNewtonSteps,
                                                    .demand = 0.25,
                                                    .smallest_damping = kDampingAtRest,
                                                    .exact = kStepTolerance,
                                                    .noise = kRoundingStep,
                                                    .contraction = kFastSteps,
                                                    .takes_last = false};
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
      trial_(nominal.size()),
      kept_(nominal.size()),
      kept_residual_(residual_.size()) {
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

struct DampedGaussNewton::Iteration {
  DampedGaussNewton& self;
  double t;
  std::span<double> s;
  Index culprit = -1;

  bool correct(nonlinear::CorrectionSize& size) {
    if (const system::Evaluation slopes = self.runner_.jacobian(t, s, self.entries_); !slopes.ok()) {
      culprit = slopes.culprit;
      return false;
    }
    if (!self.step_.factorize(self.entries_)) {
      culprit = -1;
      return false;
    }
    self.step_.solve(self.residual_, self.change_);
    size = {.part = self.largest_part(self.change_, s), .length = self.size(self.change_)};
    return true;
  }
  std::optional<double> try_step(double damping) {
    for (std::size_t j = 0; j < s.size(); ++j) {
      self.trial_[j] = s[j] + damping * self.change_[j];
    }
    if (!self.runner_.residual(t, self.trial_, self.trial_residual_).ok()) {
      return std::nullopt;
    }
    self.step_.solve(self.trial_residual_, self.simplified_);
    return self.size(self.simplified_);
  }
  // λ(next) = ‖c‖·‖c̄_expected‖ / (‖c̄ - (1 - λ)c‖·‖c̄‖)·λ, [Deu04] (3.47)
  double take_trial(double damping, double full, double after) {
    std::copy(self.trial_.begin(), self.trial_.end(), s.begin());
    std::swap(self.residual_, self.trial_residual_);
    for (std::size_t j = 0; j < s.size(); ++j) {
      self.simplified_[j] -= (1.0 - damping) * self.change_[j];
    }
    const double bend = self.size(self.simplified_);
    const double predicted = bend > 0.0 && after > 0.0 ? damping * full * full / (bend * after)
                                                       : std::numeric_limits<double>::max();
    return std::min({1.0, predicted, kMostResidualGrowth * damping});
  }
  void keep() {
    std::copy(s.begin(), s.end(), self.kept_.begin());
    std::copy(self.residual_.begin(), self.residual_.end(), self.kept_residual_.begin());
  }
  void return_to_kept() {
    std::copy(self.kept_.begin(), self.kept_.end(), s.begin());
    std::copy(self.kept_residual_.begin(), self.kept_residual_.end(), self.residual_.begin());
  }
  static void take_correction() {}
  static void take_simplified() {}
};

DampedGaussNewton::Outcome DampedGaussNewton::solve(double t, std::span<double> s) {
  if (const system::Evaluation first = runner_.residual(t, s, residual_); !first.ok()) {
    return {Status::not_finite, first.culprit, 0};
  }
  Iteration iteration{*this, t, s};
  const nonlinear::NewtonOutcome outcome = nonlinear::damped_newton(iteration, kGaussNewtonPolicy);
  switch (outcome.end) {
    case nonlinear::NewtonEnd::failed: return {Status::not_finite, iteration.culprit, outcome.n_steps};
    case nonlinear::NewtonEnd::too_many_steps: return {Status::too_many_steps, -1, outcome.n_steps};
    default: return {rows_are_met() ? Status::solved : Status::stuck, -1, outcome.n_steps};
  }
}

}  // namespace saltus::reduce
