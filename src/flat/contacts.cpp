#include "flat/contacts.hpp"

#include <utility>

namespace saltus::flat {

NodeId add_contact(Model& model, ConditionId closed, const Contact& contact, std::string text,
                   SourceSpan span) {
  const ConditionId gap(model.conditions.size());
  Condition condition;
  condition.kind = Condition::Kind::gap;
  condition.argument = contact.gap;
  condition.owner = closed;
  condition.text = std::move(text);
  condition.span = span;
  model.conditions.push_back(condition);
  condition.kind = Condition::Kind::restitution;
  condition.argument = contact.restitution;
  condition.owner = gap;
  model.conditions.push_back(condition);
  expr::Graph& graph = model.graph;
  return graph.select(graph.condition(closed), contact.gap,
                      graph.subtract(contact.force, graph.condition(gap)));
}

std::optional<Contact> contact_of(const Model& model, const Equation& equation) {
  const expr::Node& choice = model.graph[equation.right];
  if (choice.op != expr::Op::select) {
    return std::nullopt;
  }
  const expr::Node& open = model.graph[NodeId(choice.third)];
  if (open.op != expr::Op::subtract || model.graph[NodeId(open.second)].op != expr::Op::condition) {
    return std::nullopt;
  }
  const std::uint32_t gap = model.graph[NodeId(open.second)].first;
  if (model.conditions[gap].kind != Condition::Kind::gap) {
    return std::nullopt;
  }
  return Contact{NodeId(choice.second), NodeId(open.first), model.conditions[gap + 1].argument};
}

}  // namespace saltus::flat
