#include "flat/directions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/substitute.hpp"
#include "expr/traversal.hpp"
#include "flat/expression_printer.hpp"
#include "flat/variability.hpp"

namespace saltus::flat {
namespace {

using expr::Op;

// Added to the square of a length that is divided by: it changes no sum of any size, and at zero the direction is zero until it is decided.
constexpr double kLeastSquare = 1e-300;

NodeId sum_of_squares(expr::Graph& graph, std::span<const NodeId> v) {
  NodeId sum;
  for (const NodeId element : v) {
    const NodeId square = graph.multiply(element, element);
    sum = sum.valid() ? graph.add(sum, square) : square;
  }
  return sum;
}

// A length n and the vector u that it belongs to.
struct Length {
  NodeId node;  // n: a variable, or the root itself
  std::vector<NodeId> vector;
};

// u with root = √(u₁² + … + u_m²); empty: it is no such root.
std::vector<NodeId> vector_of(const expr::Graph& graph, NodeId root) {
  if (graph[root].op != Op::sqrt) {
    return {};
  }
  std::vector<NodeId> vector;
  std::vector<NodeId> terms = {NodeId(graph[root].first)};
  while (!terms.empty()) {
    const expr::Node& node = graph[terms.back()];
    terms.pop_back();
    if (node.op == Op::add) {
      terms.push_back(NodeId(node.second));
      terms.push_back(NodeId(node.first));
    } else if (node.op == Op::multiply && node.first == node.second) {
      vector.push_back(NodeId(node.first));
    } else if (node.op == Op::power_integer && graph.is_constant(NodeId(node.second), 2.0)) {
      vector.push_back(NodeId(node.first));
    } else {
      return {};
    }
  }
  return vector;
}

// X with direction(u) in place of u/n, for one length.
class Ratios {
 public:
  Ratios(Model& model, const Length& length, std::span<const NodeId> direction)
      : graph_(model.graph), length_(length), direction_(direction) {}

  /// Invalid: u/n does not occur.
  [[nodiscard]] NodeId rewrite(NodeId root) {
    const std::vector<NodeId> nodes = expr::needed_nodes(graph_, {&root, 1});
    std::vector<expr::Replacement> replacements;
    for (const NodeId id : nodes) {
      if (const std::optional<NodeId> ratio = quotient(id)) {
        replacements.push_back({id, *ratio});
      }
    }
    return replacements.empty() ? NodeId() : expr::substitute(graph_, root, replacements);
  }

 private:
  // A node that is divided by n, without n.
  [[nodiscard]] std::optional<NodeId> quotient(NodeId id) {
    const expr::Node node = graph_[id];
    if (node.op == Op::divide) {
      const NodeId below(node.second);
      if (below == length_.node) {
        return over_length(NodeId(node.first));
      }
      const expr::Node product = graph_[below];
      for (const auto& [one, other] :
           {std::pair{product.first, product.second}, {product.second, product.first}}) {
        if (product.op == Op::multiply && NodeId(one) == length_.node) {
          const std::optional<NodeId> ratio = over_length(NodeId(node.first));
          return ratio ? std::optional(graph_.divide(*ratio, NodeId(other))) : std::nullopt;
        }
      }
    }
    if (node.op == Op::multiply) {
      for (const auto& [one, other] : {std::pair{node.first, node.second}, {node.second, node.first}}) {
        const expr::Node inverse = graph_[NodeId(one)];
        if (inverse.op == Op::divide && NodeId(inverse.second) == length_.node &&
            !over_length(NodeId(inverse.first))) {
          if (const std::optional<NodeId> ratio = over_length(NodeId(other))) {
            return graph_.multiply(NodeId(inverse.first), *ratio);
          }
        }
      }
    }
    return std::nullopt;
  }

  // a/n, for an a that is made of the elements of u linearly.
  [[nodiscard]] std::optional<NodeId> over_length(NodeId a) {
    const auto place = std::find(length_.vector.begin(), length_.vector.end(), a);
    if (place != length_.vector.end()) {
      return direction_[static_cast<std::size_t>(place - length_.vector.begin())];
    }
    const expr::Node node = graph_[a];
    const NodeId first(node.first);
    const NodeId second(node.second);
    switch (node.op) {
      case Op::negate: {
        const std::optional<NodeId> ratio = over_length(first);
        return ratio ? std::optional(graph_.negate(*ratio)) : std::nullopt;
      }
      case Op::add:
      case Op::subtract: {
        const std::optional<NodeId> left = over_length(first);
        const std::optional<NodeId> right = over_length(second);
        return left && right ? std::optional(graph_.binary(node.op, *left, *right)) : std::nullopt;
      }
      case Op::multiply:
        if (const std::optional<NodeId> left = over_length(first)) {
          return graph_.multiply(*left, second);
        }
        if (const std::optional<NodeId> right = over_length(second)) {
          return graph_.multiply(first, *right);
        }
        return std::nullopt;
      case Op::divide:
        if (const std::optional<NodeId> left = over_length(first)) {
          return graph_.divide(*left, second);
        }
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  expr::Graph& graph_;
  const Length& length_;
  std::span<const NodeId> direction_;
};

// Each length is looked at as a whole: conditions are added only where a choice over it is rewritten.
class Directions {
 public:
  explicit Directions(Model& model) : model_(model), variability_(model) {}

  void find() {
    if (!has_roots()) {
      return;
    }
    std::vector<std::vector<Equation>*> lists = {&model_.equations};
    for (Mode& mode : model_.modes) {
      lists.push_back(&mode.equations);
    }
    for (std::size_t i = 0; i < model_.conditions.size(); ++i) {
      const Condition condition = model_.conditions[i];
      const bool is_above = condition.kind == Condition::Kind::greater;
      if (!is_above && condition.kind != Condition::Kind::less_equal) {
        continue;
      }
      if (const std::optional<Length> length = length_of_guard(model_[condition.guard].expression)) {
        rewrite_choices(lists, model_.graph.condition(ConditionId(i)), is_above, *length, condition.span);
      }
    }
  }

 private:
  [[nodiscard]] bool has_roots() const {
    for (std::size_t i = 0; i < model_.graph.size(); ++i) {
      if (model_.graph[NodeId(i)].op == Op::sqrt) {
        return !model_.guards.empty();
      }
    }
    return false;
  }

  [[nodiscard]] std::optional<Length> length_of_guard(NodeId guard) {
    const auto length_if = [&](NodeId root) -> std::optional<Length> {
      std::vector<NodeId> vector = vector_of(model_.graph, root);
      // sqrt(vx^2 + eps^2) is not zero where vx is.
      const bool is_moving = std::all_of(vector.begin(), vector.end(), [&](NodeId element) {
        return variability_.of(element) == NodeVariability::continuous;
      });
      return vector.size() > 1 && is_moving ? std::optional(Length{guard, std::move(vector)}) : std::nullopt;
    };
    if (auto length = length_if(guard)) {
      return length;
    }
    const expr::Node& node = model_.graph[guard];
    if (node.op != Op::variable || node.second != 0) {
      return std::nullopt;
    }
    for (const Equation& equation : model_.equations) {
      for (const auto& [one, other] :
           {std::pair{equation.left, equation.right}, {equation.right, equation.left}}) {
        if (one == guard) {
          if (auto length = length_if(other)) {
            return length;
          }
        }
      }
    }
    return std::nullopt;
  }

  void rewrite_choices(std::span<std::vector<Equation>* const> lists, NodeId condition, bool is_above,
                       const Length& length, SourceSpan span) {
    for (std::vector<Equation>* const equations : lists) {
      for (Equation& equation : *equations) {
        for (NodeId* const side : {&equation.left, &equation.right}) {
          *side = rewritten(*side, condition, is_above, length, span);
        }
      }
    }
  }

  [[nodiscard]] NodeId rewritten(NodeId root, NodeId condition, bool is_above, const Length& length,
                                 SourceSpan span) {
    std::vector<expr::Replacement> replacements;
    for (const NodeId id : expr::needed_nodes(model_.graph, {&root, 1})) {
      const expr::Node node = model_.graph[id];
      if (node.op != Op::select || NodeId(node.first) != condition) {
        continue;
      }
      const NodeId moving(is_above ? node.second : node.third);
      const NodeId at_zero(is_above ? node.third : node.second);
      // With elements of zero first: whether the choice is one is known before anything is added.
      const std::vector<NodeId> zeros(length.vector.size(), model_.graph.constant(0.0));
      const NodeId held = Ratios(model_, length, zeros).rewrite(moving);
      if (held.valid() && is_zero_of(held, at_zero, length)) {
        const std::vector<NodeId> direction = elements(length, span);
        replacements.push_back({id, Ratios(model_, length, direction).rewrite(moving)});
      }
    }
    return replacements.empty() ? root : expr::substitute(model_.graph, root, replacements);
  }

  // Whether what is left of X where u = 0 is Y.
  [[nodiscard]] bool is_zero_of(NodeId held, NodeId at_zero, const Length& length) {
    std::vector<expr::Replacement> zeros = {{length.node, model_.graph.constant(0.0)}};
    for (const NodeId element : length.vector) {
      zeros.push_back({element, model_.graph.constant(0.0)});
    }
    const NodeId difference = model_.graph.subtract(expr::substitute(model_.graph, held, zeros),
                                                    expr::substitute(model_.graph, at_zero, zeros));
    return model_.graph.is_constant(difference) && model_.graph[difference].value == 0.0;
  }

  [[nodiscard]] std::vector<NodeId> elements(const Length& length, SourceSpan span) {
    for (const auto& [vector, norm] : made_) {
      if (vector == length.vector) {
        return direction_of(model_, vector, norm);
      }
    }
    std::string text = "direction({";
    ExpressionPrinter printer(model_, ExpressionPrinter::Form::readable);
    for (std::size_t k = 0; k < length.vector.size(); ++k) {
      text += k > 0 ? ", " : "";
      printer.write(length.vector[k], false, text);
    }
    made_.emplace_back(length.vector, ConditionId(model_.conditions.size()));
    return add_direction(model_, length.vector, text + "})", span);
  }

  Model& model_;
  VariabilityOfNodes variability_;
  std::vector<std::pair<std::vector<NodeId>, ConditionId>> made_;
};

}  // namespace

NodeId length_of(expr::Graph& graph, std::span<const NodeId> v) {
  return graph.unary(Op::sqrt, sum_of_squares(graph, v));
}

std::vector<NodeId> direction_of(Model& model, std::span<const NodeId> v, ConditionId norm) {
  expr::Graph& graph = model.graph;
  std::vector<NodeId> components;
  std::vector<NodeId> shifted;
  for (std::size_t k = 0; k < v.size(); ++k) {
    components.push_back(graph.condition(ConditionId(norm.index() + 1 + k)));
    shifted.push_back(graph.add(v[k], components[k]));
  }
  const NodeId distance =
      graph.unary(Op::sqrt, graph.add(sum_of_squares(graph, shifted), graph.constant(kLeastSquare)));
  std::vector<NodeId> result;
  for (std::size_t k = 0; k < v.size(); ++k) {
    result.push_back(graph.select(graph.condition(norm), components[k], graph.divide(shifted[k], distance)));
  }
  return result;
}

std::vector<NodeId> add_direction(Model& model, std::span<const NodeId> v, std::string text,
                                  SourceSpan span) {
  const ConditionId norm(model.conditions.size());
  Condition condition;
  condition.kind = Condition::Kind::norm;
  condition.argument = length_of(model.graph, v);
  condition.text = std::move(text);
  condition.span = span;
  model.conditions.push_back(condition);
  condition.kind = Condition::Kind::component;
  condition.owner = norm;
  for (const NodeId element : v) {
    condition.argument = element;
    model.conditions.push_back(condition);
  }
  return direction_of(model, v, norm);
}

void find_directions(Model& model) {
  Directions(model).find();
}

}  // namespace saltus::flat
