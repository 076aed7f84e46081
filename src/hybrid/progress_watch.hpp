/// No run stands still: steps and instants that repeat without time going on end it with the reason `no_progress` (docs/semantics.md 11).
///
/// Contract     look() after every step or instant of the loop. Instants that are logged have their own limits (--max-events, chattering,
///              accumulation); what is counted here leaves no trace elsewhere.
/// Choices      Within one resolution of time more than kMostAtOnce turns are none that could lead anywhere. Kinks are crossed without a
///              word: kMostSilent of them within kShortPart of the run would be 1e10 over all of it, a hundred times what --max-steps allows.
/// Checked by   tests/unit/hybrid/progress_watch_test.cpp
#pragma once

#include <cstdint>

#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::hybrid {

class ProgressWatch {
 public:
  /// Turns of the loop within one resolution of time.
  static constexpr std::int64_t kMostAtOnce = 1000;
  /// Instants without an event …
  static constexpr std::int64_t kMostSilent = 10'000;
  /// … within this part of the run's length.
  static constexpr double kShortPart = 1e-6;

  explicit ProgressWatch(settle::RunState& state) : state_(state) {}

  /// `guard`: crossed last, -1: none. False: the run has ended.
  [[nodiscard]] bool look(Index guard);

  void fields(Archive& a) { a(has_begun_, first_, n_turns_, first_silent_, n_instants_, n_events_); }

 private:
  [[nodiscard]] bool end(Index guard, std::int64_t turns);

  settle::RunState& state_;
  bool has_begun_ = false;
  double first_ = 0.0;  // time of the first turn that is counted
  std::int64_t n_turns_ = 0;
  double first_silent_ = 0.0;
  std::int64_t n_instants_ = 0;  // as counted by the run when the silent ones began
  std::int64_t n_events_ = 0;
};

}  // namespace saltus::hybrid
