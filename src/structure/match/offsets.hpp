/// How often each equation is differentiated.
///
/// Problem    the smallest c ≥ 0 and d with d_j - c_i ≥ σ_ij everywhere and equality on a transversal of highest value:
///            then F_i^(c_i) = 0 determine the derivatives x_j^(d_j), if their Jacobian is regular.
/// Method     the fixed point of Pryce [Pry01]: d_j = max_i (σ_ij + c_i), c_i = d_j(i) - σ_ij(i), from c = 0 on. Only
///            rows whose offset has grown are looked at again.
/// Contract   the result does not depend on which transversal of highest value is given. Orders may be demanded: d is then
///            the smallest that is at least the demanded one.
/// Cost       O(entries) times the length of the longest chain of changes.
/// Checked by tests/unit/structure/offsets_test.cpp
#pragma once

#include <span>
#include <vector>

#include "structure/match/assignment.hpp"

namespace saltus::structure {

struct Offsets {
  std::vector<int> differentiations;  ///< c, by row
  std::vector<int> highest_orders;    ///< d, by column

  /// max c, and one more if some d is zero.
  [[nodiscard]] int structural_index() const;
  /// Σd - Σc
  [[nodiscard]] int degrees_of_freedom() const;
};

/// `demanded`: by column, 0 for none; empty: none at all.
[[nodiscard]] Offsets smallest_offsets(const Signature& signature, const Matching& transversal,
                                       std::span<const int> demanded = {});

}  // namespace saltus::structure
