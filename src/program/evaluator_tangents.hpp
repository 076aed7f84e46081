/// Tangents of the rates, outputs and guards of a mode: system::Tangents, compiled.
///
/// Method       the sequences of the evaluator, with tangents (blocks/sequence_tangent.hpp); guards as sequences of their own
///              (equations/guard_values.hpp).
/// Contract     as system::Tangents. The evaluator is read and not changed: what it computes afterwards is, bit for bit, what it would
///              have computed. Blocks that its store knows at a point have these solutions; others are solved for from its last ones.
///              not_finite: the culprit is the quantity whose value or tangent it is, as in values.
/// Choices      conditions and whole numbers rest, whatever the seeds say. No seeds of discrete variables: these rest too.
/// Fails when   a direction moves a parameter that the code does not read (blocks/frozen_tangents.hpp): there are none.
/// Checked by   tests/unit/program/evaluator_tangents_test.cpp
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "program/blocks/block_sequence.hpp"
#include "program/equations/mode_equations.hpp"
#include "program/equations/system_data.hpp"
#include "program/guards/guard_set.hpp"
#include "system/tangents.hpp"

namespace saltus::program {

/// What tangents read of an evaluator.
struct EvaluatorParts {
  const SystemData& data;
  const ModeData& mode;
  const ModeEquations& equations;
  const SequenceRunner& derivatives;
  const SequenceRunner& values;
  const GuardRunner& guards;
  SolutionStore& store;
};

/// What make_tangents() gives.
class ModeTangents : public system::Tangents {
 public:
  /// How numbers that are set from outside move in the calls that follow, [guard][direction]; those of other guards are not read. Empty: they
  /// rest, as before the first call.
  virtual void set_outside(std::span<const double> seeds) = 0;
};

/// Unknowns of all implicit blocks: the size of a guess.
[[nodiscard]] std::size_t n_implicit_unknowns(const EvaluatorParts& parts);

/// Null: there are none.
[[nodiscard]] std::unique_ptr<system::Tangents> make_tangents(const EvaluatorParts& parts,
                                                              const system::ParameterDirections& directions);

}  // namespace saltus::program
