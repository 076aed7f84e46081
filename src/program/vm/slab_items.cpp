#include "program/vm/slab_items.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

// In units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAnItem = 100;

using expr::Graph;
using expr::Node;
using expr::Op;

constexpr std::uint32_t kInProgress = kNoIndex - 1;

// Finaliser of splitmix64 (Steele, Lea, Flood 2014): spreads every input bit over the word. Shapes only have
// to agree for isomorphic nodes; a collision puts two shapes in one group, which costs a run and breaks
// nothing.
std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL + value;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

std::uint64_t leaf_shape(Space space) {
  return mix(0, static_cast<std::uint64_t>(space));
}

SlabOp slab_op(Op op) {
  switch (op) {
#define SALTUS_SLAB_CASE(name) \
  case Op::name: return SlabOp::name;
    SALTUS_SLAB_UNARY(SALTUS_SLAB_CASE)
    SALTUS_SLAB_BINARY(SALTUS_SLAB_CASE)
#undef SALTUS_SLAB_CASE
    case Op::power_integer: return SlabOp::power_integer;
    case Op::select: return SlabOp::select;
    default: break;
  }
  SALTUS_ASSERT(false);
  return SlabOp::copy;
}

class SlabCollector {
 public:
  SlabCollector(const Graph& graph, const LeafBindings& bindings, const ProgramRequest& request)
      : graph_(graph), bindings_(bindings), request_(request), item_of_(graph.size(), kNoIndex) {
    iterated_input_.resize(request.n_inputs, 0);
  }

  ItemList run() {
    list_.segments.resize(kFirstPartSegment + 2 * request_.parts.size());
    for (std::size_t i = 0; i < request_.parts.size(); ++i) {
      collect_part(static_cast<std::uint32_t>(i), request_.parts[i]);
    }
    close_strip(list_.segments[kPrologueSegment]);
    close_strip(list_.segments[kHeldSegment]);
    copy_outputs_that_live_on();
    return std::move(list_);
  }

 private:
  void collect_part(std::uint32_t index, const PartRequest& part) {
    prepared_ = kFirstPartSegment + 2 * index;
    main_ = prepared_ + 1;
    part_iterates_ = !part.iterated_inputs.empty();
    list_.segments[main_].iterated = part_iterates_;
    for (const std::uint32_t input : part.iterated_inputs) {
      iterated_input_[input] = 1;
    }
    std::size_t strip_begin = list_.items.size();
    for (std::size_t i = 0; i < part.roots.size(); ++i) {
      visit(part.roots[i]);
      set_output(item_of_[part.roots[i].index()], static_cast<std::uint32_t>(i));
      if (list_.items.size() - strip_begin >= request_.limits.strip_nodes) {
        close_strips();
        strip_begin = list_.items.size();
      }
    }
    close_strips();
    for (const std::uint32_t input : part.iterated_inputs) {
      iterated_input_[input] = 0;
    }
    for (const std::uint32_t node : forget_) {
      item_of_[node] = kNoIndex;
    }
    forget_.clear();
  }

  // Depth-first, with a stack of its own: the depth of a graph is in the hands of the model's author.
  void visit(NodeId root) {
    stack_.push_back(root.value());
    while (!stack_.empty()) {
      const std::uint32_t id = stack_.back();
      const Node& node = graph_[NodeId(id)];
      if (item_of_[id] != kNoIndex && item_of_[id] != kInProgress) {
        stack_.pop_back();
        continue;
      }
      const bool first_time = item_of_[id] == kNoIndex;
      item_of_[id] = kInProgress;
      if (first_time && push_operands(node)) {
        continue;
      }
      stack_.pop_back();
      finish(id, node);
    }
  }

  // Pushes what the node needs and has not; false when nothing is missing.
  bool push_operands(const Node& node) {
    const std::size_t before = stack_.size();
    const auto push = [this](std::uint32_t operand) {
      SALTUS_EXPECT(item_of_[operand] != kInProgress, "bindings of leaves to nodes form a cycle");
      if (item_of_[operand] == kNoIndex) {
        stack_.push_back(operand);
      }
    };
    const int n = node.op == Op::power_integer ? 1 : expr::n_operands(node.op);
    // Last operand first, so that the first one is computed first.
    for (int k = n - 1; k >= 0; --k) {
      push(node.operand(k));
    }
    if (n == 0 && node.op != Op::constant) {
      const Binding binding = bindings_.of(node);
      SALTUS_EXPECT(binding.kind != Binding::Kind::none, "a leaf of the compiled expressions is not bound");
      if (binding.kind == Binding::Kind::node) {
        push(binding.value);
      }
    }
    return stack_.size() > before;
  }

  void finish(std::uint32_t id, const Node& node) {
    count_work(kWorkOfAnItem);
    if (expr::n_operands(node.op) == 0) {
      finish_leaf(id, node);
      return;
    }
    if (node.op == Op::rated) {
      remember(id, item_of_[node.first]);
      return;
    }
    Item item;
    item.op = slab_op(node.op);
    const int n = node.op == Op::power_integer ? 1 : expr::n_operands(node.op);
    for (int k = 0; k < n; ++k) {
      item.operands[k] = item_of_[node.operand(k)];
    }
    if (node.op == Op::power_integer) {
      item.immediate = static_cast<std::int32_t>(graph_[NodeId(node.second)].value);
      item.op = item.immediate == 2 ? SlabOp::square : item.immediate == 3 ? SlabOp::cube : item.op;
    }
    item.node = id;
    if (item.op == SlabOp::divide) {
      replace_division(item);
    }
    add_operation(item);
    remember(id, static_cast<std::uint32_t>(list_.items.size() - 1));
  }

  // a / 2^k is a · 2^-k in every bit, since both round the same number, and a product costs a quarter of a quotient.
  void replace_division(Item& item) {
    const Item& divisor = list_.items[item.operands[1]];
    if (divisor.kind != Item::Kind::constant || !std::isnormal(divisor.value) ||
        !std::isnormal(1.0 / divisor.value)) {
      return;
    }
    int exponent = 0;
    if (std::abs(std::frexp(divisor.value, &exponent)) != 0.5) {
      return;
    }
    const double reciprocal = 1.0 / divisor.value;
    const auto [place, is_new] =
        reciprocals_.try_emplace(reciprocal, static_cast<std::uint32_t>(list_.items.size()));
    if (is_new) {
      Item constant;
      constant.kind = Item::Kind::constant;
      constant.value = reciprocal;
      constant.rhythm = Rhythm::frozen;
      constant.shape = leaf_shape(Space::frozen);
      list_.items.push_back(constant);
    }
    item.op = SlabOp::multiply;
    item.operands[1] = place->second;
  }

  void finish_leaf(std::uint32_t id, const Node& node) {
    Item item;
    item.kind = Item::Kind::leaf;
    item.node = id;
    if (node.op == Op::constant) {
      item.kind = Item::Kind::constant;
      item.value = node.value;
      item.rhythm = Rhythm::frozen;
    } else {
      const Binding binding = bindings_.of(node);
      switch (binding.kind) {
        case Binding::Kind::node: remember(id, item_of_[binding.value]); return;
        case Binding::Kind::state: item.location = Location(Space::states, binding.value); break;
        case Binding::Kind::parameter:
          item.location = Location(Space::frozen, binding.value);
          item.rhythm = Rhythm::frozen;
          break;
        default:
          SALTUS_EXPECT(binding.value < request_.n_inputs, "a leaf is bound to an input that does not exist");
          item.location = Location(Space::registers, binding.value);
          item.iterated = iterated_input_[binding.value] != 0;
          item.rhythm = is_held(binding.value) ? Rhythm::held : Rhythm::run;
      }
    }
    item.shape = leaf_shape(item.kind == Item::Kind::constant ? Space::frozen : item.location.space());
    list_.items.push_back(item);
    remember(id, static_cast<std::uint32_t>(list_.items.size() - 1));
  }

  // Shape, depth, segment and counts of an operation whose operands are set; appends it.
  void add_operation(Item& item) {
    const int n = n_operands(item.op);
    item.rhythm = Rhythm::frozen;
    for (int k = 0; k < n; ++k) {
      item.rhythm = std::max(item.rhythm, list_.items[item.operands[k]].rhythm);
    }
    item.shape = mix(static_cast<std::uint64_t>(item.op) + 16, static_cast<std::uint32_t>(item.immediate));
    for (int k = 0; k < n; ++k) {
      const Item& operand = list_.items[item.operands[k]];
      const bool as_leaf = operand.rhythm < item.rhythm;
      item.shape = mix(item.shape, as_leaf ? leaf_shape(space_of(operand)) : operand.shape);
      item.depth = std::max(item.depth, as_leaf ? 0U : operand.depth);
      item.iterated = item.iterated || operand.iterated;
    }
    item.depth += 1;
    item.segment = segment_of(item);
    for (int k = 0; k < n; ++k) {
      Item& operand = list_.items[item.operands[k]];
      operand.uses += 1;
      operand.last_segment = std::max(operand.last_segment, item.segment);
    }
    list_.segments[item.segment].items.push_back(static_cast<std::uint32_t>(list_.items.size()));
    list_.items.push_back(item);
  }

  [[nodiscard]] bool is_held(std::uint32_t input) const { return input >= 1 && input <= request_.n_held; }

  // Where a value will be read.
  [[nodiscard]] static Space space_of(const Item& item) {
    if (item.kind == Item::Kind::leaf) {
      return item.location.space();
    }
    return item.rhythm == Rhythm::frozen ? Space::frozen : Space::registers;
  }

  [[nodiscard]] std::uint32_t segment_of(const Item& item) const {
    switch (item.rhythm) {
      case Rhythm::frozen: return kPrologueSegment;
      case Rhythm::held: return kHeldSegment;
      case Rhythm::run: break;
    }
    return part_iterates_ && !item.iterated ? prepared_ : main_;
  }

  void remember(std::uint32_t node, std::uint32_t item) {
    item_of_[node] = item;
    if (list_.items[item].iterated) {
      forget_.push_back(node);
    }
  }

  void set_output(std::uint32_t item, std::uint32_t output) {
    Item& root = list_.items[item];
    if (root.kind == Item::Kind::operation && root.segment == main_ && root.output == kNoIndex) {
      root.output = output;
    } else {
      add_copy(item, output, main_);
    }
  }

  void add_copy(std::uint32_t source, std::uint32_t output, std::uint32_t segment) {
    Item copy;
    copy.op = SlabOp::copy;
    copy.operands[0] = source;
    copy.output = output;
    copy.node = output;
    const Item& operand = list_.items[source];
    copy.depth = operand.rhythm == Rhythm::run ? operand.depth + 1U : 1U;
    copy.shape =
        mix(static_cast<std::uint64_t>(SlabOp::copy) + 16, static_cast<std::uint64_t>(space_of(operand)));
    copy.segment = segment;
    list_.items[source].uses += 1;
    list_.items[source].last_segment = std::max(list_.items[source].last_segment, segment);
    list_.segments[segment].items.push_back(static_cast<std::uint32_t>(list_.items.size()));
    list_.items.push_back(copy);
  }

  // The output vector belongs to one part: a result that a later part reads stays in a register and is
  // copied.
  void copy_outputs_that_live_on() {
    const std::size_t n = list_.items.size();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t output = list_.items[i].output;
      if (output != kNoIndex && list_.items[i].last_segment > list_.items[i].segment) {
        list_.items[i].output = kNoIndex;
        add_copy(i, output, list_.items[i].segment);
      }
    }
    for (Segment& segment : list_.segments) {
      if (!segment.strip_ends.empty()) {
        segment.strip_ends.back() = static_cast<std::uint32_t>(segment.items.size());
      }
    }
  }

  void close_strips() {
    close_strip(list_.segments[prepared_]);
    close_strip(list_.segments[main_]);
  }

  static void close_strip(Segment& segment) {
    const auto end = static_cast<std::uint32_t>(segment.items.size());
    if (end != (segment.strip_ends.empty() ? 0U : segment.strip_ends.back())) {
      segment.strip_ends.push_back(end);
    }
  }

  const Graph& graph_;
  const LeafBindings& bindings_;
  const ProgramRequest& request_;
  ItemList list_;
  std::vector<std::uint32_t> item_of_;           // by node; kNoIndex, kInProgress or an item
  std::map<double, std::uint32_t> reciprocals_;  // constants made by replace_division
  std::vector<char> iterated_input_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> forget_;
  std::uint32_t prepared_ = 0;
  std::uint32_t main_ = 0;
  bool part_iterates_ = false;
};

}  // namespace

ItemList collect_items(const Graph& graph, const LeafBindings& bindings, const ProgramRequest& request) {
  return SlabCollector(graph, bindings, request).run();
}

}  // namespace saltus::program
