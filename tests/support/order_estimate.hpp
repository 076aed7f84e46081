/// Observed order: the slope of log(error) over log(h) by least squares.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>

namespace saltus::test {

/// Needs at least five pairs; errors must be positive (an error of zero means the problem is too easy to observe).
inline double observed_order(std::span<const double> steps, std::span<const double> errors) {
  if (steps.size() < 5 || steps.size() != errors.size()) {
    throw std::invalid_argument("an order is fitted to at least five pairs");
  }
  double mean_x = 0.0;
  double mean_y = 0.0;
  const auto n = static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!(errors[i] > 0.0)) {
      throw std::invalid_argument("an error of zero has no order");
    }
    mean_x += std::log(steps[i]) / n;
    mean_y += std::log(errors[i]) / n;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]) - mean_x;
    covariance += x * (std::log(errors[i]) - mean_y);
    variance += x * x;
  }
  return covariance / variance;
}

}  // namespace saltus::test
