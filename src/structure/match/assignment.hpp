/// The transversal of highest value of a signature.
///
/// Problem    a perfect matching of rows to columns with the largest sum of σ, or that there is no perfect matching.
/// Method     shortest augmenting paths with dual variables, as Jonker and Volgenant [JV87] for sparse matrices, from all
///            free rows at once: d_j - c_i - σ_ij ≥ 0 for all entries, = 0 on the matching. It begins with c = 0 and
///            d_j = max σ_ij. In turns: the largest matching on the entries that are tight (matching.hpp; in a system of
///            index 1 that is all), then Dijkstra's search from all rows left over, with the slacks as lengths, to the
///            nearest free column, which makes a path tight.
/// Contract   deterministic. The duals are feasible, not the smallest; see offsets.hpp for those. Needs as many rows as
///            columns.
/// Cost       a matching and a search for each length at which a free column is found: as many as there are different
///            numbers of differentiations, a few in practice.
/// Checked by tests/unit/structure/assignment_test.cpp (brute force on small matrices)
#pragma once

#include <optional>
#include <vector>

#include "structure/match/matching.hpp"
#include "structure/match/signature.hpp"

namespace saltus::structure {

struct Assignment {
  Matching matching;
  std::vector<int> row_duals;     ///< c ≥ 0
  std::vector<int> column_duals;  ///< d
  long value = 0;                 ///< Σ σ on the matching = Σd - Σc
};

[[nodiscard]] std::optional<Assignment> highest_value_transversal(const Signature& signature);

}  // namespace saltus::structure
