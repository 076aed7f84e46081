/// Stable names of what can be wrong with files of results; docs/diagnostics/tables.md.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::api {

inline constexpr DiagnosticCode kWrongResultFile{"wrong-result-file"};
inline constexpr DiagnosticCode kUnknownResultFormat{"unknown-result-format"};
inline constexpr DiagnosticCode kUnknownResultColumn{"unknown-result-column"};

}  // namespace saltus::api
