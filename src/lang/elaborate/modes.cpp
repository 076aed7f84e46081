// Modes, transitions, own variables, the choice of the first mode (LANGUAGE 6).
#include <fmt/format.h>

#include "base/one_line.hpp"
#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/mentioned_variables.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {
namespace {

/// Number under which all transitions set variables: never more than one is taken in a round.
constexpr std::size_t kTransitionClause = 0xffffffffU;

}  // namespace

void Elaborator::collect_modes() {
  own_entities_.resize(main_.modes.size());
  for (std::size_t m = 0; m < main_.modes.size(); ++m) {
    const Mode& mode = main_.modes[m];
    Entity entity;
    entity.kind = Entity::Kind::mode;
    entity.name = mode.name;
    entity.span = mode.name_span;
    entity.mode = ModeId(m);
    add_entity(std::move(entity));
    flat::Mode flat_mode;
    flat_mode.name = std::string(ast_.text(mode.name));
    flat_mode.span = mode.span;
    model_.modes.push_back(std::move(flat_mode));
    for (const Component& component : mode.components) {
      if (component.variability == VariabilityPrefix::parameter ||
          component.variability == VariabilityPrefix::constant) {
        error(kOwnVariable,
              fmt::format("{}: parameters and constants belong to the model, not to a mode",
                          quoted(component.name)),
              component.name_span);
      }
    }
  }
}

std::optional<ModeId> Elaborator::find_mode(Symbol name, SourceSpan span) {
  const std::uint32_t entity = name.valid() ? entity_of_symbol_[name.index()] : kNoEntity;
  if (entity != kNoEntity && entities_[entity].kind == Entity::Kind::mode) {
    return entities_[entity].mode;
  }
  if (!name.valid() || damage_.may_declare(ast_.text(name))) {
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const Mode& mode : main_.modes) {
    names.push_back(ast_.text(mode.name));
  }
  error(kUnknownMode, fmt::format("there is no mode {}", quoted(name)), span,
        did_you_mean(ast_.text(name), names));
  return std::nullopt;
}

void Elaborator::lower_modes() {
  for (std::size_t m = 0; m < main_.modes.size(); ++m) {
    const Mode& mode = main_.modes[m];
    SavedContext saved(*this);
    context_.mode = ModeId(m);
    EquationSink sink;
    std::vector<flat::Equation> equations;
    sink.equations = &equations;
    sink.mode = ModeId(m);
    for (const auto& [name, entity] : own_entities_[m].in_order) {
      declaration_equation(entities_[entity], sink);
    }
    lower_equations(mode.equations, sink);
    model_.modes[m].equations = std::move(equations);
    for (const lang::Transition& transition : mode.transitions) {
      lower_transition(transition, ModeId(m));
    }
    if (mode.is_sliding) {
      const auto first = find_mode(mode.between_first, mode.between_first_span);
      const auto second = find_mode(mode.between_second, mode.between_second_span);
      if (first && second) {
        if (*first == *second || *first == ModeId(m) || *second == ModeId(m)) {
          error(kSlidingMode, "a sliding mode lies between two other modes", mode.between_first_span);
        }
        model_.modes[m].sliding_between = std::pair(*first, *second);
      }
    }
  }
  lower_initial_mode();
}

void Elaborator::lower_transition(const lang::Transition& transition, ModeId from) {
  const std::optional<ModeId> to = find_mode(transition.target, transition.target_span);
  const Scalar condition = lower_condition(transition.condition, "the condition of a transition");
  if (!to || !condition.defined()) {
    return;
  }
  flat::Mode& mode = model_.modes[from.index()];
  const std::size_t number = mode.transitions.size();
  flat::Transition lowered;
  lowered.from = from;
  lowered.to = *to;
  lowered.condition = arithmetic_.node(condition);
  lowered.text = on_one_line(model_.source->text(span_of(transition.condition)));
  lowered.span = transition.span;
  mode.transitions.push_back(std::move(lowered));
  SavedContext saved(*this);
  context_.mode = *to;
  context_.pre_mode = from;
  if (transition.has_body) {
    defer_body(
        ast_[transition.body], kTransitionClause,
        [from, number](flat::Model& model) -> flat::Body& {
          return model.modes[from.index()].transitions[number].body;
        },
        transition.span);
  }
}

Scalar Elaborator::mode_choice(ExpressionId id) {
  const Expression& expression = ast_[id];
  if (expression.kind == ExpressionKind::name && ast_.name_parts(id).size() == 1 &&
      ast_.name_parts(id)[0].subscripts.empty()) {
    const auto mode = find_mode(ast_.name_parts(id)[0].name, expression.span);
    return mode ? known_scalar(static_cast<double>(mode->index())) : Scalar();
  }
  if (expression.kind != ExpressionKind::conditional) {
    error(kInitialMode, "the initial mode is the name of a mode, or an 'if' between names", expression.span);
    return {};
  }
  const auto operands = ast_.operands(id);
  Scalar result = mode_choice(operands.back());
  for (std::size_t k = operands.size() - 1; k >= 2; k -= 2) {
    const Scalar condition = lower_condition(operands[k - 2], "the condition of 'if'");
    const Scalar chosen = mode_choice(operands[k - 1]);
    if (!condition.defined() || !chosen.defined() || !result.defined()) {
      return {};
    }
    if (variability(condition) > flat::NodeVariability::parameter) {
      error(kNotParametric, "the initial mode may depend on parameters only", span_of(operands[k - 2]));
      return {};
    }
    result = arithmetic_.select(condition, chosen, result);
  }
  return result;
}

void Elaborator::lower_initial_mode() {
  std::vector<std::size_t> marked;
  for (std::size_t m = 0; m < main_.modes.size(); ++m) {
    if (main_.modes[m].is_initial) {
      marked.push_back(m);
    }
  }
  if (main_.modes.empty()) {
    if (main_.initial_mode.valid()) {
      error(kInitialMode, "there are no modes to choose from", main_.initial_mode_span);
    }
    return;
  }
  if (main_.initial_mode.valid()) {
    if (!marked.empty()) {
      error(kInitialMode, "the initial mode is given twice", main_.modes[marked[0]].span)
          .notes.push_back({"also here", main_.initial_mode_span});
    }
    SavedContext saved(*this);
    context_.watching = Watching::none;
    const Scalar choice = mode_choice(main_.initial_mode);
    if (choice.defined()) {
      model_.initial_mode = arithmetic_.node(choice);
    }
    return;
  }
  if (marked.empty()) {
    error(kInitialMode, "no mode is the initial one", main_.modes[0].span,
          "write 'initial mode' before one of them");
    return;
  }
  if (marked.size() > 1) {
    error(kInitialMode,
          fmt::format("two modes are initial: '{}' and '{}'", model_.modes[marked[0]].name,
                      model_.modes[marked[1]].name),
          main_.modes[marked[1]].span);
  }
  model_.initial_mode = model_.graph.constant(static_cast<double>(marked[0]));
}

void Elaborator::check_entry_values(const flat::Transition& transition, std::vector<bool>& reported) {
  std::unordered_set<std::uint32_t> set;
  std::unordered_set<std::uint32_t> seen;
  for (const flat::Body::Assignment& reinit : transition.body.reinits) {
    set.insert(reinit.variable.value());
  }
  for (const flat::Equation& equation : transition.body.jump_equations) {
    add_mentioned(model_.graph, equation.left, seen, set);
    add_mentioned(model_.graph, equation.right, seen, set);
  }
  const flat::Mode& target = model_.modes[transition.to.index()];
  for (const VariableId variable : target.variables) {
    const flat::Variable& own = model_[variable];
    const std::uint32_t owner = entity_of_variable_[variable.index()];
    const bool needs_value = !own.start && own.variability != flat::Variability::discrete &&
                             is_differentiated_[entities_[owner].name.index()];
    if (!needs_value || set.count(variable.value()) != 0 || reported[variable.index()]) {
      continue;
    }
    reported[variable.index()] = true;
    error(kOwnVariable,
          fmt::format("'{}' gets no value when mode '{}' is entered from '{}'", own.name, target.name,
                      model_.modes[transition.from.index()].name),
          own.span, "give it a 'start' or set it in the transition")
        .notes.push_back({"this transition does not set it", transition.span});
  }
}

void Elaborator::check_own_variables() {
  std::vector<bool> reported(model_.variables.size(), false);
  for (const flat::Mode& mode : model_.modes) {
    for (const flat::Transition& transition : mode.transitions) {
      check_entry_values(transition, reported);
    }
  }
  // The same own name in several modes is one column: type and unit must agree.
  std::vector<std::uint32_t> first(ast_.n_symbols(), kNoEntity);
  for (const auto& own : own_entities_) {
    for (const auto& [name, index] : own.in_order) {
      const Entity& entity = entities_[index];
      if (entity.failed || entity.is_parameter || n_elements(entity.shape) == 0) {
        continue;
      }
      if (first[name.index()] == kNoEntity) {
        first[name.index()] = index;
        continue;
      }
      const Entity& other = entities_[first[name.index()]];
      const bool agree = entity.type == other.type && entity.shape == other.shape &&
                         model_.variables[entity.first].unit == model_.variables[other.first].unit;
      if (!agree) {
        error(kOwnVariable,
              fmt::format("{} is declared in two modes with different types, sizes or units", quoted(name)),
              entity.span)
            .notes.push_back({"first declared here", other.span});
      }
    }
  }
}

}  // namespace saltus::lang
