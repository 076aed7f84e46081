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
  static NodeId build_step(Graph& graph, const std::vector<NodeId>& nodes, const RecipeStep& step) {
    switch (n_operands(step.op)) {
      case 0: return graph.constant(step.value);
      case 1: return graph.unary(step.op, nodes[step.a]);
      case 2:
        return graph.binary(step.op, nodes[step.a],
                            step.op == Op::power_integer ? graph.constant(step.value) : nodes[step.b]);
      default: return graph.select(nodes[step.a], nodes[step.b], nodes[step.c]);
    }
  }
  static NodeId intern_step(Graph& graph, const std::vector<NodeId>& nodes, const RecipeStep& step) {
    if (step.op == Op::constant) {
      return graph.constant(step.value);
    }
    Node node{.op = step.op, .first = nodes[step.a].value(), .second = 0, .third = 0, .value = 0.0};
    if (n_operands(step.op) >= 2) {
      node.second = step.op == Op::power_integer ? graph.constant(step.value).value() : nodes[step.b].value();
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
