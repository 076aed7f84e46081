#include "program/guards/guard_tape.hpp"

#include <algorithm>
#include <cmath>

#include "program/guards/guard_partial.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {

using expr::Op;

TapeNumbers::TapeNumbers(const GuardTape& tape, std::span<const double> frozen_inputs)
    : values(tape.n_registers(), 0.0), intervals(tape.n_registers()) {
  const auto set = [this](std::uint32_t place, double value) {
    values[place] = value;
    intervals[place] = point_interval(value);
  };
  for (const GuardTape::Constant& constant : tape.constants) {
    set(constant.place, constant.value);
  }
  for (const GuardTape::FrozenInput& item : tape.frozen_inputs) {
    set(item.place, frozen_inputs[item.input]);
  }
  for (const TapeInstruction& instruction : tape.frozen_code) {
    const auto at = [&](int k) { return static_cast<std::size_t>(instruction.operands[k]); };
    const auto place = static_cast<std::size_t>(instruction.result);
    values[place] = apply_operation(instruction.op, values[at(0)], values[at(1)], values[at(2)]);
    intervals[place] = apply_operation(instruction.op, intervals[at(0)], intervals[at(1)], intervals[at(2)]);
  }
}

TapeBuilder::TapeBuilder(const expr::Graph& graph, const LeafBindings& bindings, std::uint32_t n_held,
                         std::uint32_t n_inputs)
    : graph_(graph), bindings_(bindings), n_held_(n_held) {
  tape_.n_inputs = n_inputs;
  tape_.degrees.resize(n_inputs, 0);
  tape_.degrees[0] = 1;
  std::fill(tape_.degrees.begin() + 1 + n_held, tape_.degrees.end(), kNotPolynomial);
  frozen_.resize(n_inputs, 0);
}

void TapeBuilder::grow() {
  if (stamp_.size() < graph_.size()) {
    stamp_.resize(graph_.size(), 0);
    operand_.resize(graph_.size(), 0);
    has_register_.resize(graph_.size(), 0);
  }
}

TapePiece TapeBuilder::add(std::span<const NodeId> roots) {
  grow();
  ++piece_;
  missing_.clear();
  TapePiece piece;
  piece.first = static_cast<std::uint32_t>(tape_.code.size());
  for (const NodeId root : roots) {
    visit(root, piece);
    piece.roots.push_back(operand_[root.index()]);
  }
  if (!missing_.empty()) {
    drop(piece);
    piece = {};
    piece.is_complete = false;
    return piece;
  }
  piece.count = static_cast<std::uint32_t>(tape_.code.size()) - piece.first;
  const auto sort_once = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  sort_once(piece.states);
  sort_once(piece.solved_inputs);
  sort_once(piece.held);
  return piece;
}

void TapeBuilder::visit(NodeId root, TapePiece& piece) {
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const NodeId node = stack_.back();
    const std::size_t depth = stack_.size();
    const bool known_constant = has_register_[node.index()] != 0 && is_frozen(operand_[node.index()]);
    if (is_done(node) || known_constant) {
      stamp_[node.index()] = piece_;
      stack_.pop_back();
      continue;
    }
    const expr::Node& content = graph_[node];
    const int n = expr::n_operands(content.op);
    if (n == 0) {
      visit_leaf(node, piece);
      continue;
    }
    for (int k = n - 1; k >= 0; --k) {
      if (!is_done(NodeId(content.operand(k)))) {
        stack_.push_back(NodeId(content.operand(k)));
      }
    }
    if (stack_.size() == depth) {
      visit_operation(node);
      stack_.pop_back();
    }
  }
}

void TapeBuilder::visit_leaf(NodeId leaf, TapePiece& piece) {
  const expr::Node& content = graph_[leaf];
  const auto finish = [&](std::int32_t operand) {
    operand_[leaf.index()] = operand;
    has_register_[leaf.index()] = 1;
    stamp_[leaf.index()] = piece_;
    stack_.pop_back();
  };
  if (content.op == Op::constant) {
    const std::uint32_t place = new_register(0, true);
    tape_.constants.push_back({place, content.value});
    finish(static_cast<std::int32_t>(place));
    return;
  }
  const Binding binding = bindings_.of(content);
  switch (binding.kind) {
    case Binding::Kind::state:
      piece.states.push_back(static_cast<Index>(binding.value));
      finish(-1 - static_cast<std::int32_t>(binding.value));
      return;
    case Binding::Kind::input:
      if (binding.value >= 1 && binding.value <= n_held_) {
        piece.held.push_back(binding.value - 1);
      }
      if (binding.value > n_held_) {
        piece.solved_inputs.push_back(binding.value);
      }
      finish(static_cast<std::int32_t>(binding.value));
      return;
    case Binding::Kind::parameter: {
      const std::uint32_t place = new_register(0, true);
      tape_.frozen_inputs.push_back({place, binding.value});
      finish(static_cast<std::int32_t>(place));
      return;
    }
    case Binding::Kind::node:
      if (const NodeId target(binding.value); is_done(target)) {
        finish(operand_[target.index()]);
      } else {
        stack_.push_back(target);
      }
      return;
    default:
      missing_.push_back(leaf);
      finish(0);
      has_register_[leaf.index()] = 0;
  }
}

std::uint32_t TapeBuilder::new_register(int degree, bool is_frozen) {
  tape_.degrees.push_back(degree);
  frozen_.push_back(is_frozen ? 1 : 0);
  return static_cast<std::uint32_t>(tape_.degrees.size() - 1);
}

void TapeBuilder::visit_operation(NodeId node) {
  const expr::Node& content = graph_[node];
  if (content.op == Op::rated) {
    operand_[node.index()] = operand_[content.first];
    has_register_[node.index()] = has_register_[content.first];
    stamp_[node.index()] = piece_;
    return;
  }
  TapeInstruction instruction{.op = content.op};
  bool frozen = true;
  for (int k = 0; k < expr::n_operands(content.op); ++k) {
    instruction.operands[k] = operand_[content.operand(k)];
    frozen = frozen && is_frozen(instruction.operands[k]);
  }
  stamp_[node.index()] = piece_;
  if (has_register_[node.index()] == 0 || (frozen && !is_frozen(operand_[node.index()]))) {
    const int degree = frozen ? 0 : degree_of(content, instruction.operands);
    operand_[node.index()] = static_cast<std::int32_t>(new_register(degree, frozen));
    has_register_[node.index()] = 1;
  }
  instruction.result = operand_[node.index()];
  (frozen ? tape_.frozen_code : tape_.code).push_back(instruction);
}

int TapeBuilder::degree_of(const expr::Node& node, const std::int32_t (&operands)[3]) const {
  const int n = expr::n_operands(node.op);
  int largest = 0;
  int smallest = 0;
  for (int k = 0; k < n; ++k) {
    largest = std::max(largest, tape_.degree_of(operands[k]));
    smallest = std::min(smallest, tape_.degree_of(operands[k]));
  }
  if (smallest == kMayJump || (largest == 0 && smallest == 0)) {
    return smallest;
  }
  const bool jumps = node.op == Op::sign || node.op == Op::floor || node.op == Op::ceil ||
                     node.op == Op::truncate || (node.op >= Op::less && node.op <= Op::logical_not) ||
                     (node.op == Op::select && tape_.degree_of(operands[0]) != 0);
  if (jumps || smallest < 0) {
    return jumps ? kMayJump : kNotPolynomial;
  }
  int degree = kNotPolynomial;
  switch (node.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract:
    case Op::select: degree = largest; break;
    case Op::multiply: degree = tape_.degree_of(operands[0]) + tape_.degree_of(operands[1]); break;
    case Op::divide: degree = tape_.degree_of(operands[1]) == 0 ? largest : kNotPolynomial; break;
    case Op::power_integer: {
      const double exponent = graph_[NodeId(node.second)].value;
      degree = exponent >= 0.0 ? static_cast<int>(exponent) * largest : kNotPolynomial;
      break;
    }
    default: break;
  }
  return degree > kLargestDegree ? kNotPolynomial : degree;
}

}  // namespace saltus::program
