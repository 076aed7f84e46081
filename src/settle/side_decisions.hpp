/// What is decided of the guards of an instant: sides, sliding, kinks, changes that are none (docs/semantics.md 7, 8.2, 11.3).
///
/// Contract     After decide() guards that have crossed or stayed zero have sides, are slid on, or stay zero. pass_kinks() asks on which
///              sides of kinks the solution goes on; the two forget functions take back what is no event, so that it is not reported.
/// Fails when   no motion exists (SlidingControl), or a solution ends at a kink: the run ends, `impasse`
/// Checked by   tests/unit/hybrid/sliding_test.cpp, tests/events/fold_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "settle/arrival.hpp"
#include "settle/check/kink_passage.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/structures/structure_change.hpp"

namespace saltus::settle {

class SideDecisions {
 public:
  SideDecisions(RunState& state, SlidingControl& sliding, StructureFollower& structures)
      : state_(state), sliding_(sliding), structures_(structures) {}

  /// What has crossed, with all that is slid on or stays zero; what no longer stays zero has crossed too. False: the run ended.
  [[nodiscard]] bool decide(Crossed& crossed, std::span<const Index> staying_zero);
  /// Kinks that were crossed have sides on which the solution goes on. False: the run ended.
  [[nodiscard]] bool pass_kinks(const Crossed& crossed);
  /// Conditions that stand in branches of other choices only, none of which is taken: their crossing is no event.
  void forget_idle_changes();
  /// Sides that change neither a rate nor a variable: that is no event. False: the run ended.
  [[nodiscard]] bool forget_changes_without_effect();

  void fields(Archive& a) {
    // Not saved: what an instant works with: kinks_, over_roots_, zero_, probe_, gradient_, told_.
    a.index(recent_, state_.guards().size());
    a(recent_time_);
  }

 private:
  void follow_sides_of_others(const Crossed& crossed);
  void decide_over_roots(const Crossed& crossed, std::span<const Index> staying_zero);
  [[nodiscard]] bool is_over_root(Index guard) const;
  [[nodiscard]] bool decide_crossed(const Crossed& crossed, std::span<const Index> staying_zero);
  [[nodiscard]] bool decide_staying_zero(Crossed& crossed, std::span<const Index> staying_zero);
  void join_recent();
  [[nodiscard]] bool is_zero_now(Index guard);
  void end_at_kink(Index guard);

  RunState& state_;
  SlidingControl& sliding_;
  StructureFollower& structures_;
  KinkPassage kinks_;
  // Guards across which the equations jump, crossed within one resolution of time …
  std::vector<Index> recent_;
  double recent_time_ = 0.0;       // … of this one
  std::vector<Index> over_roots_;  // decided already, with all of their kind
  std::vector<Index> zero_;
  std::vector<double> probe_;
  std::vector<double> gradient_;
  system::Configuration told_;  // as the observer knows it
};

}  // namespace saltus::settle
