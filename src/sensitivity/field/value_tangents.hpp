/// Tangents of what rows have: of all variables, then of the guards that are asked for (Setup::guards).
///
/// Contract   [value][column]; NaN for what does not exist in the mode, has no derivative at the point, or does not count. A value without a
///            derivative (a root of zero) leaves the others theirs. A guard on whose surface the solution is held is zero for all parameters.
#pragma once

#include <span>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"

namespace saltus::sensitivity {

/// `counts` by column.
void find_value_tangents(const FieldSource& source, StretchField& field, double t, std::span<const double> x,
                         const system::Seeds& seeds, const std::vector<bool>& counts,
                         std::vector<double>& tangents);

}  // namespace saltus::sensitivity
