/// The problem of the start with relations that follow the values of an iteration.
///
/// Problem      with its sides held, x·|x| = -5 is x² = -5 as long as the guess is not negative: there is no solution, though that of the other
///              side is plain
/// Method       in each block of the start, conditions over what is known there or is its own unknown are replaced by relations between
///              values: truth and value change together. A linear block that has such a condition is nonlinear then: its matrix depends
///              on its unknowns. Conditions over what later blocks give stay held: for them sides and values are found in turns.
/// Contract     The sequence has the inputs, outputs and guesses of SystemCode::start. What it gives is where the search with held sides begins
///              (initial_point.cpp): that must agree.
/// Cost         that of compiling the start again: only where it has failed
/// Checked by   tests/events/singular_guess_test.cpp
#pragma once

#include <memory>

#include "program/equations/system_code.hpp"

namespace saltus::program {

/// Made once.
[[nodiscard]] const std::shared_ptr<const SequenceCode>& compile_free_start(const SystemCode& code);

/// The relation between values that a condition over a guard is; `kind` is one of the four relations.
[[nodiscard]] NodeId relation_of(expr::Graph& graph, flat::Condition::Kind kind, NodeId guard);

}  // namespace saltus::program
