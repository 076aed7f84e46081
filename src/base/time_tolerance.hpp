// When two times are the same instant: the one place where that is decided.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {

/// Times within this many spacings of doubles are one instant (LANGUAGE 5, time events).
inline constexpr double kInstantUlps = 8.0;

/// k·eps·max(|t|, scale): the width within which two times near t cannot be told apart. `scale` is the
/// largest |time| of the run (or |h|); there is no absolute part, so t = 1e9 and t = 1e-300 are treated
/// alike.
[[nodiscard]] inline double time_tolerance(double t, double scale) {
  return kInstantUlps * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(scale));
}

[[nodiscard]] inline bool same_instant(double a, double b, double scale) {
  return std::abs(a - b) <= time_tolerance(std::max(std::abs(a), std::abs(b)), scale);
}

}  // namespace saltus
