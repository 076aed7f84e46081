/// Stable names of problems that the command line itself reports; docs/diagnostics/cli.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::tool {

inline constexpr DiagnosticCode kWrongUsage{"wrong-usage"};
inline constexpr DiagnosticCode kUnknownOption{"unknown-option"};  ///< as for options in annotations
inline constexpr DiagnosticCode kUnknownCommand{"unknown-command"};
inline constexpr DiagnosticCode kUnknownFormat{"unknown-format"};
inline constexpr DiagnosticCode kUnknownExample{"unknown-example"};
inline constexpr DiagnosticCode kFileExists{"file-exists"};
inline constexpr DiagnosticCode kCannotWriteOutput{"cannot-write-output"};
inline constexpr DiagnosticCode kFitNotConverged{"fit-not-converged"};
inline constexpr DiagnosticCode kFitUnidentifiable{"fit-unidentifiable"};
inline constexpr DiagnosticCode kFitFailed{"fit-failed"};
inline constexpr DiagnosticCode kNoOptimum{"no-optimum"};
inline constexpr DiagnosticCode kRunsNotOk{"sweep-runs-failed"};
inline constexpr DiagnosticCode kNoValue{"no-value"};
inline constexpr DiagnosticCode kInternalError{"internal-error"};
inline constexpr DiagnosticCode kNoMpiPlugin{"no-mpi-plugin"};

}  // namespace saltus::tool
