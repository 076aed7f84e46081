/// Why a system of equations cannot be causalised, in names of the model.
///
/// Method     Is there a perfect matching when an unknown counts in every order of derivative? (Pantelides [Pan88]: then
///            and only then can differentiating equations help.) If not, the parts of Dulmage and Mendelsohn [DM58] of
///            that matching name the equations that are too many and the unknowns that lack one.
/// Contract   an equation without any unknown is an error always: it holds by chance, or not.
/// Checked by tests/unit/structure/singular_report_test.cpp
#pragma once

#include <cstdint>
#include <span>

#include "flat/model.hpp"
#include "structure/match/classify.hpp"
#include "structure/match/matching.hpp"

namespace saltus::structure {

/// Adds at least one diagnostic. `equations` are those of the mode, for the unknowns, inputs and discrete variables of the
/// classification; no differentiation makes them determine all of these.
void report_singular(flat::Model& model, std::span<const flat::Equation> equations,
                     const Classification& classification, Severity severity, Diagnostics& diagnostics);

/// Warnings for equations that repeat what others say.
void report_repeated(const flat::Model& model, std::span<const flat::Equation> equations,
                     std::span<const std::uint32_t> repeated, Diagnostics& diagnostics);

}  // namespace saltus::structure
