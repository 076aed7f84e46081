#include "integrate/step/implicit_controller.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::integrate {
namespace {

// RADAU5.
constexpr double kSafety = 0.9;                 // RADAU5 [HW96] IV.8
constexpr double kSmallestDivisor = 1.0 / 8.0;  // RADAU5: a step grows by 8 at most
constexpr double kLargestDivisor = 5.0;         // RADAU5: and is cut to a fifth at most
constexpr double kSmallestErrorBefore = 1e-2;   // RADAU5: a smaller error before says nothing
constexpr double kFirstStepFactor = 0.1;        // RADAU5: a first step that fails is a guess that was far off

}  // namespace

ImplicitController::ImplicitController(const StepEstimates& estimates, int embedded_order)
    : estimates_(estimates), exponent_(1.0 / (embedded_order + 1)) {}

double ImplicitController::plain_divisor(double error) const {
  const double safety = kSafety * estimates_.advice().effort_factor;
  return std::clamp(std::pow(error, exponent_) / safety, kSmallestDivisor, kLargestDivisor);
}

double ImplicitController::after_accepted(double h, double error) {
  double divisor = plain_divisor(error);
  if (old_size_ > 0.0) {
    const double predicted = (old_size_ / h) * std::pow(error * error / old_error_, exponent_) / kSafety;
    divisor = std::max(divisor, std::clamp(predicted, kSmallestDivisor, kLargestDivisor));
  }
  old_size_ = h;
  old_error_ = std::max(error, kSmallestErrorBefore);
  double proposal = h / divisor;
  if (was_rejected_) {
    proposal = std::min(proposal, h);
  }
  was_rejected_ = false;
  return proposal >= h && proposal <= estimates_.advice().idle_growth * h ? h : proposal;
}

double ImplicitController::after_rejected(double h, double error) {
  was_rejected_ = true;
  return old_size_ > 0.0 ? h / std::max(plain_divisor(error), 1.0) : kFirstStepFactor * h;
}

double ImplicitController::after_failed_evaluation(double h) {
  was_rejected_ = true;
  return kFailedEvaluationFactor * h;
}

double ImplicitController::after_failed_iteration(double h) {
  was_rejected_ = true;
  return estimates_.advice().failure_factor * h;
}

void ImplicitController::restart() {
  old_size_ = 0.0;
  was_rejected_ = false;
}

}  // namespace saltus::integrate
