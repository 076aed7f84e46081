/// Codes of the diagnostics of this folder; docs/diagnostics/structure.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::structure {

inline constexpr DiagnosticCode kTooManyEquations{"too-many-equations"};
inline constexpr DiagnosticCode kTooFewEquations{"too-few-equations"};
inline constexpr DiagnosticCode kDiscreteInJumpEquation{"discrete-in-jump-equation"};
inline constexpr DiagnosticCode kRepeatedEquation{"repeated-equation"};
inline constexpr DiagnosticCode kUnknownCancels{"unknown-cancels"};
inline constexpr DiagnosticCode kDiscreteLoop{"discrete-loop"};
inline constexpr DiagnosticCode kInputWithoutValue{"input-without-value"};
inline constexpr DiagnosticCode kDerivativeNotAvailable{"derivative-not-available"};

inline constexpr DiagnosticCode kFormulationNotSupported{"formulation-not-supported"};
inline constexpr DiagnosticCode kFormulationWithoutEffect{"formulation-without-effect"};

inline constexpr DiagnosticCode kStartNotFixed{"start-not-fixed"};
inline constexpr DiagnosticCode kStartMissing{"start-missing"};
inline constexpr DiagnosticCode kStartOverruled{"start-overruled"};

}  // namespace saltus::structure
