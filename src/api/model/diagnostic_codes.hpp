/// Stable names of what can be wrong with files, options and values that are set; docs/diagnostics/api.md.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::api {

// Model files
inline constexpr DiagnosticCode kFileNotFound{"file-not-found"};
inline constexpr DiagnosticCode kFileIsFolder{"file-is-folder"};
inline constexpr DiagnosticCode kFileUnreadable{"file-unreadable"};
inline constexpr DiagnosticCode kFileTooLarge{"file-too-large"};
inline constexpr DiagnosticCode kUnknownFileEnding{"unknown-file-ending"};
// Work that ended before its time
inline constexpr DiagnosticCode kInterrupted{"interrupted"};
inline constexpr DiagnosticCode kTimeLimit{"time-limit"};
inline constexpr DiagnosticCode kOutOfMemory{"out-of-memory"};
// Options
inline constexpr DiagnosticCode kUnknownOption{"unknown-option"};
inline constexpr DiagnosticCode kWrongOptionValue{"wrong-option-value"};
inline constexpr DiagnosticCode kOptionNotSupported{"option-not-supported"};
inline constexpr DiagnosticCode kConflictingOptions{"conflicting-options"};
inline constexpr DiagnosticCode kUnknownMethod{"unknown-method"};
inline constexpr DiagnosticCode kNotLinear{"not-linear"};
inline constexpr DiagnosticCode kNoMotion{"no-motion"};
inline constexpr DiagnosticCode kNoSuchMode{"no-such-mode"};
inline constexpr DiagnosticCode kOptionOfTheRun{"option-of-the-run"};
inline constexpr DiagnosticCode kOptionWithoutEffect{"option-without-effect"};
inline constexpr DiagnosticCode kUnknownBoundName{"unknown-bound-name"};
inline constexpr DiagnosticCode kUnknownInvariant{"unknown-invariant"};
inline constexpr DiagnosticCode kLargeAdjustment{"large-adjustment"};
inline constexpr DiagnosticCode kUnknownColumn{"unknown-column"};
inline constexpr DiagnosticCode kUnknownDerivative{"unknown-derivative"};
inline constexpr DiagnosticCode kUnknownSensitivity{"unknown-sensitivity"};
inline constexpr DiagnosticCode kNoSensitivity{"no-sensitivity"};
inline constexpr DiagnosticCode kTooManyRows{"too-many-rows"};
inline constexpr DiagnosticCode kOptionOfTheCommandLine{"option-of-the-command-line"};
// Inputs
inline constexpr DiagnosticCode kWrongInputFile{"wrong-input-file"};
inline constexpr DiagnosticCode kWrongInputTable{"wrong-input-table"};
inline constexpr DiagnosticCode kUnknownInput{"unknown-input"};
inline constexpr DiagnosticCode kInputHeld{"input-held"};
inline constexpr DiagnosticCode kInputFunctionFailed{"input-function-failed"};
// Matrices
inline constexpr DiagnosticCode kWrongMatrix{"wrong-matrix"};
inline constexpr DiagnosticCode kSingularPair{"singular-pair"};
// Models from C++
inline constexpr DiagnosticCode kWrongExpression{"wrong-expression"};
// Models from traced functions
inline constexpr DiagnosticCode kWrongTracedModel{"wrong-traced-model"};
inline constexpr DiagnosticCode kTracedFunctionFailed{"traced-function-failed"};
inline constexpr DiagnosticCode kTraceTooLong{"trace-too-long"};
inline constexpr DiagnosticCode kTraceNotDetermined{"trace-not-determined"};
inline constexpr DiagnosticCode kTraceReadsValues{"trace-reads-values"};
inline constexpr DiagnosticCode kForcedPathFailed{"forced-path-failed"};
// Systems given by C++ functions
inline constexpr DiagnosticCode kWrongCallbackModel{"wrong-callback-model"};
inline constexpr DiagnosticCode kCallbackNotRepeatable{"callback-not-repeatable"};
inline constexpr DiagnosticCode kJacobianMismatch{"jacobian-mismatch"};
inline constexpr DiagnosticCode kTakenByDifferences{"taken-by-differences"};
// Values that are set
inline constexpr DiagnosticCode kUnknownSetName{"unknown-set-name"};
inline constexpr DiagnosticCode kCannotBeSet{"cannot-be-set"};
inline constexpr DiagnosticCode kWrongSetValue{"wrong-set-value"};
inline constexpr DiagnosticCode kWrongSetFile{"wrong-set-file"};
// A run
inline constexpr DiagnosticCode kCannotBegin{"cannot-begin"};
inline constexpr DiagnosticCode kNoPointDerivative{"no-point-derivative"};
inline constexpr DiagnosticCode kCheckpointDamaged{"checkpoint-damaged"};
inline constexpr DiagnosticCode kCheckpointMismatch{"checkpoint-mismatch"};
inline constexpr DiagnosticCode kCheckpointFinished{"checkpoint-finished"};
inline constexpr DiagnosticCode kCheckpointUnsupported{"checkpoint-unsupported"};
inline constexpr DiagnosticCode kUnclearRank{"unclear-rank"};
inline constexpr DiagnosticCode kNoControlForm{"no-control-form"};
inline constexpr DiagnosticCode kOutOfRange{"out-of-range"};
inline constexpr DiagnosticCode kReducedByRanks{"reduced-by-ranks"};
inline constexpr DiagnosticCode kStartByHomotopy{"start-by-homotopy"};
inline constexpr DiagnosticCode kTooLargeForRanks{"too-large-for-ranks"};
inline constexpr DiagnosticCode kErrorEstimateEvents{"error-estimate-events"};
inline constexpr DiagnosticCode kErrorEstimateIncomplete{"error-estimate-incomplete"};
inline constexpr DiagnosticCode kSensitivityCheck{"sensitivity-check"};
inline constexpr DiagnosticCode kSensitivityHidden{"sensitivity-hidden"};

}  // namespace saltus::api
