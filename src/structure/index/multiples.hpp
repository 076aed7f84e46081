/// Expressions that are constant multiples of others, however they are written.
///
/// Problem    2·(2 + sin t)·y, (4 + 2·sin t)·y and y·(2 + sin t) are three nodes of a graph and one expression with the factors 2, 2 and 1:
///            a linear combination of equations takes the same out of all three
/// Method     values at kDraws sets of numbers taken at random: what is c times another at all of them is so everywhere, but for chance.
///            Only of operations without branches (whole meromorphic functions of the leaves): |x| is x at all positive numbers, and
///            atan(tan x) is x near zero.
/// Contract   of() is {e, 1} where no expression asked for before has e as a multiple. Values that are off by more than kSameMultiple are no
///            multiples: what people write as another number is one.
/// Cost       an evaluation and a search in a tree of ratios
/// Checked by tests/unit/structure/multiples_test.cpp, tests/unit/structure/unmixing_test.cpp
#pragma once

#include <array>
#include <map>
#include <vector>

#include "expr/evaluate.hpp"
#include "expr/graph.hpp"

namespace saltus::structure {

class Multiples {
 public:
  explicit Multiples(const expr::Graph& graph);

  struct Multiple {
    NodeId of;
    double factor = 1.0;
  };
  [[nodiscard]] Multiple of(NodeId expression);

 private:
  static constexpr std::size_t kDraws = 3;
  using Values = std::array<double, kDraws>;

  [[nodiscard]] bool has_branches(NodeId expression) const;

  const expr::Graph& graph_;
  std::vector<expr::Evaluator> draws_;
  struct Known {
    NodeId expression;
    Values values;
  };
  std::multimap<double, Known> by_ratio_;  // of the second value to the first
};

}  // namespace saltus::structure
