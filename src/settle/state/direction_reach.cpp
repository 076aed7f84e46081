#include "settle/state/direction_reach.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "locate/step_ranges.hpp"

namespace saltus::settle {
namespace {

// Beyond its reach the direction of v is that of v itself, beside which rounding errors must be small.
constexpr double kNoises = 1e6;
// Of fixed size: v may come to move faster before it is zero.
constexpr double kStepsAhead = 2.0;

// With fixed steps: what steps move v by, as it moves now.
double moved_in_step(const RunState& state, Index norm) {
  const double step = state.options().steps.fixed_step;
  const std::span<const double> x = state.at.x();
  std::vector<double> xdot(x.size());
  std::vector<double> gradient(x.size());
  if (step == 0.0 || !state.at.field().rhs(state.at.time(), x, xdot).ok()) {
    return 0.0;
  }
  double sum = 0.0;
  for (const Index component : state.guard(norm).components) {
    double rate = 0.0;
    if (state.at.mode().evaluator->guard_gradient(component, state.at.time(), x, gradient, rate).ok()) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        rate += gradient[i] * xdot[i];
      }
      sum += rate * rate;
    }
  }
  return kStepsAhead * step * std::sqrt(sum);
}

}  // namespace

double direction_reach(const RunState& state, Index norm) {
  system::Evaluator& evaluator = *state.at.mode().evaluator;
  const double t = state.at.time();
  const std::span<const double> x = state.at.x();
  const integrate::Tolerances& tolerances = state.at.mode().engine->stepper().tolerances();
  std::vector<double> gradient(x.size());
  double sum = 0.0;
  double noise = 0.0;
  for (const Index component : state.guard(norm).components) {
    double time_derivative = 0.0;
    if (!evaluator.guard_gradient(component, t, x, gradient, time_derivative).ok()) {
      continue;
    }
    evaluator.keep_along(t, x, gradient);
    const double error = locate::allowed_error(tolerances, gradient, x, x);
    sum += error * error;
    noise = std::max(noise, evaluator.guard_noise(component, t, x));
  }
  const double reach = std::max({std::sqrt(sum), kNoises * noise, moved_in_step(state, norm)});
  double value = 0.0;
  const bool is_moving = state.at.latched(norm) == system::direction_state::kMoving &&
                         evaluator.guards({&norm, 1}, t, x, {&value, 1}).ok();
  return is_moving ? std::min(reach, 0.5 * value) : reach;
}

}  // namespace saltus::settle
