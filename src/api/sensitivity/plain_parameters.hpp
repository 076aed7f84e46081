/// Parameters that nothing but equations read, so that how the start moves with them is known without solving it again.
///
/// Problem      twins (twins.hpp) cost four systems and four starts for each parameter. Most parameters of large models have no part in the start.
/// Method       asked of the graph: a parameter is *plain* where it is a Real other than zero that no other parameter, no attribute of a
///              variable, no sample, no initial mode and no choice over parameters alone reads, while the start is nothing but start values: no
///              initial equations, no initial(), no constraints, no ranks, nothing fixed but states. Guards: their values at the start
///              must keep their sides for all values that twins would have, by their tangents.
/// Contract     For a plain parameter all derivatives at the start are zero, and the system beside it begins as this one does.
/// Checked by   tests/unit/api/sensitivity_twins_test.cpp
#pragma once

#include <vector>

#include "api/model/instance.hpp"
#include "api/sensitivity/targets.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

/// By target.
[[nodiscard]] std::vector<bool> find_plain(const Instance& base, const system::InitialPoint& initial,
                                           double t, const std::vector<SensitivityTarget>& targets);

}  // namespace saltus::api
