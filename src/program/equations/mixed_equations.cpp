// The equations of a mode with the relations over their unknowns (system/mixed_equations.hpp).
#include <algorithm>
#include <cstdint>

#include "expr/dependency.hpp"
#include "program/equations/mode_equation_code.hpp"

namespace saltus::program {
namespace {

// Guards of relations that rows contain, or the expressions of such guards; ascending.
std::vector<Index> guards_below(const SystemCode& data, const expr::Graph& graph, std::vector<NodeId> rows) {
  const std::vector<ConditionInputs::Guard>& guards = data.conditions.guards();
  std::vector<std::uint8_t> is_found(guards.size(), 0);
  while (!rows.empty()) {
    std::vector<NodeId> found;
    for (const NodeId leaf : expr::leaves_of(graph, rows)) {
      const expr::Node& node = graph[leaf];
      const Index guard =
          node.op == expr::Op::condition ? data.conditions.guard_of(ConditionId(node.first)) : -1;
      if (guard >= 0 && std::exchange(is_found[static_cast<std::size_t>(guard)], std::uint8_t{1}) == 0) {
        found.push_back(guards[static_cast<std::size_t>(guard)].expression);
      }
    }
    rows = std::move(found);
  }
  std::vector<Index> result;
  for (std::size_t guard = 0; guard < guards.size(); ++guard) {
    if (is_found[guard] != 0 && is_relation(guards[guard].kind) && !guards[guard].is_constant) {
      result.push_back(static_cast<Index>(guard));
    }
  }
  return result;
}

}  // namespace

std::shared_ptr<const MixedCode> EquationCompiler::mixed() const {
  return mode_.late->mixed.get([this] { return build_mixed(); });
}

std::shared_ptr<const MixedCode> EquationCompiler::build_mixed() const {
  const structure::Causalized& causalized = mode_.causalized;
  EquationRequest request = equation_request(code_);
  LateGraph::Access graph = code_.late_graph->open();
  std::vector<RowSource> texts;
  const std::vector<flat::Equation>& written =
      causalized.uncombined.empty() ? causalized.written : causalized.uncombined;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const flat::Equation& equation = written[i];
    request.rows.push_back(graph->subtract(equation.left, equation.right));
    texts.push_back({.left = equation.left,
                     .right = equation.right,
                     .equation = static_cast<Index>(i),
                     .span = equation.span});
  }
  const std::vector<structure::Unknown> slots = slots_of_array(0);
  std::vector<std::uint8_t> is_slot(code_.model.variables.size(), 0);
  for (const structure::Unknown& slot : slots) {
    is_slot[slot.variable.index()] = 1;
  }
  const auto is_state = [&](const expr::Node& leaf) {
    const structure::Unknown unknown{.variable = VariableId(leaf.first),
                                     .order = static_cast<int>(leaf.second)};
    return std::find(causalized.states.begin(), causalized.states.end(), unknown) != causalized.states.end();
  };
  system::MixedEquations result;
  result.n_equations = std::ssize(request.rows);
  for (const Index guard : guards_below(code_, *graph, request.rows)) {
    const NodeId expression = code_.conditions.guards()[static_cast<std::size_t>(guard)].expression;
    const std::vector<NodeId> leaves = expr::leaves_of(*graph, std::span(&expression, 1));
    const bool depends = std::any_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
      return (*graph)[leaf].op == expr::Op::variable && is_slot[(*graph)[leaf].first] != 0;
    });
    result.is_coupled = result.is_coupled || std::any_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
                          const expr::Node& node = (*graph)[leaf];
                          return node.op == expr::Op::variable && is_slot[node.first] != 0 && !is_state(node);
                        });
    if (depends && mode_.guards->can_evaluate(guard)) {
      result.guards.push_back(guard);
      request.rows.push_back(expression);
      texts.push_back({.left = expression, .right = graph->constant(0.0), .equation = -1, .span = {}});
    }
  }
  if (result.guards.empty()) {
    return nullptr;
  }
  add_slots(code_, slots, request);
  add_row_texts(code_, std::move(texts), request);
  auto rows = std::make_shared<const EquationCode>(*graph, std::move(request));
  return std::make_shared<const MixedCode>(MixedCode{std::move(result), std::move(rows)});
}

}  // namespace saltus::program
