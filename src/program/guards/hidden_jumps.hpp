/// Relations within noEvent across which equations jump: no event says when, and derivatives of the solution do not see it.
///
/// Method     relations over values that change between events are made conditions of a copy of the model; then the order at which its equations jump
///            across them is asked of the graph (guard_continuity.hpp). floor, ceil, truncate and atan2 within noEvent count as jumps.
/// Contract   conservative: what is continuous in a way that the graph does not show counts as a jump.
/// Checked by tests/unit/program/hidden_jumps_test.cpp
#pragma once

#include <string>
#include <vector>

#include "flat/model.hpp"

namespace saltus::program {

/// For people, in the order of the graph.
[[nodiscard]] std::vector<std::string> hidden_jumps(const flat::Model& model);

}  // namespace saltus::program
