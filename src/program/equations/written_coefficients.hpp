/// Problem      what the coefficients of the equations of a mode depend on (system/written_coefficients.hpp)
/// Method       the leaves of ∂row/∂slot as differentiated and simplified: what cancels does not count
///              The assignment by structure/match/matching.hpp
/// Contract     structural: a leaf that is left counts, whatever its factor. Conditions and discrete values are no slots.
/// Cost         differentiates the equations once more; the nodes below every entry
/// Checked by   tests/unit/program/written_coefficients_test.cpp
#pragma once

#include <memory>
#include <span>

#include "program/equations/system_code.hpp"
#include "system/written_coefficients.hpp"

namespace saltus::program {

/// `set`: the rows of `equations`. What is found is without them.
[[nodiscard]] std::shared_ptr<const system::WrittenCoefficients> find_coefficients(
    const SystemCode& data, std::span<const flat::Equation> equations, const EquationCode& set);

}  // namespace saltus::program
