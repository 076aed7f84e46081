/// Expressions that are constant multiples of others, however they are written.
///
/// Problem    2·(2 + sin t)·y, (4 + 2·sin t)·y and y·(2 + sin t) are three nodes of a graph and one expression with the factors 2, 2 and 1:
///            a linear combination of equations takes the same out of all three
/// Method     expressions are rational functions of their atoms: leaves, and whatever is no sum, product, quotient or whole power. With values
///            of atoms taken at random, what is c times another at kDraws sets of them is so for all, but for chance. The values of an
///            atom are not those of its operands: tanh(3·(t - 6)) is -1 wherever t is near 1, and no constant.
/// Contract   of() is {e, 1} where no expression asked for before has e as a multiple. Values that are off by more than kSameMultiple are no
///            multiples: what people write as another number is one.
/// Choices    sizes of atoms are between 1e-8 and 1e8: 1 + 1e-14·y is not 1
/// Cost       an evaluation and a search in a tree of ratios
/// Checked by tests/unit/structure/multiples_test.cpp, tests/unit/structure/unmixing_test.cpp
#pragma once

#include <array>
#include <map>
#include <unordered_map>

#include "expr/graph.hpp"

namespace saltus::structure {

class Multiples {
 public:
  explicit Multiples(const expr::Graph& graph) : graph_(graph) {}

  struct Multiple {
    NodeId of;
    double factor = 1.0;
  };
  [[nodiscard]] Multiple of(NodeId expression);

 private:
  static constexpr std::size_t kDraws = 4;
  using Values = std::array<double, kDraws>;
  struct Known {
    NodeId expression;
    Values values;
  };

  [[nodiscard]] Values values_at(NodeId expression);

  const expr::Graph& graph_;
  std::unordered_map<std::size_t, Values> values_;
  std::multimap<double, Known> by_ratio_;  // of the second value to the first
};

}  // namespace saltus::structure
