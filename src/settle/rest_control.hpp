/// Beginning and end of rest: the events of an action have accumulated, and the guard that set it off is held at zero (docs/semantics.md 9.3).
///
/// Method       the field of slide/field/rest_field.hpp, with the impulse of the last jump as the direction of the force
/// Contract     begin() moves the point and gives it the rest; the field is installed by the caller. Where no force along the impulse holds
///              the guard, nothing changes.
/// Checked by   tests/unit/hybrid/ball_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

class RestControl {
 public:
  explicit RestControl(RunState& state) : state_(state) {}

  /// `action` fires for ever; `before` are the states before its last jump. False: nothing holds it.
  [[nodiscard]] bool begin(Index action, std::span<const Index> crossed, std::span<const double> before);
  /// The multiplier has changed its sign: the guard returns to the side it came from.
  void end();
  [[nodiscard]] Index guard() const { return guard_; }

 private:
  RunState& state_;
  std::unique_ptr<slide::RestField> field_;
  Index guard_ = -1;
  double side_ = 0.0;  // it came from this one and will return to it
  std::vector<double> impulse_;
  std::vector<double> x_;
};

}  // namespace saltus::settle
