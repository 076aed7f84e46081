/// Which derivatives of which equations a reduced system needs.
///
/// Problem      Combinations of the rows of (F, Ḟ, …, F⁽ˡ⁾) are conditions of a reduced system. Where equation i has the data f_i(t) on its right,
///              the condition has f_i⁽ʲ⁾ in it exactly if row (j, i) is part of the combination.
/// Method       Combinations are not unique: those that follow from others may be added. With these, rows are cleared from the last one (the
///              highest derivative) up, each by the largest entry that is left, so that a condition has no derivative it can do without.
/// Contract     Rows by level, then by equation. Columns of `combinations` keep their span up to those of `implied`. An entry is zero that is no
///              more than kRankTolerance of its column.
/// Choices      Clearing is by orthonormal columns of `implied` turned into each other, so it does not blow up roundings there.
/// Checked by   tests/unit/reduce/order_reduction_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::reduce {

/// `implied`: orthonormal columns.
[[nodiscard]] linalg::DenseMatrix with_lowest_orders(linalg::DenseMatrix combinations,
                                                     linalg::DenseMatrix implied);

/// By equation: the highest derivative of it in one of the columns, 0 where there is none; entries of `orders` are raised.
void raise_data_orders(const linalg::DenseMatrix& combinations, std::vector<int>& orders);

}  // namespace saltus::reduce
