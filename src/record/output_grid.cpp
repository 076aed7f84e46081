#include "record/output_grid.hpp"

#include <algorithm>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "saltus/contract.hpp"

namespace saltus::record {

bool OutputGrid::interval_is_usable(double start, double stop, double interval) {
  const double scale = std::max(std::abs(start), std::abs(stop));
  return interval > 0.0 && (start == stop || interval > 2.0 * time_tolerance(scale, scale));
}

OutputGrid::OutputGrid(double start, double stop, double interval)
    : start_(start), stop_(stop), signed_interval_(std::copysign(interval, stop - start)) {
  SALTUS_EXPECT(interval_is_usable(start, stop, interval), "times of the output grid cannot be told apart");
  if (start == stop) {
    return;
  }
  const double scale = std::max(std::abs(start), std::abs(stop));
  const auto is_before_stop = [&](std::int64_t k) {
    const double t = std::fma(static_cast<double>(k), signed_interval_, start_);
    return (stop > start ? t < stop : t > stop) && !same_instant(t, stop, scale);
  };
  n_before_stop_ = static_cast<std::int64_t>(std::ceil(std::abs((stop - start) / interval)));
  // The quotient is rounded: correct it by what the grid times themselves say.
  while (n_before_stop_ > 1 && !is_before_stop(n_before_stop_ - 1)) {
    --n_before_stop_;
  }
  while (is_before_stop(n_before_stop_)) {
    ++n_before_stop_;
  }
}

bool OutputGrid::times_are_usable(double start, double stop, const std::vector<double>& times) {
  const double scale = std::max(std::abs(start), std::abs(stop));
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double low = std::min(start, stop);
    const double high = std::max(start, stop);
    const bool is_in_order = k == 0 || (stop >= start ? times[k] > times[k - 1] : times[k] < times[k - 1]);
    if (!(times[k] >= low && times[k] <= high) || !is_in_order ||
        (k > 0 && same_instant(times[k], times[k - 1], scale))) {
      return false;
    }
  }
  return true;
}

OutputGrid::OutputGrid(double start, double stop, const std::vector<double>& times)
    : start_(start), stop_(stop) {
  SALTUS_EXPECT(times_are_usable(start, stop, times), "times of the output grid cannot be told apart");
  if (start == stop) {
    return;
  }
  const double scale = std::max(std::abs(start), std::abs(stop));
  times_.push_back(start);
  for (const double t : times) {
    if (!same_instant(t, start, scale) && !same_instant(t, stop, scale)) {
      times_.push_back(t);
    }
  }
  n_before_stop_ = static_cast<std::int64_t>(times_.size());
}

double OutputGrid::time(std::int64_t k) const {
  if (k < n_before_stop_ && !times_.empty()) {
    return times_[static_cast<std::size_t>(k)];
  }
  // fma: one rounding for the product and the sum.
  return k >= n_before_stop_ ? stop_ : std::fma(static_cast<double>(k), signed_interval_, start_);
}

}  // namespace saltus::record
