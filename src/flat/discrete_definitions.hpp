/// Problem      `off = s < 0; v = if off then s else 0` is the relation with a name in between. Read as a value that is held until a round
///              sets it, the name hides that v and s depend on each other through the relation: the choice of a diode would take
///              one round after the other, each with equations of the choice before, and a heater switched by a Boolean could not slide.
/// Method       where an equation `b = …` gives a discrete variable by relations, whole numbers (floor, …), parameters and other
///              discrete variables alone, the equations of continuous variables contain what it says instead of b. Definitions are
///              put into each other first; those that depend on themselves stay as they are.
/// Contract     b itself, pre(b) and clauses over them are as before: the equation of b stays and rounds give its value. Conditions that
///              hold for an instant only (sample, initial, terminal) and pre(…) are no definitions: b is memory then.
/// Cost         linear in the graph
/// Checked by   tests/unit/lang/discrete_definitions_test.cpp, tests/events/mixed_systems_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::flat {

/// Rewrites the common equations and those of the modes; to be called before any analysis of the structure.
void put_in_definitions(Model& model);

}  // namespace saltus::flat
