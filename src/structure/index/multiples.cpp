#include "structure/index/multiples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "expr/operation.hpp"
#include "expr/traversal.hpp"
#include "structure/match/random_values.hpp"

namespace saltus::structure {
namespace {

// Of the ratio of two values of some operations each: a few roundings.
constexpr double kSameMultiple = 64.0 * std::numeric_limits<double>::epsilon();
// Powers of ten of the values of atoms, either way.
constexpr double kMostDigits = 8.0;

bool is_arithmetic(expr::Op op) {
  switch (op) {
    case expr::Op::negate:
    case expr::Op::add:
    case expr::Op::subtract:
    case expr::Op::multiply:
    case expr::Op::divide:
    case expr::Op::power_integer: return true;
    default: return false;
  }
}

double atom(NodeId id, std::uint64_t draw) {
  return std::pow(10.0, 2.0 * kMostDigits * (drawn(id.index(), draw) - 1.0));
}

}  // namespace

Multiples::Values Multiples::values_at(NodeId expression) {
  for (const NodeId id : expr::needed_nodes(graph_, std::span(&expression, 1))) {
    const auto [known, is_new] = values_.try_emplace(id.index());
    if (!is_new) {
      continue;
    }
    const expr::Node& node = graph_[id];
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      const auto value = [&](std::uint32_t operand) { return values_.at(operand)[draw]; };
      const bool is_binary = is_arithmetic(node.op) && node.op != expr::Op::negate;
      known->second[draw] = node.op == expr::Op::constant ? node.value
                            : is_arithmetic(node.op)      ? expr::apply(node.op, value(node.first),
                                                                   is_binary ? value(node.second) : 0.0, 0.0)
                                                          : atom(id, draw);
    }
  }
  return values_.at(expression.index());
}

Multiples::Multiple Multiples::of(NodeId expression) {
  const Multiple itself{expression, 1.0};
  const Values values = values_at(expression);
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
