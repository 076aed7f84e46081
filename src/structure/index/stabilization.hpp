/// What determines the highest derivatives in place of an equation that was differentiated.
///
/// Problem    Dᶜ F = 0 keeps F, DF, … Dᶜ⁻¹F at zero in exact arithmetic; what errors make of them grows like tᶜ⁻¹
/// Method     a combination with the same solutions through consistent points, in which they behave otherwise:
///            D (D + σ)ᶜ⁻¹ F = 0, the equivalent control of the surface S = (D + σ)ᶜ⁻¹ F [Com01] (3.18), (3.24), or
///            (D + σ)ᶜ F = 0, of which [Bau72] has the case c = 2
/// Contract   `derivatives`: F, DF, … Dᶜ F, c ≥ 0. With c = 0, or Row::differentiated, it is Dᶜ F to the node: models that ask for nothing
///            get what they had. The factor of Dᶜ F is 1, so that the matrix of the highest derivatives stays.
/// Checked by tests/unit/structure/stabilization_test.cpp
#pragma once

#include <span>

#include "flat/model.hpp"

namespace saltus::structure {

[[nodiscard]] flat::Equation stabilized(expr::Graph& graph, const flat::Formulation& formulation,
                                        std::span<const flat::Equation> derivatives);

}  // namespace saltus::structure
