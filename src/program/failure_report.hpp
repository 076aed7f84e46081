/// Why an evaluation failed, in a sentence with names, lines and numbers of the model.
///
/// Problem      a value is not finite, or an implicit block could not be solved: which equation is to blame?
/// Method       the blocks are evaluated once more, in their order, over the graph itself. Back from the failure, only
///              through nodes that are not finite (of an if-expression through the side that was chosen), one reaches
///              equations in which something not finite arises from finite operands. The first of them in the order of
///              computation is named.
/// Contract     x is the point of the failure, and the runner's last call was the one that failed: its solutions of the
///              blocks before the failure are those of this point. For messages: allocates.
/// Cost         proportional to the graph.
/// Checked by   tests/unit/program/failure_report_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "program/blocks/block_sequence.hpp"
#include "structure/match/causalized.hpp"
#include "system/locked_dae.hpp"

namespace saltus::program {

struct SystemData;
struct ModeData;

/// A list of blocks with what they are given: those of the run, of the problem of the start or of a round.
struct BlockProblem {
  const flat::Model& model;
  std::span<const structure::Block> blocks;
  std::span<const flat::Equation> equations;      ///< that the blocks refer to
  std::span<const structure::RowOrigin> origins;  ///< of the first of them, those of the mode
  std::span<const structure::Unknown> states;
  std::span<const double> frozen_inputs;
  LeafBindings bindings;  ///< of what neither states nor blocks give
};

[[nodiscard]] BlockProblem problem_of_run(const SystemData& data, const ModeData& mode);
[[nodiscard]] BlockProblem problem_of_start(const SystemData& data);
[[nodiscard]] BlockProblem problem_of_round(const SystemData& data, const ModeData& mode);

struct Failure {
  std::string sentence;
  /// The equation named first; none when the state itself is not finite.
  std::optional<EquationId> equation;
};

/// The equations that are solved for an unknown, with their lines; empty: it is a state, or given.
[[nodiscard]] std::string equations_for(const BlockProblem& problem, const structure::Unknown& unknown);

/// `value` is not finite at (t, x).
[[nodiscard]] Failure explain_not_finite(const BlockProblem& problem, const SequenceRunner& runner,
                                         const structure::Unknown& value, double t,
                                         std::span<const double> x);
/// Status singular_block or no_convergence; the culprit is the index of a block.
[[nodiscard]] Failure explain_block(const BlockProblem& problem, const SequenceRunner& runner,
                                    const system::Evaluation& evaluation, double t,
                                    std::span<const double> x);

}  // namespace saltus::program
