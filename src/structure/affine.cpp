#include "structure/affine.hpp"

#include <algorithm>

namespace saltus::structure {

using expr::Node;
using expr::Op;

AffineSplitter::AffineSplitter(expr::Graph& graph, const SlotTable& slots)
    : graph_(graph),
      slots_(slots),
      one_(graph.constant(1.0)),
      zero_(graph.constant(0.0)),
      unknown_of_slot_(slots.n_slots(), kNone) {}

void AffineSplitter::set_unknowns(std::span<const std::uint32_t> slots) {
  for (const std::uint32_t slot : active_slots_) {
    unknown_of_slot_[slot] = kNone;
  }
  active_slots_.assign(slots.begin(), slots.end());
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    unknown_of_slot_[slots[i]] = i;
  }
}

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

SignedSlot AffineSplitter::unknown_of(NodeId node) const {
  const std::uint32_t slot = slots_.slot_of(node);
  if (slot == kNone) {
    return {};
  }
  const SignedSlot representative = slots_.representative(slot);
  return {.slot = unknown_of_slot_[representative.slot], .negative = representative.negative};
}

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
    for (int i = 0; i < expr::n_operands(content.op); ++i) {
      if (seen_[content.operand(i)] != stamp_) {
        seen_[content.operand(i)] = stamp_;
        stack_.push_back(NodeId(content.operand(i)));
      }
    }
  }
  std::sort(nodes_.begin(), nodes_.end());
}

AffineSplitter::Kind AffineSplitter::kind_of(NodeId node) const {
  const Node& content = graph_[node];
  const int n = expr::n_operands(content.op);
  if (n == 0) {
    return unknown_of(node).slot == kNone ? Kind::free : Kind::affine;
  }
  Kind worst = Kind::free;
  for (int i = 0; i < n; ++i) {
    worst = std::max(worst, kind_[content.operand(i)]);
  }
  if (worst != Kind::affine) {
    return worst;
  }
  const auto is_free = [&](std::uint32_t operand) { return kind_[operand] == Kind::free; };
  switch (content.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract: return Kind::affine;
    case Op::multiply: return is_free(content.first) || is_free(content.second) ? Kind::affine : Kind::other;
    case Op::divide: return is_free(content.second) ? Kind::affine : Kind::other;
    case Op::select: return is_free(content.first) ? Kind::affine : Kind::other;
    default: return Kind::other;
  }
}

// The node with every unknown zero; invalid for zero. Called for free and affine nodes, operands first.
NodeId AffineSplitter::remainder_of(NodeId node) {
  if (kind_[node.index()] == Kind::free) {
    return node;
  }
  const Node content = graph_[node];  // a copy: the graph grows below
  const NodeId a = content.op == Op::variable ? NodeId() : remainder_[content.first];
  const NodeId b =
      content.op == Op::variable || content.op == Op::negate ? NodeId() : remainder_[content.second];
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
    const SignedSlot unknown = unknown_of(node);
    if (unknown.slot == kNone) {
      hand_down(node);
      continue;
    }
    const NodeId factor = unmasked(factor_[node.index()]);
    form.terms.push_back(
        {.unknown = unknown.slot, .coefficient = unknown.negative ? graph_.negate(factor) : factor});
  }
  // Several aliases of one unknown give several terms.
  std::stable_sort(
      form.terms.begin(), form.terms.end(),
      [](const AffineForm::Term& a, const AffineForm::Term& b) { return a.unknown < b.unknown; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < form.terms.size(); ++i) {
    if (form.terms[i].unknown == form.terms[last].unknown) {
      form.terms[last].coefficient = graph_.add(form.terms[last].coefficient, form.terms[i].coefficient);
    } else {
      form.terms[++last] = form.terms[i];
    }
  }
  if (!form.terms.empty()) {
    form.terms.resize(last + 1);
  }
  return form;
}

}  // namespace saltus::structure
