/// What is never left to chance: settled instants and, now and then, ends of steps satisfy the model as it is written (docs/semantics.md 11).
///
/// Contract     instant() after everything at a point is decided, step() after an accepted step. False: the run has ended with the reason
///              `inconsistent_instant`, an equation or relation of the model, by how much it is missed, and the values in it.
/// Choices      That the equations solved are those which the conditions ask for: at every instant. Equations and relations: at instants; where these change nothing but sides, at every kBetween-th. Relations alone: at every
///              kBetween-th end of a step. Both at all of them: Verify::full. Where the user has asked for events to be missed or moved
///              (detection without a bound, concurrency, shifted location), or where fixed steps have no error to compare with, relations
///              are not looked at. Between two modes, in convex combinations of sides, while a guard is held at rest, and by least squares, the
///              equations are those of no mode as written.
/// Checked by   tests/events/equation_check_test.cpp, tests/unit/settle/relation_check_test.cpp, tests/events/verified_instants_test.cpp
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "settle/check/equation_check.hpp"
#include "settle/check/relation_check.hpp"
#include "settle/check/switch_monitor.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class Verification {
 public:
  Verification(RunState& state, const SwitchMonitor& monitor) : state_(state), monitor_(monitor) {}

  /// `is_plain`: nothing but sides has changed, neither states nor mode nor what is slid on. Of these some are looked at.
  [[nodiscard]] bool instant(bool is_plain);
  [[nodiscard]] bool step();

  void fields(Archive& a) {
    // Not saved: checks_, relations_, guards_, values_, weights_, which are filled for each check.
    a(n_steps_, n_plain_);
  }

 private:
  [[nodiscard]] bool structure_holds();
  [[nodiscard]] bool has_equations();
  [[nodiscard]] bool equations_hold();
  [[nodiscard]] bool relations_hold();
  [[nodiscard]] bool trusts_location() const;
  void list_guards();

  RunState& state_;
  const SwitchMonitor& monitor_;
  std::unordered_map<const ModeData*, std::unique_ptr<EquationCheck>> checks_;
  RelationCheck relations_;
  std::vector<Index> guards_;
  std::vector<double> values_;
  std::vector<double> weights_;
  std::int64_t n_steps_ = 0;
  std::int64_t n_plain_ = 0;
};

}  // namespace saltus::settle
