/// Codes of the diagnostics of this folder; docs/diagnostics/hybrid.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::settle {

inline constexpr DiagnosticCode kChattering{"chattering"};
inline constexpr DiagnosticCode kZeno{"zeno"};
inline constexpr DiagnosticCode kAmbiguousSliding{"ambiguous-sliding"};
inline constexpr DiagnosticCode kRepellingSurface{"repelling-surface"};
inline constexpr DiagnosticCode kLeastSquares{"least-squares"};
inline constexpr DiagnosticCode kLeftOpen{"left-open"};
inline constexpr DiagnosticCode kJumpMoved{"jump-moved"};
inline constexpr DiagnosticCode kSingularPoint{"singular-point"};
inline constexpr DiagnosticCode kGoesOnByRanks{"goes-on-by-ranks"};
inline constexpr DiagnosticCode kNegativeWithinTolerance{"negative-within-tolerance"};
inline constexpr DiagnosticCode kStartNotEvaluated{"start-not-evaluated"};
inline constexpr DiagnosticCode kNoStartStructure{"no-start-structure"};
inline constexpr DiagnosticCode kAssertionWarning{"assertion-warning"};
inline constexpr DiagnosticCode kStartConditionsCycle{"start-conditions-cycle"};

}  // namespace saltus::settle
