/// Pullbacks of the rates, outputs or guards of a mode: system::Pullback, compiled.
///
/// Method       the sequences of the evaluator, backwards (blocks/sequence_pullback.hpp); guards as sequences of their own
///              (equations/guard_values.hpp), whose shares follow each other.
/// Contract     as system::Pullback, and as evaluator_tangents.hpp: the evaluator is read and not changed, blocks begin at its solutions.
///              not_finite: the culprit is the first weighted result that is not finite or by which a sum is not.
/// Choices      conditions and whole numbers rest: their sums get nothing. Guards of which none has a weight are not computed.
/// Checked by   tests/unit/program/evaluator_pullback_test.cpp
#pragma once

#include <memory>

#include "program/evaluator_tangents.hpp"
#include "system/pullback.hpp"

namespace saltus::program {

/// Null: there is none.
[[nodiscard]] std::unique_ptr<system::Pullback> make_pullback(const EvaluatorParts& parts,
                                                              system::Evaluated of);

}  // namespace saltus::program
