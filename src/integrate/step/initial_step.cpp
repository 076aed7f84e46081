#include "integrate/step/initial_step.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// [HNW93] II.4: part of its size by which x moves in the Euler step, and part of the tolerance aimed at.
constexpr double kEulerFraction = 0.01;
constexpr double kErrorFraction = 0.01;
constexpr double kMostStepGrowth = 100.0;
// Weighted sizes below this say nothing (the book's bound).
constexpr double kNegligible = 1e-5;
// Part of the interval to begin with when x or f is zero at the start.
constexpr double kBlindFraction = 1e-6;
constexpr int kMaxProbes = 8;  // limit of work

// h₁ of the header; infinite when f does not change.
double step_from_rates(double d0, double d1, double d2, double h0, int q) {
  double rate = d1 > kNegligible * (d2 * h0) ? d2 / d1 : 0.0;
  if (d0 > kNegligible) {
    rate = std::max({rate, d1 / d0, std::sqrt(d2 / d0)});
  }
  const double size = d0 > kNegligible ? d0 : d1 / rate;
  return std::pow(kErrorFraction / size, 1.0 / q) / rate;
}

}  // namespace

double initial_step(Stepper& stepper, double direction, double h_max, std::span<double> scratch) {
  const auto n = static_cast<std::size_t>(stepper.n_states());
  SALTUS_EXPECT(scratch.size() >= 2 * n, "initial_step needs scratch for two vectors");
  if (n == 0) {
    return h_max;
  }
  const Tolerances& tolerances = stepper.tolerances();
  const std::span<const double> x = stepper.state();
  const std::span<const double> f = stepper.derivative();
  const std::span<double> moved = scratch.first(n);
  const std::span<double> f_moved = scratch.subspan(n, n);

  const double d0 = weighted_norm(tolerances, x, x);
  const double d1 = weighted_norm(tolerances, x, f);
  const bool blind = !(d0 > kNegligible) || !(d1 * h_max > kNegligible);
  double h0 = std::min(h_max, blind ? kBlindFraction * h_max : kEulerFraction * (d0 / d1));
  for (int probe = 0; probe < kMaxProbes; ++probe) {
    const double h = direction * h0;
    for (std::size_t i = 0; i < n; ++i) {
      moved[i] = x[i] + h * f[i];
    }
    if (stepper.probe(stepper.time().value() + h, moved, f_moved).ok()) {
      for (std::size_t i = 0; i < n; ++i) {
        f_moved[i] = f_moved[i] - f[i];
      }
      const double d2 = weighted_norm(tolerances, x, f_moved) / h0;
      const double h1 = step_from_rates(d0, d1, d2, h0, stepper.embedded_order() + 1);
      // A comparison with NaN (no information at all) keeps 100 h₀.
      return std::min({kMostStepGrowth * h0, h1 > 0.0 ? h1 : kMostStepGrowth * h0, h_max});
    }
    h0 *= 0.1;
  }
  return h0;
}

}  // namespace saltus::integrate
