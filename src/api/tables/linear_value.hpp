/// The value of a column between its rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace saltus::api {

/// By the straight line between the rows around `t`; at an event the value behind it, beyond the ends that of the end. Times ascend, and there
/// is at least one.
[[nodiscard]] inline double linear_value(const std::vector<double>& times, const std::vector<double>& values,
                                         double t) {
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  const auto k = static_cast<std::size_t>(after - times.begin());
  if (k == 0 || k == times.size()) {
    return k == 0 ? values.front() : values.back();
  }
  const double span = times[k] - times[k - 1];
  return values[k - 1] + (values[k] - values[k - 1]) * (t - times[k - 1]) / span;
}

}  // namespace saltus::api
