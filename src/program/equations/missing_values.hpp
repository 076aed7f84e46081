/// Variables that may have no value where the rates have one.
///
/// Problem      a variable that no rate depends on is evaluated for rows only; where its equation has no solution (a root of a negative
///              number, a fold) the steps would go on, and whether anybody sees it would depend on the rows asked for
/// Method       from the rates back through the blocks: what is not needed for them is looked through for operations that are not
///              defined everywhere, and for blocks that are solved
/// Contract     a fact of the graph; operations of parameters alone do not count, both branches of a choice do
/// Cost         one pass over the equations for each level of tearing
/// Checked by   tests/events/missing_values_test.cpp
#pragma once

#include "expr/graph.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::program {

[[nodiscard]] bool values_may_be_missing(const expr::Graph& graph, const structure::Causalized& causalized);

}  // namespace saltus::program
