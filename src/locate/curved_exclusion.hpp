/// Problem      prove at little cost, step after step, that guards which are not affine stay on their sides
/// Method       an interval enclosure of the guard that excludes zero over a box of time and states is a fact about the guard
///              and not about a step: it is kept, and every later step whose ranges lie in that box is certified by comparing
///              them. The box is the first step's, enlarged by as many of its own widths as the distance of the guard from zero
///              allows.
/// Notation     S ranges of a step with e (step_ranges.hpp);  B ⊇ S the box;  λ = kShareOfDistance·distance/width of g over S
/// Contract     a guard that is certified has no root on either extension. Boxes hold for one configuration: clear() and
///              add() forget them.
/// Choices      Time is one more side of the box: no guard needs to say whether it depends on time. Right after add() S alone
///              is enclosed, since many stretches between events have a single step.
/// Fails when   g may be zero over S: undecided.
/// Cost         two comparisons per state of a guard while a step stays inside; one enclosure and the tries of λ otherwise
/// Checked by   tests/unit/locate/trusted_box_test.cpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interval.hpp"
#include "locate/step_ranges.hpp"
#include "locate/trusted_box.hpp"
#include "locate/watch.hpp"
#include "system/locked_dae.hpp"

namespace saltus::locate {

class CurvedExclusion {
 public:
  explicit CurvedExclusion(Index n_states);

  void clear();
  /// Its states join `ranges`.
  void add(Index watch, const Watch& what, const system::GuardFacts& guards, StepRanges& ranges);
  [[nodiscard]] bool empty() const { return guards_.empty(); }

  /// Appends to `undecided` the watches that are not certified. `is_first`: no step since the guards were added.
  void certify(const StepRanges& ranges, bool is_first, system::GuardEnclosures& guards,
               std::int64_t& n_enclosures, std::vector<Index>& undecided);
  /// After a step that was certified: cuts off the box what is not in the boxes of all guards. False: a guard has none.
  [[nodiscard]] bool limit(TrustedBox& box) const;

  void fields(Archive& a) { a(guards_, sides_, x_); }
  /// After loading: of these watches.
  [[nodiscard]] bool fits(std::span<const Watch> watches, std::size_t n_slots) const {
    return std::all_of(guards_.begin(), guards_.end(),
                       [&](const Guard& guard) {
                         return guard.watch >= 0 && guard.watch < std::ssize(watches) &&
                                watches[static_cast<std::size_t>(guard.watch)].guard == guard.guard &&
                                guard.first_side <= guard.end_side && guard.end_side <= sides_.size();
                       }) &&
           std::all_of(sides_.begin(), sides_.end(), [&](const Side& side) { return side.slot < n_slots; });
  }

 private:
  struct Guard {
    Index watch;
    Index guard;
    double level;
    double side;
    std::uint32_t first_side;  // of its box
    std::uint32_t end_side;
    bool has_box;
    Interval time;

    void fields(Archive& a) { a(watch, guard, level, side, first_side, end_side, has_box, time); }
  };
  struct Side {
    StepRanges::Slot slot;
    Interval interval;

    void fields(Archive& a) { a(slot, interval); }
  };

  [[nodiscard]] bool is_inside(const Guard& guard, const StepRanges& ranges) const;
  // S enlarged on both sides by `growth` of its widths, as the box of the guard; distance of the guard from zero over it.
  double enclose(Guard& guard, const StepRanges& ranges, double growth, system::GuardEnclosures& guards,
                 double& width);
  bool renew(Guard& guard, const StepRanges& ranges, bool is_first, system::GuardEnclosures& guards,
             std::int64_t& n_enclosures);

  std::vector<Guard> guards_;
  std::vector<Side> sides_;
  std::vector<Interval> x_;  // by state; what a guard does not depend on is left as it is
};

}  // namespace saltus::locate
