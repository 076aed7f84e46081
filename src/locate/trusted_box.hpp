/// Problem      certify most steps with two comparisons per state, whatever the number of guards
/// Method       a box of time and states in which all guards are known to keep their sides is a fact about the guards and not
///              about a step: it is made once and holds for every later step whose ranges lie in it
/// Contract     closed intervals. Every guard has taken off its share (limit_*) before the box is used. The box belongs to one
///              configuration and one list of watches: forget() when either changes.
/// Checked by   tests/unit/locate/trusted_box_test.cpp
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/archive.hpp"
#include "base/interval.hpp"
#include "locate/step_ranges.hpp"

namespace saltus::locate {

class TrustedBox {
 public:
  void forget() { is_known_ = false; }
  /// Everything, to be cut; it holds nothing before trust().
  void begin(std::size_t n_slots) {
    is_known_ = false;
    time_ = kEverything;
    sides_.assign(n_slots, kEverything);
  }
  void limit_time(const Interval& to) { cut(time_, to); }
  void limit(StepRanges::Slot slot, const Interval& to) { cut(sides_[slot], to); }
  void trust() { is_known_ = true; }

  [[nodiscard]] bool holds(const StepRanges& ranges) const {
    if (!is_known_ || !contains(time_, ranges.time())) {
      return false;
    }
    bool inside = true;
    for (std::size_t slot = 0; slot < sides_.size(); ++slot) {
      inside = inside && contains(sides_[slot], ranges.ranges()[slot]);
    }
    return inside;
  }

  void fields(Archive& a) { a(is_known_, time_, sides_); }
  /// After loading.
  [[nodiscard]] bool fits(std::size_t n_slots) const { return !is_known_ || sides_.size() <= n_slots; }

 private:
  static constexpr Interval kEverything{-std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::infinity()};

  [[nodiscard]] static bool contains(const Interval& outer, const Interval& inner) {
    return outer.lower <= inner.lower && inner.upper <= outer.upper;
  }
  static void cut(Interval& side, const Interval& to) {
    side = {std::max(side.lower, to.lower), std::min(side.upper, to.upper)};
  }

  bool is_known_ = false;
  Interval time_;
  std::vector<Interval> sides_;  // by slot
};

}  // namespace saltus::locate
