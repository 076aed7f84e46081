/// Stable names of what can go wrong when results are written; docs/diagnostics/record.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::record {

inline constexpr DiagnosticCode kCannotCreateFolder{"cannot-create-folder"};
inline constexpr DiagnosticCode kCannotWriteFile{"cannot-write-file"};
inline constexpr DiagnosticCode kCannotGoOnWithFile{"cannot-go-on-with-file"};

}  // namespace saltus::record
