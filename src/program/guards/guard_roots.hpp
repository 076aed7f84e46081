/// Roots of guards that stay zero.
///
/// Problem      k·√(h1 - h2) where h1 - h2 stays zero (levels that have met, docs/semantics.md 2.1): rounding leaves ±1e-16 of the
///              difference, and the root of that is 1e-8, or not a number
/// Method       √u with u = c·g (c a factor, g the expression of a guard, or a choice between such) becomes
///              if (g ≥ 0) - (g > 0) then u else √u: linear in what rounding leaves where the guard stays zero, itself elsewhere. So do
///              powers with exponents below 1.
/// Contract     values are the same, bit for bit, wherever the guard has a side. Every unknown still occurs on both sides of the choice, so
///              that it changes no structure. Conditions may be added to the model; guards are not.
/// Choices      factors are looked for through products, quotients, powers and choices; a root that vanishes on the surfaces of
///              several guards goes with the first.
/// Cost         linear in the nodes of the equations
/// Checked by   tests/unit/program/guard_roots_test.cpp, tests/events/root_laws_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::program {

/// Rewrites the common equations and those of the modes; to be called before choices over one guard are normalised.
void tame_roots_of_guards(flat::Model& model);

}  // namespace saltus::program
