/// The columns of a trajectory: one for each variable, but own variables of several modes that share a name share one
/// (LANGUAGE 6).
#pragma once

#include <cstddef>
#include <vector>

#include "flat/model.hpp"

namespace saltus::flat {

/// By variable; columns are numbered in the order of the variables that name them first.
[[nodiscard]] std::vector<std::size_t> columns_of_variables(const Model& model);

}  // namespace saltus::flat
