/// Problem      make it likely, with few evaluations, that guards which can only be evaluated stay on their sides in a step
/// Method       values of all of them together at 3, then 5, then 9 Chebyshev points of the free extension; a guard is left alone when
///              the Bernstein coefficients of its interpolant stay positive by a multiple of the interpolant's last
///              coefficients and a share of its range
/// Contract     no proof: docs/math/event_location.md says what is promised of opaque guards
/// Choices      The points are nested, and the end of a step is the start of the next: two evaluations for most steps.
///              Guards are evaluated together because the weights of sliding come from one solution.
///              A step more than kLongerStep times as long as the one before needs five at once, more than twice that all nine, as
///              many as the search on the full extension would begin with: nothing seen so far says that fewer points resolve
///              it. (A state at rest lets steps grow over whole periods of a force, whose peaks three points then never meet.)
/// Cost         2, else 4, else 8 evaluations per step, for any number of guards
/// Checked by   tests/unit/locate/opaque_exclusion_test.cpp
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "locate/bernstein.hpp"
#include "locate/watch.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/segment.hpp"

namespace saltus::locate {

class OpaqueExclusion {
 public:
  void clear();
  void add(Index watch, const Watch& what);
  [[nodiscard]] bool empty() const { return watches_.empty(); }

  /// Appends to `undecided` the watches that may leave their side; all of them where a value cannot be had. `x` is
  /// scratch memory of n_states, `end` the state at the end of the step. `deflate`: as for affine guards. `is_long`: the step is too
  /// long for nine points: nothing is decided here.
  void certify(system::GuardValues& guards, const trajectory::SegmentView& segment,
               std::span<const double> end, bool deflate, bool is_long, std::span<double> x,
               std::int64_t& n_evaluations, std::vector<Index>& undecided);

  void fields(Archive& a) {
    a(watches_, guards_, what_, values_, is_evaluated_, pending_, knows_end_, end_time_, last_length_);
  }
  /// After loading: of these watches.
  [[nodiscard]] bool fits(std::span<const Watch> watches) const {
    bool does = guards_.size() == watches_.size() && what_.size() == watches_.size() &&
                values_.size() == kPoints * watches_.size();
    for (std::size_t k = 0; does && k < watches_.size(); ++k) {
      does = watches_[k] >= 0 && watches_[k] < std::ssize(watches) && what_[k].guard == guards_[k] &&
             watches[static_cast<std::size_t>(watches_[k])].guard == guards_[k];
    }
    return does && std::all_of(pending_.begin(), pending_.end(),
                               [this](std::size_t place) { return place < watches_.size(); });
  }

 private:
  // Those of degrees 4 and 2 are every second and every fourth of the points of degree kSampledDegree.
  static constexpr std::size_t kFewest = 2;
  static constexpr std::size_t kPoints = kSampledDegree + 1;

  bool evaluate(system::GuardValues& guards, const trajectory::SegmentView& segment,
                std::span<const double> end, std::size_t point, std::span<double> x,
                std::int64_t& n_evaluations);
  bool evaluate_level(system::GuardValues& guards, const trajectory::SegmentView& segment,
                      std::span<const double> end, std::size_t stride, std::span<double> x,
                      std::int64_t& n_evaluations);
  [[nodiscard]] bool is_beyond(std::size_t entry, std::size_t stride, bool deflate) const;
  [[nodiscard]] std::span<double> row(std::size_t point);
  [[nodiscard]] bool stays_clear(std::size_t entry, std::size_t stride, bool deflate) const;

  std::vector<Index> watches_;
  std::vector<Index> guards_;
  std::vector<Watch> what_;
  std::vector<double> values_;  // point by point, s·(g - level)
  std::array<bool, kPoints> is_evaluated_{};
  std::vector<std::size_t> pending_;  // places in watches_ that are not decided yet
  bool knows_end_ = false;            // the last row holds the values at end_time_
  double end_time_ = 0.0;
  double last_length_ = 0.0;  // of the step looked at last; 0: none
};

}  // namespace saltus::locate
