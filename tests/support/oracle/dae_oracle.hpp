/// An independent, slow solution of switched linear DAEs in long double, for comparison with the library.
///
/// Problem      The sequence of transitions of a SwitchedDae (docs/semantics.md), the values before and after each, and at the end.
/// Method       In the coordinates of the canonical form y₂ = -Σ Nⁱ B₂ Sⁱ w with w' = S w, so a mode is the linear system
///              z' = M z of z = (y₁, w), and x = X z. Its Taylor series to order 18 over steps with ‖M‖h ≤ 1/4 is exact to long
///              double; guards are polynomials there, and all their sign changes are found.
///              At a transition the values of x that the new mode allows are x = X₁ y₁ + X₂ w(t). What the transition sets is
///              what it says; y₁ is chosen so that the other differential variables change least, those of
///              DaeMode::comes_first before the others (rule 5.8 of docs/semantics.md); other variables follow. A transition that sets
///              nothing follows the equations integrated over the instant (integrated_jump.hpp).
/// Contract     Shares nothing with src. Where something is zero that matters, it says `ambiguous` instead of guessing; `contradiction`: a
///              transition sets what the new mode does not allow.
/// Cost         Milliseconds for tens of events.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/switched_dae.hpp"

namespace saltus::test::oracle {

struct DaeEvent {
  Real time = 0;
  bool is_immediate = false;
  std::size_t target = 0;  ///< the mode
  Vector before;           ///< x before and after the round
  Vector after;
};

struct DaeRun {
  enum class Outcome { complete, ambiguous, contradiction, too_many_events };
  Outcome outcome = Outcome::complete;
  std::string why;
  std::vector<DaeEvent> events;
  Vector x0;
  Vector x;
  std::size_t mode = 0;
  Real closest = 1e30L;  ///< least time between two instants
};

inline constexpr std::size_t kMostDaeEvents = 30;
inline constexpr std::size_t kMostImmediate = 5;

[[nodiscard]] DaeRun solve(const SwitchedDae& system);

/// z' = M z of z = (y₁, w), x = X z.
struct DaeFlow {
  DaeFlow(const SwitchedDae& system, std::size_t mode);
  Matrix m;
  Matrix x;
  std::size_t d = 0;
};

/// y₁ of the first mode at time 0 for which differential variables are nearest to `start`, all of them alike.
[[nodiscard]] Vector start_coordinates(const SwitchedDae& system);

/// x of the mode at time t + after, from the consistent x at time t.
[[nodiscard]] Vector advanced(const SwitchedDae& system, std::size_t mode, Real t, const Vector& x,
                              Real after);

}  // namespace saltus::test::oracle
