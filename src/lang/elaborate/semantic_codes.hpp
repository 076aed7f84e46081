// Stable names of the problems found when a model is elaborated, those included that are found in classes too (instance_codes.hpp);
// docs/diagnostics/lang_semantics.md explains each.
#pragma once

#include "lang/instance/instance_codes.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::lang {

// Names.
inline constexpr DiagnosticCode kUnknownName{"unknown-name"};
inline constexpr DiagnosticCode kUnknownType{"unknown-type"};
inline constexpr DiagnosticCode kUnknownFunction{"unknown-function"};
inline constexpr DiagnosticCode kUnknownAttribute{"unknown-attribute"};
inline constexpr DiagnosticCode kDuplicateName{"duplicate-name"};
inline constexpr DiagnosticCode kWrongKindOfName{"wrong-kind-of-name"};
inline constexpr DiagnosticCode kTypeCycle{"type-cycle"};
inline constexpr DiagnosticCode kUnknownParameter{"unknown-parameter"};
inline constexpr DiagnosticCode kParameterNotChangeable{"parameter-not-changeable"};

// Types and values.
inline constexpr DiagnosticCode kWrongType{"wrong-type"};
inline constexpr DiagnosticCode kStringVariable{"string-variable"};
inline constexpr DiagnosticCode kNotFinite{"not-finite"};
inline constexpr DiagnosticCode kIntegerOverflow{"integer-overflow"};
inline constexpr DiagnosticCode kNotParametric{"not-parametric"};
inline constexpr DiagnosticCode kNotKnown{"not-known"};
inline constexpr DiagnosticCode kParameterCycle{"parameter-cycle"};
inline constexpr DiagnosticCode kMissingValue{"missing-value"};
inline constexpr DiagnosticCode kWrongAttribute{"wrong-attribute"};

// Arrays.
inline constexpr DiagnosticCode kWrongSubscript{"wrong-subscript"};
inline constexpr DiagnosticCode kSubscriptOutOfRange{"subscript-out-of-range"};
inline constexpr DiagnosticCode kWrongSize{"wrong-size"};
inline constexpr DiagnosticCode kTooLarge{"too-large"};
inline constexpr DiagnosticCode kWrongRange{"wrong-range"};

// Equations and functions.
inline constexpr DiagnosticCode kBranchCount{"branch-count"};
inline constexpr DiagnosticCode kMissingElse{"missing-else"};
inline constexpr DiagnosticCode kDerArgument{"der-argument"};
inline constexpr DiagnosticCode kTableFile{"table-file"};
inline constexpr DiagnosticCode kMisplaced{"misplaced"};
inline constexpr DiagnosticCode kUnassigned{"unassigned"};
inline constexpr DiagnosticCode kAssignedInput{"assigned-input"};
inline constexpr DiagnosticCode kRecursionTooDeep{"recursion-too-deep"};
inline constexpr DiagnosticCode kEndlessLoop{"endless-loop"};
inline constexpr DiagnosticCode kDiscreteEquation{"discrete-equation"};
inline constexpr DiagnosticCode kAssertionFails{"assertion-fails"};
inline constexpr DiagnosticCode kParameterEquation{"parameter-equation"};

// Events and modes.
inline constexpr DiagnosticCode kRealEquality{"real-equality"};
inline constexpr DiagnosticCode kSetTwice{"set-twice"};
inline constexpr DiagnosticCode kPreArgument{"pre-argument"};
inline constexpr DiagnosticCode kReinitTarget{"reinit-target"};
inline constexpr DiagnosticCode kReinitRead{"reinit-read"};
inline constexpr DiagnosticCode kUnknownMode{"unknown-mode"};
inline constexpr DiagnosticCode kInitialMode{"initial-mode"};
inline constexpr DiagnosticCode kOwnVariable{"own-variable"};
inline constexpr DiagnosticCode kSlidingMode{"sliding-mode"};

// Annotations.
inline constexpr DiagnosticCode kUnknownAnnotation{"unknown-annotation"};
inline constexpr DiagnosticCode kWrongAnnotation{"wrong-annotation"};
inline constexpr DiagnosticCode kDerivativeDiffers{"derivative-differs"};
inline constexpr DiagnosticCode kParameterFromStart{"parameter-from-start"};

}  // namespace saltus::lang
