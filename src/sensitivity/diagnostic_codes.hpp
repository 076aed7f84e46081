/// Stable names of what a run may say of its sensitivities; docs/diagnostics/sensitivities.md.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::sensitivity {

inline constexpr DiagnosticCode kSensitivityUndefined{"sensitivity-undefined"};

}  // namespace saltus::sensitivity
