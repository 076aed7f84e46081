#include "program/guards/guard_set.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

#include "program/guards/derivative_bindings.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using structure::Block;
using structure::Unknown;

// A piece whose missing leaves are given a meaning where that is possible.
TapePiece add_with_derivatives(TapeBuilder& builder, DerivativeBindings& bindings,
                               std::span<const NodeId> roots) {
  while (true) {
    TapePiece piece = builder.add(roots);
    for (const NodeId leaf : builder.missing()) {
      if (!bindings.bind_derivative(leaf)) {
        return piece;
      }
    }
    if (piece.is_complete) {
      return piece;
    }
  }
}

// Orders 1 to kOrders, as many as can be written down.
TapePiece derivative_piece(TapeBuilder& builder, DerivativeBindings& bindings, NodeId guard) {
  TapePiece best;
  std::vector<NodeId> roots;
  for (int order = 1; order <= system::GuardDerivatives::kOrders; ++order) {
    roots.push_back(bindings.total_derivative(guard, order));
    TapePiece piece = add_with_derivatives(builder, bindings, roots);
    if (!piece.is_complete) {
      break;
    }
    if (order > 1) {
      builder.drop(best);
      piece = builder.add(roots);
    }
    best = std::move(piece);
    if (best.count > kMostDerivativeCode) {
      break;
    }
  }
  return best;
}

system::GuardShape shape_of(const GuardTape& tape, const TapePiece& piece) {
  using Shape = system::GuardShape::Kind;
  if (!piece.is_complete || !piece.solved_inputs.empty()) {
    return {.kind = Shape::opaque};
  }
  const int degree = tape.degree_of(piece.roots[0]);
  if (degree == kMayJump) {
    return {.kind = Shape::opaque};
  }
  return degree == kNotPolynomial ? system::GuardShape{.kind = Shape::enclosed}
                                  : system::GuardShape{.kind = Shape::polynomial, .degree = degree};
}

// Residual of a row of an implicit block.
NodeId row_of(expr::Graph& graph, const Block& block, std::size_t row) {
  if (block.kind == Block::Kind::nonlinear) {
    return block.residual[row];
  }
  NodeId sum = graph.negate(block.right_side[row]);
  for (const structure::MatrixEntry& entry : block.matrix) {
    if (static_cast<std::size_t>(entry.row) == row) {
      const Unknown& unknown = block.unknowns[static_cast<std::size_t>(entry.column)];
      sum = graph.add(sum, graph.multiply(entry.value, graph.variable(unknown.variable, unknown.order)));
    }
  }
  return sum;
}

// Closures of what guards read, each made once. Blocks are named by the first of their inputs.
class ClosureFinder {
 public:
  /// `most`: unknowns of one closure; `most_together`: of all of them.
  ClosureFinder(expr::Graph& graph, TapeBuilder& builder, DerivativeBindings& bindings,
                std::vector<GuardCode::Closure>& closures, std::size_t most, std::size_t most_together)
      : graph_(graph),
        builder_(builder),
        bindings_(bindings),
        closures_(closures),
        most_(most),
        left_(most_together) {}

  /// The place of the one that contains these; -1: it has too many unknowns, or equations that cannot be written down.
  std::int32_t find(std::span<const std::uint32_t> inputs) {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t input : inputs) {
      const Needed& needed = needed_by(bindings_.giving(input).first_input);
      if (!needed.is_known || !join(all, needed.inputs)) {
        return -1;
      }
    }
    if (const auto known = places_.find(all); known != places_.end()) {
      return known->second;
    }
    if (all.size() > left_) {
      return -1;
    }
    left_ -= all.size();
    const auto [known, is_new] = places_.emplace(all, static_cast<std::int32_t>(closures_.size()));
    if (is_new) {
      TapePiece rows = add_rows(all);
      GuardCode::Closure& closure = closures_.emplace_back();
      closure.rows = std::move(rows);
      closure.inputs = std::move(all);
    }
    return known->second;
  }

 private:
  struct Needed {
    bool is_known = false;              // false: too many, or not to be written down
    std::vector<std::uint32_t> inputs;  // ascending, the block's own too
    std::vector<std::uint32_t> reads;   // other blocks
  };

  // Whether there are not too many together.
  [[nodiscard]] bool join(std::vector<std::uint32_t>& inputs, std::span<const std::uint32_t> others) const {
    std::vector<std::uint32_t> both;
    std::set_union(inputs.begin(), inputs.end(), others.begin(), others.end(), std::back_inserter(both));
    inputs = std::move(both);
    return inputs.size() <= most_;
  }

  TapePiece add_rows(std::span<const std::uint32_t> inputs) {
    std::vector<NodeId> rows;
    for (const std::uint32_t input : inputs) {
      const DerivativeBindings::Giving& giving = bindings_.giving(input);
      rows.push_back(row_of(graph_, *giving.block, input - giving.first_input));
    }
    return add_with_derivatives(builder_, bindings_, rows);
  }

  // The block alone; what it reads is still to be added.
  Needed look_at(std::uint32_t block) {
    Needed needed;
    const std::size_t n = bindings_.giving(block).block->unknowns.size();
    if (n > most_) {
      return needed;
    }
    needed.inputs.resize(n);
    std::iota(needed.inputs.begin(), needed.inputs.end(), block);
    const TapePiece piece = add_rows(needed.inputs);
    needed.is_known = piece.is_complete;
    if (piece.is_complete) {
      builder_.drop(piece);
    }
    for (const std::uint32_t input : piece.solved_inputs) {
      if (const std::uint32_t other = bindings_.giving(input).first_input; other != block) {
        needed.reads.push_back(other);
      }
    }
    return needed;
  }

  // Blocks are computed in order, so those that one reads come before it and there is no circle.
  const Needed& needed_by(std::uint32_t block) {
    std::vector<std::uint32_t> open = {block};
    while (!open.empty()) {
      const std::uint32_t next = open.back();
      if (known_.contains(next)) {
        open.pop_back();
        continue;
      }
      if (!seen_.contains(next)) {
        const Needed& needed = seen_.emplace(next, look_at(next)).first->second;
        open.insert(open.end(), needed.reads.begin(), needed.reads.end());
        continue;
      }
      Needed& needed = seen_.at(next);
      for (const std::uint32_t other : needed.reads) {
        const Needed& earlier = known_.at(other);
        needed.is_known = needed.is_known && earlier.is_known && join(needed.inputs, earlier.inputs);
      }
      if (!needed.is_known) {
        needed.inputs = {};
      }
      known_.emplace(next, std::move(needed));
      open.pop_back();
    }
    return known_.at(block);
  }

  expr::Graph& graph_;
  TapeBuilder& builder_;
  DerivativeBindings& bindings_;
  std::vector<GuardCode::Closure>& closures_;
  std::size_t most_;
  std::size_t left_;
  std::map<std::vector<std::uint32_t>, std::int32_t> places_;
  std::map<std::uint32_t, Needed> seen_;  // looked at, not yet with what they read
  std::map<std::uint32_t, Needed> known_;
};

std::vector<Index> merged(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

// The guards whose sides these pieces of code read.
std::vector<Index> sides_read(const GuardSetRequest& request,
                              std::initializer_list<const TapePiece*> pieces) {
  std::vector<Index> sides;
  for (const TapePiece* piece : pieces) {
    for (const std::uint32_t held : piece->held) {
      if (held < request.guard_of_held.size() && request.guard_of_held[held] >= 0) {
        sides.push_back(request.guard_of_held[held]);
      }
    }
  }
  std::sort(sides.begin(), sides.end());
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  return sides;
}

// Whether it may have a value where it has no slope.
bool may_be_infinitely_steep(const GuardTape& tape, const TapePiece& piece) {
  const std::span<const TapeInstruction> code = tape.code_of(piece);
  return std::any_of(code.begin(), code.end(), [](const TapeInstruction& instruction) {
    using expr::Op;
    const Op op = instruction.op;
    return op == Op::sqrt || op == Op::power || op == Op::asin || op == Op::acos;
  });
}

}  // namespace

GuardCode::GuardCode(expr::Graph& graph, const GuardSetRequest& request)
    : n_held_(request.n_held), states_(request.states.begin(), request.states.end()) {
  DerivativeBindings bindings(graph, request);
  TapeBuilder builder(graph, bindings.bindings(), request.n_held, bindings.n_inputs());
  std::vector<NodeId> together;
  ClosureFinder finder(graph, builder, bindings, closures_, kMostClosed,
                       std::numeric_limits<std::size_t>::max());
  ClosureFinder large_finder(graph, builder, bindings, large_closures_, kMostEstimated, kMostEstimated);
  for (const NodeId node : request.guards) {
    Guard& guard = guards_.emplace_back();
    if (const std::size_t i = guards_.size() - 1; i < request.effects.size() && request.effects[i].valid()) {
      guard.effect = builder.add(request.effects.subspan(i, 1));
    }
    guard.value = add_with_derivatives(builder, bindings, std::span(&node, 1));
    guard.shape = shape_of(builder.tape(), guard.value);
    if (!guard.value.is_complete) {
      continue;
    }
    guard.derivatives = derivative_piece(builder, bindings, node);
    needs_rates_ = needs_rates_ || guard.derivatives.roots.size() < 2 || !guard.value.solved_inputs.empty() ||
                   may_be_infinitely_steep(builder.tape(), guard.value);
    const TapePiece* const pieces[] = {&guard.value, &guard.derivatives};
    for (const TapePiece* piece : pieces) {
      solved_inputs_.insert(solved_inputs_.end(), piece->solved_inputs.begin(), piece->solved_inputs.end());
    }
    if (guard.shape.kind == system::GuardShape::Kind::polynomial && guard.shape.degree <= 1) {
      guard.first_coefficient = static_cast<std::uint32_t>(n_coefficients_);
      n_coefficients_ += guard.value.states.size();
    }
    if (guard.value.solved_inputs.empty()) {
      together.push_back(node);
      guard.states = guard.value.states;
      guard.sides = sides_read(request, {&guard.value});
    } else {
      guard.closure = finder.find(guard.value.solved_inputs);
      guard.large = guard.closure < 0 ? large_finder.find(guard.value.solved_inputs) : -1;
    }
    if (guard.large >= 0) {
      const Closure& closure = large_closures_[static_cast<std::size_t>(guard.large)];
      guard.sides = sides_read(request, {&guard.value, &closure.rows});
      solved_inputs_.insert(solved_inputs_.end(), closure.inputs.begin(), closure.inputs.end());
    }
    if (guard.closure >= 0) {
      const Closure& closure = closures_[static_cast<std::size_t>(guard.closure)];
      guard.states = merged(guard.value.states, closure.rows.states);
      guard.sides = sides_read(request, {&guard.value, &closure.rows});
      solved_inputs_.insert(solved_inputs_.end(), closure.inputs.begin(), closure.inputs.end());
    }
  }
  all_ = builder.add(together);
  tape_ = builder.finish();
  for (std::vector<Closure>* closures : {&closures_, &large_closures_}) {
    for (Closure& closure : *closures) {
      closure.find_parts(tape_);
    }
  }
  for (Guard& guard : guards_) {
    const Closure* const closure = guard.closure >= 0 ? &closures_[static_cast<std::size_t>(guard.closure)]
                                   : guard.large >= 0
                                       ? &large_closures_[static_cast<std::size_t>(guard.large)]
                                       : nullptr;
    if (closure != nullptr && !closure->may_jump && tape_.degree_of(guard.value.roots[0]) != kMayJump) {
      guard.shape = {
          .kind = system::GuardShape::Kind::implicit, .degree = 0, .is_estimated = guard.large >= 0};
    }
  }
  find_series();
  std::sort(solved_inputs_.begin(), solved_inputs_.end());
  solved_inputs_.erase(std::unique(solved_inputs_.begin(), solved_inputs_.end()), solved_inputs_.end());
  for (const std::uint32_t input : solved_inputs_) {
    solved_unknowns_.push_back(bindings.solved(input));
  }
  compile_sequences(graph, request);
}

void GuardCode::find_series() {
  if (closures_.empty()) {
    return;
  }
  time_dependence_ = SeriesDependence(tape_.n_registers());
  for (const Closure& closure : closures_) {
    for (const std::uint32_t input : closure.inputs) {
      time_dependence_.know_unknown(input);
    }
  }
  for (Closure& closure : closures_) {
    closure.is_affine = !closure.may_jump && time_dependence_.add(tape_, closure.rows);
  }
  for (Guard& guard : guards_) {
    guard.has_series = guard.shape.kind == system::GuardShape::Kind::implicit && guard.closure >= 0 &&
                       closures_[static_cast<std::size_t>(guard.closure)].is_affine &&
                       time_dependence_.add(tape_, guard.value);
  }
}

void GuardCode::compile_sequences(expr::Graph& graph, const GuardSetRequest& request) {
  const auto compile = [&](std::span<const Unknown> unknowns) {
    std::vector<NodeId> outputs;
    for (const Unknown& unknown : unknowns) {
      outputs.push_back(graph.variable(unknown.variable, unknown.order));
    }
    return std::make_shared<const SequenceCode>(graph,
                                                SequenceRequest{.blocks = request.blocks,
                                                                .states = request.states,
                                                                .outputs = outputs,
                                                                .n_frozen_inputs = request.n_frozen_inputs,
                                                                .bindings = request.bindings,
                                                                .n_held = request.n_held});
  };
  if (!solved_unknowns_.empty()) {
    solved_ = compile(solved_unknowns_);
  }
  if (needs_rates_) {
    rates_ = compile(request.derivatives);
  }
}

}  // namespace saltus::program
