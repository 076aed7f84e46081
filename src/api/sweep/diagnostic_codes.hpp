/// Stable names of what can be wrong with a sweep; docs/diagnostics/sweep.md.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::api {

inline constexpr DiagnosticCode kWrongSweep{"wrong-sweep"};
inline constexpr DiagnosticCode kWrongSampleFile{"wrong-sample-file"};
inline constexpr DiagnosticCode kJournalMismatch{"sweep-journal-mismatch"};
inline constexpr DiagnosticCode kJournalInUse{"sweep-journal-in-use"};
inline constexpr DiagnosticCode kNotAJournal{"not-a-sweep-journal"};
inline constexpr DiagnosticCode kSweepNotComplete{"sweep-not-complete"};
inline constexpr DiagnosticCode kSweepWarnings{"sweep-warnings"};
inline constexpr DiagnosticCode kTeamMember{"sweep-process-left"};
inline constexpr DiagnosticCode kVariablesWithoutColumn{"variables-without-column"};

}  // namespace saltus::api
