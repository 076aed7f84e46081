/// Codes of the diagnostics of rank decisions; docs/diagnostics/reduce_ranks.md explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::reduce {

inline constexpr DiagnosticCode kIndexNotFound{"index-not-found"};
inline constexpr DiagnosticCode kNoLinearization{"no-linearization"};
inline constexpr DiagnosticCode kNoConsistentDerivatives{"no-consistent-derivatives"};

}  // namespace saltus::reduce
