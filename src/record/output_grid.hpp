/// The times at which rows are written: start + k·interval, and the stop.
///
/// Contract   time(k) is start + k·interval in one rounding, so errors do not add up; the last time is the stop to the
///            last bit, and no other grid time is the same instant (base/time_tolerance.hpp). start = stop has one.
/// Checked by tests/unit/record/output_grid_test.cpp
#pragma once

#include <cstdint>

namespace saltus::record {

class OutputGrid {
 public:
  /// `interval` is a magnitude, large enough that times can be told apart: interval_is_usable.
  OutputGrid(double start, double stop, double interval);

  [[nodiscard]] std::int64_t size() const { return n_before_stop_ + 1; }
  [[nodiscard]] double time(std::int64_t k) const;

  [[nodiscard]] static bool interval_is_usable(double start, double stop, double interval);

 private:
  double start_;
  double stop_;
  double signed_interval_;
  std::int64_t n_before_stop_ = 0;
};

}  // namespace saltus::record
