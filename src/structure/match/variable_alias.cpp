#include "structure/match/variable_alias.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "structure/match/alias.hpp"

namespace saltus::structure {
namespace {

using expr::Op;

struct SignedLeaf {
  Unknown quantity;
  bool negative = false;
};

struct Tie {
  SignedLeaf first;
  SignedLeaf second;
};

class Tying {
 public:
  Tying(const flat::Model& model, std::span<const flat::Equation> equations,
        std::span<const std::uint8_t> may_be_tied)
      : model_(model), equations_(equations), may_be_tied_(may_be_tied), links_(model.variables.size()) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      links_[i].base = VariableId(i);
    }
    result_.is_used.assign(equations.size(), 0);
  }

  VariableAliases run() {
    collect();
    for (const auto& [row, tie] : ties_) {
      if (tie.first.quantity.order == 0 && tie.second.quantity.order == 0) {
        unite(row, tie);
      }
    }
    for (const auto& [row, tie] : ties_) {
      if (tie.first.quantity.order > 0) {
        hang(row, tie.second, tie.first);
      } else if (tie.second.quantity.order > 0) {
        hang(row, tie.first, tie.second);
      }
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      result_.variables.push_back(find(VariableId(i)));
      result_.variables.back().equation = links_[i].equation;
    }
    return std::move(result_);
  }

 private:
  std::optional<SignedLeaf> signed_leaf(NodeId node) const {
    const expr::Graph& graph = model_.graph;
    SignedLeaf leaf;
    if (graph[node].op == Op::negate) {
      leaf.negative = true;
      node = NodeId(graph[node].first);
    }
    if (graph[node].op != Op::variable || may_be_tied_[graph[node].first] == 0) {
      return std::nullopt;
    }
    leaf.quantity = {.variable = VariableId(graph[node].first),
                     .order = static_cast<int>(graph[node].second)};
    return leaf;
  }

  // ±a = ±b, ±a ± b = 0 and 0 = ±a ± b.
  std::optional<Tie> tie_of(const flat::Equation& equation) const {
    const expr::Graph& graph = model_.graph;
    NodeId left = equation.left;
    NodeId right = equation.right;
    bool is_sum = false;
    if (graph.is_constant(left, 0.0)) {
      std::swap(left, right);
    }
    if (graph.is_constant(right, 0.0)) {
      const expr::Node& sum = graph[left];
      if (sum.op != Op::add && sum.op != Op::subtract) {
        return std::nullopt;
      }
      is_sum = sum.op == Op::add;
      left = NodeId(sum.first);
      right = NodeId(sum.second);
    }
    const auto first = signed_leaf(left);
    auto second = signed_leaf(right);
    if (!first || !second) {
      return std::nullopt;
    }
    second->negative ^= is_sum;
    return Tie{*first, *second};
  }

  void collect() {
    for (std::uint32_t row = 0; row < equations_.size(); ++row) {
      const auto tie = tie_of(equations_[row]);
      if (tie && std::min(tie->first.quantity.order, tie->second.quantity.order) == 0) {
        ties_.emplace_back(row, *tie);
      }
    }
  }

  // variable = ±base^(shift), following all links; halves the path on the way.
  TiedVariable find(VariableId variable) {
    TiedVariable result{.base = variable};
    while (links_[result.base.index()].base != result.base) {
      TiedVariable& link = links_[result.base.index()];
      const TiedVariable& next = links_[link.base.index()];
      if (next.base != link.base) {
        link.shift += next.shift;
        link.negative ^= next.negative;
        link.base = next.base;
      }
      result.shift += link.shift;
      result.negative ^= link.negative;
      result.base = link.base;
    }
    return result;
  }

  // Whether the tie holds already; if so the equation is repeated.
  bool is_said(std::uint32_t row, const TiedVariable& a, const TiedVariable& b, bool negative) {
    if (a.base != b.base || a.shift != b.shift) {
      return false;
    }
    if (!negative) {
      result_.repeated.push_back(row);
    }
    return true;
  }

  void unite(std::uint32_t row, const Tie& tie) {
    TiedVariable keep = find(tie.first.quantity.variable);
    TiedVariable drop = find(tie.second.quantity.variable);
    const bool negative = keep.negative ^ drop.negative ^ tie.first.negative ^ tie.second.negative;
    if (is_said(row, keep, drop, negative)) {
      return;
    }
    const auto rank = [&](VariableId variable) {
      return std::pair(alias_rank(model_, {.variable = variable, .order = 0}), variable);
    };
    if (rank(drop.base) < rank(keep.base)) {
      std::swap(keep, drop);
    }
    links_[drop.base.index()] = {.base = keep.base, .shift = 0, .negative = negative, .equation = row};
    result_.is_used[row] = 1;
  }

  // low = ±high, the second one a derivative.
  void hang(std::uint32_t row, const SignedLeaf& low, const SignedLeaf& high) {
    const TiedVariable below = find(low.quantity.variable);
    TiedVariable above = find(high.quantity.variable);
    above.shift += high.quantity.order;
    const bool negative = below.negative ^ above.negative ^ low.negative ^ high.negative;
    if (is_said(row, below, above, negative) || below.shift != 0 || below.base == above.base) {
      return;
    }
    links_[below.base.index()] = {
        .base = above.base, .shift = above.shift, .negative = negative, .equation = row};
    result_.is_used[row] = 1;
  }

  const flat::Model& model_;
  std::span<const flat::Equation> equations_;
  std::span<const std::uint8_t> may_be_tied_;
  std::vector<std::pair<std::uint32_t, Tie>> ties_;
  std::vector<TiedVariable> links_;
  VariableAliases result_;
};

}  // namespace

VariableAliases tie_variables(const flat::Model& model, std::span<const flat::Equation> equations,
                              std::span<const std::uint8_t> may_be_tied) {
  return Tying(model, equations, may_be_tied).run();
}

}  // namespace saltus::structure
