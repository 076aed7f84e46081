/// Beginning and end of rest: the events of an action have accumulated, and the guard that set it off is held at zero (docs/semantics.md 9.3).
///
/// Method       the field of slide/field/rest_field.hpp, with the impulse of the last jump as the direction of the force
///              (rebound_finder.hpp). The field itself is built by SlidingControl::install().
/// Contract     begin() moves the point and adds a contact to it, or changes nothing. It begins where the guard would leave zero by no more than
///              the tolerances of the states make of it: below that firings are not resolved. Until then the events go on.
/// Fails when   no force along the impulse holds the guard, constraints bind the states, or what is slid on would be moved by that
///              force: `cannot`
/// Checked by   tests/unit/hybrid/ball_test.cpp, tests/events/rest_test.cpp
#pragma once

#include <cstdint>
#include <vector>

#include "settle/sliding/rebound_finder.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class RestControl {
 public:
  explicit RestControl(RunState& state) : state_(state), finder_(state) {}

  enum class Answer : std::uint8_t { rests, later, cannot };
  /// The guard of the contact is to be held, whose action fires for ever within the time `left`. `must_rest`: however far it would leave zero.
  [[nodiscard]] Answer begin(const slide::Contact& contact, double left, bool must_rest);
  /// What an action throws back, and how far.
  [[nodiscard]] ReboundFinder& finder() { return finder_; }
  /// The multiplier of a contact has changed its sign: the guard returns to the side it came from.
  void end(Index guard);
  /// A jump has led to the present point: contacts that it has moved, or set in motion, hold no longer.
  void leave_moved();

 private:
  [[nodiscard]] bool holds(std::vector<slide::Contact> contacts);
  void hold(std::vector<slide::Contact> contacts);
  [[nodiscard]] bool is_resolved(Index guard, double left);

  RunState& state_;
  ReboundFinder finder_;
  slide::RestField trial_;
  std::vector<double> x_;
  std::vector<double> lambda_;  // by contact
  std::vector<double> rates_;   // …
  std::vector<double> gradient_;
};

}  // namespace saltus::settle
