/// What projections onto rows by the least change have in common (constraint_projection.hpp, stacked_projection.hpp).
///
/// Notation     change: of the states, in units of `scale` of least length; residual: of the rows; row_scale: 1 / length of a row in
///              these units, 0 for rows that count for nothing
/// Checked by   tests/unit/reduce/constraint_projection_test.cpp, tests/unit/reduce/stacked_projection_test.cpp
#pragma once

#include <span>

#include "base/ids.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

/// x += change; its size, the largest |change| / max(|x|, nominal). A NaN is kept.
double apply_change(std::span<const double> change, std::span<const double> nominal, std::span<double> x);

/// Rows scaled to length 1 have |row| ≤ ‖change‖ where all of them can be met: whether they can, up to kConsistent.
[[nodiscard]] bool rows_agree(std::span<const double> change, std::span<const double> scale,
                              std::span<const double> residual, std::span<const double> row_scale);

/// The row furthest from being met; one without a value first.
[[nodiscard]] Index worst_row(std::span<const double> residual, std::span<const double> row_scale);

/// What projections leave of a gradient: the projection P is its own transpose where changes are measured by `scale`, so that
/// Pᵀg = g + S⁻²c with the change c of least length for the residual G·S²·g. Before that and after it:
/// residual := G·S²·gradient; `entries`: of G.
void weigh_rows(const system::RectangularPattern& pattern, std::span<const double> entries,
                std::span<const double> scale, std::span<const double> gradient, std::span<double> residual);
/// gradient += S⁻²·change.
void add_weighed(std::span<const double> change, std::span<const double> scale, std::span<double> gradient);

}  // namespace saltus::reduce
