/// Problem      a guard that switches to and fro without end: notice it, say so once, keep the run moving
/// Method       per guard the times of its last switches and whether both sides push towards the surface at them
///              (docs/semantics.md 9.2)
/// Choices      A switch after which the solution would at once return has no smallest time of its own. The guard is then
///              kept for kHeldPart of the run's length (or Options::dwell, if that is longer), so the number of switches is
///              finite whatever the model does. Gaps that shrink from switch to switch belong to an accumulation, which ends
///              by itself or is told by zeno.hpp: they do not count.
/// Checked by   tests/unit/settle/switch_monitor_test.cpp, tests/unit/hybrid/sliding_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// Switches closer than this part of the run's length are chattering when there are three (docs/semantics.md 9.2): a
/// tenth of what a run with the largest number of regular events (--max-events) would have.
inline constexpr double kChatteringPart = 1e-7;
/// How long a guard is kept that would switch at once.
inline constexpr double kHeldPart = 5e-6;

class SwitchMonitor {
 public:
  explicit SwitchMonitor(RunState& state);

  /// The guard has switched at the present instant. `would_return`: both sides push towards the surface, but it may not
  /// be slid on.
  void switched(Index guard, bool would_return);

  /// The guard is looked at again at this time, and not before.
  void hold_until(Index guard, double time);
  /// Guards that must not switch yet.
  [[nodiscard]] bool is_held(Index guard) const { return held_[static_cast<std::size_t>(guard)] != 0; }
  [[nodiscard]] std::span<const Index> held() const { return held_list_; }
  /// When the next one may switch again; the end of the run if none is held.
  [[nodiscard]] double next_release() const { return next_release_; }
  /// Frees those that are due at t and lists them.
  void release(double t, std::vector<Index>& released);

  void fields(Archive& a) {
    // Not saved: length_, close_.
    a(histories_, held_);
    a.index(held_list_, held_.size());
    a(next_release_);
  }

 private:
  struct History {
    double last = 0.0;
    double gap = 0.0;  // between the last two
    int n_switches = 0;
    int n_close = 0;   // switches that came soon after the one before
    int n_return = 0;  // in a row from which the solution would return
    double release = 0.0;
    bool is_reported = false;

    void fields(Archive& a) { a(last, gap, n_switches, n_close, n_return, release, is_reported); }
  };

  void hold(Index guard, double duration);
  void find_next_release();
  void report(Index guard);

  RunState& state_;
  double length_;
  double close_;  // switches nearer than this are chattering when there are three
  std::vector<History> histories_;
  std::vector<std::uint8_t> held_;
  std::vector<Index> held_list_;
  double next_release_;
};

}  // namespace saltus::settle
