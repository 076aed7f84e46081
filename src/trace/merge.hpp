/// From traced paths to residuals with choices.
///
/// Problem    each path gives residuals of its own. One set of expressions is wanted that is each of them under its outcomes, in which every comparison
///            chooses as little as possible: `a = x > 0 ? 1 : 2` in a sum of ten terms is one choice between two numbers, and n comparisons that have
///            nothing to do with each other are n choices, although only n + 1 of their 2^n paths were traced.
/// Method     from the leaves of the tree up. Where both outcomes of a decision c were traced, the expressions of its two sides are joined from their roots down: what
///            is equal stays; equal operations are joined operand by operand; two choices by one decision are joined side by side; where
///            they differ, c chooses. A side that is a choice by a decision d, against one all of whose paths have decided d alike, is joined on
///            that side alone: of the other nothing is known, and it is taken to be what it is without c.
/// Contract   under the outcomes of every traced path the result is the residual of this path, node by node (restricted() says so). On paths that
///            were not traced it is a guess: that what c changes there is what it changes elsewhere. exploration.hpp says who verifies it.
/// Choices    c is handed down through sums, and through products and quotients that stay linear in what is chosen, and not into functions: so a blend of
///            both sides, which sliding makes, is the blend of the values (Filippov), not the function of a blended argument.
/// Cost       for each decision the nodes in which its sides differ or choose; no recursion.
/// Checked by tests/unit/trace/merge_test.cpp
#pragma once

#include <unordered_map>
#include <vector>

#include "trace/path_tree.hpp"
#include "trace/recording.hpp"

namespace saltus::trace {

/// Needs: a path that has not failed.
[[nodiscard]] std::vector<NodeId> merged(TraceGraph& graph, const PathTree& tree);

/// The same without the choices that are decided; those of decisions that are not among the outcomes stay.
[[nodiscard]] std::vector<NodeId> restricted(TraceGraph& graph, const std::vector<NodeId>& residual,
                                             const std::unordered_map<std::uint32_t, bool>& outcomes);

}  // namespace saltus::trace
