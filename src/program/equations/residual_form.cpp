#include "program/equations/residual_form.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "expr/sparsity.hpp"
#include "expr/substitute.hpp"
#include "program/equations/mode_equation_code.hpp"
#include "program/vm/finite.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using structure::Block;
using structure::Unknown;

constexpr std::uint32_t kNoPlace = 0xffffffffU;

// Replaces leaves by what they were defined as; a leaf is defined before an expression that contains it is asked for.
class Resolver {
 public:
  explicit Resolver(expr::Graph& graph) : graph_(graph) {}

  void define(NodeId leaf, NodeId image) { set(leaf, image); }

  [[nodiscard]] NodeId operator()(NodeId root) {
    pending_.assign(1, root);
    while (!pending_.empty()) {
      const NodeId node = pending_.back();
      if (image(node).valid()) {
        pending_.pop_back();
        continue;
      }
      const expr::Node content = graph_[node];
      std::array<NodeId, 3> images;
      bool is_ready = true;
      bool is_same = true;
      for (int i = 0; i < expr::n_operands(content.op); ++i) {
        const NodeId operand(content.operand(i));
        const NodeId known = image(operand);
        if (!known.valid()) {
          is_ready = false;
          pending_.push_back(operand);
        }
        images[static_cast<std::size_t>(i)] = known;
        is_same = is_same && known == operand;
      }
      if (is_ready) {
        pending_.pop_back();
        set(node, is_same ? node : expr::rebuild_with(graph_, node, images[0], images[1], images[2]));
      }
    }
    return image(root);
  }

 private:
  [[nodiscard]] NodeId image(NodeId node) const {
    return node.index() < images_.size() ? images_[node.index()] : NodeId();
  }
  void set(NodeId node, NodeId image) {
    if (images_.size() <= node.index()) {
      images_.resize(std::max(graph_.size(), node.index() + 1));
    }
    images_[node.index()] = image;
  }

  expr::Graph& graph_;
  std::vector<NodeId> images_;  // by node; invalid: not looked at yet
  std::vector<NodeId> pending_;
};

class ResidualFormBuilder {
 public:
  ResidualFormBuilder(const SystemCode& code, const ModeCode& mode, expr::Graph& graph)
      : code_(code), causalized_(mode.causalized), graph_(graph), resolve_(graph) {}

  std::shared_ptr<const ResidualCode> run() {
    number_leaves();
    find_dependencies();
    find_needed();
    add_chains();
    find_derivatives_of_blocks();
    for (std::size_t block = 0; block < causalized_.blocks.size(); ++block) {
      if (needed_[block] != 0) {
        add_block(block);
      }
    }
    return finish();
  }

 private:
  // What a leaf is: the state, the derivative of a state, or the unknown of a block.
  struct Leaf {
    std::uint32_t slot = kNoPlace;   // of y or ẏ (n_states + i); of z: 2·n_states + its number
    std::uint32_t block = kNoPlace;  // that gives it
    double sign = 1.0;               // -1: the slot has its negative
  };

  [[nodiscard]] std::size_t n_states() const { return causalized_.states.size(); }
  [[nodiscard]] NodeId leaf_of(const Unknown& unknown) {
    return graph_.variable(unknown.variable, unknown.order);
  }
  [[nodiscard]] Leaf& leaf(NodeId node) { return leaves_[node.index()]; }
  [[nodiscard]] bool is_derivative(NodeId node) {
    const std::uint32_t slot = leaf(node).slot;
    return slot != kNoPlace && slot >= n_states() && slot < 2 * n_states();
  }

  void number_leaves() {
    std::vector<NodeId> derivatives;
    for (const Unknown& derivative : causalized_.derivatives) {
      derivatives.push_back(leaf_of(derivative));
    }
    for (const Block& block : causalized_.blocks) {
      for (const Unknown& unknown : block.unknowns) {
        (void)leaf_of(unknown);
      }
    }
    std::vector<NodeId> states;
    for (const Unknown& state : causalized_.states) {
      states.push_back(leaf_of(state));
    }
    leaves_.resize(graph_.size());
    for (std::uint32_t i = 0; i < n_states(); ++i) {
      leaf(derivatives[i]).slot = static_cast<std::uint32_t>(n_states()) + i;
    }
    for (std::uint32_t i = 0; i < n_states(); ++i) {
      leaf(states[i]).slot = i;  // of a chain the state, not the derivative
    }
    for (std::uint32_t i = 0; i < causalized_.blocks.size(); ++i) {
      for (const Unknown& unknown : causalized_.blocks[i].unknowns) {
        leaf(leaf_of(unknown)).block = i;
      }
    }
  }

  void find_dependencies() {
    expr::IncidenceFinder find(graph_);
    std::vector<NodeId> roots;
    for (const Block& block : causalized_.blocks) {
      roots.clear();
      if (block.kind == Block::Kind::explicit_formula) {
        roots.push_back(block.formula);
      }
      roots.insert(roots.end(), block.residual.begin(), block.residual.end());
      roots.insert(roots.end(), block.right_side.begin(), block.right_side.end());
      for (const structure::MatrixEntry& entry : block.matrix) {
        roots.push_back(entry.value);
      }
      const std::span<const NodeId> found = find(roots, expr::Occurrence::any);
      dependencies_.emplace_back(found.begin(), found.end());
    }
  }

  // Blocks that the derivatives depend on, and for each of them how many others read it.
  void find_needed() {
    needed_.assign(causalized_.blocks.size(), 0);
    n_readers_.assign(causalized_.blocks.size(), 0);
    std::vector<std::uint32_t> stack;
    const auto push = [&](std::uint32_t block) {
      if (block != kNoPlace && std::exchange(needed_[block], std::uint8_t{1}) == 0) {
        stack.push_back(block);
      }
    };
    for (const Unknown& derivative : causalized_.derivatives) {
      push(leaf(leaf_of(derivative)).block);
    }
    while (!stack.empty()) {
      const std::uint32_t block = stack.back();
      stack.pop_back();
      for (const NodeId node : dependencies_[block]) {
        const std::uint32_t giver = leaf(node).block;
        push(giver);
        if (giver != kNoPlace && giver != block) {
          ++n_readers_[giver];
        }
      }
    }
  }

  // The derivative of a state that is a state: a leaf of its own stands for ẏ.
  void add_chains() {
    rows_.resize(n_states());
    texts_.resize(n_states());
    for (std::size_t i = 0; i < n_states(); ++i) {
      const NodeId derivative = leaf_of(causalized_.derivatives[i]);
      Unknown slot = causalized_.derivatives[i];
      if (leaf(derivative).slot < n_states()) {
        slot = {.variable = VariableId(code_.model.variables.size() + i), .order = 0};
        rows_[i] = graph_.subtract(leaf_of(slot), derivative);
        texts_[i] = {.left = derivative, .right = derivative};
      }
      derivative_slots_.push_back(slot);
    }
  }

  // The unknown of an implicit block that is the derivative of a state under another name: it is ±ẏ, and its row is the
  // state's own.
  void find_derivatives_of_blocks() {
    is_other_name_.assign(causalized_.blocks.size(), 0);
    for (std::size_t i = 0; i < n_states(); ++i) {
      const NodeId derivative = leaf_of(causalized_.derivatives[i]);
      const std::uint32_t giver = leaf(derivative).block;
      if (!is_derivative(derivative) || giver == kNoPlace ||
          causalized_.blocks[giver].kind != Block::Kind::explicit_formula) {
        continue;
      }
      const NodeId formula = causalized_.blocks[giver].formula;
      const bool is_negative = graph_[formula].op == expr::Op::negate;
      const NodeId other = is_negative ? NodeId(graph_[formula].first) : formula;
      if (other.index() >= leaves_.size() || leaf(other).slot != kNoPlace || leaf(other).block == kNoPlace ||
          causalized_.blocks[leaf(other).block].kind == Block::Kind::explicit_formula) {
        continue;
      }
      leaf(other).slot = static_cast<std::uint32_t>(n_states() + i);
      leaf(other).sign = is_negative ? -1.0 : 1.0;
      resolve_.define(other, is_negative ? graph_.negate(derivative) : derivative);
      is_other_name_[giver] = 1;
    }
  }

  void add_block(std::size_t index) {
    const Block& block = causalized_.blocks[index];
    if (block.kind == Block::Kind::explicit_formula) {
      if (is_other_name_[index] == 0) {
        add_formula(index);
      }
      return;
    }
    // Places first: the rows of the block contain all of its unknowns.
    std::vector<std::size_t> places;
    for (const Unknown& unknown : block.unknowns) {
      const NodeId node = leaf_of(unknown);
      places.push_back(is_derivative(node) ? leaf(node).slot - n_states() : add_algebraic(unknown));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      set_row(places[i], resolve_(residual_of(block, i)), block.equations[i]);
    }
  }

  // A linear block as the residual matrix · unknowns - right side.
  NodeId residual_of(const Block& block, std::size_t row) {
    if (block.kind == Block::Kind::nonlinear) {
      return block.residual[row];
    }
    NodeId sum = graph_.negate(block.right_side[row]);
    const auto place = [](const structure::MatrixEntry& entry) {
      return static_cast<std::size_t>(entry.row);
    };
    auto entry = std::partition_point(block.matrix.begin(), block.matrix.end(),
                                      [&](const structure::MatrixEntry& e) { return place(e) < row; });
    for (; entry != block.matrix.end() && place(*entry) == row; ++entry) {
      const NodeId unknown = leaf_of(block.unknowns[static_cast<std::size_t>(entry->column)]);
      sum = graph_.add(graph_.multiply(entry->value, unknown), sum);
    }
    return sum;
  }

  void add_formula(std::size_t index) {
    const Block& block = causalized_.blocks[index];
    const NodeId node = leaf_of(block.unknowns[0]);
    const NodeId formula = resolve_(block.formula);
    if (is_derivative(node)) {
      set_row(leaf(node).slot - n_states(), graph_.subtract(node, formula), block.equations[0]);
      return;
    }
    std::vector<std::uint32_t> slots = slots_of(index);
    const std::size_t fill =
        slots.empty() || n_readers_[index] == 0 ? 0 : (slots.size() - 1) * (n_readers_[index] - 1);
    if (fill > kMostFill || slots.size() > kMostDependencies) {
      set_row(add_algebraic(block.unknowns[0]), graph_.subtract(node, formula), block.equations[0]);
      return;
    }
    resolve_.define(node, formula);
    substituted_.resize(causalized_.blocks.size());
    substituted_[index] = std::move(slots);
  }

  // Slots that a formula depends on, ascending, with all before it substituted.
  std::vector<std::uint32_t> slots_of(std::size_t index) {
    std::vector<std::uint32_t> slots;
    for (const NodeId node : dependencies_[index]) {
      const Leaf place = leaf(node);
      if (place.slot != kNoPlace) {
        slots.push_back(place.slot);
      } else if (place.block != kNoPlace) {
        slots.insert(slots.end(), substituted_[place.block].begin(), substituted_[place.block].end());
      }
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
  }

  // The place in y of a new algebraic unknown.
  std::size_t add_algebraic(const Unknown& unknown) {
    leaf(leaf_of(unknown)).slot = static_cast<std::uint32_t>(2 * n_states() + algebraic_.size());
    algebraic_.push_back(unknown);
    rows_.emplace_back();
    texts_.emplace_back();
    return rows_.size() - 1;
  }

  void set_row(std::size_t place, NodeId row, EquationId equation) {
    rows_[place] = row;
    const structure::RowOrigin origin = causalized_.origins[equation.index()];
    const bool is_differentiated = origin.order > 0;
    const flat::Equation& written =
        is_differentiated ? causalized_.written[origin.equation] : causalized_.equations[equation.index()];
    texts_[place] = {.left = written.left,
                     .right = written.right,
                     .n_more_derivatives = origin.order,
                     .order = origin.order,
                     .equation = static_cast<Index>(origin.equation),
                     .span = written.span};
  }

  std::shared_ptr<const ResidualCode> finish() {
    EquationRequest request = equation_request(code_);
    request.finds_rows_of_guards = true;
    request.n_derivatives = n_states();
    SALTUS_ASSERT(std::all_of(rows_.begin(), rows_.end(), [](NodeId row) { return row.valid(); }));
    request.rows = std::move(rows_);
    add_slots(code_, causalized_.states, request);
    add_slots(code_, algebraic_, request);
    for (std::size_t i = 0; i < n_states(); ++i) {
      system::SlotInfo info = request.slot_infos[i];
      info.name = "der(" + info.name + ")";
      ++info.order;
      request.slot_infos.push_back(std::move(info));
      request.sized_as.push_back(causalized_.states[i].variable);
      request.slots.push_back(derivative_slots_[i]);
    }
    add_row_texts(code_, std::move(texts_), request);
    auto form = std::make_shared<ResidualCode>();
    form->equations = std::make_shared<const EquationCode>(graph_, std::move(request));
    form->algebraic = std::move(algebraic_);
    std::vector<NodeId> outputs;
    for (const std::vector<Unknown>* list : {&std::as_const(form->algebraic), &causalized_.derivatives}) {
      for (const Unknown& unknown : *list) {
        outputs.push_back(leaf_of(unknown));
      }
    }
    form->guess_places = find_guess_places();
    form->point = std::make_shared<const SequenceCode>(graph_, run_request(code_, causalized_, outputs));
    return form;
  }

  std::vector<PlaceInPoint> find_guess_places() {
    std::vector<PlaceInPoint> places;
    for (const Block& block : causalized_.blocks) {
      if (block.kind == Block::Kind::explicit_formula) {
        continue;
      }
      for (const Unknown& unknown : block.unknowns) {
        const Leaf& place = leaf(leaf_of(unknown));
        PlaceInPoint& found = places.emplace_back();
        if (place.slot == kNoPlace) {
          continue;
        }
        const std::size_t n_y = n_states() + algebraic_.size();
        const bool is_algebraic = place.slot >= 2 * n_states();
        found.slot =
            static_cast<Index>(is_algebraic ? place.slot - n_states() : place.slot - n_states() + n_y);
        found.sign = place.sign;
      }
    }
    return places;
  }

  const SystemCode& code_;
  const structure::Causalized& causalized_;
  expr::Graph& graph_;
  Resolver resolve_;
  std::vector<Leaf> leaves_;                       // by node
  std::vector<std::vector<NodeId>> dependencies_;  // by block: leaves
  std::vector<std::uint8_t> needed_;               // by block
  std::vector<std::size_t> n_readers_;             // by block
  std::vector<std::uint8_t> is_other_name_;  // by block: gives a derivative that an implicit block gives
  std::vector<std::vector<std::uint32_t>> substituted_;  // by block of a substituted formula: its slots
  std::vector<Unknown> algebraic_;
  std::vector<Unknown> derivative_slots_;
  std::vector<NodeId> rows_;  // by entry of y
  std::vector<RowSource> texts_;
};

}  // namespace

std::shared_ptr<const ResidualCode> build_residual_form(const SystemCode& code, const ModeCode& mode) {
  LateGraph::Access graph = code.late_graph->open();
  return ResidualFormBuilder(code, mode, *graph).run();
}

void copy_guess(const ResidualCode& form, const system::ResidualPoint& point, std::span<double> guess) {
  const std::size_t n_y = point.y.size();
  for (std::size_t i = 0; i < guess.size(); ++i) {
    const PlaceInPoint& place = form.guess_places[i];
    const auto slot = static_cast<std::size_t>(place.slot);
    guess[i] = place.slot < 0 ? std::numeric_limits<double>::quiet_NaN()
                              : place.sign * (slot < n_y ? point.y[slot] : point.ydot[slot - n_y]);
  }
}

ResidualRunner::ResidualRunner(std::shared_ptr<const ResidualForm> form, const HeldInputs& inputs,
                               std::span<const double> held)
    : form_(std::move(form)),
      equations_(form_->equations->make_runner(inputs, held)),
      point_(form_->point),
      outputs_(form_->point.program().parts.back().n_outputs),
      guess_(form_->code->guess_places.size(), std::numeric_limits<double>::quiet_NaN()) {
  for (std::size_t i = 0; i < held.size(); ++i) {
    point_.set_held(i, held[i]);
  }
}

system::Evaluation ResidualRunner::point(double t, std::span<const double> x, SequenceRunner& derivatives,
                                         std::span<double> y, std::span<double> ydot) {
  derivatives.copy_solutions(guess_);
  point_.set_solutions(guess_);
  const system::Evaluation evaluation = point_.run(t, x.data(), outputs_.data());
  if (!evaluation.ok()) {
    return evaluation;
  }
  point_.copy_solutions(guess_);
  derivatives.set_solutions(guess_);
  if (!all_finite(outputs_)) {
    return {system::Evaluation::Status::not_finite, first_not_finite(outputs_)};
  }
  const auto n_algebraic = static_cast<std::ptrdiff_t>(form_->code->algebraic.size());
  const auto z = std::copy(x.begin(), x.end(), y.begin());
  std::copy(outputs_.begin(), outputs_.begin() + n_algebraic, z);
  std::copy(outputs_.begin() + n_algebraic, outputs_.end(), ydot.begin());
  return {};
}

}  // namespace saltus::program
