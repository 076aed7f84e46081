/// What determines the numbers of a run, by name: a checkpoint is for a run in which all of it is the same.
///
/// Contract     Limits (--max-…) and where results go are no part of it. Names are those of the options where there is one.
/// Checked by   tests/checkpoint/bad_use_test.cpp
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/model/instance.hpp"
#include "api/options/run_settings.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

using RunIdentity = std::vector<std::pair<std::string, std::string>>;  ///< names and texts of their values

[[nodiscard]] RunIdentity identity_of(const Instance& instance, const RunSettings& settings,
                                      const SimulationOptions& hooks);

/// What differs, in words: "--tolerance is 1e-6 here and was 1e-8"; empty: nothing.
[[nodiscard]] std::vector<std::string> differences(const RunIdentity& now, const RunIdentity& then);

}  // namespace saltus::api
