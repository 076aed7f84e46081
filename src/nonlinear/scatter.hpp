/// Scattered numbers without a pattern that a model could share, the same in every run.
///
/// Method       a linear congruential generator [Knu98] 3.3.4 (multiplier and increment of MMIX); numbers in ±[1/2, 1]: none is near zero,
///              so every unknown is moved
/// Checked by   tests/unit/nonlinear/homotopy_path_test.cpp
#pragma once

#include <cstdint>

namespace saltus::nonlinear {

class Scatter {
 public:
  [[nodiscard]] double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const double part = static_cast<double>(state_ >> 11U) / 9007199254740992.0;
    return part < 0.5 ? -(0.5 + part) : part;
  }

 private:
  std::uint64_t state_ = 2463534242ULL;
};

}  // namespace saltus::nonlinear
