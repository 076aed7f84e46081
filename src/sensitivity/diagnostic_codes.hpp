/// Codes of the diagnostics of this folder; docs/diagnostics/ explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::sensitivity {

inline constexpr DiagnosticCode kSensitivityUndefined{"sensitivity-undefined"};

}  // namespace saltus::sensitivity
