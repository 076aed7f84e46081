/// Why a system of equations cannot be causalised, in names of the model.
///
/// Method     Is there a perfect matching when an unknown counts in every order of derivative? (Pantelides [Pan88]: then
///            and only then can differentiating equations help.) If so the system has a higher index: the equations left
///            over constrain states. If not, the parts of Dulmage and Mendelsohn [DM58] of that matching name the
///            equations that are too many and the unknowns that lack one.
/// Checked by tests/unit/structure/singular_report_test.cpp
#pragma once

#include <span>

#include "flat/model.hpp"
#include "structure/alias.hpp"
#include "structure/classify.hpp"
#include "structure/matching.hpp"

namespace saltus::structure {

/// Adds at least one error. `equations` are those of the mode, for the unknowns, inputs and discrete variables of the
/// classification.
void report_singular(flat::Model& model, std::span<const flat::Equation> equations,
                     const Classification& classification, const AliasReport& aliases,
                     Diagnostics& diagnostics);

}  // namespace saltus::structure
