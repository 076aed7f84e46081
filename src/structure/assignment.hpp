/// The transversal of highest value of a signature.
///
/// Problem    a perfect matching of rows to columns with the largest sum of σ, or that there is no perfect matching.
/// Method     successive shortest augmenting paths with dual variables, as Jonker and Volgenant [JV87] do for sparse
///            matrices: d_j - c_i - σ_ij ≥ 0 for all entries, = 0 on the matching. It begins with c = 0, d_j = max σ_ij
///            and the largest matching on the entries that are tight then (matching.hpp): in a system of index 1 that is
///            all. Every row left over starts one search (Dijkstra with the reduced costs as lengths).
/// Contract   deterministic: of equal lengths the smaller column first. The duals are feasible, not the smallest; see
///            offsets.hpp for those. Needs as many rows as columns.
/// Cost       O((rows left over)·(entries looked at)·log) at worst; a search ends at the nearest free column, so models
///            with many small constrained parts cost little more than a matching.
/// Checked by tests/unit/structure/assignment_test.cpp (brute force on small matrices)
#pragma once

#include <optional>
#include <vector>

#include "structure/matching.hpp"
#include "structure/signature.hpp"

namespace saltus::structure {

struct Assignment {
  Matching matching;
  std::vector<int> row_duals;     ///< c ≥ 0
  std::vector<int> column_duals;  ///< d
  long value = 0;                 ///< Σ σ on the matching = Σd - Σc
};

[[nodiscard]] std::optional<Assignment> highest_value_transversal(const Signature& signature);

}  // namespace saltus::structure
