/// Derivatives of a black box along a line, by differences of high order.
///
/// Problem      φ(τ), many components, known by its values alone: φ'(0), φ''(0), … to nearly all digits
/// Method       central differences over thirteen points (order 12), at steps h that begin as large as they may be and are halved while that
///              makes the difference to those over eleven points smaller. Truncation falls by 2¹⁰ with a halving, roundings
///              grow by 2ᵏ: the step at which the estimate stops falling is the one that balances both. A sample between the points is compared
///              with their interpolant: a function that is fast enough looks slow at points of equal distance.
/// Notation     unit: over which τ the function changes by its own size; errors are relative to scale/unitᵏ
/// Contract     samples at 0 are taken once. Does not allocate after construction.
/// Choices      Large steps and a high order instead of Richardson's extrapolation: for functions that are analytic in a circle of `unit` the
///              roundings are then some ε·12ᵏ, that is 5e-15, 2e-13 and 5e-12 for k = 1, 2, 3.
/// Fails when   there is no value at 0
/// Cost         13 samples for each step tried; one step where φ is as smooth as `unit` promises
/// Checked by   tests/unit/callback/line_derivatives_test.cpp
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace saltus::callback {

class LineDerivatives {
 public:
  static constexpr int kMostOrder = 3;

  LineDerivatives(std::size_t size, int order);

  /// bool sample(double tau, std::span<double> values); false: there is no value at this τ.
  /// `scale` by component: at least what its errors are measured by. False: no value at 0, or at no distance.
  template <class Sample>
  [[nodiscard]] bool run(double unit, std::span<const double> scale, Sample sample) {
    if (!sample(0.0, std::span(samples_[kHalf]))) {
      return false;
    }
    begin();
    unit_ = unit;
    bool goes_on = order_ > 0;
    for (int halving = 0; goes_on && halving < kMostStepHalvings; ++halving) {
      const double h = part_ * kLargestStep * unit;
      bool is_known = sample(kComparisonPoint * h, std::span(check_));
      for (int i = 1; is_known && i <= kHalf; ++i) {
        is_known = sample(i * h, std::span(samples_[static_cast<std::size_t>(kHalf + i)])) &&
                   sample(-i * h, std::span(samples_[static_cast<std::size_t>(kHalf - i)]));
      }
      goes_on = is_known ? improve(h, unit, scale) : halve();
    }
    return order_ == 0 || is_known_;
  }

  [[nodiscard]] std::span<const double> derivative(int k) const {  ///< 0 … order
    return derivatives_[static_cast<std::size_t>(k)];
  }
  /// The largest estimated error of derivatives of order k in the last run.
  [[nodiscard]] double error(int k) const { return errors_[static_cast<std::size_t>(k)]; }
  /// … as the error of a first derivative of one component.
  [[nodiscard]] double error_of(std::size_t component) const {
    return errors_[1] * sizes_[component] / unit_;
  }

 private:
  static constexpr int kHalf = 6;
  static constexpr double kLargestStep = 1.0 / 12.0;  // the outermost points lie half a unit away
  static constexpr int kMostStepHalvings = 30;
  static constexpr double kComparisonPoint =
      0.6180339887498949;  // between the points, as far from a fraction as can be
  using Errors = std::array<double, kMostOrder + 1>;

  void begin();
  // Takes the derivatives of the samples if they are better than those before. False: no smaller step will be.
  [[nodiscard]] bool improve(double h, double unit, std::span<const double> scale);
  bool halve() {
    part_ *= 0.5;
    return true;
  }
  [[nodiscard]] Errors estimate(double h, double unit, std::span<const double> scale);

  int order_;
  std::vector<std::vector<double>> samples_;  // by point, -6 … 6
  std::vector<std::vector<double>> derivatives_;
  std::vector<std::vector<double>> trial_;
  std::vector<double> check_;  // a sample between the points
  std::vector<double> sizes_;
  Errors errors_{};
  double unit_ = 1.0;
  bool is_known_ = false;
  double worst_ = 0.0;  // of errors_
  double part_ = 1.0;   // of the largest step: what is tried, and what the last run took
};

}  // namespace saltus::callback
