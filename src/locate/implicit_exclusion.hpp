/// Problem      prove at little cost, step after step, that guards over variables that equations give implicitly stay on their sides
/// Method       as for curved guards (curved_exclusion.hpp): a box of time and states over which the variables are enclosed (uniquely)
///              and no guard is zero is a fact about the guards. It is kept, and every later step whose ranges lie in it is
///              certified by comparing them: a solution that is in the enclosure once and moves continuously stays in it.
/// Notation     S ranges of a step with e (step_ranges.hpp);  λ: the box is S, enlarged on both sides by λ of its widths
/// Contract     a guard that is certified has no root on either extension. Boxes hold for one configuration: clear() and add() forget
///              them. What no box certifies is left to bounds along the curve.
/// Choices      One box for all of these guards, since they mostly share their equations: it counts only if it certifies all of them.
///              λ doubles after a box that did and is halved after one that did not; then boxes are not tried for some steps,
///              twice as many each time, since the bounds along the curve are needed all the same.
/// Cost         two comparisons per state while a step stays inside; one enclosure of the equations for a new box
/// Checked by   tests/unit/locate/implicit_exclusion_test.cpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interval.hpp"
#include "integrate/step/open_step.hpp"
#include "locate/step_ranges.hpp"
#include "locate/trusted_box.hpp"
#include "locate/watch.hpp"
#include "system/locked_dae.hpp"

namespace saltus::locate {

class ImplicitExclusion {
 public:
  explicit ImplicitExclusion(Index n_states);

  void clear();
  /// Its states join `ranges`.
  void add(Index watch, const Watch& what, const system::GuardFacts& guards, StepRanges& ranges);
  [[nodiscard]] bool empty() const { return guards_.empty(); }

  /// Appends to `undecided` the watches that are not certified. `is_first`: no step since the guards were added.
  void certify(const StepRanges& ranges, const integrate::OpenStep& step, bool is_first,
               system::GuardEnclosures& guards, std::int64_t& n_enclosures, std::vector<Index>& undecided);
  /// After a step that was certified: cuts off the box what is not in this one. False: there is none.
  [[nodiscard]] bool limit(const StepRanges& ranges, TrustedBox& box) const;

  void fields(Archive& a) {
    a(guards_, slots_, has_box_, has_estimates_, time_, box_, around_, at_rest_, growth_, pause_, back_off_);
  }
  /// After loading: of these watches.
  [[nodiscard]] bool fits(std::span<const Watch> watches, std::size_t n_slots) const {
    return std::all_of(guards_.begin(), guards_.end(),
                       [&](const Guard& guard) {
                         return guard.watch >= 0 && guard.watch < std::ssize(watches) &&
                                watches[static_cast<std::size_t>(guard.watch)].guard == guard.guard;
                       }) &&
           std::all_of(slots_.begin(), slots_.end(), [&](StepRanges::Slot slot) { return slot < n_slots; });
  }

 private:
  struct Guard {
    Index watch;
    Index guard;
    double level;
    double side;

    void fields(Archive& a) { a(watch, guard, level, side); }
  };

  [[nodiscard]] bool is_inside(const StepRanges& ranges) const;
  [[nodiscard]] bool renew(const StepRanges& ranges, const integrate::OpenStep& step,
                           system::GuardEnclosures& guards, std::int64_t& n_enclosures);

  std::vector<Guard> guards_;
  std::vector<StepRanges::Slot> slots_;  // of the states that the guards depend on, ascending
  bool has_box_ = false;
  bool has_estimates_ = false;  // of some guards: what is no proof is not kept
  Interval time_;
  std::vector<Interval> box_;  // by state; what no guard depends on is left as it is
  std::vector<Interval> around_;
  std::vector<Interval> at_rest_;  // zero
  double growth_;
  int pause_ = 0;     // steps for which no box is tried
  int back_off_ = 1;  // … after the next one that fails
};

}  // namespace saltus::locate
