#include "integrate/implicit/radau5.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

using radau5::kStages;

// RADAU5: tolerance of the estimate, factor and exponent.
constexpr double kToleranceFactor = 0.1;
constexpr double kToleranceExponent = -1.0 / 3.0;
// Below this rtol counts as this much.
constexpr double kSmallestTolerance = 10.0 * std::numeric_limits<double>::epsilon();
// RADAU5: iterations allowed.
constexpr int kMostIterationsOfRadau5 = 7;
// A slope at the start that misses that of q by this many tolerances over the step bends the polynomial of degree 5 by one.
constexpr double kTransientSlope = 25.0;

double tolerance_factor(const Tolerances& tolerances) {
  if (tolerances.norm != ErrorNorm::weighted_rms || !(tolerances.rtol > 0.0)) {
    return 1.0;
  }
  return kToleranceFactor * std::pow(std::max(tolerances.rtol, kSmallestTolerance), kToleranceExponent);
}

}  // namespace

Radau5::Radau5(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
               Tolerances tolerances, double extension_factor)
    : ImplicitOneStep(evaluator, locked, n_states, tolerances,
                      {.tolerance_factor = tolerance_factor(tolerances),
                       .needs_complex = true,
                       .max_iterations = kMostIterationsOfRadau5,
                       .step_order = 4,
                       .extension_factor = extension_factor}),
      stages_(system_) {
  lay_out();
}

void Radau5::resize_stages() {
  const auto n_y = static_cast<std::size_t>(system_.n_y());
  constexpr std::size_t kVectors = 3 * kStages + 2;
  stage_storage_.resize(std::max(stage_storage_.size(), kVectors * n_y));
  double* next = stage_storage_.data();
  for (Radau5Stages::Stages* stages : {&z_, &z_middle_, &past_}) {
    for (std::span<double>& stage : *stages) {
      stage = {std::exchange(next, next + n_y), n_y};
    }
  }
  for (std::span<double>* vector : {&bend_, &defect_}) {
    *vector = {std::exchange(next, next + n_y), n_y};
  }
  stages_.resize();
}

void Radau5::fields(Archive& a) {
  // Not saved: stage_storage_.
  ImplicitOneStep::fields(a);
  a(stages_, z_, z_middle_, past_, past_size_, miss_.now, miss_.past, first_defect_.now, first_defect_.past,
    bend_, defect_);
}

// q(t₁ + s h₋) - q(t₁) of the step before = s (D₀ + (s + 1 - c₂)(D₁ + (s + 1 - c₁) D₂)), divided differences over
// t₁, t₁ - (1 - c₂)h₋, t₁ - (1 - c₁)h₋, t₁ - h₋ in units of h₋.
void Radau5::remember_step() {
  const auto& c = radau5::kC;
  for (std::size_t i = 0; i < y_start_.size(); ++i) {
    const double first = (z_[2][i] - z_[1][i]) / (1.0 - c[1]);
    const double second = (z_[1][i] - z_[0][i]) / (c[1] - c[0]);
    const double third = z_[0][i] / c[0];
    const double bend = (first - second) / (1.0 - c[0]);
    past_[0][i] = first;
    past_[1][i] = bend;
    past_[2][i] = bend - (second - third) / c[1];
  }
  remember(miss_);
  remember(first_defect_);
  past_size_ = h_;
}

// The slopes of a z that the iteration had left far off: extrapolated, they lead the next one off too, however small its step is.
void Radau5::forget_past_of(std::size_t i) {
  for (const std::span<double>& row : past_) {
    row[i] = 0.0;
  }
}

// Slopes at a start may belong to a transient shorter than the step: only those without which r may have another solution are used.
void Radau5::predict_first_stages() {
  for (std::size_t s = 0; s < kStages; ++s) {
    std::fill(z_[s].begin(), z_[s].end(), 0.0);
    for (const Index state : system_.nonlinear_derivatives()) {
      const auto i = static_cast<std::size_t>(state);
      z_[s][i] = radau5::kC[s] * h_ * ydot_start_[i];
    }
  }
}

void Radau5::predict_stages() {
  if (past_size_ == 0.0) {
    predict_first_stages();
    return;
  }
  const auto& c = radau5::kC;
  for (std::size_t s = 0; s < kStages; ++s) {
    const double at = c[s] * h_ / past_size_;
    for (std::size_t i = 0; i < y_start_.size(); ++i) {
      z_[s][i] = at * (past_[0][i] + (at + (1.0 - c[1])) * (past_[1][i] + (at + (1.0 - c[0])) * past_[2][i]));
    }
  }
}

Radau5Stages::Times Radau5::stage_times(double h, double end) const {
  return {stage_time(radau5::kC[0] * h), stage_time(radau5::kC[1] * h), end};
}

void Radau5::take_end(const Radau5Stages::Stages& z, double h, std::span<double> y,
                      std::span<double> ydot) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_start_[i] + z[2][i];
  }
  const auto& row = radau5::kInverse[2];
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = (row[0] * z[0][i] + row[1] * z[1][i] + row[2] * z[2][i]) / h;
  }
}

// Fixed steps that do not converge: on with the Jacobian of the inner stage, about the mean of the three.
StageOutcome Radau5::solve(double h, double end, NewtonConvergence& convergence,
                           const Radau5Stages::Stages& z) {
  const Radau5Stages::Times times = stage_times(h, end);
  for (;;) {
    const StageOutcome outcome = stages_.solve(times, h, y_start_, scale_, convergence, z);
    if (outcome != StageOutcome::not_converged) {
      return outcome;
    }
    stages_.place_stage(1, h, y_start_, z);
    if (!renew_matrices(times[1], h, convergence)) {
      return outcome;
    }
  }
}

StageOutcome Radau5::solve_stages() {
  predict_stages();
  const StageOutcome outcome = solve(h_, end_.value(), convergence_, z_);
  statistics_.newton_iterations += convergence_.iterations();
  if (outcome == StageOutcome::converged) {
    take_end(z_, h_, y_end_, ydot_end_);
  }
  return outcome;
}

StageOutcome Radau5::solve_middle(double t, NewtonConvergence& convergence) {
  for (std::size_t s = 0; s < kStages; ++s) {
    const double theta = 0.5 * radau5::kC[s];
    for (std::size_t i = 0; i < y_start_.size(); ++i) {
      double sum = 0.0;
      for (std::size_t p = kStages; p-- > 0;) {
        const auto& row = radau5::kPowers[p];
        sum = theta * (sum + row[0] * z_[0][i] + row[1] * z_[1][i] + row[2] * z_[2][i]);
      }
      z_middle_[s][i] = sum;
    }
  }
  const double half = 0.5 * h_;
  const StageOutcome outcome = solve(half, t, convergence, z_middle_);
  if (outcome == StageOutcome::converged) {
    take_end(z_middle_, half, y_middle_, ydot_middle_);
  }
  return outcome;
}

// err of the header; ẏ₀ - q̇(t₀) has no z part, and B no columns for it.
void Radau5::estimate_error() {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    scratch_[i] = ydot_start_[i] - start_slope(i) / h_;
  }
  system_.multiply_b(scratch_, error_);
  system_.solve(error_);
  std::copy(error_.begin(), error_.end(), bend_.begin());
}

system::Evaluation Radau5::filter_again() {
  const std::span<double> y = system_.y();
  const std::span<double> ydot = system_.ydot();
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_start_[i] + error_[i];
  }
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = start_slope(i) / h_;
  }
  const system::Evaluation evaluation = system_.residual(start_.value(), scratch_);
  if (!evaluation.ok()) {
    return evaluation;
  }
  system_.solve(scratch_);
  for (double& value : scratch_) {
    value = -value;
  }
  // The same with the matrix in the place of the residual, and of each the larger: behind a kink r may be met by chance, the matrix is that of
  // one side.
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    ydot[i] = radau5::kGamma / h_ * error_[i];
  }
  system_.multiply_b(ydot, error_);
  system_.solve(error_);
  for (std::size_t i = 0; i < error_.size(); ++i) {
    error_[i] = std::abs(scratch_[i]) > std::abs(error_[i]) ? scratch_[i] : error_[i];
  }
  return evaluation;
}

bool Radau5::starts_in_transient() const {
  if (!tolerances_.test_error) {
    return false;
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    largest = std::max(largest, std::abs(h_ * ydot_start_[i] - start_slope(i)) / scale_[i]);
  }
  return largest > kTransientSlope;
}

}  // namespace saltus::integrate
