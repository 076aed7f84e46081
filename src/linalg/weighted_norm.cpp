#include "linalg/weighted_norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "saltus/contract.hpp"

namespace saltus::linalg {

double weighted_norm(std::span<const double> v, std::span<const double> weights) {
  SALTUS_EXPECT(v.size() == weights.size(), "a weight for every component");
  if (v.empty()) {
    return 0.0;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double scaled = v[i] * weights[i];
    sum += scaled * scaled;
  }
  return std::sqrt(sum / static_cast<double>(v.size()));
}

void compute_weights(std::span<const double> y, double rtol, std::span<const double> atol,
                     std::span<double> weights) {
  compute_weights(y, y, rtol, atol, weights);
}

void compute_weights(std::span<const double> y, std::span<const double> z, double rtol,
                     std::span<const double> atol, std::span<double> weights) {
  SALTUS_EXPECT(y.size() == z.size() && y.size() == atol.size() && y.size() == weights.size(),
                "spans of equal length");
  for (std::size_t i = 0; i < y.size(); ++i) {
    weights[i] = 1.0 / (rtol * std::max(std::abs(y[i]), std::abs(z[i])) + atol[i]);
  }
}

}  // namespace saltus::linalg
