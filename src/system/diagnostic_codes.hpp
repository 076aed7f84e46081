/// Codes of the diagnostics of this folder; docs/diagnostics/system.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::system {

inline constexpr DiagnosticCode kNoDerivativeArray{"no-derivative-array"};
inline constexpr DiagnosticCode kInitialValueNotFinite{"initial-value-not-finite"};

}  // namespace saltus::system
