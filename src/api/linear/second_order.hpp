/// What equations of second and higher order would be in other forms: as companion form, and with unknowns v = der(x) merged.
///
/// Contract     the point of the characteristic values given; a form whose ranks are not decided there, or for which no derivatives are found, is
///              left out: it is a comparison
/// Checked by   tests/unit/api/second_order_test.cpp
#pragma once

#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/analysis.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

/// Derivatives that `values` need, of order 1 and more; `equations`: the array of depth 0.
[[nodiscard]] std::vector<DataDerivative> data_derivatives(const system::EquationSet& equations,
                                                           const reduce::CharacteristicValues& values);

/// ModeAnalysis::companion and ModeAnalysis::merged. `values` are those of the equations as written.
void describe_second_order(const system::LockedDae& locked, const system::Configuration& configuration,
                           double t, const reduce::CharacteristicValues& values,
                           const reduce::AnalysisOptions& ranks, ModeAnalysis& mode);

}  // namespace saltus::api
