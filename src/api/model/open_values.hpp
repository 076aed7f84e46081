/// Inputs and parameters whose values are set from outside while the model runs.
///
/// Method       a condition of the kind `external`, which holds a number instead of a truth: an input u gets the equation u = that, and its leaf takes
///              the place of a parameter's, and of those that depend on it, in everything that holds while the model runs. A new number is a
///              change of configuration, so that an instant settles it as any other (settle/settler_outside.cpp).
/// Contract     the text of the condition is the name of the input or parameter
/// Choices      start values, nominal values, periods of sample and initial equations are known before the start and keep the parameter
/// Checked by   tests/unit/api/simulation_test.cpp
#pragma once

#include <string>
#include <vector>

#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::api {

/// Whether an equation gives a variable its value in its declaration, `input Real u = 1`.
[[nodiscard]] bool is_declaration_of(const flat::Model& model, VariableId variable,
                                     const flat::Equation& equation);
/// Such a default goes.
void drop_declaration_equation(flat::Model& model, VariableId input);

/// Inputs that nothing drives; they begin with what is set, else with their default, else with their start value.
void open_inputs(flat::Model& model, const program::ParameterOverrides& overrides);

void open_parameters(flat::Model& model, const std::vector<std::string>& names,
                     const program::ParameterOverrides& overrides);

}  // namespace saltus::api
