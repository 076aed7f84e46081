#include "settle/state/time_beside_root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "settle/state/within_errors.hpp"

namespace saltus::settle {
namespace {

// What location leaves of one guard is exactly what a tangential entry shows of another (i and i/C): it must not be decided by
// the rounding of the comparison.
constexpr double kLocationSafety = 4.0;

// An instant is shorter than this part of the run. Not measured.
constexpr double kLongestInstant = 1e-6;

bool may_be_followed(const RunState& state, Index guard) {
  return state.system().has_structures() ||
         (state.guard(guard).in_rounds && state.system().modes().size() > 1);
}

}  // namespace

std::optional<double> time_beside_root(RunState& state, Index guard, double level) {
  if (!may_be_followed(state, guard)) {
    return std::nullopt;
  }
  system::Evaluator& field = state.at.field();
  const double time = state.at.time();
  const std::span<const double> x = state.at.x();
  double value = 0.0;
  system::GuardDerivatives derivatives;
  if (!field.guards({&guard, 1}, time, x, {&value, 1}).ok() ||
      !field.guard_derivatives(guard, time, x, derivatives).ok()) {
    return std::nullopt;
  }
  const double left = std::abs(value - level) + field.guard_noise(guard, time, x);
  double shortest = std::numeric_limits<double>::infinity();
  double factorial = 1.0;
  for (int order = 1; order <= derivatives.n_known; ++order) {
    const auto k = static_cast<std::size_t>(order - 1);
    factorial *= order;
    if (std::abs(derivatives.value[k]) > derivatives.noise[k]) {
      shortest = std::min(shortest, std::pow(factorial * left / std::abs(derivatives.value[k]), 1.0 / order));
    }
  }
  return std::isfinite(shortest) ? std::optional(kLocationSafety * shortest) : std::nullopt;
}

bool is_thrown_off(RunState& state, Index guard, double time) {
  return time > kLongestInstant * std::abs(state.options().stop - state.options().start) &&
         !is_within_errors(state, state.at.field(), guard);
}

}  // namespace saltus::settle
