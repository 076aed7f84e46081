#include "api/traced/lower_trace.hpp"

#include <cmath>

#include "api/traced/lower_choice.hpp"
#include "expr/traversal.hpp"

namespace saltus::api {

using expr::Op;
using lang::Scalar;
using trace::Written;
using Kind = flat::Condition::Kind;

TraceLowering::TraceLowering(const TracedProgram& program, const trace::TraceGraph& graph,
                             const lang::EquationMaker& maker, SourceSpan span)
    : program_(program), graph_(graph), maker_(maker), images_(graph.graph.size()) {
  context_.repeated = true;  // conditions are named by what they compare
  context_.span = span;
}

void TraceLowering::lower(const trace::Residuals& residuals) {
  std::vector<NodeId> roots = residuals.residual;
  for (const trace::KnownDecision& decision : residuals.decisions) {
    within_.emplace(decision.less.value(), &decision.within);
    for (const trace::Decision& needed : decision.within) {
      roots.push_back(needed.less);
    }
  }
  for (const trace::FailingOutcomes& failure : residuals.failures) {
    for (const trace::Decision& outcome : failure.outcomes) {
      roots.push_back(outcome.less);
    }
  }
  for (const NodeId id : expr::needed_nodes(graph_.graph, roots)) {
    const Scalar made = image(graph_.graph[id], id);
    has_no_number_ = has_no_number_ || (made.known && !std::isfinite(made.number));
    images_[id.index()] = made;
  }
}

NodeId TraceLowering::excluded(const std::vector<trace::Decision>& outcomes) {
  return maker_.arithmetic.node(maker_.arithmetic.unary(Op::logical_not, conjunction(outcomes)));
}

Scalar TraceLowering::leaf(const expr::Node& node) {
  expr::Graph& graph = maker_.model.graph;
  const std::string name = program_.name_of({.op = node.op, .first = node.first});
  if (node.op == Op::parameter) {
    const std::vector<flat::Parameter>& list = maker_.model.parameters;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::size_t i = (node.first + k) % list.size();  // nearly always the first
      if (list[i].name == name) {
        return lang::node_scalar(graph.parameter(ParameterId(i)));
      }
    }
  } else {
    const std::vector<flat::Variable>& list = maker_.model.variables;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::size_t i = (node.first + k) % list.size();
      if (list[i].name == name) {
        return lang::node_scalar(graph.variable(VariableId(i), static_cast<int>(node.second)));
      }
    }
  }
  missing_ = name;
  return lang::known_scalar(0.0);
}

Scalar TraceLowering::image(const expr::Node& node, NodeId id) {
  lang::Arithmetic& arithmetic = maker_.arithmetic;
  lang::ConditionTable& conditions = maker_.conditions;
  switch (node.op) {
    case Op::constant: return lang::known_scalar(node.value);
    case Op::time: return lang::node_scalar(maker_.model.graph.time());
    case Op::variable:
    case Op::parameter: return leaf(node);
    case Op::less: return decision(node, id);
    case Op::select: return choice(id);
    case Op::power: return arithmetic.power(of(node.first), of(node.second));
    case Op::abs: return conditions.absolute(of(node.first), context_);
    case Op::sign: return conditions.sign(of(node.first), context_);
    case Op::minimum: return conditions.minimum(of(node.first), of(node.second), context_);
    case Op::maximum: return conditions.maximum(of(node.first), of(node.second), context_);
    case Op::atan2: return conditions.angle(of(node.first), of(node.second), context_);
    case Op::floor: return conditions.whole_number(Kind::floor, of(node.first), context_);
    case Op::ceil: return conditions.whole_number(Kind::ceil, of(node.first), context_);
    case Op::truncate: return conditions.whole_number(Kind::truncate, of(node.first), context_);
    default: break;
  }
  return expr::n_operands(node.op) == 1 ? arithmetic.unary(node.op, of(node.first))
                                        : arithmetic.binary(node.op, of(node.first), of(node.second));
}

namespace {

Written contrary_of(Written how) {
  switch (how) {
    case Written::less: return Written::greater_equal;
    case Written::greater: return Written::less_equal;
    case Written::less_equal: return Written::greater;
    case Written::greater_equal: break;
  }
  return Written::less;
}

}  // namespace

Scalar TraceLowering::conjunction(const std::vector<trace::Decision>& outcomes) {
  Scalar all = lang::known_scalar(1.0);
  for (const trace::Decision& outcome : outcomes) {
    const TracedEquations::Truth& truth = truths_.at(outcome.less.value());
    const Scalar one = outcome.holds != truth.is_contrary ? truth.scalar : contrary(outcome.less.value());
    all = all.known && all.number != 0.0 ? one : maker_.arithmetic.binary(Op::logical_and, all, one);
  }
  return all;
}

// The relation of the sides of a decision, written like this.
Scalar TraceLowering::relation(Written how, std::uint32_t decision) {
  const expr::Node& node = graph_.graph[NodeId(decision)];
  const Scalar& lesser = of(node.first);
  const Scalar& greater = of(node.second);
  lang::RelationContext context = context_;
  if (const auto within = within_.find(decision); within != within_.end() && !within->second->empty()) {
    const Scalar needed = conjunction(*within->second);
    context.within = needed.known ? NodeId() : needed.node;
  }
  switch (how) {
    case Written::less: return maker_.conditions.relation(Kind::less, lesser, greater, context);
    case Written::greater: return maker_.conditions.relation(Kind::greater, greater, lesser, context);
    case Written::less_equal: return maker_.conditions.relation(Kind::less_equal, greater, lesser, context);
    case Written::greater_equal: break;
  }
  return maker_.conditions.relation(Kind::greater_equal, lesser, greater, context);
}

Scalar TraceLowering::contrary(std::uint32_t decision) {
  const TracedEquations::Truth& truth = truths_.at(decision);
  const bool is_guarded = !within_.at(decision)->empty();  // outside of its outcomes both would be false
  if (truth.surface.valid() && !is_guarded) {
    return relation(contrary_of(graph_.written.at(decision)), decision);
  }
  return maker_.arithmetic.unary(Op::logical_not, truth.scalar);
}

Scalar TraceLowering::decision(const expr::Node& node, NodeId id) {
  const Written how = graph_.written.at(id.value());
  TracedEquations::Truth truth;
  truth.is_contrary = how == Written::less_equal || how == Written::greater_equal;
  const expr::Node first = graph_.graph[NodeId(node.first)];
  const expr::Node second = graph_.graph[NodeId(node.second)];
  const bool is_boolean = first.op == Op::constant && second.op == Op::variable && second.second == 0 &&
                          program_.variable(second.first).type == flat::Type::boolean;
  truth.scalar = is_boolean ? of(node.second) : relation(how, id.value());
  if (!truth.scalar.known) {
    const expr::Node& made = maker_.model.graph[truth.scalar.node];
    if (made.op == Op::condition) {
      const flat::Condition& condition = maker_.model.conditions[made.first];
      truth.kind = condition.kind;
      truth.guard = condition.guard;
      truth.surface = condition.guard.valid() ? maker_.model[condition.guard].expression : NodeId();
    }
  }
  truths_.emplace(id.value(), truth);
  return truth.scalar;
}

Scalar TraceLowering::choice(NodeId id) {
  return ChoiceLowering(graph_.graph, maker_.arithmetic, truths_, images_,
                        [this](std::uint32_t decision) { return contrary(decision); })(id);
}

flat::Equation TraceLowering::equation(NodeId residual, SourceSpan span) const {
  const expr::Node& node = graph_.graph[residual];
  lang::Arithmetic& arithmetic = maker_.arithmetic;
  if (node.op == Op::subtract) {
    return {arithmetic.node(of(node.first)), arithmetic.node(of(node.second)), span};
  }
  if (node.op == Op::add) {
    return {arithmetic.node(of(node.first)), arithmetic.node(arithmetic.unary(Op::negate, of(node.second))),
            span};
  }
  return {arithmetic.node(of(residual.value())), maker_.model.graph.constant(0.0), span};
}

}  // namespace saltus::api
