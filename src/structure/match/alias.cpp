#include "structure/match/alias.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace saltus::structure {
namespace {

using expr::Op;

struct SlotPair {
  SignedSlot first;
  SignedSlot second;
};

class Forest {
 public:
  explicit Forest(std::uint32_t n) : parent_(n), negative_(n, 0) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  // The root of a slot's class and the sign against it; halves the path on the way.
  SignedSlot find(std::uint32_t slot) {
    bool negative = false;
    while (parent_[slot] != slot) {
      const std::uint32_t up = parent_[slot];
      negative_[slot] = negative_[slot] ^ negative_[up];
      parent_[slot] = parent_[up];
      negative ^= negative_[slot] != 0;
      slot = parent_[slot];
    }
    return {.slot = slot, .negative = negative};
  }

  void attach(std::uint32_t root, SignedSlot target) {
    parent_[root] = target.slot;
    negative_[root] = target.negative ? 1 : 0;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint8_t> negative_;
};

// ±leaf, or nothing.
std::optional<SignedSlot> signed_leaf(const expr::Graph& graph, const SlotTable& slots, NodeId node) {
  bool negative = false;
  if (graph[node].op == Op::negate) {
    negative = true;
    node = NodeId(graph[node].first);
  }
  const std::uint32_t slot = slots.slot_of(node);
  if (slot == kNone) {
    return std::nullopt;
  }
  return SignedSlot{.slot = slot, .negative = negative};
}

// The two quantities of ±a = ±b, ±a ± b = 0 or 0 = ±a ± b.
std::optional<SlotPair> alias_pair(const expr::Graph& graph, const SlotTable& slots,
                                   const flat::Equation& equation) {
  NodeId left = equation.left;
  NodeId right = equation.right;
  if (graph.is_constant(left, 0.0)) {
    std::swap(left, right);
  }
  if (!graph.is_constant(right, 0.0)) {
    const auto first = signed_leaf(graph, slots, left);
    const auto second = signed_leaf(graph, slots, right);
    return first && second ? std::optional<SlotPair>({*first, *second}) : std::nullopt;
  }
  const expr::Node& sum = graph[left];
  if (sum.op != Op::add && sum.op != Op::subtract) {
    return std::nullopt;
  }
  const auto first = signed_leaf(graph, slots, NodeId(sum.first));
  auto second = signed_leaf(graph, slots, NodeId(sum.second));
  if (!first || !second) {
    return std::nullopt;
  }
  if (sum.op == Op::add) {
    second->negative = !second->negative;
  }
  return SlotPair{*first, *second};
}

}  // namespace

int alias_rank(const flat::Model& model, const Unknown& unknown) {
  const flat::Variable& variable = model[unknown.variable];
  if (variable.variability == flat::Variability::discrete) {
    return kNeverAlias;
  }
  if (unknown.order > 0) {
    return 2;
  }
  return variable.start.has_value() ? 0 : 1;
}

AliasReport eliminate_aliases(const expr::Graph& graph, std::span<const flat::Equation> equations,
                              std::span<const int> ranks, SlotTable& slots) {
  AliasReport report;
  Forest forest(slots.n_slots());
  for (std::uint32_t row = 0; row < equations.size(); ++row) {
    const auto pair = alias_pair(graph, slots, equations[row]);
    if (!pair || ranks[pair->first.slot] == kNeverAlias || ranks[pair->second.slot] == kNeverAlias) {
      continue;
    }
    SignedSlot keep = forest.find(pair->first.slot);
    SignedSlot drop = forest.find(pair->second.slot);
    // ±keep = ±drop, all signs together.
    const bool negative = keep.negative ^ drop.negative ^ pair->first.negative ^ pair->second.negative;
    if (keep.slot == drop.slot) {
      if (!negative) {
        report.repeated.push_back(row);
      }
      continue;
    }
    const auto rank = [&](std::uint32_t slot) { return std::pair(ranks[slot], slot); };
    if (rank(drop.slot) < rank(keep.slot)) {
      std::swap(keep, drop);
    }
    if (ranks[drop.slot] == kKnownRank) {
      continue;
    }
    forest.attach(drop.slot, {.slot = keep.slot, .negative = negative});
    report.aliases.push_back({.slot = drop.slot, .row = row});
  }
  for (std::uint32_t slot = 0; slot < slots.n_slots(); ++slot) {
    slots.set_representative(slot, forest.find(slot));
  }
  return report;
}

}  // namespace saltus::structure
