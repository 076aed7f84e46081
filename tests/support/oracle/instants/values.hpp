/// All that has a value at a point of superdense time, and expressions over it.
#pragma once

#include <vector>

#include "support/oracle/instants/discrete_model.hpp"

namespace saltus::test::instants {

/// Within this of zero, absolutely and relative to its operands, a guard is on its surface: what location has left.
inline constexpr Real kNoise = 1e-12L;

struct Values {
  explicit Values(const DiscreteModel& model);

  Series time;
  std::vector<Series> value;  ///< by variable
  std::vector<Real> pre;      ///< by variable
  std::vector<Real> held;     ///< by node: truth of a held relation, whole number of a held floor
  std::vector<bool> located;  ///< by node: found on its surface in this instant, `held` is the side behind it
  std::vector<Real> came;     ///< by node that was located: what it held before
  std::vector<bool> is_due;   ///< by clock
  std::vector<bool>
      before;  ///< by condition: its value in the round before (pre of the implicit variable, 3.7.5)
  bool is_initial = false;
  /// Why another reading of the rules could give another result; empty: there is none.
  std::string doubt;
};

[[nodiscard]] Series evaluate(const DiscreteModel& model, Values& at, std::size_t node);
[[nodiscard]] inline bool is_true(const DiscreteModel& model, Values& at, std::size_t node) {
  return evaluate(model, at, node)[0] != 0;
}

/// left - right of a relation, or the argument of floor, with what counts as zero for it.
struct Guard {
  Series value;
  Real noise = 0;
  [[nodiscard]] bool is_zero() const { return std::abs(value[0]) <= noise; }
};
[[nodiscard]] Guard guard_of(const DiscreteModel& model, Values& at, std::size_t node);

/// The held node with the same operands as a literal one; the node itself if there is none.
[[nodiscard]] std::size_t held_twin(const DiscreteModel& model, std::size_t node);

/// The conditions of all clauses, one after the other; of a vector its elements.
[[nodiscard]] std::vector<std::size_t> conditions_of(const DiscreteModel& model);

/// The branch of the clause that is active: at the start the first whose condition is initial(), else the first with an edge; the
/// number of branches if none is.
[[nodiscard]] std::size_t active_branch(const DiscreteModel& model, Values& at, std::size_t clause);

}  // namespace saltus::test::instants
