/// What an action that has fired throws back, and how far: the guard that its body drives away from zero, the direction in which it does so,
/// and the flight that follows where the equations draw the guard back (docs/semantics.md 9.3).
///
/// Method       The guard of a condition of one relation is its own. Of several (`h <= 0 and v < 0`) it is the one that is zero, whose rate the body
///              has moved. Its first two derivatives give a parabola.
/// Contract     Asked after the rounds of an instant, at the point that they have led to. Changes nothing but its own work.
/// Fails when   the third derivative matters before a flight is over: then `time` and `height` are only of its size
/// Checked by   tests/events/rest_test.cpp, tests/events/falling_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

class ReboundFinder {
 public:
  explicit ReboundFinder(RunState& state) : state_(state) {}

  /// `jump`: that of the states in the round of the action; empty where there was none.
  [[nodiscard]] std::optional<slide::Contact> contact_of(std::size_t action, std::span<const double> jump);

  struct Flight {
    double time = 0.0;
    /// False: no higher than what rounding, and a decision by motion beside it, leave of the guard, or over within the resolution of time. Where it
    /// comes down would not be seen, and it would never fire again.
    bool is_seen = true;
    bool is_low = false;   ///< no higher than what the tolerances of the states make of the guard
    bool has_rate = true;  ///< false: it does not leave zero at all, and is drawn on at once
  };
  /// Of the guard of a contact; none: the equations do not draw it back.
  [[nodiscard]] std::optional<Flight> flight_of(const slide::Contact& contact);
  /// Until a guard that leaves zero at `rate` is back; 0: nothing draws it.
  [[nodiscard]] static double duration(double rate, const system::GuardDerivatives& free);
  /// What the tolerances of the states make of a guard with this gradient.
  [[nodiscard]] double tolerance_of(std::span<const double> gradient) const;

 private:
  void find_jump(std::size_t action, std::span<const double> jump);
  [[nodiscard]] double side_before(Index guard) const;
  [[nodiscard]] bool take_jump(slide::Contact& contact) const;
  [[nodiscard]] std::optional<slide::Contact> thrown_contact(Index guard);
  [[nodiscard]] bool take_only_direction(slide::Contact& contact, double rate);
  [[nodiscard]] bool drives_back(const slide::Contact& contact, const system::GuardDerivatives& free);
  [[nodiscard]] bool moves_guard(const slide::Contact& contact);
  [[nodiscard]] std::optional<double> rate_beside(Index guard, std::span<const double> change);

  RunState& state_;
  std::vector<std::uint8_t> moves_;  // by state: the body may
  std::vector<double> jump_;
  std::vector<double> x_;
  std::vector<double> gradient_;
};

}  // namespace saltus::settle
