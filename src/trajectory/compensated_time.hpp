/// Time as an unevaluated sum of two doubles: 1e8 steps of size h end where they should.
#pragma once

#include "base/archive.hpp"

namespace saltus::trajectory {

/// high + low with |low| at most half a spacing of high.
class CompensatedTime {
 public:
  CompensatedTime() = default;
  explicit CompensatedTime(double t) : high_(t) {}

  /// Adds h without losing its low bits (two-sum of Knuth, TAOCP 4.2.2 Theorem B, applied to both parts).
  void advance(double h) {
    const double sum = high_ + h;
    const double part = sum - high_;
    const double error = (high_ - (sum - part)) + (h - part);
    const double low = low_ + error;
    high_ = sum + low;
    low_ = low - (high_ - sum);
  }

  [[nodiscard]] double value() const { return high_; }
  [[nodiscard]] double low() const { return low_; }
  /// (this time) - t, exact to the last bit of the difference when both are close.
  [[nodiscard]] double since(double t) const { return (high_ - t) + low_; }

  void fields(Archive& a) { a(high_, low_); }

 private:
  double high_ = 0.0;
  double low_ = 0.0;
};

}  // namespace saltus::trajectory
