/// Which unknowns can serve as states, and which nothing determines, from the projectors of a DAE at a point.
///
/// Problem      among n unknowns as many that the others follow from them; among n unknowns those that move although all equations hold
/// Method       Gaussian elimination with complete pivoting, of preferred rows first, on a basis of the allowed directions:
///              the pivot rows are the choice; rows of a
///              basis of the free directions that are not zero
/// Contract     Deterministic; earlier unknowns win ties. Indices ascend.
/// Choices      A row counts as zero below kRankTolerance of the largest entry (linalg/rank_decision.hpp).
/// Checked by   tests/unit/reduce/state_choice_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::reduce {

/// `directions`: independent columns, one row for each unknown. As many rows as columns, so that they determine the others.
/// Rows with `is_preferred` are taken as long as there are independent ones; empty: all are alike.
[[nodiscard]] std::vector<Index> choose_states(linalg::DenseMatrix directions,
                                               const std::vector<char>& is_preferred = {});

/// Rows of `directions` that are not zero.
[[nodiscard]] std::vector<Index> moved_unknowns(const linalg::DenseMatrix& directions);

}  // namespace saltus::reduce
