// Problem    a parameter with fixed = false has no value of its own: it is an unknown of the start (Modelica 8.6).
// Method     it is lowered to a Real that rests, der(p) = 0: its value follows from the initial equations, of which its binding is one;
//            its start attribute is the guess.
// Choices    a state, because a state is what saltus solves for at the start and keeps then; results list it with the variables.
//            What must be known before the start (sizes, periods of sample, values of other parameters) cannot depend on it.
// Checked by tests/unit/lang/free_parameters_test.cpp, tests/cli/limits_test.cpp
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {

// Whether the last of its attributes says fixed = false for all elements.
bool Elaborator::says_not_fixed(const Entity& entity) {
  bool is_free = false;
  for (const Modification* modification : entity.modifications) {
    if (ast_.text(modification->name) != "fixed" || !modification->value.valid()) {
      continue;
    }
    const SourceSpan span = span_of(modification->value);
    const Value value = lower(modification->value);
    if (value.failed || value.type != flat::Type::boolean) {
      continue;  // reported with the other attributes
    }
    std::size_t n_free = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::optional<double> fixed = evaluate_now(value[i], span, "the attribute 'fixed'");
      n_free += fixed && *fixed == 0.0 ? 1 : 0;
    }
    is_free = n_free > 0;
    if (is_free && (n_free < value.size() || entity.type != flat::Type::real || entity.mode.valid())) {
      error(kNotSupported,
            n_free < value.size() ? "an array of parameters of which some are fixed is not supported yet"
            : entity.mode.valid() ? "a parameter of a mode with fixed = false is not supported yet"
                                  : "fixed = false is supported for parameters of type Real only",
            span);
      return false;
    }
  }
  return is_free;
}

void Elaborator::free_parameter_equations(const Entity& entity) {
  Value left = array_value(entity.type, entity.shape);
  Value rate = left;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const VariableId variable(entity.first + i);
    left[i] = node_scalar(model_.graph.variable(variable));
    rate[i] = node_scalar(model_.graph.variable(variable, 1));
    model_.equations.push_back(
        {arithmetic_.node(rate[i]), model_.graph.constant(0.0), entity.component->span});
  }
  if (!entity.component->value.valid()) {
    return;
  }
  SavedContext saved(*this);
  context_.watching = Watching::none;
  context_.repeated = !entity.shape.empty();
  const Value right = lower(entity.component->value);
  EquationSink initial;
  initial.equations = &model_.initial_equations;
  initial.initial = true;
  if (!right.failed) {
    add_equations(left, right, entity.component->span, initial);
  }
}

}  // namespace saltus::lang
