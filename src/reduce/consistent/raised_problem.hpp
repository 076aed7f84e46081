/// An initial problem of a mode that is reduced by ranks, with its equations differentiated as often as its index asks for.
///
/// Problem      HybridSystem::initial() cannot know how many derivatives of the equations matter; the rank analysis finds the depth
/// Method       rows: derivative_array(depth), then the initial equations of the problem given; slots: those of the array
/// Contract     Slots that the problem has keep guess and tier; others are free and begin at 0. Slots are the same when variable
///              and order are. The result shares the equations of both.
/// Fails when   the array cannot be built (diagnostics of LockedDae::derivative_array)
/// Checked by   tests/unit/reduce/raised_problem_test.cpp
#pragma once

#include "saltus/result.hpp"
#include "system/initial_problem.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

[[nodiscard]] Result<system::InitialProblem> raise_problem(const system::InitialProblem& problem,
                                                           const system::LockedDae& locked, int depth);

}  // namespace saltus::reduce
