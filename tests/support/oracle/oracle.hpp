/// An independent, slow solution of switched linear systems in long double, for comparison with the library.
///
/// Problem      The sequence of events of a SwitchedSystem (docs/semantics.md) and the state at the end.
/// Method       Between events the system is linear; its Taylor series to order 18 over steps with ‖M‖h ≤ 1/4 is exact to
///              long double. Guards are polynomials there; all their sign changes are found by way of those of their
///              derivatives. Sliding on surfaces S: the weights s solve G_S(Ax + b + D s) + f = 0, so sliding is linear too
///              and exits are roots of 1 ± s. At an instant all 3^|Z| assignments of the surfaces that are zero are tried;
///              the one that is consistent with the directions is taken.
/// Contract     Shares nothing with src. Where no assignment or more than one is consistent, or something is zero that
///              matters, it says `ambiguous` instead of guessing.
/// Cost         Milliseconds for tens of events.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

enum class Kind { condition, slide_enter, slide_exit, when, transition, immediate };
[[nodiscard]] const char* to_string(Kind kind);

struct OracleEvent {
  Real time = 0;
  Kind kind = Kind::condition;
  std::size_t which = 0;  ///< surface, clause, or number of the target mode
};

struct OracleRun {
  enum class Outcome { complete, ambiguous, too_many_events };
  Outcome outcome = Outcome::complete;
  std::string why;
  std::vector<OracleEvent> events;  ///< in time; those of one instant in the order of (kind, which)
  Vector x;
  std::size_t mode = 0;
  Real closest = 1e30L;  ///< least time between two instants
};

inline constexpr std::size_t kMostEvents = 80;

[[nodiscard]] OracleRun solve(const SwitchedSystem& system);

}  // namespace saltus::test::oracle
