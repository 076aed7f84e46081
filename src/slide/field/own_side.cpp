#include "slide/field/own_side.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::slide {
namespace {

// The first distance, in units of the noise of g, and how it grows.
constexpr double kFirstDistance = 4.0;
constexpr double kDistanceGrowth = 4.0;
constexpr int kMostMoves = 6;

}  // namespace

bool move_to_side(system::Evaluator& evaluator, Index guard, double side, double t, std::span<double> x,
                  std::span<double> gradient) {
  double time_derivative = 0.0;
  if (!evaluator.guard_gradient(guard, t, x, gradient, time_derivative).ok()) {
    return false;
  }
  double steepness = 0.0;
  double terms = std::abs(time_derivative * t);
  for (std::size_t i = 0; i < x.size(); ++i) {
    steepness += gradient[i] * gradient[i];
    terms += std::abs(gradient[i] * x[i]);
  }
  if (!(steepness > 0.0) || !std::isfinite(steepness)) {
    return false;
  }
  const double noise =
      std::max({evaluator.guard_noise(guard, t, x), std::numeric_limits<double>::epsilon() * terms,
                std::numeric_limits<double>::min()});
  double distance = kFirstDistance * noise;
  for (int move = 0; move < kMostMoves; ++move, distance *= kDistanceGrowth) {
    double value = 0.0;
    if (!evaluator.guards({&guard, 1}, t, x, {&value, 1}).ok()) {
      return false;
    }
    if (side * value > noise) {
      return true;
    }
    const double factor = (side * distance - value) / steepness;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += factor * gradient[i];
    }
  }
  return false;
}

}  // namespace saltus::slide
