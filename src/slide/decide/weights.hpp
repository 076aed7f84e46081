/// Weights of sliding: the motion is (1 + s)/2 of one side and (1 - s)/2 of the other.
#pragma once

#include <cmath>

namespace saltus::slide {

/// Whether a weight is a mixture of both sides: at ±1 the motion is that of one of them.
[[nodiscard]] inline bool is_inside(double s) {
  return std::abs(s) < 1.0;
}

}  // namespace saltus::slide
