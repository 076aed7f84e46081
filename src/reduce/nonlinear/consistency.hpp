/// What counts as consistent and what as moved, everywhere (DESIGN 4.4).
#pragma once

#include <algorithm>
#include <cmath>

namespace saltus::reduce {

/// A row that is met to this part of its length, or of the sum of its terms, is met; rows that repeat others may differ from them
/// by it.
inline constexpr double kConsistent = 1e-9;
/// A value that changed by less than this part of its size, at least of its nominal value, has not moved: that is rounding.
inline constexpr double kMoved = 1e-9;
/// … or it has. What has no value (NaN) has moved.
[[nodiscard]] inline bool has_moved(double before, double after, double nominal) {
  return !(std::abs(after - before) <= kMoved * std::max(std::abs(before), nominal));
}

}  // namespace saltus::reduce
