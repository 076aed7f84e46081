// Seeded random expression DAGs as recipes, so that one recipe can be built with or without simplification.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

struct RecipeStep {
  Op op = Op::constant;
  std::size_t a = 0;  // earlier steps
  std::size_t b = 0;
  std::size_t c = 0;
  double value = 0.0;  // of a constant, or the exponent of power_integer
};

struct Recipe {
  std::size_t n_variables = 0;
  std::vector<RecipeStep> steps;  // the first n_variables are the variables, then one parameter, then time

  [[nodiscard]] std::vector<NodeId> build(Graph& graph, bool simplified) const {
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < n_variables; ++i) {
      nodes.push_back(graph.variable(VariableId(i)));
    }
    nodes.push_back(graph.parameter(ParameterId(0U)));
    nodes.push_back(graph.time());
    for (const RecipeStep& step : steps) {
      nodes.push_back(simplified ? build_step(graph, nodes, step) : intern_step(graph, nodes, step));
    }
    return nodes;
  }

 private:
  // Operands of logic and conditions of selects are truth values: any number a stands for a <> 0.
  static bool takes_truth(Op op, int operand) {
    return (op >= Op::logical_and && op <= Op::logical_not) || (op == Op::select && operand == 0);
  }
  static NodeId build_step(Graph& graph, const std::vector<NodeId>& nodes, const RecipeStep& step) {
    const auto operand = [&](int i, std::size_t place) {
      const bool truth = takes_truth(step.op, i);
      return truth ? graph.binary(Op::not_equal, nodes[place], graph.constant(0.0)) : nodes[place];
    };
    switch (n_operands(step.op)) {
      case 0: return graph.constant(step.value);
      case 1: return graph.unary(step.op, operand(0, step.a));
      case 2:
        return graph.binary(step.op, operand(0, step.a),
                            step.op == Op::power_integer ? graph.constant(step.value) : operand(1, step.b));
      default: return graph.select(operand(0, step.a), nodes[step.b], nodes[step.c]);
    }
  }
  static NodeId intern_step(Graph& graph, const std::vector<NodeId>& nodes, const RecipeStep& step) {
    if (step.op == Op::constant) {
      return graph.constant(step.value);
    }
    const auto operand = [&](int i, std::size_t place) {
      const std::uint32_t zero = graph.constant(0.0).value();
      const Node truth{.op = Op::not_equal, .first = nodes[place].value(), .second = zero};
      return takes_truth(step.op, i) ? graph.intern(truth).value() : nodes[place].value();
    };
    Node node{.op = step.op, .first = operand(0, step.a)};
    if (n_operands(step.op) >= 2) {
      node.second = step.op == Op::power_integer ? graph.constant(step.value).value() : operand(1, step.b);
    }
    if (n_operands(step.op) == 3) {
      node.third = nodes[step.c].value();
    }
    return graph.intern(node);
  }
};

inline Recipe random_recipe(std::uint64_t seed, std::size_t n_variables, std::size_t n_steps,
                            const std::vector<Op>& operations) {
  std::mt19937_64 engine(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
  constexpr double kConstants[] = {0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 0.1};
  Recipe recipe{.n_variables = n_variables, .steps = {}};
  for (std::size_t i = 0; i < n_steps; ++i) {
    const std::size_t known = n_variables + 2 + i;
    RecipeStep step;
    step.op = operations[below(operations.size())];
    step.a = below(known);
    step.b = below(known);
    step.c = below(known);
    step.value = step.op == Op::power_integer ? static_cast<double>(below(9)) - 3.0 : kConstants[below(7)];
    recipe.steps.push_back(step);
  }
  return recipe;
}

}  // namespace saltus::expr
