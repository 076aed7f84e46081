// Stable names of the problems found when components are made; docs/diagnostics/lang_instances.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::lang {

inline constexpr DiagnosticCode kUnknownClass{"unknown-class"};
inline constexpr DiagnosticCode kUnknownComponent{"unknown-component"};
inline constexpr DiagnosticCode kNoSuchElement{"no-such-element"};
inline constexpr DiagnosticCode kWrongKindOfClass{"wrong-kind-of-class"};
inline constexpr DiagnosticCode kPartialClass{"partial-class"};
inline constexpr DiagnosticCode kClassCycle{"class-cycle"};
inline constexpr DiagnosticCode kWrongModification{"wrong-modification"};
inline constexpr DiagnosticCode kFinalModification{"final-modification"};
inline constexpr DiagnosticCode kNotReplaceable{"not-replaceable"};
inline constexpr DiagnosticCode kWrongConnection{"wrong-connection"};
inline constexpr DiagnosticCode kMissingInner{"missing-inner"};
inline constexpr DiagnosticCode kNotDecided{"not-decided"};
inline constexpr DiagnosticCode kTooManyComponents{"too-many-components"};
inline constexpr DiagnosticCode kWrongClassFile{"wrong-class-file"};
inline constexpr DiagnosticCode kClassTaken{"class-taken"};
inline constexpr DiagnosticCode kNotAllowed{"not-allowed"};
inline constexpr DiagnosticCode kReservedName{"reserved-name"};
inline constexpr DiagnosticCode kProtectedElement{"protected-element"};
inline constexpr DiagnosticCode kNotASubtype{"not-a-subtype"};
inline constexpr DiagnosticCode kMixedEnumeration{"mixed-enumeration"};
inline constexpr DiagnosticCode kMissingInput{"missing-input"};

// Found in flat models too: docs/diagnostics/lang_semantics.md.
inline constexpr DiagnosticCode kShapeMismatch{"shape-mismatch"};
inline constexpr DiagnosticCode kWrongArguments{"wrong-arguments"};

}  // namespace saltus::lang
