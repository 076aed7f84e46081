/// What determines the table of a sweep, by name: a journal is for a sweep in which all of it is the same.
///
/// Contract     The number of threads, the limit of time and where results go are no part of it. Limits of single runs are: they decide how runs end.
/// Checked by   tests/sweep/journal_test.cpp
#pragma once

#include "api/options/run_identity.hpp"
#include "saltus/model.hpp"
#include "saltus/sweep.hpp"

namespace saltus::api {

/// `settings`: of a run without the values of its own.
[[nodiscard]] RunIdentity sweep_identity(const Model& model, const SweepOptions& options,
                                         const RunSettings& settings);

}  // namespace saltus::api
