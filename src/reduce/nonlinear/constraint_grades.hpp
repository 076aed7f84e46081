/// Constraints of positions, of velocities and of what follows, told apart by what is left to differentiate.
///
/// Problem      1000·x' = 1000·w beside x² + y² = 1: an equation that ties velocities is written without being differentiated, and so is the
///              constraint of the positions. Counted by how often rows were differentiated, x' and w would be positions, and a projection
///              would put right the velocity of y alone what is wrong with both: near y = 0 by any amount (car axis: 300 tolerances).
/// Method       The grade of F_i^(k) is k - c_i, c_i being how often F_i is differentiated (docs/math/index_reduction.md): -1 where the next
///              derivative determines something, -2 for constraints of positions. A state is of the lowest grade of the rows that contain it.
/// Contract     Scales of states that no row connects do not depend on each other: a model beside another changes nothing.
/// Choices      kOrderScale = 100: velocities make up for what is wrong with velocities. In one measure for all, half of it would be
///              made up for by positions, which weigh more by the frequencies of the system (car axis: errors 2 to 80 times larger).
///              Projecting order after order [HW96] VII.2 is the limit of large scales; the rest is 1e-4 of it.
/// Fails when   rows come from combinations (RowInfo::is_combined): they are of one grade, whatever they constrain
/// Checked by   tests/unit/reduce/constraint_grades_test.cpp, tests/property/variable_units_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

/// Grades of constraints with these rows.
[[nodiscard]] std::vector<int> grades_of_constraints(const std::vector<system::RowInfo>& rows);

/// Constraints over states. `places`: by slot the state that it is; empty: the same.
struct ConstraintBlock {
  const system::EquationSet* constraints = nullptr;
  std::span<const Index> places = {};
};

/// By state how much of a change counts as one: its nominal value times kOrderScale for each grade above the lowest one that is connected
/// with it.
[[nodiscard]] std::vector<double> scales_by_grade(std::span<const ConstraintBlock> blocks,
                                                  std::span<const double> nominal);

}  // namespace saltus::reduce
