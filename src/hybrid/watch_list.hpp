/// What is looked for on a step: the guards of the mode on their latched sides, the whole numbers that are held, and the
/// weights while sliding (docs/semantics.md 2.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "locate/watch.hpp"
#include "settle/check/switch_monitor.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::hybrid {

class WatchList {
 public:
  /// For the present configuration; guards that are held (SwitchMonitor) are left out. `is_unilateral` by guard.
  void build(const settle::RunState& state, const settle::SwitchMonitor& monitor,
             std::span<const std::uint8_t> is_unilateral);

  /// The run has gone on from where the watches were made.
  void step_kept(const settle::RunState& state);

  [[nodiscard]] std::span<const locate::Watch> watches() const { return watches_; }
  /// Norms of vectors that move near zero.
  [[nodiscard]] std::span<const Index> near_zero() const { return near_zero_; }
  /// Guards that stay zero and that something depends on.
  [[nodiscard]] std::span<const Index> staying_zero() const { return staying_zero_; }

  void fields(Archive& a) { a(watches_, staying_zero_, near_zero_); }

 private:
  void watch_norm(const settle::RunState& state, Index norm);

  std::vector<locate::Watch> watches_;
  std::vector<Index> staying_zero_;
  std::vector<Index> near_zero_;
};

}  // namespace saltus::hybrid
