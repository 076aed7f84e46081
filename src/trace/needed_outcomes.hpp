/// Under which outcomes a comparison is asked at all, or the function fails.
///
/// Problem    `if (x > 0) { if (sqrt(x) > 1) …`: where x < 0 the second comparison is not asked, and its guard has no value there.
/// Method     an outcome of another decision counts if every traced path that asks the comparison has it before, and a traced path that agrees with one
///            of these in everything else, but has the other outcome, does not ask it.
/// Contract   none of these outcomes is due to a path's not having been traced alone. More tracing can only take outcomes away.
/// Checked by tests/unit/trace/needed_outcomes_test.cpp
#pragma once

#include <vector>

#include "trace/path_tree.hpp"

namespace saltus::trace {

/// Whether the value may not exist although all that it is made of does: roots, logarithms, quotients.
[[nodiscard]] bool is_partial(const expr::Graph& graph, NodeId node);

[[nodiscard]] std::vector<Decision> needed_outcomes(const PathTree& tree, NodeId decision);

/// Of the outcomes of a path that failed those that no path that did not fail has in common with it; of a tree that is not complete all.
[[nodiscard]] std::vector<Decision> failing_outcomes(const PathTree& tree, std::vector<Decision> path);

}  // namespace saltus::trace
