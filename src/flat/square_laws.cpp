#include "flat/square_laws.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "expr/dependency.hpp"
#include "expr/derivative.hpp"
#include "expr/substitute.hpp"
#include "flat/canonical_guard.hpp"
#include "flat/variability.hpp"

namespace saltus::flat {
namespace {

using expr::Op;

bool is_plain_variable(const expr::Node& node) {
  return node.op == Op::variable && node.second == 0;
}

// Variables that time, parameters and what is differentiated give by themselves.
class KnownVariables {
 public:
  explicit KnownVariables(const Model& model) : known_(model.variables.size(), 0), readers_(known_.size()) {
    find_differentiated(model.equations, model);
    for (const Mode& mode : model.modes) {
      find_differentiated(mode.equations, model);
    }
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (model.variables[i].variability != Variability::continuous) {
        known_[i] = 1;
      }
    }
    for (const Equation& equation : model.equations) {
      add(model, equation.left, equation.right);
      add(model, equation.right, equation.left);
    }
    spread();
  }

  [[nodiscard]] bool has(std::size_t variable) const { return known_[variable] != 0; }

 private:
  // v = …, by the number of unknown variables on its right side.
  struct Given {
    std::size_t variable = 0;
    std::size_t n_open = 0;
  };

  void find_differentiated(const std::vector<Equation>& equations, const Model& model) {
    std::vector<NodeId> roots;
    for (const Equation& equation : equations) {
      roots.push_back(equation.left);
      roots.push_back(equation.right);
    }
    for (const NodeId leaf : expr::leaves_of(model.graph, roots)) {
      const expr::Node& node = model.graph[leaf];
      if (node.op == Op::variable && node.second > 0) {
        known_[node.first] = 1;
      }
    }
  }

  void add(const Model& model, NodeId left, NodeId right) {
    const expr::Node& node = model.graph[left];
    if (!is_plain_variable(node) || known_[node.first] != 0) {
      return;
    }
    const std::vector<NodeId> leaves = expr::leaves_of(model.graph, {&right, 1});
    // Rates follow from flows, not the other way round.
    if (std::any_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
          return model.graph[leaf].op == Op::variable && model.graph[leaf].second > 0;
        })) {
      return;
    }
    Given given{.variable = node.first};
    for (const NodeId leaf : leaves) {
      const expr::Node& read = model.graph[leaf];
      if (read.op == Op::variable && known_[read.first] == 0) {
        readers_[read.first].push_back(given_.size());
        ++given.n_open;
      }
    }
    given_.push_back(given);
  }

  void spread() {
    std::vector<std::size_t> found;
    const auto take = [&](std::size_t variable) {
      if (known_[variable] == 0) {
        known_[variable] = 1;
        found.push_back(variable);
      }
    };
    for (const Given& given : given_) {
      if (given.n_open == 0) {
        take(given.variable);
      }
    }
    while (!found.empty()) {
      const std::size_t variable = found.back();
      found.pop_back();
      for (const std::size_t reader : readers_[variable]) {
        if (--given_[reader].n_open == 0) {
          take(given_[reader].variable);
        }
      }
    }
  }

  std::vector<std::uint8_t> known_;
  std::vector<Given> given_;
  std::vector<std::vector<std::size_t>> readers_;  // of a variable, places in given_
};

// What the sides of one variable are read from: conditions over it, and operations of its own.
struct SidesOf {
  std::vector<ConditionId> conditions;
  std::vector<NodeId> operations;
};

bool holds_above(Condition::Kind kind) {
  return kind == Condition::Kind::greater || kind == Condition::Kind::greater_equal;
}

class SquareLaws {
 public:
  explicit SquareLaws(Model& model) : model_(model), variability_(model), sides_(model.variables.size()) {
    for (std::size_t i = 0; i < model.conditions.size(); ++i) {
      const Condition& condition = model.conditions[i];
      if (condition.guard.valid() && is_plain_variable(graph()[model[condition.guard].expression])) {
        sides_[graph()[model[condition.guard].expression].first].conditions.emplace_back(i);
        is_asked_ = true;
      }
    }
    for (std::size_t i = 0; i < graph().size(); ++i) {
      const expr::Node& node = graph()[NodeId(i)];
      if ((node.op == Op::abs || node.op == Op::sign) && is_plain_variable(graph()[NodeId(node.first)])) {
        sides_[graph()[NodeId(node.first)].first].operations.emplace_back(i);
        is_asked_ = true;
      }
    }
  }

  void solve() {
    if (!is_asked_) {
      return;
    }
    const KnownVariables known(model_);
    for (Equation& equation : model_.equations) {
      const std::optional<std::size_t> unknown = only_unknown(equation, known);
      if (unknown && !(sides_[*unknown].conditions.empty() && sides_[*unknown].operations.empty())) {
        solve(equation, *unknown);
      }
    }
  }

 private:
  [[nodiscard]] expr::Graph& graph() { return model_.graph; }

  // The one variable of an equation that is not known.
  [[nodiscard]] std::optional<std::size_t> only_unknown(const Equation& equation,
                                                        const KnownVariables& known) {
    std::optional<std::size_t> unknown;
    for (const NodeId leaf : expr::leaves_of(graph(), std::vector{equation.left, equation.right})) {
      const expr::Node& node = graph()[leaf];
      if (node.op != Op::variable || (node.second == 0 && known.has(node.first))) {
        continue;
      }
      if (unknown || node.second > 0) {
        return std::nullopt;
      }
      unknown = node.first;
    }
    return unknown;
  }

  // left - right where y is positive (side = 1) or negative (-1).
  [[nodiscard]] NodeId difference_at(const Equation& equation, NodeId y, const SidesOf& sides, double side) {
    std::vector<expr::Replacement> replacements;
    for (const ConditionId condition : sides.conditions) {
      const bool is_true = holds_above(model_[condition].kind) == (side > 0.0);
      replacements.push_back({graph().condition(condition), graph().constant(is_true ? 1.0 : 0.0)});
    }
    for (const NodeId operation : sides.operations) {
      const bool is_abs = graph()[operation].op == Op::abs;
      const NodeId size = is_abs ? y : graph().constant(1.0);
      replacements.push_back({operation, side > 0.0 ? size : graph().negate(size)});
    }
    return expr::substitute(graph(), graph().subtract(equation.left, equation.right), replacements);
  }

  struct Square {
    NodeId bend;  // 2a
    NodeId rest;
  };
  // a·y² + rest.
  [[nodiscard]] std::optional<Square> square_of(NodeId difference, NodeId y) {
    const NodeId slope = expr::derivative(graph(), difference, y);
    const NodeId bend = expr::derivative(graph(), slope, y);
    const expr::Replacement at_zero{y, graph().constant(0.0)};
    if (graph().is_constant(bend, 0.0) || expr::depends_on(graph(), bend, y) ||
        !graph().is_constant(expr::substitute(graph(), slope, {&at_zero, 1}), 0.0)) {
      return std::nullopt;
    }
    return Square{.bend = bend, .rest = expr::substitute(graph(), difference, {&at_zero, 1})};
  }

  void solve(Equation& equation, std::size_t variable) {
    const NodeId y = graph().variable(VariableId(variable), 0);
    const SidesOf& sides = sides_[variable];
    const std::optional<Square> above = square_of(difference_at(equation, y, sides, 1.0), y);
    const std::optional<Square> below = square_of(difference_at(equation, y, sides, -1.0), y);
    if (!above || !below || above->rest != below->rest || graph().negate(above->bend) != below->bend) {
      return;
    }
    const NodeId factor = graph().multiply(graph().constant(0.5), above->bend);
    const NodeId s = graph().negate(graph().divide(above->rest, factor));
    const std::vector<NodeId> roots{equation.left, equation.right};
    const auto watched = std::find_if(sides.conditions.begin(), sides.conditions.end(), [&](ConditionId id) {
      const NodeId condition = graph().condition(id);
      return expr::depends_on(graph(), roots[0], condition) || expr::depends_on(graph(), roots[1], condition);
    });
    equation.left = y;
    if (watched == sides.conditions.end()) {
      equation.right =
          graph().multiply(graph().unary(Op::sign, s), graph().unary(Op::sqrt, graph().unary(Op::abs, s)));
      return;
    }
    const std::optional<NodeId> is_positive = condition_over(s, model_[*watched]);
    if (is_positive) {
      equation.right = graph().select(*is_positive, graph().unary(Op::sqrt, s),
                                      graph().negate(graph().unary(Op::sqrt, graph().negate(s))));
    } else {
      equation.left = roots[0];
    }
  }

  // s >= 0, a kink; none where s does not change in time.
  [[nodiscard]] std::optional<NodeId> condition_over(NodeId s, const Condition& like) {
    const CanonicalGuard canonical = GuardCanonicalizer(graph()).canonical(s, graph().constant(0.0));
    if (variability_.of(canonical.expression) != NodeVariability::continuous) {
      return std::nullopt;
    }
    const auto guard = std::find_if(model_.guards.begin(), model_.guards.end(), [&](const Guard& known) {
      return known.expression == canonical.expression;
    });
    Condition condition;
    condition.kind = canonical.flipped ? Condition::Kind::less_equal : Condition::Kind::greater_equal;
    condition.guard = GuardId(static_cast<std::size_t>(guard - model_.guards.begin()));
    condition.kink = true;
    condition.continuity = 0;
    condition.text = like.text;
    condition.span = like.span;
    if (guard == model_.guards.end()) {
      model_.guards.push_back({canonical.expression});
    }
    for (std::size_t i = 0; i < model_.conditions.size(); ++i) {
      if (model_.conditions[i].kind == condition.kind && model_.conditions[i].guard == condition.guard) {
        return graph().condition(ConditionId(i));
      }
    }
    model_.conditions.push_back(std::move(condition));
    return graph().condition(ConditionId(model_.conditions.size() - 1));
  }

  Model& model_;
  VariabilityOfNodes variability_;
  std::vector<SidesOf> sides_;  // by variable
  bool is_asked_ = false;
};

}  // namespace

void solve_square_laws(Model& model) {
  SquareLaws(model).solve();
}

}  // namespace saltus::flat
