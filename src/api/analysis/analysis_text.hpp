/// Constraints as sentences of `saltus analyze`.
#pragma once

#include <string>
#include <vector>

#include "flat/model.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::api {

/// What follows from the equations that constrain states by 1 … `index` differentiations, as equations of the language. The graph of
/// the model gains nodes.
[[nodiscard]] std::vector<std::string> hidden_constraints(flat::Model& model,
                                                          const structure::Causalized& causalized, int index);

/// The algebraic conditions that ranks found, as combinations of equations and their derivatives:
/// "0.5*(d/dt of 'a = b') - 'c = d'".
[[nodiscard]] std::vector<std::string> combinations(const reduce::CharacteristicValues& values);

}  // namespace saltus::api
