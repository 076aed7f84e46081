/// What a model of discrete logic means, instant by instant: an interpreter that shares nothing with the library.
///
/// Problem      The sequence of instants of a DiscreteModel, what every discrete variable is after each of them, and the motion
///              between them, by the rules of the Modelica Language Specification 3.6 (chapter 8, appendix B) as the project reads them
///              (docs/semantics.md): one system per round, sorted order, mixed systems through relations, located guards, reinit
///              after the round, initialisation.
/// Method       Between instants all relations are held, everything is a power series of time (series.hpp), exact for polynomials.
///              The first sign change of a guard ends the stretch. There, and at the times of clocks:
///
///                pre ← the left limit; guards located here take the side behind their surfaces, and those that rested on theirs the
///                one to which they are moved then; clocks that are due are true
///                repeat                                                                       (3.7.5, event iteration)
///                  solve the round                                                            (round_system.hpp)
///                  assign what reinit says; pre ← values; clocks are false
///                until no discrete variable, no condition of a clause differs from its pre, and nothing was reinitialised
///                guards on their surface take the side to which the solution moves; if a truth changes by that: repeat again
///
///              The start solves the initial system with initial() = true, then does the same with initial() = false (8.6).
/// Contract     Deterministic. `doubt` says where the rules leave the result open, or where exact zeros that the text does not force
///              decide: results with a doubt are for reading, not for comparing.
/// Choices      A guard that others located with it turn back before it goes beyond its surface has touched it and not crossed; one that its
///              own side leads back is in doubt (it may slide). A guard that is on its surface without having been located (a body put
///              it there) keeps its side within the round. A located guard that then rests on its surface keeps the side behind it.
/// Fails when   surfaces attract from both sides (outcome sliding), no combination of truths is consistent (no_solution), discrete
///              assignments need each other (cycle), rounds or instants do not end, the model is outside the class (unsupported).
///              Not in the class: higher index, structures that change, jumps that nobody wrote, equations that are not linear.
/// Checked by   tests/instants
#pragma once

#include <string>
#include <vector>

#include "support/oracle/instants/discrete_model.hpp"

namespace saltus::test::instants {

/// A clause that was active in a round.
struct Firing {
  std::size_t clause = 0;
  std::size_t branch = 0;
  int round = 0;
};

struct Instant {
  Real time = 0;
  int rounds = 0;
  std::vector<Firing> firings;
  std::vector<std::size_t> reinitialised;  ///< states
  std::vector<Real> before;                ///< by variable: the left limit (at the start: the initial values)
  std::vector<Real> after;                 ///< by variable
  /// Whether a discrete variable has another value than before, a clause fired or a state jumped.
  bool is_visible = false;
};

/// Series by variable, from `begin` on.
struct Stretch {
  Real begin = 0;
  Real end = 0;
  std::vector<Series> values;
};

struct InstantRun {
  enum class Outcome {
    complete,
    assertion,
    no_solution,
    cycle,
    sliding,
    rounds_without_end,
    instants_without_end,
    unsupported,
  };
  Outcome outcome = Outcome::complete;
  std::string why;
  std::string doubt;
  Real end = 0;
  std::vector<std::string> names;  ///< of the variables
  std::vector<bool> is_discrete;   ///< by variable
  std::vector<Instant> instants;   ///< the first is the start
  std::vector<Stretch> stretches;  ///< without gaps
  Real closest = 1e30L;            ///< least time between two instants

  /// At t, after what happens there.
  [[nodiscard]] Real value(const std::string& name, Real t) const;
  /// At the end.
  [[nodiscard]] Real final(const std::string& name) const;
  /// Times of the instants at which the variable is another after than before.
  [[nodiscard]] std::vector<Real> changes(const std::string& name) const;
};

[[nodiscard]] const char* to_string(InstantRun::Outcome outcome);

/// `moved` is added to the start values, by variable, and each state moves faster by this share: what small errors would do, those of
/// the steps after a reinit too. Empty: nothing.
[[nodiscard]] InstantRun interpret(const DiscreteModel& model, const std::vector<Real>& moved = {});
/// The same for a text; one that is outside the class has the outcome unsupported.
[[nodiscard]] InstantRun interpret(const std::string& text);

}  // namespace saltus::test::instants
