/// What equations that come from elsewhere than the text are made with: while a text is elaborated, after its own equations.
#pragma once

#include "flat/model.hpp"
#include "lang/elaborate/arithmetic.hpp"
#include "lang/elaborate/condition_table.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::lang {

/// Relations, abs, min, max and floor go through the table of conditions, so that they mean what they mean in the text.
struct EquationMaker {
  flat::Model& model;
  Arithmetic& arithmetic;
  ConditionTable& conditions;
  Diagnostics& diagnostics;
};

}  // namespace saltus::lang
