/// A flat model as a system that can be run (system/locked_dae.hpp).
///
/// Method       parameters are evaluated, the model is causalised, right-hand side and outputs are compiled to slab
///              programs with implicit blocks between them (block_sequence.hpp).
/// Contract     immutable and shared by threads. An evaluator solves nonlinear blocks to rounding level starting from
///              its own last solution, at first from the guess it is given, so as long as it stays on one root, results
///              depend on what was evaluated before only by rounding (block_solver.hpp).
/// Fails when   the model cannot be causalised, a parameter has no value, or the model has events, which are not run
///              yet: not-supported-yet names the construct and its place. Conditions that depend on parameters alone and
///              conditions inside noEvent are no events.
/// Checked by   tests/unit/program/compiled_system_test.cpp
#pragma once

#include <memory>

#include "flat/model.hpp"
#include "program/parameter_values.hpp"
#include "saltus/result.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::program {

/// The model is not changed: a system owns the one copy that its analyses extend.
[[nodiscard]] Result<std::shared_ptr<const system::HybridSystem>> build_system(
    std::shared_ptr<const flat::Model> model, const ParameterOverrides& overrides);

}  // namespace saltus::program
