/// --expect-index: characteristic values that the user states, for the whole run or for a mode.
///
/// Contract   what is said of a mode goes before what is said of all; of two statements about the same the later counts.
/// Checked by tests/unit/api/expect_index_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/instance.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

/// "MU,D,A,U,V" or "MODE=MU,D,A,U,V".
[[nodiscard]] Diagnostics set_expected_index(SimulationOptions& options, std::string_view value);

/// Statements of the annotation about what the options say nothing of are added.
void fill_expected_index(SimulationOptions& options, const SimulationOptions& annotated);

/// Modes that there are not; models whose ranks are not decided.
[[nodiscard]] Diagnostics check_expected_index(const std::vector<ExpectedIndex>& expected,
                                               const Instance& instance);

/// Null: nothing is said of this mode.
[[nodiscard]] const ExpectedIndex* expected_in(const std::vector<ExpectedIndex>& expected,
                                               std::string_view mode);

}  // namespace saltus::api
