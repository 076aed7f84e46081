/// One-off evaluation of nodes, for parameters, starts, tests and messages; programs (program/) do it in a
/// run.
///
/// Method     a loop over the nodes needed, ascending ids, with the functions of operation.hpp
/// Choices    a select evaluates both sides and hands on one, as a program does; a leaf without a value is
/// NaN Cost       proportional to the nodes needed (traversal.hpp); an Evaluator computes each node once in
/// its life Checked by tests/unit/expr/evaluate_test.cpp
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

/// Values of the leaves. A leaf is looked up in its span (subscript: the id), else asked of `other`, else
/// NaN.
struct LeafValues {
  double time = 0.0;
  std::span<const double> variables = {};    ///< order 0
  std::span<const double> derivatives = {};  ///< order 1
  std::span<const double> parameters = {};
  std::span<const double> conditions = {};
  std::span<const double> previous = {};
  /// Leaves outside the spans, e.g. higher derivatives; may be empty.
  std::function<double(const Node&)> other = {};

  [[nodiscard]] double value_of(const Node& leaf) const;
};

[[nodiscard]] double evaluate(const Graph& graph, NodeId node, const LeafValues& leaves);
/// The values of many nodes, in their order; what they share is computed once.
[[nodiscard]] std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> nodes,
                                           const LeafValues& leaves);

/// Keeps what it has computed between calls: for values that are found one after the other (a parameter from
/// earlier ones). A leaf is read when it is first needed and not again: write it in its span before. The
/// graph must outlive the evaluator and may grow meanwhile.
class Evaluator {
 public:
  Evaluator(const Graph& graph, LeafValues leaves) : graph_(graph), leaves_(std::move(leaves)) {}
  [[nodiscard]] double operator()(NodeId node);

 private:
  const Graph& graph_;
  LeafValues leaves_;
  std::vector<double> values_;
  std::vector<char> known_;
  std::vector<NodeId> pending_;
};

}  // namespace saltus::expr
