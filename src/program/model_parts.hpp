/// Parts of a model that have nothing to do with each other, and guards that decide the structure of the equations together.
///
/// Problem      a search over sides of guards that tries combinations must not grow with what stands beside in the same model
/// Method       disjoint sets of variables and guards: an equation, a guard or a clause joins what it contains. What is given from outside joins
///              nothing: time, and every variable that an equation or clauses give by themselves from time and others that are given (a
///              source, or the state of a switch, that many circuits share), and guards over these alone. Structure: guards that occur in one block of the common analysis
///              decide together; a complete matching consists of complete matchings of the blocks, so others do not take part.
/// Contract     a model with several modes is one part: its transitions concern all of it.
/// Cost         linear in the graph
/// Checked by   tests/unit/program/model_parts_test.cpp
#pragma once

#include <vector>

#include "program/equations/system_code.hpp"

namespace saltus::program {

[[nodiscard]] system::ModelParts find_model_parts(const SystemCode& data);

/// By guard: the number of its group, -1 where no structural choice of the mode asks for it.
[[nodiscard]] std::vector<Index> find_choice_groups(const SystemCode& data, const ModeCode& mode);

}  // namespace saltus::program
