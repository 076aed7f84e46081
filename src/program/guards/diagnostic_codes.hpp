/// Codes of the diagnostics of this folder; docs/diagnostics/program.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::program {

inline constexpr DiagnosticCode kNotSupportedYet{"not-supported-yet"};
inline constexpr DiagnosticCode kUnknownOverride{"unknown-override"};
inline constexpr DiagnosticCode kOverrideRefused{"override-refused"};
inline constexpr DiagnosticCode kParameterNotSet{"parameter-not-set"};
inline constexpr DiagnosticCode kParameterCycle{"parameter-cycle"};
inline constexpr DiagnosticCode kParameterNotANumber{"parameter-not-a-number"};
inline constexpr DiagnosticCode kAssertionFailed{"assertion-failed"};
inline constexpr DiagnosticCode kInitializationFailed{"initialization-failed"};
inline constexpr DiagnosticCode kStartNotUnique{"start-not-unique"};
inline constexpr DiagnosticCode kInitialContradiction{"initial-contradiction"};
inline constexpr DiagnosticCode kInitialConditionsCycle{"initial-conditions-cycle"};
inline constexpr DiagnosticCode kTooManyJumpEquations{"too-many-jump-equations"};
inline constexpr DiagnosticCode kReinitNotAState{"reinit-not-a-state"};
inline constexpr DiagnosticCode kDerivativeInReinit{"derivative-in-reinit"};
inline constexpr DiagnosticCode kOwnCondition{"own-condition"};
inline constexpr DiagnosticCode kInitialInCondition{"initial-in-condition"};
inline constexpr DiagnosticCode kClausesInALoop{"clauses-in-a-loop"};
inline constexpr DiagnosticCode kSampleInterval{"sample-interval"};
inline constexpr DiagnosticCode kInitialModeUnknown{"initial-mode-unknown"};
inline constexpr DiagnosticCode kDerivativeNotAState{"derivative-not-a-state"};
inline constexpr DiagnosticCode kInputDerivative{"input-derivative"};
inline constexpr DiagnosticCode kDerivativeArrayTooLarge{"derivative-array-too-large"};

}  // namespace saltus::program
