#include "integrate/step/newton_policy.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::integrate {
namespace {

// RADAU5: rates beyond this count as divergence.
constexpr double kWorstRate = 0.99;
// RADAU5: how much of the last step's η the first iteration believes.
constexpr double kErrorFactorExponent = 0.8;
// It never believes more than this: a step that happened to converge at once says nothing of the next one, and the first correction
// would pass however large it is.
constexpr double kLeastFirstFactor = 1e-3;
// RADAU5: after divergence, and after the last iteration allowed.
constexpr double kDivergedFactor = 0.5;
// RADAU5: safety of the size chosen from the rate, and bounds of what the rate says.
constexpr double kSlowSafety = 0.8;
constexpr double kLeastExcess = 1e-4;
constexpr double kMostExcess = 20.0;
// RADAU5: bounds of κ.
constexpr double kLargestTolerance = 0.03;
constexpr double kRoundingsKept = 10.0;
// Roundings of y that one evaluation and one solution of linear equations may make. Measured with examples/structural_pounding.mo: at
// 1e4 corrections of a wrong Jacobian are taken for rounding, at 10 and 100 they are not.
constexpr double kNoiseRoundings = 100.0;
// Rates that an iteration must have seen.
constexpr int kRatesOfStep = 1;
constexpr int kRatesOfCarefulIteration = 2;
// A quotient that says that corrections shrink no more: those of rounding are about one. (0.3 ends slow iterations of bdf at 1e-12.)
constexpr double kStagnation = 0.9;
// Fixed steps cannot be made smaller: iterations that converge at all may take their time.
constexpr int kMaxFixedStepIterations = 25;
// In units of kFixedStepAccuracy: below rounding, so that it is the corrections that end it. 1e-2 is seen: stages of sdirk4 enlarge what is left
// by 30, and some hundred steps add it up.
constexpr double kFixedStepTolerance = 1e-4;
// Sizes that differ by no more than this have one matrix: far less than what the rate would show.
constexpr double kSameSize = 1e-9;

}  // namespace

NewtonConvergence::Options fixed_step_newton(int step_order) {
  return {.max_iterations = kMaxFixedStepIterations,
          .tolerance = kFixedStepTolerance,
          .step_order = step_order,
          .judged_from = 3,
          .noise = kFixedStepTolerance,
          .least = 1.0};
}

double newton_tolerance(double rtol, double gain) {
  return std::max(kRoundingsKept * kEpsilon / std::max(rtol, kRoundingsKept * kEpsilon),
                  std::min(kLargestTolerance / gain, std::sqrt(rtol)));
}

double newton_noise(double rtol) {
  return kNoiseRoundings * kEpsilon / std::max(rtol, kRoundingsKept * kEpsilon);
}

void NewtonConvergence::forget() {
  error_factor_ = 1.0;
  rate_ = 0.0;
}

void NewtonConvergence::begin_step(bool is_careful) {
  is_careful_ = is_careful;
  rates_ = 0;
  has_rate_ = false;
  step_rate_ = 0.0;
}

void NewtonConvergence::begin(double least_rate) {
  iterations_ = 0;
  rates_ = is_careful_ ? 0 : rates_;
  rate_ = 0.0;
  step_factor_ = 1.0;
  error_factor_ = std::max(
      {std::pow(error_factor_, kErrorFactorExponent), kLeastFirstFactor, least_rate / (1.0 - least_rate)});
}

NewtonConvergence::Verdict NewtonConvergence::after(double correction_norm) {
  ++iterations_;
  if (!std::isfinite(correction_norm)) {
    step_factor_ = kDivergedFactor;
    return Verdict::diverges;
  }
  if (iterations_ > 1 && iterations_ < options_.max_iterations) {
    if (const Verdict verdict = judge_rate(correction_norm); verdict != Verdict::go_on) {
      return verdict;
    }
  }
  last_norm_ = std::max(correction_norm, kEpsilon);
  if (error_factor_ * correction_norm <= options_.tolerance && may_end(correction_norm)) {
    return Verdict::converged;
  }
  if (iterations_ >= options_.max_iterations) {
    step_factor_ = kDivergedFactor;
    return correction_norm <= options_.least ? Verdict::converged : Verdict::too_slow;
  }
  return Verdict::go_on;
}

bool NewtonConvergence::may_end(double correction_norm) const {
  return rates_ >= (is_careful_ ? kRatesOfCarefulIteration : kRatesOfStep) ||
         correction_norm <= options_.noise;
}

NewtonConvergence::Verdict NewtonConvergence::judge_rate(double correction_norm) {
  const double quotient = correction_norm / last_norm_;
  if (correction_norm <= options_.least && quotient > kStagnation) {
    return Verdict::converged;
  }
  rate_ = iterations_ == 2 ? quotient : std::sqrt(quotient * last_quotient_);
  last_quotient_ = quotient;
  ++rates_;
  has_rate_ = true;
  const double worse = std::min(std::max(rate_, quotient), kWorstRate);
  error_factor_ = worse / (1.0 - worse);
  step_rate_ = std::max(step_rate_, worse);
  if (iterations_ < options_.judged_from) {
    rate_ = std::min(rate_, kWorstRate);
    return Verdict::go_on;
  }
  if (rate_ >= kWorstRate) {
    step_factor_ = kDivergedFactor;
    return correction_norm <= options_.least ? Verdict::go_on : Verdict::diverges;
  }
  // Error that the iterations still allowed would leave, in units of what is allowed.
  const int left = options_.max_iterations - 1 - iterations_;
  const double allowed = std::max(options_.tolerance, options_.least);
  const double excess = rate_ / (1.0 - rate_) * correction_norm * std::pow(rate_, left) / allowed;
  if (excess >= 1.0) {
    step_factor_ = kSlowSafety * std::pow(std::clamp(excess, kLeastExcess, kMostExcess),
                                          -1.0 / (options_.step_order + left));
    return Verdict::too_slow;
  }
  return Verdict::go_on;
}

void JacobianPolicy::restarted(bool is_constant) {
  is_constant_ = is_constant;
  needs_jacobian_ = true;
  is_current_ = false;
  factorized_size_ = 0.0;
}

void JacobianPolicy::jacobian_evaluated() {
  needs_jacobian_ = false;
  is_current_ = true;
  factorized_size_ = 0.0;
}

void JacobianPolicy::factorized(double h) {
  factorized_size_ = h;
}

void JacobianPolicy::step_accepted(std::optional<double> rate) {
  is_current_ = is_constant_;
  needs_jacobian_ = !is_constant_ && (!rate || *rate > options_.fast_rate);
}

void JacobianPolicy::step_failed() {
  needs_jacobian_ = !is_current_;
}

bool JacobianPolicy::needs_factorization(double h) const {
  return factorized_size_ == 0.0 || std::abs(h - factorized_size_) > kSameSize * std::abs(factorized_size_);
}

}  // namespace saltus::integrate
