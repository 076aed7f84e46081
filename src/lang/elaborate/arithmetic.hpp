/// Operations on scalars during elaboration: known numbers are computed, the rest becomes nodes.
#pragma once

#include "expr/graph.hpp"
#include "lang/elaborate/value.hpp"

namespace saltus::lang {

/// The value of one operation on numbers, as a program would compute it.
[[nodiscard]] double apply(expr::Op op, double a, double b = 0.0);

class Arithmetic {
 public:
  explicit Arithmetic(expr::Graph& graph) : graph_(graph) {}

  [[nodiscard]] NodeId node(const Scalar& scalar) {
    return scalar.known ? graph_.constant(scalar.number) : scalar.node;
  }
  [[nodiscard]] Scalar unary(expr::Op op, const Scalar& a);
  [[nodiscard]] Scalar binary(expr::Op op, const Scalar& a, const Scalar& b);
  /// a ^ b: with a known whole exponent as power_integer.
  [[nodiscard]] Scalar power(const Scalar& a, const Scalar& b);
  [[nodiscard]] Scalar select(const Scalar& condition, const Scalar& if_true, const Scalar& if_false);

  [[nodiscard]] expr::Graph& graph() { return graph_; }

 private:
  [[nodiscard]] Scalar wrap(NodeId node) const;
  expr::Graph& graph_;
};

}  // namespace saltus::lang
