#include "callback/line_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::callback {
namespace {

// Roundings of the sum that a difference is, in units of ε·(unit/h)ᵏ: what is estimated to be no more is rounding.
constexpr double kLineRoundings = 16.0;
// … and of the interpolant between the points, in units of ε.
constexpr double kMissRoundings = 16.0;
// Above this an estimate says nothing but that the steps are too large, and need not fall with each halving.
constexpr double kFarOff = 1e-4;
// Points on either side whose samples say how large a function is.
constexpr int kSizePoints = 2;

using Weights = std::array<std::array<double, 13>, LineDerivatives::kMostOrder + 1>;

// Weights over the points -half … half of the derivatives at a place between them, [For88].
Weights weights_at(long double place, int half) {
  Weights weights{};
  // The points in the order 0, 1, -1, 2, -2, …
  std::vector<int> points{0};
  for (int i = 1; i <= half; ++i) {
    points.push_back(i);
    points.push_back(-i);
  }
  const std::size_t n = points.size();
  std::vector<std::vector<long double>> before(LineDerivatives::kMostOrder + 1, std::vector<long double>(n));
  before[0][0] = 1.0L;
  long double product_before = 1.0L;
  for (std::size_t i = 1; i < n; ++i) {
    std::vector<std::vector<long double>> now = before;
    long double product = 1.0L;
    for (std::size_t j = 0; j < i; ++j) {
      const long double distance = points[i] - points[j];
      product *= distance;
      for (std::size_t k = 0; k < before.size(); ++k) {
        const long double lower = k > 0 ? before[k - 1][j] : 0.0L;
        now[k][j] = ((points[i] - place) * before[k][j] - static_cast<long double>(k) * lower) / distance;
      }
    }
    for (std::size_t k = 0; k < before.size(); ++k) {
      const long double lower = k > 0 ? before[k - 1][i - 1] : 0.0L;
      now[k][i] = product_before / product *
                  (static_cast<long double>(k) * lower - (points[i - 1] - place) * before[k][i - 1]);
    }
    product_before = product;
    before = std::move(now);
  }
  for (std::size_t k = 0; k < before.size(); ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      weights[k][static_cast<std::size_t>(points[j] + 6)] = static_cast<double>(before[k][j]);
    }
  }
  return weights;
}

const Weights& fine_weights() {
  static const Weights weights = weights_at(0.0L, 6);
  return weights;
}

const Weights& coarse_weights() {
  static const Weights weights = weights_at(0.0L, 5);
  return weights;
}

const Weights& check_weights(double place) {
  static const Weights weights = weights_at(place, 6);
  return weights;
}

}  // namespace

LineDerivatives::LineDerivatives(std::size_t size, int order)
    : order_(order),
      samples_(2 * kHalf + 1, std::vector<double>(size)),
      derivatives_(static_cast<std::size_t>(order) + 1, std::vector<double>(size)),
      trial_(static_cast<std::size_t>(order) + 1, std::vector<double>(size)),
      check_(size),
      sizes_(size) {
  SALTUS_EXPECT(order >= 0 && order <= kMostOrder, "an order that differences give");
}

// Fills the trial.
LineDerivatives::Errors LineDerivatives::estimate(double h, double unit, std::span<const double> scale) {
  Errors errors{};
  double miss = 0.0;  // between the points
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    double size = scale[c];
    // Samples further away may be larger by any factor: exp(x/0.026).
    for (int i = -kSizePoints; i <= kSizePoints; ++i) {
      size = std::max(size, std::abs(samples_[static_cast<std::size_t>(kHalf + i)][c]));
    }
    sizes_[c] = size;
    double between = 0.0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      between += check_weights(kComparisonPoint)[0][i] * samples_[i][c];
    }
    if (size > 0.0) {
      miss = std::max(miss, std::abs(between - check_[c]) / size);
    }
  }
  for (int k = 1; k <= order_ && miss > kMissRoundings * kEpsilon; ++k) {
    errors[static_cast<std::size_t>(k)] = miss * std::pow(unit / h, k);
  }
  for (int k = 1; k <= order_; ++k) {
    const auto& fine = fine_weights()[static_cast<std::size_t>(k)];
    const auto& coarse = coarse_weights()[static_cast<std::size_t>(k)];
    const double by_step = std::pow(h, k);
    const double by_unit = std::pow(unit, k);
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      double sum = 0.0;
      double other = 0.0;
      // From the outside in, pairs first: what is the same on both sides cancels exactly.
      for (int i = kHalf; i >= 0; --i) {
        const auto right = static_cast<std::size_t>(kHalf + i);
        const auto left = static_cast<std::size_t>(kHalf - i);
        const double pair = i == 0       ? samples_[right][c]
                            : k % 2 == 1 ? samples_[right][c] - samples_[left][c]
                                         : samples_[right][c] + samples_[left][c];
        sum += fine[right] * pair;
        other += coarse[right] * pair;
      }
      trial_[static_cast<std::size_t>(k)][c] = sum / by_step;
      if (sizes_[c] > 0.0) {
        double& error = errors[static_cast<std::size_t>(k)];
        error = std::max(error, std::abs(sum - other) / by_step * by_unit / sizes_[c]);
      }
    }
  }
  return errors;
}

void LineDerivatives::begin() {
  std::copy(samples_[kHalf].begin(), samples_[kHalf].end(), derivatives_[0].begin());
  errors_ = {};
  is_known_ = false;
  worst_ = std::numeric_limits<double>::infinity();
  part_ = std::min(1.0, 2.0 * part_);
}

bool LineDerivatives::improve(double h, double unit, std::span<const double> scale) {
  const Errors errors = estimate(h, unit, scale);
  const double worst = *std::max_element(errors.begin(), errors.end());
  if (is_known_ && !(worst < worst_)) {
    if (worst_ > kFarOff) {
      return halve();
    }
    part_ *= 2.0;
    return false;
  }
  is_known_ = true;
  worst_ = worst;
  bool is_rounding = true;
  for (int k = 1; k <= order_; ++k) {
    const auto place = static_cast<std::size_t>(k);
    const double rounding = kLineRoundings * kEpsilon * std::pow(unit / h, k);
    is_rounding = is_rounding && errors[place] <= rounding;
    std::swap(derivatives_[place], trial_[place]);
    errors_[place] = errors[place] + rounding;
  }
  return !is_rounding && halve();
}

}  // namespace saltus::callback
