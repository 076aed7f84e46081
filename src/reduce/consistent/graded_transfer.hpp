/// Consistent values after a jump: what bodies say holds, what they leave open follows from the constraints, grade by grade.
///
/// Problem      jump equations T(x⁻, x⁺) = 0 and constraints of all grades of the configuration that follows: x⁺ with the states
///              that nobody mentioned as they were, as far as the equations allow
/// Method       the order of Pryce's solution scheme [Pry01]: constraints of grade k = (how often differentiated) - (how
///              often at all), the lowest first, each solved for the states that it is the first to constrain (slot_grades.hpp);
///              states of earlier grades stay. A jump equation belongs to the last grade of what it contains. At each grade first only
///              what may jump gives way, then the states that are held (those that find_kept names after the others); then, with the equations of earlier grades, what may
///              jump there; at grade 0 at last states that are held, velocities before positions. Each time reduce/consistent/start_search.hpp, least change in nominal values.
/// Notation     grade -1: states whose derivative is the highest of its variable (velocities), grade -2: those below (positions),
///              grade 0: what follows from the states
/// Contract     On success every row is met as consistent_values.hpp says. A state that need not change by more than kUnchanged of
///              its size keeps its value to the last bit; a value that a row gives is that value to the last bit. Velocities
///              that do not fit never move positions that do, unless a jump equation says that these may jump.
/// Choices      Slots in no constraint belong to grade -1. Above 200 rows or slots what may jump and what is held give way alike
///              in one grade.
/// Fails when   no values meet the rows of a grade: jump-contradiction, naming jump equations and constraints
/// Cost         some steps of Gauss-Newton for each grade; allocates
/// Checked by   tests/unit/reduce/graded_transfer_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "saltus/result.hpp"
#include "system/configuration.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

/// How a slot may change, the strongest first.
enum class Hold : std::uint8_t {
  held,     ///< a state: only where the equations ask for it
  jumping,  ///< a state that a body mentions
  open,     ///< a state without a value
  solved,   ///< follows from the states
  rate,     ///< a derivative that nobody keeps
};

struct TransferProblem {
  std::shared_ptr<const system::EquationSet> equations;
  system::Configuration configuration;
  std::vector<double> guess;  ///< by slot: the values before
  std::vector<Hold> hold;     ///< by slot
  std::vector<int> grade;     ///< by row that is no jump equation; these are the first rows
  bool is_graded = true;      ///< grades of states tell positions from velocities
  std::vector<Index> given;   ///< by jump equation: the slot that stands alone on one side, -1: none
  /// By slot: states that are held, and that give way only where the others are not enough. Asked at most once, where something that is held
  /// has to give way; empty: there are none.
  std::function<std::vector<std::uint8_t>()> find_kept = {};
};

struct TransferValues {
  std::vector<double> slots;
  std::vector<int> grade;         ///< by slot
  std::vector<Index> open_slots;  ///< without a value before, and nothing determines them
};

[[nodiscard]] Result<TransferValues> transfer_by_grades(const TransferProblem& problem, double t);

}  // namespace saltus::reduce
