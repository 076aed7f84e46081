/// What initial equations say of discrete variables, to the last bit.
///
/// Problem      The iteration that finds consistent values leaves rounding errors in all slots. A clock of a clause that is off zero by one
///              (`T_start = startTime + count*period`) has not begun, and what divides by the length of its rise has no value.
/// Method       Each slot of a discrete variable goes with the initial equation, among those that contain it and are left, which has the fewest
///              slots; whole numbers are rounded, then each slot is moved by its equation alone, v := v - r/(∂r/∂v), in sweeps, until
///              nothing moves: along a chain of assignments one sweep for each of them.
/// Contract     slots satisfy all equations to rounding before, and do so afterwards; other slots stay as they are.
/// Fails when   an equation cannot be evaluated: the slots stay as they were found
/// Checked by   tests/events/discrete_initial_test.cpp
#pragma once

#include <span>

#include "system/hybrid_system.hpp"
#include "system/initial_problem.hpp"

namespace saltus::settle {

void sharpen_discrete(const system::InitialProblem& problem, std::span<const system::VariableInfo> variables,
                      double t, std::span<double> slots);

}  // namespace saltus::settle
