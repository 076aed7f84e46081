#include "settle/state/within_instant.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/time_tolerance.hpp"

namespace saltus::settle {
namespace {

// A limit of work: guards further from zero than this many times what states and time are rounded by are not asked for their rates, so that
// steeper ones have sides closer to zero than they could be told apart. Not measured.
constexpr double kFarBeyondInstant = 1e6;

}  // namespace

double largest_state(const RunState& state) {
  double largest = 0.0;
  for (const double x : state.at.x()) {
    largest = std::max(largest, std::abs(x));
  }
  return largest;
}

bool is_within_instant(RunState& state, Index guard, double value, double bound, double largest) {
  if (std::abs(value) <= bound) {
    return true;
  }
  system::Evaluator& evaluator = *state.at.mode().evaluator;
  const std::span<const double> x = state.at.x();
  const double instant = time_tolerance(state.at.time(), state.time_scale());
  system::GuardDerivatives rates;
  if (std::abs(value) > kFarBeyondInstant * std::max({bound, kStateRoundings * largest, instant}) ||
      !evaluator.guard_derivatives(guard, state.at.time(), x, rates).ok()) {
    return false;
  }
  const double reached = bound + std::abs(rates.value[0]) * instant;
  if (std::abs(value) <= reached) {
    return true;
  }
  std::vector<double> gradient(x.size());
  double time_derivative = 0.0;
  if (!evaluator.guard_gradient(guard, state.at.time(), x, gradient, time_derivative).ok()) {
    return false;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += std::abs(gradient[i] * x[i]);
  }
  return std::abs(value) <= reached + kStateRoundings * sum;
}

}  // namespace saltus::settle
