/// Twins at a distance over which what is differentiated is smooth.
///
/// Problem    a distance is a guess from the size of the parameter: tanh(1e5·p) at p = 0 changes over less of it, √p has no derivative there
/// Method     of the distances kTwinDistance, 2⁻⁶ of that and so on the first at which differences settle: those of fourth and of second order over the same twins
///            agree, whose difference is about the square root of the error of the former. Looked at are other parameters that follow it, the start and,
///            where the parameter is zero, the rates there
/// Fails when no distance does: TwinSet::undefined
/// Cost       one look at what was made; four systems more for each further distance
/// Checked by tests/sensitivity/zero_values_test.cpp
#pragma once

#include <span>

#include "api/sensitivity/twins.hpp"

namespace saltus::api {

[[nodiscard]] TwinSet make_settled_twins(const Instance& base, const system::InitialPoint& initial,
                                         const SensitivityTarget& target, const RunSettings& settings);

/// Terms with a parameter that is zero are not in the programs.
[[nodiscard]] bool moves_zero(const TwinSet& set, std::span<const double> parameters);

}  // namespace saltus::api
