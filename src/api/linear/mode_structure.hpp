/// ModeAnalysis::structure: symmetric and self-adjoint equations of a mode, and forms that keep that.
///
/// Method       Coefficients and their derivatives from the derivative array of depth 2, Leibniz read backwards:
///              C_p⁽ˡ⁾ = ∂F_l/∂x⁽ᵖ⁾ - Σ_{i<p} binomial(l, p - i)·C_i⁽ˡ⁻ᵖ⁺ⁱ⁾; a difference that rounding explains is 0. Constant coefficients are taken as they are.
/// Contract     Linear equations, as many as unknowns, of order 1 or 2. Varying coefficients are compared at kTimes times, with their derivatives: a
///              structure that holds at one of them alone is none.
/// Checked by   tests/unit/api/mode_structure_test.cpp
#pragma once

#include "saltus/analysis.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

[[nodiscard]] Result<ModeStructure> describe_structure(const system::LockedDae& locked,
                                                       const system::Configuration& configuration, double t);

}  // namespace saltus::api
