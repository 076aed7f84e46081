/// The times at which rows are written: start + k·interval, or times that are given, and the stop.
///
/// Contract   time(k) is start + k·interval in one rounding, so errors do not add up; the first time is the start and the last the stop to the
///            last bit, and no two grid times are the same instant (base/time_tolerance.hpp). start = stop has one.
/// Checked by tests/unit/record/output_grid_test.cpp
#pragma once

#include <cstdint>
#include <vector>

namespace saltus::record {

class OutputGrid {
 public:
  /// `interval` is a magnitude, large enough that times can be told apart: interval_is_usable.
  OutputGrid(double start, double stop, double interval);
  /// `times`: times_are_usable.
  OutputGrid(double start, double stop, const std::vector<double>& times);

  [[nodiscard]] std::int64_t size() const { return n_before_stop_ + 1; }
  [[nodiscard]] double time(std::int64_t k) const;

  [[nodiscard]] static bool interval_is_usable(double start, double stop, double interval);
  /// In the order of the run, between start and stop, each another instant.
  [[nodiscard]] static bool times_are_usable(double start, double stop, const std::vector<double>& times);

 private:
  double start_;
  double stop_;
  double signed_interval_ = 0.0;
  std::int64_t n_before_stop_ = 0;
  std::vector<double> times_;  // before the stop; empty: by intervals
};

}  // namespace saltus::record
