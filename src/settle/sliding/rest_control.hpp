/// Beginning and end of rest: the events of an action have accumulated, and the guard that set it off is held at zero (docs/semantics.md 9.3).
///
/// Method       the field of slide/field/rest_field.hpp, with the impulse of the last jump as the direction of the force: the change of
///              the states that the body of the action may move. The field itself is built by SlidingControl::install().
/// Contract     begin() moves the point and adds a contact to it, or changes nothing. It begins where the guard would leave zero by no more than
///              the tolerances of the states make of it: below that firings are not resolved. Until then the events go on.
/// Fails when   no force along the impulse holds the guard, constraints bind the states, or what is slid on would be moved by that
///              force: `cannot`
/// Checked by   tests/unit/hybrid/ball_test.cpp, tests/events/rest_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

class RestControl {
 public:
  explicit RestControl(RunState& state) : state_(state) {}

  enum class Answer : std::uint8_t { rests, later, cannot };
  /// `action` fires for ever within the time `left`; `before` are the states before its last jump.
  [[nodiscard]] Answer begin(std::size_t action, double left, std::span<const Index> crossed,
                             std::span<const double> before);
  struct Flight {
    double time = 0.0;
    bool is_seen =
        true;  ///< false: over within the roundings of the time, or no higher than those of the guard
    bool is_low = false;  ///< no higher than what the tolerances of the states make of the guard
  };
  /// How its guard leaves after `action` has fired, where the equations draw it back; none: they do not. One that is not seen would be found
  /// behind its zero and never fire again; a low one is seen in a step that is not much longer.
  [[nodiscard]] std::optional<Flight> flight_after(std::size_t action, std::span<const Index> crossed,
                                                   std::span<const double> before);
  /// The multiplier of a contact has changed its sign: the guard returns to the side it came from.
  void end(Index guard);
  /// A jump has led to the present point: contacts that it has moved, or set in motion, hold no longer.
  void leave_moved();

 private:
  [[nodiscard]] std::optional<slide::Contact> contact_of(std::size_t action, std::span<const Index> crossed,
                                                         std::span<const double> before);
  [[nodiscard]] bool holds(std::vector<slide::Contact> contacts);
  void hold(std::vector<slide::Contact> contacts);
  [[nodiscard]] bool is_resolved(Index guard, double left);
  [[nodiscard]] double tolerance_of(std::span<const double> gradient) const;
  [[nodiscard]] static double flight_of(double rate, const system::GuardDerivatives& free);

  RunState& state_;
  slide::RestField trial_;
  std::vector<double> x_;
  std::vector<double> lambda_;  // by contact
  std::vector<double> rates_;   // …
  std::vector<double> gradient_;
};

}  // namespace saltus::settle
