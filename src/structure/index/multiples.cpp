#include "structure/index/multiples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "expr/traversal.hpp"
#include "structure/match/random_values.hpp"

namespace saltus::structure {
namespace {

// Of the ratio of two values of some operations each: a few roundings.
constexpr double kSameMultiple = 64.0 * std::numeric_limits<double>::epsilon();

double leaf_value(const expr::Node& leaf, std::uint64_t draw) {
  return drawn(static_cast<std::uint64_t>(leaf.op) << 56U ^ std::uint64_t{leaf.second} << 28U ^ leaf.first,
               draw);
}

bool is_whole_function(expr::Op op) {
  switch (op) {
    case expr::Op::constant:
    case expr::Op::time:
    case expr::Op::variable:
    case expr::Op::parameter:
    case expr::Op::negate:
    case expr::Op::add:
    case expr::Op::subtract:
    case expr::Op::multiply:
    case expr::Op::divide:
    case expr::Op::power_integer:
    case expr::Op::exp:
    case expr::Op::sin:
    case expr::Op::cos:
    case expr::Op::tan:
    case expr::Op::sinh:
    case expr::Op::cosh:
    case expr::Op::tanh: return true;
    default: return false;
  }
}

}  // namespace

Multiples::Multiples(const expr::Graph& graph) : graph_(graph) {
  for (std::uint64_t draw = 1; draw <= kDraws; ++draw) {
    expr::LeafValues leaves;
    leaves.time = drawn(0, draw);
    leaves.other = [draw](const expr::Node& leaf) { return leaf_value(leaf, draw); };
    draws_.emplace_back(graph, std::move(leaves));
  }
}

bool Multiples::has_branches(NodeId expression) const {
  const std::vector<NodeId> nodes = expr::needed_nodes(graph_, std::span(&expression, 1));
  return std::any_of(nodes.begin(), nodes.end(),
                     [this](NodeId node) { return !is_whole_function(graph_[node].op); });
}

Multiples::Multiple Multiples::of(NodeId expression) {
  const Multiple itself{expression, 1.0};
  if (has_branches(expression)) {
    return itself;
  }
  Values values;
  std::transform(draws_.begin(), draws_.end(), values.begin(),
                 [expression](expr::Evaluator& draw) { return draw(expression); });
  const double ratio = values[1] / values[0];
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isnormal(value); }) ||
      !std::isnormal(ratio)) {
    return itself;
  }
  const double width = kSameMultiple * std::abs(ratio);
  for (auto known = by_ratio_.lower_bound(ratio - width);
       known != by_ratio_.end() && known->first <= ratio + width; ++known) {
    const double factor = values[0] / known->second.values[0];
    const bool is_multiple = std::equal(
        values.begin(), values.end(), known->second.values.begin(), [factor](double own, double other) {
          return std::abs(own - factor * other) <= kSameMultiple * std::abs(own);
        });
    if (is_multiple) {
      return {known->second.expression, factor};
    }
  }
  by_ratio_.emplace(ratio, Known{expression, values});
  return itself;
}

}  // namespace saltus::structure
