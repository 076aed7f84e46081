#include "integrate/implicit/sdirk4.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

constexpr double kDiagonal = 0.25;  // γ of the method [HW96] (6.16)
constexpr std::array<double, Sdirk4::kStages> kStageTimes = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1.0};
// Rows below the diagonal; the last one with γ is b.
constexpr std::array<std::array<double, Sdirk4::kStages>, Sdirk4::kStages> kRows = {
    {{},
     {1.0 / 2},
     {17.0 / 50, -1.0 / 25},
     {371.0 / 1360, -137.0 / 2720, 15.0 / 544},
     {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12}}};
// b - b̂
constexpr std::array<double, Sdirk4::kStages> kError = {-3.0 / 16, -27.0 / 32, 25.0 / 32, 0.0, 1.0 / 4};
constexpr int kMostIterationsOfSdirk4 = 7;  // as RADAU5 has it
// What is left of the equations of stages 1 to 4 comes into the result with the factors 3.08, 4.29, 34.4, 28.3 (the solution of
// γ·e_j = δ_j - Σ_(i<j) a_ji e_i, weighed by b): the root of the sum of their squares.
constexpr double kStageGain = 45.0;
// Which of θ = ¼, ½, ¾ is the node of a stage.
constexpr std::array<int, Sdirk4::kStages> kInnerPoint = {0, 2, -1, 1, -1};

}  // namespace

Sdirk4::Sdirk4(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
               Tolerances tolerances)
    : ImplicitOneStep(evaluator, locked, n_states, std::move(tolerances),
                      {.tolerance_factor = 1.0,
                       .needs_complex = false,
                       .max_iterations = kMostIterationsOfSdirk4,
                       .stage_gain = kStageGain,
                       .step_order = 4}) {
  lay_out();
}

void Sdirk4::resize_stages() {
  const auto n_y = static_cast<std::size_t>(system_.n_y());
  const auto n = static_cast<std::size_t>(n_states_);
  delta_.resize(n_y);
  y_stage_.resize(n_y);
  known_.resize(n);
  unfiltered_.resize(n);
  for (std::vector<double>& slope : slopes_) {
    slope.resize(n);
  }
  for (std::size_t k = 0; k < inner_z_.size(); ++k) {
    inner_z_[k].resize(n_y - n);
    inner_defects_[k].resize(n_y);
  }
}

void Sdirk4::fields(Archive& a) {
  ImplicitOneStep::fields(a);
  a(evaluation_, delta_, y_stage_, known_, slopes_, inner_z_, inner_defects_, unfiltered_, is_corrected_);
}

linalg::FactorStatus Sdirk4::factorize(double h) {
  return system_.factorize(1.0 / (kDiagonal * h));
}

StageOutcome Sdirk4::solve_stages() {
  return solve(h_, end_.value(), convergence_, y_end_, ydot_end_, [this](std::size_t stage) {
    if (kInnerPoint[stage] >= 0) {
      const std::span<const double> z = std::span<const double>(y_stage_).subspan(known_.size());
      std::copy(z.begin(), z.end(), inner_z_[static_cast<std::size_t>(kInnerPoint[stage])].begin());
    }
  });
}

StageOutcome Sdirk4::solve_middle(double t, NewtonConvergence& convergence) {
  // The estimate of the step is known by now: its slopes may go.
  return solve(0.5 * h_, t, convergence, y_middle_, ydot_middle_, [](std::size_t) {});
}

template <class Keep>
StageOutcome Sdirk4::solve(double h, double end, NewtonConvergence& convergence, std::span<double> y,
                           std::span<double> ydot, const Keep& keep) {
  std::copy(y_start_.begin(), y_start_.end(), y_stage_.begin());
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    predict_stage(stage, h);
    const double t = kStageTimes[stage] == 1.0 ? end : stage_time(kStageTimes[stage] * h);
    if (const StageOutcome outcome = solve_stage(stage, t, h, convergence);
        outcome != StageOutcome::converged) {
      return outcome;
    }
    keep(stage);
  }
  std::copy(y_stage_.begin(), y_stage_.end(), y.begin());
  std::copy(slopes_.back().begin(), slopes_.back().end(), ydot.begin());
  return StageOutcome::converged;
}

// h Σ_(j<i) a_ij Ẏ_j; the stage begins with the slope of the one whose node is next, z with its last value.
void Sdirk4::predict_stage(std::size_t stage, double h) {
  std::size_t nearest = 0;
  for (std::size_t j = 1; j < stage; ++j) {
    nearest =
        std::abs(kStageTimes[j] - kStageTimes[stage]) < std::abs(kStageTimes[nearest] - kStageTimes[stage])
            ? j
            : nearest;
  }
  for (std::size_t i = 0; i < known_.size(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < stage; ++j) {
      sum += kRows[stage][j] * slopes_[j][i];
    }
    known_[i] = h * sum;
    const double guess = stage == 0 ? (is_fresh_start() ? 0.0 : ydot_start_[i]) : slopes_[nearest][i];
    y_stage_[i] = y_start_[i] + known_[i] + kDiagonal * h * guess;
  }
  if (stage == 0 && is_fresh_start()) {
    for (const Index state : system_.nonlinear_derivatives()) {
      const auto i = static_cast<std::size_t>(state);
      y_stage_[i] = y_start_[i] + kDiagonal * h * ydot_start_[i];
    }
  }
}

StageOutcome Sdirk4::solve_stage(std::size_t stage, double t, double h, NewtonConvergence& convergence) {
  const double factor = 1.0 / (kDiagonal * h);
  convergence.begin();
  for (;;) {
    const std::span<double> y = system_.y();
    std::copy(y_stage_.begin(), y_stage_.end(), y.begin());
    const std::span<double> ydot = system_.ydot();
    for (std::size_t i = 0; i < ydot.size(); ++i) {
      ydot[i] = slopes_[stage][i] = (y_stage_[i] - y_start_[i] - known_[i]) * factor;
    }
    evaluation_ = system_.residual(t, delta_);
    if (!evaluation_.ok()) {
      return StageOutcome::evaluation_failed;
    }
    system_.solve(delta_);
    double sum = 0.0;
    for (std::size_t i = 0; i < delta_.size(); ++i) {
      const double ratio = delta_[i] / scale_[i];
      sum += ratio * ratio;
    }
    const NewtonConvergence::Verdict verdict =
        convergence.after(delta_.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(delta_.size())));
    ++statistics_.newton_iterations;
    if (verdict == NewtonConvergence::Verdict::diverges || verdict == NewtonConvergence::Verdict::too_slow) {
      // The system holds the point of this iteration still.
      if (!renew_matrices(t, h, convergence)) {
        return StageOutcome::not_converged;
      }
      convergence.begin();
      continue;
    }
    for (std::size_t i = 0; i < delta_.size(); ++i) {
      y_stage_[i] -= delta_[i];
    }
    for (std::size_t i = 0; i < ydot.size(); ++i) {
      slopes_[stage][i] -= factor * delta_[i];
    }
    if (verdict == NewtonConvergence::Verdict::converged) {
      return StageOutcome::converged;
    }
  }
}

void Sdirk4::estimate_error() {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    double sum = 0.0;
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      sum += kError[stage] * slopes_[stage][i];
    }
    unfiltered_[i] = h_ * sum;
    // e/(γh)
    scratch_[i] = sum / kDiagonal;
  }
  system_.multiply_b(scratch_, error_);
  system_.solve(error_);
}

}  // namespace saltus::integrate
