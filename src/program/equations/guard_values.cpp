#include "program/equations/guard_values.hpp"

#include <algorithm>
#include <unordered_set>

#include "program/equations/system_code.hpp"
#include "program/guards/derivative_bindings.hpp"

namespace saltus::program {
namespace {

// Gives every leaf below a node a meaning. False: there is one that has none.
bool bind_leaves(expr::Graph& graph, DerivativeBindings& bindings, NodeId root) {
  std::unordered_set<std::uint32_t> seen;
  std::vector<NodeId> stack = {root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id.value()).second) {
      continue;
    }
    const expr::Node node = graph[id];  // the graph grows
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      stack.emplace_back(node.operand(k));
    }
    if (expr::n_operands(node.op) > 0 || node.op == expr::Op::constant) {
      continue;
    }
    Binding binding = bindings.bindings().of(node);
    if (binding.kind == Binding::Kind::none) {
      if (!bindings.bind_derivative(id)) {
        return false;
      }
      binding = bindings.bindings().of(node);
    }
    if (binding.kind == Binding::Kind::node) {
      stack.emplace_back(binding.value);
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const GuardValuesCode> build_guard_values(const SystemCode& code, const ModeCode& mode) {
  auto found = std::make_shared<GuardValuesCode>();
  LateGraph::Access graph = code.late_graph->open();
  SequenceRequest request = run_request(code, mode.causalized, {});
  DerivativeBindings bindings(*graph, {.guards = {},
                                       .blocks = request.blocks,
                                       .states = request.states,
                                       .derivatives = mode.causalized.derivatives,
                                       .n_frozen_inputs = request.n_frozen_inputs,
                                       .bindings = request.bindings,
                                       .n_held = request.n_held,
                                       .effects = {},
                                       .guard_of_held = {}});
  using Kind = GuardValuesCode::Kind;
  for (std::size_t i = 0; i < code.conditions.guards().size(); ++i) {
    const auto guard = static_cast<Index>(i);
    const bool has_value = mode.guards->can_evaluate(guard) &&
                           bind_leaves(*graph, bindings, code.conditions.guards()[i].expression);
    found->kinds.push_back(!has_value                                          ? Kind::none
                           : (*mode.guards)[guard].value.solved_inputs.empty() ? Kind::direct
                                                                               : Kind::solved);
  }
  request.bindings = bindings.bindings();
  const auto compile = [&](Kind kind) -> std::shared_ptr<const SequenceCode> {
    if (std::find(found->kinds.begin(), found->kinds.end(), kind) == found->kinds.end()) {
      return nullptr;
    }
    std::vector<NodeId> outputs;
    for (std::size_t i = 0; i < found->kinds.size(); ++i) {
      outputs.push_back(found->kinds[i] == kind ? code.conditions.guards()[i].expression
                                                : graph->constant(0.0));
    }
    request.outputs = outputs;
    return std::make_shared<const SequenceCode>(*graph, request);
  };
  found->direct = compile(Kind::direct);
  found->solved = compile(Kind::solved);
  return found;
}

}  // namespace saltus::program
