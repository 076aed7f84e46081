/// How far the result of a step is moved onto the constraints of its system, and whether truncation explains it.
///
/// Method     [Com01] 3.4.1: ‖x̄ - x‖ of an accepted step of size h by a method of order p is compared with C·h^(p-1), C = 1 in the units of the
///            model, and with rounding (kAdjustedRoundings spacings of doubles at max(1, |x|)) where that is more.
/// Checked by tests/mechanics/monitors_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/archive.hpp"
#include "integrate/step/statistics.hpp"

namespace saltus::integrate {

class Adjustment {
 public:
  static constexpr double kAdjustedRoundings =
      10.0;  // as [Com01] needs for order 8 and h = 0.005, where h^(p-1) is below rounding

  void begin() { *this = {}; }
  void note(std::span<const double> before, std::span<const double> after) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      largest_ = std::max(largest_, std::abs(before[i] - after[i]));
      size_ = std::max(size_, std::abs(after[i]));
    }
  }
  void accept(double h, int order, Statistics& statistics) const {
    const double bound = std::max(std::pow(std::abs(h), order - 1),
                                  kAdjustedRoundings * std::numeric_limits<double>::epsilon() * size_);
    statistics.adjustment = std::max(statistics.adjustment, largest_);
    statistics.adjustment_over_bound = std::max(statistics.adjustment_over_bound, largest_ / bound);
  }
  void fields(Archive& a) { a(largest_, size_); }

 private:
  double largest_ = 0.0;
  double size_ = 1.0;
};

}  // namespace saltus::integrate
