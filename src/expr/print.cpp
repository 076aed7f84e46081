#include "expr/print.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "base/number_text.hpp"

namespace saltus::expr {
namespace {

// How tightly an operation binds, from the grammar of expressions; operands that bind less get parentheses.
enum Binding : int {
  kIf,
  kOr,
  kAnd,
  kNot,
  kRelation,
  kSum,  // also a leading minus
  kProduct,
  kPower,
  kPrimary,
};

Binding binding_of(const Node& node) {
  switch (node.op) {
    case Op::select: return kIf;
    case Op::logical_or: return kOr;
    case Op::logical_and: return kAnd;
    case Op::logical_not: return kNot;
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return kRelation;
    case Op::add:
    case Op::subtract:
    case Op::negate: return kSum;
    case Op::multiply:
    case Op::divide: return kProduct;
    case Op::power:
    case Op::power_integer: return kPower;
    case Op::constant: return std::signbit(node.value) ? kSum : kPrimary;
    default: return kPrimary;
  }
}

struct Item {
  std::string_view text;  // written as it is if the node is invalid
  NodeId node;
  Binding at_least = kIf;
  bool truth = false;  // constants as true and false
};

class Printer {
 public:
  Printer(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

  std::string run(NodeId root, std::size_t limit) {
    stack_.push_back({.text = {}, .node = root});
    while (!stack_.empty()) {
      if (out_.size() > limit) {
        out_.resize(limit);
        return out_ + "...";
      }
      const Item item = stack_.back();
      stack_.pop_back();
      if (item.node.valid()) {
        expand(item);
      } else {
        out_ += item.text;
      }
    }
    return out_;
  }

 private:
  // Parts are pushed last first, so that they leave the stack in reading order.
  void push(std::string_view text) { stack_.push_back({.text = text, .node = NodeId()}); }
  void push(std::uint32_t node, Binding at_least, bool truth = false) {
    stack_.push_back({.text = {}, .node = NodeId(node), .at_least = at_least, .truth = truth});
  }

  void expand(const Item& item) {
    const Node& node = graph_[item.node];
    if (node.op == Op::rated) {
      push(node.first, item.at_least, item.truth);
      return;
    }
    if (binding_of(node) < item.at_least) {
      push(")");
      push(item.node.value(), kIf, item.truth);
      push("(");
      return;
    }
    if (n_operands(node.op) == 0) {
      leaf(node, item.truth);
      return;
    }
    switch (node.op) {
      case Op::select: choice(node); return;
      case Op::logical_or: infix(node, " or ", kOr, kAnd, true); return;
      case Op::logical_and: infix(node, " and ", kAnd, kNot, true); return;
      case Op::logical_not: prefix(node, "not ", kRelation, true); return;
      case Op::less: infix(node, " < ", kSum, kSum, false); return;
      case Op::less_equal: infix(node, " <= ", kSum, kSum, false); return;
      case Op::equal: infix(node, " == ", kSum, kSum, false); return;
      case Op::not_equal: infix(node, " <> ", kSum, kSum, false); return;
      case Op::add: infix(node, " + ", kSum, kProduct, false); return;
      case Op::subtract: infix(node, " - ", kSum, kProduct, false); return;
      case Op::negate: prefix(node, "-", kProduct, false); return;
      case Op::multiply: infix(node, "*", kProduct, kPower, false); return;
      case Op::divide: infix(node, "/", kProduct, kPower, false); return;
      case Op::power:
      case Op::power_integer: infix(node, "^", kPrimary, kPrimary, false); return;
      default: call(node); return;
    }
  }

  void leaf(const Node& node, bool truth) {
    if (node.op == Op::constant) {
      if (truth && (node.value == 0.0 || node.value == 1.0)) {
        out_ += node.value == 0.0 ? "false" : "true";
      } else {
        out_ += number_text(node.value);
      }
    } else {
      out_ += node.op == Op::time ? "time" : name_(node);
    }
  }

  void infix(const Node& node, std::string_view sign, Binding left, Binding right, bool truth) {
    push(node.second, right, truth);
    push(sign);
    push(node.first, left, truth);
  }

  void prefix(const Node& node, std::string_view sign, Binding operand, bool truth) {
    push(node.first, operand, truth);
    push(sign);
  }

  void choice(const Node& node) {
    push(node.third, kIf);
    push(" else ");
    push(node.second, kIf);
    push(" then ");
    push(node.first, kIf, true);
    push("if ");
  }

  void call(const Node& node) {
    push(node.op == Op::truncate ? ", 1)" : ")");  // div(x, 1) rounds towards zero
    if (n_operands(node.op) == 2) {
      push(node.second, kIf);
      push(", ");
    }
    push(node.first, kIf);
    push("(");
    push(node.op == Op::truncate ? "div" : name_of(node.op));
  }

  const Graph& graph_;
  const LeafName& name_;
  std::vector<Item> stack_;
  std::string out_;
};

}  // namespace

std::string default_leaf_name(const Node& leaf) {
  switch (leaf.op) {
    case Op::variable:
      if (leaf.second == 0) {
        return fmt::format("x{}", leaf.first);
      }
      return leaf.second == 1 ? fmt::format("der(x{})", leaf.first)
                              : fmt::format("der(x{}, {})", leaf.first, leaf.second);
    case Op::parameter: return fmt::format("p{}", leaf.first);
    case Op::condition: return fmt::format("c{}", leaf.first);
    case Op::previous: return fmt::format("pre(x{})", leaf.first);
    default: return {};
  }
}

std::string print(const Graph& graph, NodeId node, const LeafName& name, std::size_t limit) {
  return Printer(graph, name).run(node, limit);
}

}  // namespace saltus::expr
