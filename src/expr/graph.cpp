#include "expr/graph.hpp"

#include <bit>

#include "base/work_watch.hpp"
#include "expr/simplify.hpp"
#include "saltus/contract.hpp"

namespace saltus::expr {
namespace {

constexpr std::size_t kFirstTableSize = 1024;  // power of two
constexpr std::int64_t kWorkOfANode = 20;      // base/work_watch.hpp: simplification and a look-up

std::uint64_t mix(std::uint64_t h) {
  // Finalizer of MurmurHash3 (public domain, A. Appleby): every input bit reaches every output bit.
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  h ^= h >> 33;
  return h;
}

// Odd multipliers (golden ratio and the square roots of 3 and 5, times 2⁶⁴): the fields of a node are small numbers,
// which these spread before they are combined.
constexpr std::uint64_t kSpreadHead = 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kSpreadTail = 0xbb67ae8584caa73bULL;
constexpr std::uint64_t kSpreadValue = 0x3c6ef372fe94f82bULL;

std::uint32_t hash(const Node& node) {
  const std::uint64_t head = (static_cast<std::uint64_t>(node.op) << 32U) | node.first;
  const std::uint64_t tail = (static_cast<std::uint64_t>(node.second) << 32U) | node.third;
  const std::uint64_t value = std::bit_cast<std::uint64_t>(node.value);
  return static_cast<std::uint32_t>(mix(head * kSpreadHead + tail * kSpreadTail + value * kSpreadValue));
}

// Bitwise on the value: 0.0 and -0.0 are different constants, a NaN equals itself.
bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.first == b.first && a.second == b.second && a.third == b.third &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

}  // namespace

Graph::Graph() : table_(kFirstTableSize) {}

NodeId Graph::intern(const Node& node) {
  count_work(kWorkOfANode);
  if ((nodes_.size() + 1) * 2 > table_.size()) {
    grow();
  }
  const std::size_t mask = table_.size() - 1;
  const std::uint32_t wanted = hash(node);
  std::size_t slot = wanted & mask;
  for (; table_[slot].entry != 0; slot = (slot + 1) & mask) {
    const std::uint32_t id = table_[slot].entry - 1;
    if (table_[slot].hash == wanted && same(nodes_[id], node)) {
      return NodeId(id);
    }
  }
  nodes_.push_back(node);
  table_[slot] = {.entry = static_cast<std::uint32_t>(nodes_.size()), .hash = wanted};
  return NodeId(nodes_.size() - 1);
}

void Graph::grow() {
  std::vector<Slot> bigger(table_.size() * 2);
  const std::size_t mask = bigger.size() - 1;
  for (const Slot& old : table_) {
    if (old.entry == 0) {
      continue;
    }
    std::size_t slot = old.hash & mask;
    while (bigger[slot].entry != 0) {
      slot = (slot + 1) & mask;
    }
    bigger[slot] = old;
  }
  table_ = std::move(bigger);
}

NodeId Graph::constant(double value) {
  return intern({.op = Op::constant, .value = value});
}
NodeId Graph::time() {
  return intern({.op = Op::time});
}
NodeId Graph::variable(VariableId variable, int derivative_order) {
  SALTUS_ASSERT(derivative_order >= 0);
  return intern({.op = Op::variable,
                 .first = variable.value(),
                 .second = static_cast<std::uint32_t>(derivative_order)});
}
NodeId Graph::parameter(ParameterId parameter) {
  return intern({.op = Op::parameter, .first = parameter.value()});
}
NodeId Graph::condition(ConditionId condition) {
  return intern({.op = Op::condition, .first = condition.value()});
}
NodeId Graph::previous(VariableId variable) {
  return intern({.op = Op::previous, .first = variable.value()});
}

NodeId Graph::unary(Op op, NodeId a) {
  return simplify_unary(*this, op, a);
}
NodeId Graph::binary(Op op, NodeId a, NodeId b) {
  return simplify_binary(*this, op, a, b);
}
NodeId Graph::select(NodeId condition, NodeId if_true, NodeId if_false) {
  return simplify_select(*this, condition, if_true, if_false);
}

NodeId Graph::rated(NodeId value, NodeId slope, NodeId argument, bool begins) {
  if (!begins && is_constant(slope, 0.0)) {
    return value;
  }
  return intern({.op = Op::rated,
                 .first = value.value(),
                 .second = slope.value(),
                 .third = argument.value(),
                 .value = begins ? 1.0 : 0.0});
}

bool Graph::is_constant(NodeId id, double value) const {
  const Node& node = (*this)[id];
  return node.op == Op::constant && node.value == value;
}

std::array<NodeId, 3> Graph::operands(NodeId id) const {
  const Node& node = (*this)[id];
  std::array<NodeId, 3> result;
  for (int i = 0; i < n_operands(node.op); ++i) {
    result[static_cast<std::size_t>(i)] = NodeId(node.operand(i));
  }
  return result;
}

std::string_view name_of(Op op) {
  static constexpr std::array<std::string_view, 40> kNames = {
      "constant", "time",  "variable", "parameter", "condition", "pre",  "-",     "+",    "-",     "*",
      "/",        "^",     "^",        "sqrt",      "exp",       "log",  "log10", "sin",  "cos",   "tan",
      "asin",     "acos",  "atan",     "sinh",      "cosh",      "tanh", "abs",   "sign", "floor", "ceil",
      "trunc",    "atan2", "min",      "max",       "<",         "<=",   "==",    "<>",   "and",   "or"};
  if (op == Op::logical_not) {
    return "not";
  }
  if (op == Op::select) {
    return "select";
  }
  if (op == Op::rated) {
    return "rated";
  }
  return kNames[static_cast<std::size_t>(op)];
}

}  // namespace saltus::expr
