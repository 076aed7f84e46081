/// Consistent values at the start (DESIGN 4.4; docs/math/consistent_values.md).
///
/// Problem      slots s with r(t, s) = 0 for all rows of an InitialProblem (the equations, what follows from them by
///              differentiation, initial equations); fixed slots are held, explicit starts changed as little as possible, those of
///              differential variables before others, the rest takes any value
/// Method       First only the highest derivatives may change; if that has no solution, then also what has no start, then other
///              explicit starts, then those of differential variables. Each time a damped Gauss-Newton iteration
///              with changes in tiers (start_search.hpp, tiered_step.hpp); a last iteration brings explicit starts that had to
///              move nearest to where they were given. Derivative slots stand in the last tier: they never weigh
///              ([Wun08] 5.4: the slots of derivatives eliminated).
/// Contract     On success every row is met: |row| ≤ 1e-9 of its length, in fact to rounding; fixed values and explicit starts that
///              could be kept are kept to the last bit; what moved is listed. On failure the diagnostics say which equations
///              cannot be met, which fixed values contradict them and what would fit. A fixed value is never changed.
/// Choices      A start counts as moved from kMoved = 1e-9 of max(|start|, nominal) on: less is rounding. "Nearest" is in nominal
///              values, up to about 1e-5 of them on the dense path, and at the first point reached on the sparse one.
/// Fails when   no values satisfy the equations near the guess; a row cannot be evaluated there
/// Cost         some Jacobians and factorisations; dense up to 200 slots, sparse above
/// Checked by   tests/unit/reduce/consistent_values_test.cpp
#pragma once

#include <vector>

#include "reduce/nonlinear/least_change.hpp"
#include "saltus/result.hpp"
#include "system/initial_problem.hpp"

namespace saltus::reduce {

struct ConsistentOptions {
  LeastChange::Algebra algebra = LeastChange::Algebra::automatic;
  /// Linear equations that contradict each other, whatever is fixed, are met in the sense of least squares.
  bool takes_least_squares = false;
};

struct MovedStart {
  Index slot = -1;
  double from = 0.0;
  double to = 0.0;
};

struct ConsistentValues {
  std::vector<double> slots;
  std::vector<MovedStart> moved;   ///< explicit starts
  std::vector<Index> fixed_twice;  ///< fixed slots that the equations and the other fixed slots give too
  std::vector<Index> chosen;  ///< states without a start, where equations and given values leave them free
  Diagnostics warnings;       ///< start-moved, start-chosen, fixed-twice
  bool is_least_squares = false;  ///< the equations are not met
  int n_steps = 0;
};

[[nodiscard]] Result<ConsistentValues> find_consistent_values(const system::InitialProblem& problem, double t,
                                                              const ConsistentOptions& options = {});

}  // namespace saltus::reduce
