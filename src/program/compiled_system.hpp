/// A flat model as a system that can be run (system/locked_dae.hpp).
///
/// Method       parameters are evaluated, the model is causalised, right-hand side and outputs are compiled to slab
///              programs with implicit blocks between them (block_sequence.hpp).
/// Contract     immutable and shared by threads. An evaluator solves nonlinear blocks to rounding level starting from
///              its own last solution, at first from the guess it is given, so as long as it stays on one root, results
///              depend on what was evaluated before only by rounding (block_solver.hpp).
/// Choices      a mode whose structure does not determine its unknowns is reduced by ranks: its derivatives are not known
///              to the programs (rhs() is never finite), its states are its unknowns.
/// Fails when   a parameter has no value or a construct cannot be run: not-supported-yet names it and its place. In a mode
///              that is reduced by ranks a relation, trigger or body reads a derivative that is no state:
///              derivative-not-a-state.
/// Checked by   tests/unit/program/compiled_system_test.cpp
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/result.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::program {

/// Nodes take about 60 bytes each with their table: above this an array would take gigabytes.
inline constexpr std::size_t kMostArrayNodes = 20'000'000;

struct BuildOptions {
  /// Modes (by number in HybridSystem::modes()) that are reduced by ranks whatever their structure says.
  std::vector<ModeId> by_ranks = {};
  /// Derivative arrays that make the graph of the model larger than this are refused.
  std::size_t most_array_nodes = kMostArrayNodes;
  /// At the start no variable counts more than another, unless it is fixed.
  bool has_minimum_norm_start = false;

  friend bool operator==(const BuildOptions&, const BuildOptions&) = default;
};

/// A model that is run with many values (compiled_model.hpp) is compiled anew here each time.
[[nodiscard]] Result<std::shared_ptr<const system::HybridSystem>> build_system(
    std::shared_ptr<const flat::Model> model, const ParameterOverrides& overrides,
    const BuildOptions& options = {});

}  // namespace saltus::program
