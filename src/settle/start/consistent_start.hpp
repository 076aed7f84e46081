/// The start of a run whose first mode has constraints or is reduced by ranks: HybridSystem::initial() says what must hold
/// (InitialPoint::problem), this finds the point.
///
/// Problem      values that satisfy the equations, and relations as written on them, agree with each other (docs/semantics.md 3.1)
/// Method       reduce/consistent/consistent_values.hpp with the sides of the last values, until the sides repeat
/// Contract     The result has no problem left: x, guess, values and configuration are those of a consistent point. Warnings are
///              those of `initial` with what had to be moved.
/// Fails when   there are no consistent values, or each choice of sides gives values for which they are different
///              (start-conditions-cycle): diagnostics
/// Cost         a solution of the initial problem for each set of sides
/// Checked by   tests/unit/api/constrained_run_test.cpp
#pragma once

#include <string>

#include "saltus/result.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::settle {

struct ConsistentStart {
  system::InitialPoint point;
  /// A sentence, where the matrix that gives the highest derivatives is singular at the point: the structure promised more than
  /// the numbers keep, and the mode must be reduced by ranks. Empty otherwise.
  std::string singularity;
  /// Unknowns that the equations of its structure leave open; their values are then those nearest to the starts.
  Index undetermined = 0;
  /// An explicit start was moved.
  bool has_moved = false;
};

/// `initial`: of HybridSystem::initial(t).
[[nodiscard]] Result<ConsistentStart> complete_start(const system::HybridSystem& system,
                                                     system::InitialPoint initial, double t);

}  // namespace saltus::settle
