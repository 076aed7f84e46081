/// Stable names of what can be wrong with a fit; docs/diagnostics/fit.md.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::api {

inline constexpr DiagnosticCode kWrongDataFile{"wrong-data-file"};
inline constexpr DiagnosticCode kWrongFit{"wrong-fit"};
inline constexpr DiagnosticCode kFitUnscaled{"fit-unscaled"};
inline constexpr DiagnosticCode kFitMisfit{"fit-misfit"};
inline constexpr DiagnosticCode kFitKink{"fit-kink"};
inline constexpr DiagnosticCode kFitAccuracy{"fit-accuracy"};

}  // namespace saltus::api
