/// Projectors and reduced equations of a mode, for whoever asks what stands behind its characteristic values.
///
/// Method       [Wun08] (2.19), (2.24), (3.31), (3.45): Z₁ᵀF, Z_iᵀF_μ and Z₂ᵀF_μ with the Jacobian of the array at the point analysed
/// Contract     the equations as written (AnalysisForm::as_written); nothing is decided anew
/// Checked by   tests/unit/api/projectors_test.cpp
#pragma once

#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/analysis.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

/// The error: the array has no Jacobian there, which find_characteristic_values() would have said.
[[nodiscard]] Result<ModeProjectors> describe_projectors(const system::LockedDae& locked,
                                                         const system::Configuration& configuration, double t,
                                                         const reduce::CharacteristicValues& values);

}  // namespace saltus::api
