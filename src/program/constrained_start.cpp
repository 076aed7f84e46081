// The start of a mode with constraints or of one that is reduced by ranks: the problem that the numeric tower solves
// (system/initial_problem.hpp).

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "expr/dependency.hpp"
#include "expr/evaluate.hpp"
#include "expr/substitute.hpp"
#include "program/equations/mode_equations.hpp"
#include "program/equations/system_data.hpp"
#include "program/free_start.hpp"

namespace saltus::program {
namespace {

using structure::Unknown;

system::StartTier tier_of(structure::GuessTier tier) {
  switch (tier) {
    case structure::GuessTier::fixed: return system::StartTier::fixed;
    case structure::GuessTier::differential: return system::StartTier::differential;
    case structure::GuessTier::other: return system::StartTier::other;
    default: return system::StartTier::free;
  }
}

// With the minimum norm all variables count alike, whether a start was given or not; derivatives follow from them.
std::vector<system::StartTier> tiers_of(const SystemCode& data) {
  std::set<Unknown> variables;  // slots that are a variable by another name, v of v = der(x)
  for (const structure::SlotAlias& alias : data.modes[data.initial_mode].causalized.aliases) {
    if (alias.quantity.order == 0) {
      variables.insert(alias.target);
    }
  }
  std::vector<system::StartTier> tiers;
  for (const structure::StartSlot& slot : data.start_problem->slots) {
    const bool is_variable = slot.quantity.order == 0 || variables.count(slot.quantity) > 0;
    const system::StartTier tier = tier_of(slot.tier);
    tiers.push_back(data.has_minimum_norm_start && is_variable && tier != system::StartTier::fixed
                        ? system::StartTier::differential
                        : tier);
  }
  return tiers;
}

// initial() is true here, and pre(…) is the start value: both are frozen inputs behind those of the system.
void bind_start(const SystemCode& code, EquationRequest& request) {
  const auto first = static_cast<std::uint32_t>(code.n_frozen_inputs());
  for (const ConditionId condition : code.conditions.initial()) {
    request.bindings.bind_condition(condition, {Binding::Kind::parameter, first});
  }
  for (std::size_t v = 0; v < code.model.variables.size(); ++v) {
    const auto column = static_cast<std::uint32_t>(code.column_of_variable[v]);
    request.bindings.bind_previous(VariableId(v), {Binding::Kind::parameter, first + 1 + column});
  }
  request.n_frozen_inputs = first + 1 + code.columns.size();
}

// … in this order.
std::vector<double> frozen_at_start(const SystemData& data) {
  std::vector<double> frozen = data.frozen_inputs;
  frozen.push_back(1.0);
  frozen.insert(frozen.end(), data.start_values.begin(), data.start_values.end());
  return frozen;
}

// Guards over slots, written with them, in a graph that is open; others are invalid.
std::vector<NodeId> guards_over_slots(const SystemCode& data, expr::Graph& graph) {
  std::vector<expr::Replacement> aliases;
  for (const structure::SlotAlias& alias : data.modes[data.initial_mode].causalized.aliases) {
    const NodeId target = graph.variable(alias.target.variable, alias.target.order);
    aliases.push_back({.from = graph.variable(alias.quantity.variable, alias.quantity.order),
                       .to = alias.negative ? graph.negate(target) : target});
  }
  std::set<Unknown> slots;
  for (const structure::StartSlot& slot : data.start_problem->slots) {
    slots.insert(slot.quantity);
  }
  expr::Substitution without_aliases(graph, aliases);
  std::vector<NodeId> guards;
  for (const ConditionInputs::Guard& guard : data.conditions.guards()) {
    const NodeId expression = without_aliases(guard.expression);
    const std::vector<NodeId> leaves = expr::leaves_of(graph, std::span(&expression, 1));
    bool has_slot = false;
    const bool is_known = std::all_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
      const expr::Node& node = graph[leaf];
      const bool is_slot =
          node.op == expr::Op::variable &&
          slots.count({.variable = VariableId(node.first), .order = static_cast<int>(node.second)}) > 0;
      has_slot = has_slot || is_slot;
      return is_slot || node.op == expr::Op::time || node.op == expr::Op::parameter;
    });
    guards.push_back(is_known && has_slot && is_relation(guard.kind) ? expression : NodeId());
  }
  return guards;
}

std::vector<expr::Replacement> relations_over(const SystemCode& data, expr::Graph& graph,
                                              std::span<const NodeId> guards) {
  std::vector<expr::Replacement> relations;
  for (std::size_t i = 0; i < guards.size(); ++i) {
    for (const ConditionInputs::Use& use : data.conditions.of_guard(i)) {
      if (guards[i].valid()) {
        relations.push_back(
            {graph.condition(ConditionId(use.condition)), relation_of(graph, use.kind, guards[i])});
      }
    }
  }
  return relations;
}

// `are_free`: relations over slots follow these.
std::shared_ptr<const EquationCode> compile_start_equations(const SystemCode& code, bool are_free) {
  const structure::StartProblem& problem = *code.start_problem;
  const structure::Causalized& causalized = code.modes[code.initial_mode].causalized;
  EquationRequest request = equation_request(code);
  bind_start(code, request);
  std::vector<Unknown> slots;
  for (const structure::StartSlot& slot : problem.slots) {
    slots.push_back(slot.quantity);
  }
  add_slots(code, slots, request);
  std::vector<RowSource> texts;
  LateGraph::Access graph = code.late_graph->open();
  const std::vector<expr::Replacement> relations =
      are_free ? relations_over(code, *graph, guards_over_slots(code, *graph))
               : std::vector<expr::Replacement>();
  expr::Substitution with_relations(*graph, relations);
  for (const structure::StartRow& row : problem.rows) {
    const NodeId difference = graph->subtract(row.equation.left, row.equation.right);
    request.rows.push_back(are_free ? with_relations(difference) : difference);
    RowSource text{.left = row.equation.left, .right = row.equation.right, .span = row.equation.span};
    if (row.kind == structure::StartRow::Kind::model) {
      text.equation = static_cast<Index>(row.origin.equation);
      text.order = row.origin.order;
      if (row.origin.order > 0) {
        text.left = causalized.written[row.origin.equation].left;
        text.right = causalized.written[row.origin.equation].right;
        text.n_more_derivatives = row.origin.order;
      }
    }
    texts.push_back(text);
  }
  add_row_texts(code, std::move(texts), request);
  return std::make_shared<const EquationCode>(*graph, std::move(request));
}

std::shared_ptr<const EquationProgram> start_equations(const std::shared_ptr<const SystemData>& data,
                                                       bool are_free) {
  const SystemCode& code = *data->code;
  const auto& equations = (are_free ? code.free_start_equations : code.start_equations).get([&] {
    return compile_start_equations(code, are_free);
  });
  EquationNumbers numbers = equation_numbers(data);
  const std::vector<double> frozen = frozen_at_start(*data);
  numbers.frozen_inputs = frozen;
  return std::make_shared<const EquationProgram>(equations, std::move(numbers));
}

std::vector<double> latched_at_slots(const SystemData& data, double t, std::span<const double> values) {
  const SystemCode& code = *data.code;
  LateGraph::Access graph = code.late_graph->open();
  const std::vector<NodeId> guards = guards_over_slots(code, *graph);
  std::map<Unknown, double> value_of;
  for (const structure::StartSlot& slot : code.start_problem->slots) {
    value_of.emplace(slot.quantity, values[value_of.size()]);
  }
  expr::Evaluator evaluate(
      *graph,
      {.time = t, .parameters = data.frozen_inputs, .other = [&](const expr::Node& leaf) {
         return value_of.at({.variable = VariableId(leaf.first), .order = static_cast<int>(leaf.second)});
       }});
  std::vector<double> latched(guards.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < guards.size(); ++i) {
    if (guards[i].valid()) {
      latched[i] = ConditionInputs::latched_of(code.conditions.guards()[i], evaluate(guards[i]));
    }
  }
  return latched;
}

// The slots of what the implicit blocks of the run determine; aliases have none and need none.
std::vector<Index> slots_of_guess(const SystemCode& data) {
  std::map<Unknown, Index> slot_of;
  for (const structure::StartSlot& slot : data.start_problem->slots) {
    slot_of.emplace(slot.quantity, std::ssize(slot_of));
  }
  std::vector<Index> slots;
  for (const structure::Block& block : data.modes[data.initial_mode].causalized.blocks) {
    for (const Unknown& unknown : block.unknowns) {
      if (block.kind != structure::Block::Kind::explicit_formula) {
        const auto slot = slot_of.find(unknown);
        slots.push_back(slot == slot_of.end() ? -1 : slot->second);
      }
    }
  }
  return slots;
}

}  // namespace

Result<system::InitialPoint> begin_constrained_start(std::shared_ptr<const SystemData> data, double t,
                                                     const system::Configuration* asked) {
  const SystemCode& code = *data->code;
  const structure::StartProblem& start = *code.start_problem;
  auto problem = std::make_shared<system::InitialProblem>();
  problem->equations = start_equations(data, false);
  if (!code.conditions.guards().empty()) {
    problem->free_relations = [data] {
      return system::FreeRelations{.equations = start_equations(data, true),
                                   .latched = [data](double time, std::span<const double> slots) {
                                     return latched_at_slots(*data, time, slots);
                                   }};
    };
  }
  problem->n_initial_equations = static_cast<Index>(start.rows.size() - start.n_model_rows);
  problem->guess = data->start_guess;
  problem->tier = tiers_of(code);
  problem->configuration.mode = ModeId(code.initial_mode);
  problem->configuration.latched = latched_of_values(code, guards_at_starts(*data, t));
  problem->configuration.discrete = data->discrete_starts();
  system::InitialPoint point;
  point.discrete_before = problem->configuration.discrete;
  problem->configuration = asked != nullptr ? *asked : problem->configuration;
  problem->slot_of_guess = slots_of_guess(code);
  for (const Index slot : problem->slot_of_guess) {
    point.guess.push_back(slot < 0 ? std::numeric_limits<double>::quiet_NaN()
                                   : problem->guess[static_cast<std::size_t>(slot)]);
  }
  point.configuration = problem->configuration;
  point.warnings = code.warnings;
  point.problem = std::move(problem);
  return point;
}

Result<system::InitialPoint> initial_of(const std::shared_ptr<const SystemData>& data, double t,
                                        const system::Configuration* asked) {
  return data->code->start_problem ? begin_constrained_start(data, t, asked)
                                   : find_initial_point(*data, t, asked);
}

}  // namespace saltus::program
