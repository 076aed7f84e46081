/// The linearised equations of a mode as a pencil, with its Kronecker structure.
///
/// Method       E = ∂F/∂(highest derivatives), A = -∂F/∂(the others) of the equations as written at the point analysed; derivatives between have
///              rows of their own, ẋ_k = x_(k+1) (the form of states, docs/math/ranks.md). The structure by linalg/pencil/kronecker.hpp.
/// Contract     `values`: what find_characteristic_values() found at the point
/// Checked by   tests/unit/api/pencil_test.cpp
#pragma once

#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/analysis.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

/// The error: the equations have no Jacobian there, or the tolerance is no such number.
[[nodiscard]] Result<ModePencil> describe_pencil(const system::LockedDae& locked,
                                                 const system::Configuration& configuration, double t,
                                                 const reduce::CharacteristicValues& values,
                                                 std::optional<double> tolerance);

}  // namespace saltus::api
