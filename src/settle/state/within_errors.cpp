#include "settle/state/within_errors.hpp"

#include <cmath>
#include <vector>

#include "locate/step_ranges.hpp"

namespace saltus::settle {

bool is_within_errors(const RunState& state, system::Evaluator& evaluator, Index guard) {
  const double time = state.at.time();
  const std::vector<double>& x = state.at.x();
  double value = 0.0;
  double time_derivative = 0.0;
  std::vector<double> gradient(x.size());
  if (!evaluator.guards({&guard, 1}, time, x, {&value, 1}).ok() ||
      !evaluator.guard_gradient(guard, time, x, gradient, time_derivative).ok()) {
    return false;
  }
  const double noise = evaluator.guard_noise(guard, time, x);
  evaluator.keep_along(time, x, gradient);
  const integrate::Tolerances& tolerances = state.at.mode().engine->stepper().tolerances();
  return std::abs(value) <= noise + locate::allowed_error(tolerances, gradient, x, x);
}

}  // namespace saltus::settle
