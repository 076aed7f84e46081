#include "integrate/step/error_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace saltus::integrate {
namespace {

// Sums are kept in four interleaved parts: the loop vectorises and the order of additions is the same everywhere.
constexpr std::size_t kSums = 4;

template <class Term>
double sum_in_lanes(std::size_t n, const Term& term) {
  std::array<double, kSums> parts{};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (std::size_t lane = 0; lane < kSums; ++lane) {
      parts[lane] += term(i + lane);
    }
  }
  for (std::size_t lane = 0; i < n; ++i, ++lane) {
    parts[lane] += term(i);
  }
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

double maximum_norm(std::span<const double> v) {
  double largest = 0.0;
  for (const double value : v) {
    // Written so that a NaN is kept: std::max would drop it.
    if (!(std::abs(value) <= largest)) {
      largest = std::abs(value);
      if (std::isnan(largest)) {
        break;
      }
    }
  }
  return largest;
}

double compere_norm(const Tolerances& tolerances, std::span<const double> x, std::span<const double> x_new,
                    std::span<const double> error) {
  const double norm = maximum_norm(error) / (tolerances.rtol * std::max(maximum_norm(x), 1.0));
  return std::isfinite(maximum_norm(x_new)) ? norm : maximum_norm(x_new);
}

}  // namespace

double error_norm(const Tolerances& tolerances, std::span<const double> x, std::span<const double> x_new,
                  std::span<const double> error) {
  const std::size_t n = x.size();
  if (n == 0) {
    return 0.0;
  }
  if (tolerances.norm == ErrorNorm::compere) {
    return compere_norm(tolerances, x, x_new, error);
  }
  const double rtol = tolerances.rtol;
  const double* const atol = tolerances.atol.data();
  const double* const x0 = x.data();
  const double* const x1 = x_new.data();
  const double* const e = error.data();
  const double sum = sum_in_lanes(n, [=](std::size_t i) {
    const double weight = atol[i] + rtol * std::max(std::abs(x0[i]), std::abs(x1[i]));
    const double ratio = e[i] / weight;
    // x₁ - x₁ is 0 or, for an infinite x₁, NaN: its weight would be infinite and hide the overflow.
    return ratio * ratio + (x1[i] - x1[i]);
  });
  return std::sqrt(sum / static_cast<double>(n));
}

double weighted_norm(const Tolerances& tolerances, std::span<const double> x, std::span<const double> v) {
  if (x.empty()) {
    return 0.0;
  }
  const double sum = sum_in_lanes(x.size(), [&](std::size_t i) {
    const double ratio = v[i] / (tolerances.atol[i] + tolerances.rtol * std::abs(x[i]));
    return ratio * ratio;
  });
  return std::sqrt(sum / static_cast<double>(x.size()));
}

Index worst_state(const Tolerances& tolerances, std::span<const double> x, std::span<const double> x_new,
                  std::span<const double> error) {
  Index worst = -1;
  double largest = -1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(error[i]) || !std::isfinite(x_new[i])) {
      return static_cast<Index>(i);
    }
    const double weight =
        tolerances.norm == ErrorNorm::compere
            ? 1.0
            : tolerances.atol[i] + tolerances.rtol * std::max(std::abs(x[i]), std::abs(x_new[i]));
    const double ratio = std::abs(error[i]) / weight;
    if (ratio > largest) {
      largest = ratio;
      worst = static_cast<Index>(i);
    }
  }
  return worst;
}

}  // namespace saltus::integrate
