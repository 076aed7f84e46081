/// Problem      what the coefficients of the equations of a mode depend on (system/written_coefficients.hpp)
/// Method       the leaves of ∂row/∂slot as differentiated and simplified: what cancels does not count
/// Contract     structural: a leaf that is left counts, whatever its factor. Conditions and discrete values are no slots. Null where
///              derivatives of constraints took part in combinations of equations (structure/index/combination.hpp).
/// Cost         differentiates the equations once more; the nodes below every entry
/// Checked by   tests/unit/program/written_coefficients_test.cpp
#pragma once

#include <memory>

#include "program/equations/system_data.hpp"
#include "system/written_coefficients.hpp"

namespace saltus::program {

/// `equations`: derivative array of depth 0 of the mode.
[[nodiscard]] std::shared_ptr<const system::WrittenCoefficients> find_coefficients(
    const SystemData& data, const ModeData& mode, std::shared_ptr<const system::EquationSet> equations);

}  // namespace saltus::program
