#include "integrate/implicit/bdf_controller.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::integrate {
namespace {

// See the header; γ̂ = 3.6378 of radau5.
constexpr double kStartEstimate = 0.1 / 6.0 / 3.6378342527444957;
// DASSL's margin in the choice of sizes, and the error of order 3 in units of h⁴x⁗.
constexpr double kSizeMargin = 2.0;
constexpr double kThirdOrderError = 0.25;
constexpr double kOffset = 1e-4;
constexpr double kLongestStart = 2.0;
constexpr double kSmallestFirst = 0.1;

}  // namespace

BdfController::BdfController(Bdf& stepper)
    : stepper_(stepper),
      policy_(stepper.orders()),
      start_(stepper.starter(), stepper.starter().embedded_order()) {}

double BdfController::take(const bdf::OrderPolicy::Decision& decision, double h) {
  stepper_.set_next_order(decision.order);
  if (decision.begins_anew) {
    stepper_.begin_anew();
    start_.restart();
  }
  return decision.factor * h;
}

double BdfController::after_start(double h, double error) {
  const double proposal = start_.after_accepted(h, error);
  const double factor = std::pow(kSizeMargin * kThirdOrderError / kStartEstimate * error + kOffset, -0.25);
  if (factor > kLongestStart) {
    stepper_.continue_start();
    return proposal;
  }
  policy_.restart();
  return std::max(factor, kSmallestFirst) * h;
}

double BdfController::after_accepted(double h, double error) {
  if (stepper_.is_starting()) {
    return after_start(h, error);
  }
  return take(policy_.after_accepted(stepper_.step_order(), stepper_.terms()), h);
}

double BdfController::after_rejected(double h, double error) {
  if (stepper_.is_starting()) {
    return start_.after_rejected(h, error);
  }
  return take(policy_.after_rejected(stepper_.step_order(), error, stepper_.terms()), h);
}

double BdfController::after_failed_evaluation(double h) {
  return stepper_.is_starting() ? start_.after_failed_evaluation(h)
                                : take(policy_.after_failed(stepper_.step_order()), h);
}

double BdfController::after_failed_iteration(double h) {
  return stepper_.is_starting() ? start_.after_failed_iteration(h)
                                : take(policy_.after_failed(stepper_.step_order()), h);
}

void BdfController::restart() {
  policy_.restart();
  start_.restart();
}

}  // namespace saltus::integrate
