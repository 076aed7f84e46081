/// The grades at which constraints determine states after a jump (graded_transfer.hpp).
///
/// Problem      a state belongs to the first grade whose constraints say something about it. What they contain need not be that:
///              x2' = a(x2, x4) and -x2'/2 = b(x1) - a(x2, x4)/2 name x2 and x4, but with x2' eliminated they speak of x1 alone.
/// Method       first the lowest grade of the rows that contain a slot. Then, grade by grade, derivatives without a value are eliminated
///              from the rows of the grade (left null space of their columns, linalg/rank_decision.hpp); states that are in
///              no row any more belong to the next grade whose rows contain them.
/// Contract     rows that contain such a state are met again at its grade: is_carried_row; derivatives in them are found
///              anew: is_carried_slot.
/// Choices      numbers are looked at at two points: what is zero at one only is in the rows all the same. Done part by part
///              (pattern_parts.hpp); not for large parts, whose matrices are sparse.
/// Cost         a decomposition of the rows of a grade before the last one in each part, where they contain derivatives without a value
/// Checked by   tests/unit/reduce/slot_grades_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/consistent/graded_transfer.hpp"
#include "reduce/nonlinear/pattern_parts.hpp"

namespace saltus::reduce {

struct SlotGrades {
  std::vector<int> grade;  ///< by slot
  std::vector<std::uint8_t> is_carried_slot;
  std::vector<std::uint8_t> is_carried_row;
};

[[nodiscard]] SlotGrades find_slot_grades(const TransferProblem& problem, double t,
                                          const PatternParts& parts);

}  // namespace saltus::reduce
