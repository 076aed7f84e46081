/// Flat models by hand, and blocks computed with plain numbers: the support of the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/evaluate.hpp"
#include "flat/model.hpp"
#include "linalg/dense_lu.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// Variables and equations get their source text in the order in which they are made.
class ModelMaker {
 public:
  flat::Model model;

  VariableId variable(const std::string& name, std::optional<double> start = std::nullopt,
                      bool fixed = false) {
    flat::Variable variable;
    variable.name = name;
    variable.span = append(name);
    if (start) {
      variable.start = model.graph.constant(*start);
    }
    variable.fixed = fixed;
    model.variables.push_back(variable);
    return VariableId(model.variables.size() - 1);
  }
  NodeId parameter(const std::string& name, double value) {
    flat::Parameter parameter;
    parameter.name = name;
    parameter.value = model.graph.constant(value);
    model.parameters.push_back(parameter);
    return model.graph.parameter(ParameterId(model.parameters.size() - 1));
  }

  NodeId value(VariableId id) { return model.graph.variable(id, 0); }
  NodeId der(VariableId id, int order = 1) { return model.graph.variable(id, order); }
  NodeId number(double x) { return model.graph.constant(x); }
  NodeId add(NodeId a, NodeId b) { return model.graph.add(a, b); }
  NodeId subtract(NodeId a, NodeId b) { return model.graph.subtract(a, b); }
  NodeId multiply(NodeId a, NodeId b) { return model.graph.multiply(a, b); }
  NodeId negate(NodeId a) { return model.graph.negate(a); }
  NodeId sin(NodeId a) { return model.graph.unary(expr::Op::sin, a); }

  void equation(NodeId left, NodeId right, const std::string& text = "equation") {
    model.equations.push_back({.left = left, .right = right, .span = append(text)});
  }
  void initial_equation(NodeId left, NodeId right, const std::string& text = "initial equation") {
    model.initial_equations.push_back({.left = left, .right = right, .span = append(text)});
  }
  /// Gives the model its source text; call it last.
  flat::Model& finish() {
    model.source = std::make_shared<const SourceText>("test.mo", text_);
    return model;
  }

 private:
  SourceSpan append(const std::string& text) {
    const SourceSpan span{.offset = static_cast<std::uint32_t>(text_.size()),
                          .length = static_cast<std::uint32_t>(text.size())};
    text_ += text + "\n";
    return span;
  }
  std::string text_;
};

/// Values of unknowns by (variable, order).
using Values = std::map<std::pair<std::size_t, int>, double>;

inline double& at(Values& values, VariableId variable, int order = 0) {
  return values[{variable.index(), order}];
}

class BlockRunner {
 public:
  BlockRunner(const flat::Model& model, Values& values) : model_(model), values_(values) {}

  /// Computes every block in order; a leaf not computed before reads as NaN.
  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.kind == Block::Kind::explicit_formula) {
        store(block.unknowns[0], evaluate(block.formula));
      } else if (block.kind == Block::Kind::linear) {
        solve_linear(block);
      } else {
        iterate(block);
      }
    }
  }

  double evaluate(NodeId node) const {
    expr::LeafValues leaves;
    std::vector<double> parameters;
    for (const flat::Parameter& parameter : model_.parameters) {
      parameters.push_back(model_.graph[*parameter.value].value);
    }
    leaves.parameters = parameters;
    leaves.other = [this](const expr::Node& leaf) {
      const auto position = values_.find({leaf.first, static_cast<int>(leaf.second)});
      return position == values_.end() ? std::numeric_limits<double>::quiet_NaN() : position->second;
    };
    return expr::evaluate(model_.graph, node, leaves);
  }

 private:
  void store(const Unknown& unknown, double value) { at(values_, unknown.variable, unknown.order) = value; }

  linalg::DenseLu factorized(const Block& block) {
    const auto n = static_cast<Index>(block.unknowns.size());
    linalg::DenseLu lu(n);
    for (const MatrixEntry& entry : block.matrix) {
      lu.matrix()[static_cast<std::size_t>(entry.row + entry.column * n)] = evaluate(entry.value);
    }
    EXPECT_TRUE(lu.factorize().ok());
    return lu;
  }

  void solve_linear(const Block& block) {
    std::vector<double> b;
    for (const NodeId node : block.right_side) {
      b.push_back(evaluate(node));
    }
    factorized(block).solve(b);
    for (std::size_t i = 0; i < b.size(); ++i) {
      store(block.unknowns[i], b[i]);
    }
  }

  // Plain Newton iteration from the start attributes.
  void iterate(const Block& block) {
    for (const Unknown& unknown : block.unknowns) {
      const auto start = model_[unknown.variable].start;
      store(unknown, start ? evaluate(*start) : 0.0);
    }
    for (int iteration = 0; iteration < 50; ++iteration) {
      std::vector<double> step;
      for (const NodeId node : block.residual) {
        step.push_back(evaluate(node));
      }
      factorized(block).solve(step);
      for (std::size_t i = 0; i < step.size(); ++i) {
        const Unknown& unknown = block.unknowns[i];
        store(unknown, at(values_, unknown.variable, unknown.order) - step[i]);
      }
    }
  }

  const flat::Model& model_;
  Values& values_;
};

/// Largest |left - right| over the equations at the values.
inline double largest_residual(const flat::Model& model, Values& values) {
  const BlockRunner runner(model, values);
  double largest = 0.0;
  for (const flat::Equation& equation : model.equations) {
    const double residual = std::abs(runner.evaluate(equation.left) - runner.evaluate(equation.right));
    largest = std::isnan(residual) ? std::numeric_limits<double>::infinity() : std::max(largest, residual);
  }
  return largest;
}

}  // namespace saltus::structure
