/// Codes of the diagnostics of this folder; docs/diagnostics/reduce.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::reduce {

inline constexpr DiagnosticCode kStartMoved{"start-moved"};
inline constexpr DiagnosticCode kStartChosen{"start-chosen"};
inline constexpr DiagnosticCode kFixedTwice{"fixed-twice"};
inline constexpr DiagnosticCode kFixedAlgebraic{"fixed-algebraic"};
inline constexpr DiagnosticCode kFixedHiddenConstraint{"fixed-hidden-constraint"};
inline constexpr DiagnosticCode kFixedConflict{"fixed-conflict"};
inline constexpr DiagnosticCode kInitialEquationConflict{"initial-equation-conflict"};
inline constexpr DiagnosticCode kEquationsContradict{"equations-contradict"};
inline constexpr DiagnosticCode kNoConsistentValues{"no-consistent-values"};
inline constexpr DiagnosticCode kJumpContradiction{"jump-contradiction"};

}  // namespace saltus::reduce
