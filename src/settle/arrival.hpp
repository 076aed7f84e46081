/// What has led to an instant, and the sides that follow from it.
///
/// Problem      a step has ended where guards cross, a weight leaves its range, something is scheduled, a guard may switch again or has
///              left zero: the configuration must say so before anything is decided
/// Method       a guard that was located is past its surface, whatever the sign of its rounded value; a scheduled one is affine in time
///              and goes on; of the others the value says the side (docs/semantics.md 1.3, 1.6, 6)
/// Contract     take() changes sides and marks roots; states move onto the zero of a guard only where 1.6 says so. What location leaves and
///              what contradicts the equations is noted for the decision (SlidingControl).
/// Checked by   tests/events/one_event_test.cpp, tests/events/start_and_schedule_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "locate/event_search.hpp"
#include "settle/check/guard_survey.hpp"
#include "settle/check/switch_monitor.hpp"
#include "settle/sliding/rest_control.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/structures/structure_change.hpp"

namespace saltus::settle {

/// What ends a step before its end, or at it.
struct Cause {
  std::span<const locate::Crossing> crossings = {};  ///< of watches of the search
  const system::Schedule* schedule = nullptr;        ///< whose time is reached; null: none
  bool is_release = false;                           ///< a guard may switch again
  std::span<const Index> staying_zero = {};          ///< guards that stay zero on the stretch that ends
};

/// What has crossed at the instant.
struct Crossed {
  std::vector<Index> guards;
  bool surface_ends = false;  ///< a weight has left [-1, 1]
};

class Arrival {
 public:
  Arrival(RunState& state, SlidingControl& sliding, GuardSurvey& survey, SwitchMonitor& monitor,
          StructureFollower& structures, RestControl& rest)
      : state_(state),
        sliding_(sliding),
        survey_(survey),
        monitor_(monitor),
        structures_(structures),
        rest_(rest) {}

  void begin_instant();
  /// Guards whose side ends at the surface: what location has left of them would be beyond it.
  void step_onto_roots(const Cause& cause);
  /// Those that are zero or beyond: for the values of the left limit they stay zero. True: there are some, and the field has other sides than
  /// the configuration.
  [[nodiscard]] bool take_roots_as_zero(const Cause& cause);
  /// Nothing but kinks: no row, no entry, no number.
  [[nodiscard]] bool is_kink(const Cause& cause);
  /// Guards that have crossed, are scheduled or may switch again have their new sides. False: the run ended.
  [[nodiscard]] bool take(const Cause& cause);
  /// Between instants: whether some of these guards, which stayed zero, are zero no more. The next instant takes their sides.
  [[nodiscard]] bool have_left_zero(std::span<const Index> guards);

  /// … or whether a vector near zero is held there from now on.
  [[nodiscard]] bool are_held(std::span<const Index> norms);

  [[nodiscard]] Crossed& crossed() { return crossed_; }
  [[nodiscard]] const Crossed& crossed() const { return crossed_; }

  void fields(Archive& a) {
    // Not saved: what an instant works with: released_, released_contacts_, left_limit_, values_, probe_, gradient_.
    a.index(crossed_.guards, state_.guards().size());
    a(crossed_.surface_ends);
  }

 private:
  void take_norm(Index norm, double side);
  void take_crossing(const locate::Watch& watch);
  void settle_on_surface(Index guard);
  void note_location(const locate::Watch& watch);
  void note_rate(const locate::Watch& watch, double theta);
  void take_scheduled(Index guard);
  [[nodiscard]] bool take_released();
  [[nodiscard]] bool is_silent() const;

  RunState& state_;
  SlidingControl& sliding_;
  GuardSurvey& survey_;
  SwitchMonitor& monitor_;
  StructureFollower& structures_;
  RestControl& rest_;
  Crossed crossed_;
  std::vector<Index> released_;
  std::vector<Index> released_contacts_;  // guards whose multipliers have changed their sign
  system::Configuration left_limit_;      // with which its values are found
  std::vector<double> values_;
  std::vector<double> probe_;
  std::vector<double> gradient_;
};

}  // namespace saltus::settle
