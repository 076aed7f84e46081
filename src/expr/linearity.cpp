#include "expr/linearity.hpp"

#include <algorithm>

#include "base/work_watch.hpp"
#include "expr/traversal.hpp"

namespace saltus::expr {
namespace {

// Of an operation, from the affinities of its operands.
template <class AffinityOf>
Affinity affinity_of(const Node& content, AffinityOf of) {
  Affinity worst = Affinity::free;
  for (int i = 0; i < n_operands(content.op); ++i) {
    worst = std::max(worst, of(content.operand(i)));
  }
  if (worst != Affinity::affine) {
    return worst;
  }
  const auto is_free = [&](std::uint32_t operand) { return of(operand) == Affinity::free; };
  const auto affine_if = [](bool holds) { return holds ? Affinity::affine : Affinity::other; };
  switch (content.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract: return Affinity::affine;
    case Op::multiply: return affine_if(is_free(content.first) || is_free(content.second));
    case Op::divide: return affine_if(is_free(content.second));
    case Op::select: return affine_if(is_free(content.first));
    default: return Affinity::other;
  }
}

}  // namespace

AffineSplitter::AffineSplitter(Graph& graph, std::function<SignedUnknown(NodeId)> unknown_of)
    : graph_(graph),
      unknown_of_(std::move(unknown_of)),
      one_(graph.constant(1.0)),
      zero_(graph.constant(0.0)) {}

void AffineSplitter::grow() {
  if (seen_.size() < graph_.size()) {
    // Twice the size, because every split may add nodes.
    const std::size_t size = graph_.size() * 2;
    seen_.resize(size, 0);
    kind_.resize(size, Kind::free);
    remainder_.resize(size);
    factor_.resize(size);
  }
}

// In units of base/work_watch.hpp.
static constexpr std::int64_t kWorkOfASplit = 30;

void AffineSplitter::gather(NodeId root) {
  ++stamp_;
  nodes_.clear();
  stack_.assign(1, root);
  seen_[root.index()] = stamp_;
  while (!stack_.empty()) {
    const NodeId node = stack_.back();
    stack_.pop_back();
    nodes_.push_back(node);
    const Node& content = graph_[node];
    for (int i = 0; i < n_operands(content.op); ++i) {
      if (seen_[content.operand(i)] != stamp_) {
        seen_[content.operand(i)] = stamp_;
        stack_.push_back(NodeId(content.operand(i)));
      }
    }
  }
  count_work(kWorkOfASplit * static_cast<std::int64_t>(nodes_.size()));
  std::sort(nodes_.begin(), nodes_.end());
}

Affinity AffineSplitter::kind_of(NodeId node) const {
  if (n_operands(graph_[node].op) == 0) {
    return unknown_of_(node).unknown == SignedUnknown::kNone ? Kind::free : Kind::affine;
  }
  return affinity_of(graph_[node], [this](std::uint32_t operand) { return kind_[operand]; });
}

// The node with every unknown zero; invalid for zero. Called for free and affine nodes, operands first.
NodeId AffineSplitter::remainder_of(NodeId node) {
  if (kind_[node.index()] == Kind::free) {
    return node;
  }
  const Node content = graph_[node];  // a copy: the graph grows below
  const int n = n_operands(content.op);
  const NodeId a = n > 0 ? remainder_[content.first] : NodeId();
  const NodeId b = n > 1 ? remainder_[content.second] : NodeId();
  switch (content.op) {
    case Op::negate: return a.valid() ? graph_.negate(a) : a;
    case Op::add: return a.valid() && b.valid() ? graph_.add(a, b) : a.valid() ? a : b;
    case Op::subtract:
      if (!b.valid()) {
        return a;
      }
      return a.valid() ? graph_.subtract(a, b) : graph_.negate(b);
    case Op::multiply: return a.valid() && b.valid() ? graph_.multiply(a, b) : NodeId();
    case Op::divide: return a.valid() ? graph_.divide(a, b) : a;
    case Op::select: {
      const NodeId c = remainder_[content.third];
      if (!b.valid() && !c.valid()) {
        return {};
      }
      return graph_.select(NodeId(content.first), b.valid() ? b : zero_, c.valid() ? c : zero_);
    }
    default: return {};
  }
}

NodeId AffineSplitter::times(NodeId factor, NodeId other) {
  return factor == one_ ? other : other == one_ ? factor : graph_.multiply(factor, other);
}

NodeId AffineSplitter::unmasked(const Factor& factor) {
  return factor.mask.valid() ? graph_.select(factor.mask, factor.value, zero_) : factor.value;
}

void AffineSplitter::receive(std::uint32_t operand, Factor factor) {
  if (kind_[operand] != Kind::affine) {
    return;
  }
  Factor& sum = factor_[operand];
  if (!sum.value.valid()) {
    sum = factor;
  } else if (sum.mask == factor.mask) {
    sum.value = graph_.add(sum.value, factor.value);
  } else {
    sum = {.value = graph_.add(unmasked(sum), unmasked(factor)), .mask = {}};
  }
}

NodeId AffineSplitter::both(NodeId mask, NodeId condition) {
  return mask.valid() ? graph_.binary(Op::logical_and, mask, condition) : condition;
}

// ∂root/∂operand += ∂root/∂node · ∂node/∂operand
void AffineSplitter::hand_down(NodeId node) {
  const Node content = graph_[node];  // a copy: the graph grows below
  const auto [factor, mask] = factor_[node.index()];
  switch (content.op) {
    case Op::negate: receive(content.first, {.value = graph_.negate(factor), .mask = mask}); return;
    case Op::add:
      receive(content.first, {.value = factor, .mask = mask});
      receive(content.second, {.value = factor, .mask = mask});
      return;
    case Op::subtract:
      receive(content.first, {.value = factor, .mask = mask});
      receive(content.second, {.value = graph_.negate(factor), .mask = mask});
      return;
    case Op::multiply: {
      const bool first_is_free = kind_[content.first] == Kind::free;
      const std::uint32_t free = first_is_free ? content.first : content.second;
      receive(first_is_free ? content.second : content.first,
              {.value = times(factor, NodeId(free)), .mask = mask});
      return;
    }
    case Op::divide:
      receive(content.first, {.value = graph_.divide(factor, NodeId(content.second)), .mask = mask});
      return;
    case Op::select: {
      const NodeId condition(content.first);
      receive(content.second, {.value = factor, .mask = both(mask, condition)});
      receive(content.third, {.value = factor, .mask = both(mask, graph_.unary(Op::logical_not, condition))});
      return;
    }
    default: return;
  }
}

AffineForm AffineSplitter::split(NodeId root) {
  grow();
  gather(root);
  for (const NodeId node : nodes_) {
    kind_[node.index()] = kind_of(node);
    if (kind_[node.index()] == Kind::other) {
      return {.is_affine = false, .terms = {}, .remainder = {}};
    }
    remainder_[node.index()] = remainder_of(node);
    factor_[node.index()] = {};
  }
  AffineForm form;
  form.remainder = remainder_[root.index()];
  receive(root.value(), {.value = one_, .mask = {}});
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const NodeId node = nodes_[i];
    if (kind_[node.index()] != Kind::affine || !factor_[node.index()].value.valid()) {
      continue;
    }
    if (n_operands(graph_[node].op) > 0) {
      hand_down(node);
      continue;
    }
    const SignedUnknown unknown = unknown_of_(node);
    const NodeId factor = unmasked(factor_[node.index()]);
    form.terms.push_back(
        {.unknown = unknown.unknown, .coefficient = unknown.negative ? graph_.negate(factor) : factor});
  }
  merge_terms(form.terms);
  return form;
}

// Several leaves of one unknown gave several terms.
void AffineSplitter::merge_terms(std::vector<AffineForm::Term>& terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const AffineForm::Term& a, const AffineForm::Term& b) {
    return a.unknown < b.unknown;
  });
  std::size_t n_merged = 0;
  for (const AffineForm::Term term : terms) {
    if (n_merged > 0 && terms[n_merged - 1].unknown == term.unknown) {
      NodeId& sum = terms[n_merged - 1].coefficient;
      sum = graph_.add(sum, term.coefficient);
    } else {
      terms[n_merged++] = term;
    }
  }
  terms.resize(n_merged);
}

bool are_affine(const Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> unknowns) {
  const std::vector<NodeId> order = needed_nodes(graph, nodes);
  NodeTable<Affinity> affinities(graph.size());
  for (const NodeId node : order) {
    affinities[node] = Affinity::free;
  }
  for (const NodeId unknown : unknowns) {
    affinities[unknown] = Affinity::affine;  // of one outside the order: never read
  }
  for (const NodeId node : order) {
    if (n_operands(graph[node].op) > 0) {
      affinities[node] = affinity_of(graph[node], [&](std::uint32_t operand) { return affinities[operand]; });
    }
    if (affinities[node] == Affinity::other) {
      return false;
    }
  }
  return true;
}

}  // namespace saltus::expr
