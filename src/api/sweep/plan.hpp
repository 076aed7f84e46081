/// Which values each run of a sweep has.
///
/// Method       grid: the number of a run in the mixed radix of the sizes, the last name changing fastest. Random: SplitMix64 (G. L. Steele, D. Lea,
///              C. H. Flood, OOPSLA 2014), whose k-th number is a function of seed and k, so that no run depends on others; normal ones by
///              Box and Muller.
/// Contract     a run has the same values whoever asks for them and when; a longer random sweep begins with the runs of a shorter one
/// Fails when   there is nothing to vary, a name comes twice, grids and ranges are mixed, there are more than kMostRunsOfSweep: an error for each
/// Checked by   tests/sweep/values_test.cpp
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "saltus/result.hpp"
#include "saltus/sweep.hpp"

namespace saltus::api {

/// Each takes a hundred bytes of memory and more.
inline constexpr std::size_t kMostRunsOfSweep = 100'000'000;

/// What is wrong with the ends of a range, in words; empty: nothing, or it is none.
[[nodiscard]] std::string wrong_range(const Variation& variation);

class SweepPlan {
 public:
  /// The options outlive it.
  [[nodiscard]] static Result<SweepPlan> make(const SweepOptions& options);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of run `run`, in the order of names().
  void values(std::size_t run, std::span<double> out) const;

 private:
  explicit SweepPlan(const SweepOptions& options) : options_(&options) {}
  [[nodiscard]] double drawn(std::size_t run, std::size_t name) const;

  const SweepOptions* options_;
  std::vector<std::string> names_;
  std::size_t size_ = 0;
};

}  // namespace saltus::api
