/// The affine control form of a mode at a point: ẋ = f + B·u with the constraints as outputs.
///
/// Method       [Com01] 3.1, (3.14)-(3.16): u are the unknowns that constraints act by (structure/control_form.hpp), B_v = M⁻¹Jᵀ the answer of the
///              rates to each of them (reduce/project/motion_equations.hpp), f = ẋ - B·u at the consistent point. G·B and S as in (3.21)-(3.25).
/// Contract     the error is a sentence about what the mode lacks
/// Checked by   tests/unit/api/mode_control_test.cpp
#pragma once

#include <span>
#include <string>
#include <variant>

#include "flat/model.hpp"
#include "saltus/analysis.hpp"
#include "structure/match/causalized.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

/// `x`: states of `locked` near consistent ones.
[[nodiscard]] std::variant<ModeControl, std::string> describe_control(
    flat::Model& model, const structure::Causalized& causalized, const system::LockedDae& locked,
    const system::Configuration& configuration, double t, std::span<const double> x);

}  // namespace saltus::api
