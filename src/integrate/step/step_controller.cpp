#include "integrate/step/step_controller.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// DOPRI5: facold starts at and never falls below this value.
constexpr double kSmallestOldError = 1e-4;
double log_smallest_old_error() {
  return std::log(kSmallestOldError);
}
// An error of exactly zero counts as this much [Com01, the author's ode45].
constexpr double kCompereSmallestError = 1e-16;

}  // namespace

PiController::PiController(int embedded_order, const PiControllerOptions& options)
    : options_(options),
      exponent_(1.0 / (embedded_order + 1) - 0.75 * options.beta),
      log_old_error_(log_smallest_old_error()) {
  SALTUS_EXPECT(embedded_order >= 1, "error control needs an embedded solution");
  SALTUS_EXPECT(options.safety > 0.0 && options.safety < 1.0, "the safety factor lies between 0 and 1");
  SALTUS_EXPECT(
      options.smallest_factor > 0.0 && options.smallest_factor < 1.0 && options.largest_factor > 1.0,
      "step factors lie on both sides of 1");
}

double PiController::after_accepted(double h, double error) {
  // error^exponent / old^β with one logarithm and one exponential; an error of zero gives log = -∞ and raw = 0.
  const double log_error = std::log(error);
  const double raw = std::exp(exponent_ * log_error - options_.beta * log_old_error_) / options_.safety;
  const double divisor = std::clamp(raw, 1.0 / options_.largest_factor, 1.0 / options_.smallest_factor);
  log_old_error_ = std::max(log_error, log_smallest_old_error());
  const double proposal = h / divisor;
  const double result = was_rejected_ ? std::min(proposal, h) : proposal;
  was_rejected_ = false;
  return result;
}

double PiController::after_rejected(double h, double error) {
  was_rejected_ = true;
  return h / std::min(1.0 / options_.smallest_factor, std::pow(error, exponent_) / options_.safety);
}

double PiController::after_failed_evaluation(double h) {
  was_rejected_ = true;
  return kFailedEvaluationFactor * h;
}

void PiController::restart() {
  log_old_error_ = log_smallest_old_error();
  was_rejected_ = false;
}

CompereController::CompereController(const CompereControllerOptions& options) : options_(options) {
  SALTUS_EXPECT(options.exponent > 0.0 && options.safety > 0.0 && options.safety < 1.0,
                "the exponent is positive and the safety factor lies between 0 and 1");
}

double CompereController::after_accepted(double h, double error) {
  return std::min(
      options_.largest_step,
      options_.safety * h * std::pow(1.0 / std::max(error, kCompereSmallestError), options_.exponent));
}

double CompereController::after_rejected(double h, double error) {
  return after_accepted(h, error);
}

double CompereController::after_failed_evaluation(double h) {
  return kFailedEvaluationFactor * h;
}

}  // namespace saltus::integrate
