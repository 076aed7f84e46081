#include "structure/motion_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/linearity.hpp"
#include "structure/causalize.hpp"
#include "structure/match/names.hpp"

namespace saltus::structure {
namespace {

// ±(derivative of a variable).
struct SignedQuantity {
  Unknown of;
  bool negative = false;
};

std::optional<SignedQuantity> signed_variable(const flat::Model& model, NodeId node) {
  bool negative = false;
  if (model.graph[node].op == expr::Op::negate) {
    negative = true;
    node = NodeId(model.graph[node].first);
  }
  const expr::Node& leaf = model.graph[node];
  if (leaf.op != expr::Op::variable ||
      model.variables[leaf.first].variability != flat::Variability::continuous) {
    return std::nullopt;
  }
  return SignedQuantity{{VariableId(leaf.first), static_cast<int>(leaf.second)}, negative};
}

// An equation that says no more than first = ±second.
struct LevelTie {
  Unknown first;
  Unknown second;
  bool negative = false;
};

std::optional<LevelTie> level_tie(const flat::Model& model, const flat::Equation& equation) {
  NodeId left = equation.left;
  NodeId right = equation.right;
  if (model.graph.is_constant(left, 0.0)) {
    std::swap(left, right);
  }
  bool is_sum = false;
  if (model.graph.is_constant(right, 0.0)) {
    const expr::Node sum = model.graph[left];
    if (sum.op != expr::Op::add && sum.op != expr::Op::subtract) {
      return std::nullopt;
    }
    is_sum = sum.op == expr::Op::add;
    left = NodeId(sum.first);
    right = NodeId(sum.second);
  }
  const auto first = signed_variable(model, left);
  const auto second = signed_variable(model, right);
  if (!first || !second) {
    return std::nullopt;
  }
  const bool negative = (first->negative != second->negative) != is_sum;
  return LevelTie{first->of, second->of, negative};
}

// Groups of variables whose levels are known beside each other: level(v) = level(root) + offset.
class Levels {
 public:
  static constexpr int kNoLevel = -1000;

  explicit Levels(std::size_t n) : parent_(n), offset_(n, 0), shift_(n, kNoLevel) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  std::pair<std::size_t, int> find(std::size_t variable) {
    int offset = 0;
    while (parent_[variable] != variable) {
      const std::size_t up = parent_[variable];
      offset_[variable] += offset_[up];
      parent_[variable] = parent_[up];
      offset += offset_[variable];
      variable = parent_[variable];
    }
    return {variable, offset};
  }
  // False: contradicts what is known.
  bool join(const Unknown& a, const Unknown& b) {
    const auto [root_a, offset_a] = find(a.variable.index());
    const auto [root_b, offset_b] = find(b.variable.index());
    const int difference = (offset_b + b.order) - (offset_a + a.order);  // of the roots: a's over b's
    if (root_a == root_b) {
      return difference == 0;
    }
    parent_[root_a] = root_b;
    offset_[root_a] = difference;
    return true;
  }
  void set_shift(std::size_t root, int shift) { shift_[root] = shift; }
  int of(const Unknown& leaf) {
    const auto [root, offset] = find(leaf.variable.index());
    return shift_[root] == kNoLevel ? kNoLevel : offset + leaf.order + shift_[root];
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<int> offset_;
  std::vector<int> shift_;  // by root
};

// Quantities that are the same up to sign. Orders from 0 to kTiedOrders - 1.
class Sameness {
 public:
  static constexpr int kTiedOrders = 4;

  explicit Sameness(std::size_t n_variables)
      : parent_(n_variables * kTiedOrders), negative_(n_variables * kTiedOrders, 0) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  struct Class {
    std::size_t root;
    bool negative;
  };
  Class find(const Unknown& leaf) {
    std::size_t place = leaf.variable.index() * kTiedOrders + static_cast<std::size_t>(leaf.order);
    bool negative = false;
    while (parent_[place] != place) {
      const std::size_t up = parent_[place];
      negative_[place] = negative_[place] ^ negative_[up];
      parent_[place] = parent_[up];
      negative ^= negative_[place] != 0;
      place = parent_[place];
    }
    return {place, negative};
  }
  void join(const LevelTie& tie) {
    for (int k = 0; tie.first.order + k < kTiedOrders && tie.second.order + k < kTiedOrders; ++k) {
      const Class a = find({tie.first.variable, tie.first.order + k});
      const Class b = find({tie.second.variable, tie.second.order + k});
      if (a.root != b.root) {
        parent_[a.root] = b.root;
        negative_[a.root] = (a.negative != b.negative) != tie.negative ? 1 : 0;
      }
    }
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<std::uint8_t> negative_;
};

class MotionSearch {
 public:
  MotionSearch(flat::Model& model, const Causalized& causalized)
      : model_(model),
        causalized_(causalized),
        levels_(model.variables.size()),
        same_(model.variables.size()),
        is_tie_(causalized.written.size(), 0),
        is_relevant_(causalized.equations.size(), 0) {}

  MotionForm run() {
    if (causalized_.needs_ranks) {
      refuse("the index is not found from the structure of the equations");
      return std::move(form_);
    }
    tie_levels();
    find_levels();
    if (!form_.refusal) {
      pair_states();
    }
    if (!form_.refusal) {
      find_relevant();
      check_equations();
    }
    if (!form_.refusal) {
      check_linearity();
    }
    return std::move(form_);
  }

 private:
  void refuse(std::string why, const flat::Equation* equation = nullptr) {
    if (!form_.refusal) {
      form_.refusal =
          MotionForm::Refusal{std::move(why), equation == nullptr ? std::nullopt : std::optional(*equation)};
    }
  }

  [[nodiscard]] std::vector<NodeId> leaves(const flat::Equation& equation) const {
    const std::array<NodeId, 2> sides{equation.left, equation.right};
    return expr::leaves_of(model_.graph, sides);
  }

  // The quantity of a leaf; none of those that are not continuous.
  [[nodiscard]] std::optional<Unknown> quantity(NodeId leaf) const {
    const auto found = signed_variable(model_, leaf);
    return found ? std::optional(found->of) : std::nullopt;
  }

  void tie_levels() {
    for (const bool negative : {false, true}) {
      for (std::size_t w = 0; w < causalized_.written.size(); ++w) {
        const std::optional<LevelTie> tie = level_tie(model_, causalized_.written[w]);
        const int highest = tie ? std::max(tie->first.order, tie->second.order) : 0;
        if (tie && tie->negative == negative && highest < Sameness::kTiedOrders &&
            levels_.join(tie->first, tie->second)) {
          same_.join(*tie);
          is_tie_[w] = 1;
        }
      }
    }
  }

  void find_levels() {
    constexpr int kNowhere = Levels::kNoLevel;
    const std::size_t n = model_.variables.size();
    std::vector<int> lowest(n, -kNowhere);
    std::vector<int> highest(n, kNowhere);
    std::vector<std::uint8_t> is_differentiated(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto [root, offset] = levels_.find(i);
      if (causalized_.highest_orders[i] >= 0) {
        lowest[root] = std::min(lowest[root], offset);
        if (causalized_.highest_orders[i] > 0) {
          is_differentiated[root] = 1;
        }
      }
    }
    for (const flat::Equation& equation : causalized_.written) {
      for (const NodeId leaf : leaves(equation)) {
        if (const std::optional<Unknown> of = quantity(leaf)) {
          const auto [root, offset] = levels_.find(of->variable.index());
          highest[root] = std::max(highest[root], offset + of->order);
        }
      }
    }
    for (std::size_t root = 0; root < n; ++root) {
      if (highest[root] == kNowhere) {
        continue;
      }
      if (highest[root] > lowest[root]) {
        levels_.set_shift(root, 2 - highest[root]);
      } else if (is_differentiated[root] != 0) {
        levels_.set_shift(root, -lowest[root]);
      }
    }
  }

  void pair_states() {
    for (const Unknown& state : causalized_.states) {
      const int level = levels_.of(state);
      if (level != 0 && level != 1) {
        refuse(fmt::format("'{}' is neither a position nor a velocity", name_of(model_, state)));
        return;
      }
      if (level == 1) {
        form_.velocities.push_back(name_of(model_, state));
        continue;
      }
      const Sameness::Class rate = same_.find({state.variable, state.order + 1});
      const auto velocity =
          std::find_if(causalized_.states.begin(), causalized_.states.end(), [&](const Unknown& other) {
            return levels_.of(other) == 1 && same_.find(other).root == rate.root;
          });
      if (velocity == causalized_.states.end()) {
        refuse(fmt::format("the rate of '{}' is not itself a velocity that is moved by forces",
                           name_of(model_, state)));
        return;
      }
      const bool negative = same_.find(*velocity).negative != rate.negative;
      std::string name = name_of(model_, *velocity);
      const bool is_shared = std::any_of(form_.positions.begin(), form_.positions.end(),
                                         [&](const auto& other) { return other.velocity == name; });
      if (is_shared && !causalized_.constraints.empty()) {
        refuse(fmt::format("'{}' is the rate of several positions", name));
        return;
      }
      form_.positions.push_back({name_of(model_, state), std::move(name), negative});
    }
  }

  [[nodiscard]] std::vector<NodeId> nodes_of(const Block& block) const {
    std::vector<NodeId> nodes = block.right_side;
    nodes.insert(nodes.end(), block.residual.begin(), block.residual.end());
    for (const MatrixEntry& entry : block.matrix) {
      nodes.push_back(entry.value);
    }
    if (block.formula.valid()) {
      nodes.push_back(block.formula);
    }
    return nodes;
  }

  [[nodiscard]] std::size_t key(const Unknown& unknown) const {
    return unknown.variable.index() * kKeyOrders + static_cast<std::size_t>(unknown.order);
  }

  // What accelerations depend on.
  void find_relevant() {
    block_of_.assign(model_.variables.size() * kKeyOrders, kInNoBlock);
    for (std::size_t b = 0; b < causalized_.blocks.size(); ++b) {
      for (const Unknown& unknown : causalized_.blocks[b].unknowns) {
        block_of_[key(unknown)] = b;
      }
    }
    reads_.resize(causalized_.blocks.size());
    is_needed_.assign(causalized_.blocks.size(), 0);
    std::vector<std::size_t> open;
    const auto need = [&](std::size_t block) {
      if (block != kInNoBlock && is_needed_[block] == 0) {
        is_needed_[block] = 1;
        open.push_back(block);
      }
    };
    for (const Unknown& derivative : causalized_.derivatives) {
      need(block_of_[key(derivative)]);
    }
    while (!open.empty()) {
      const std::size_t b = open.back();
      open.pop_back();
      for (const NodeId leaf : expr::leaves_of(model_.graph, nodes_of(causalized_.blocks[b]))) {
        if (const std::optional<Unknown> of = quantity(leaf); of && block_of_[key(*of)] != kInNoBlock) {
          reads_[b].push_back(block_of_[key(*of)]);
          need(reads_[b].back());
        }
      }
      for (const EquationId row : causalized_.blocks[b].equations) {
        if (row.index() < causalized_.origins.size()) {
          is_relevant_[row.index()] = 1;
        }
      }
    }
  }

  void check_equations() {
    for (const Constraint& constraint : causalized_.constraints) {
      if (constraint.is_combined) {
        refuse("a constraint follows from several equations", &constraint.equation);
      } else if (constraint.origin.order == 0) {
        check_constraint(constraint);
      }
    }
    for (std::size_t row = 0; row < causalized_.origins.size(); ++row) {
      const RowOrigin& origin = causalized_.origins[row];
      if (is_relevant_[row] != 0 && origin.order == 0 && is_tie_[origin.equation] == 0) {
        check_velocities(causalized_.equations[row], causalized_.written[origin.equation]);
      }
    }
  }

  void check_constraint(const Constraint& constraint) {
    const flat::Equation& written = causalized_.written[constraint.origin.equation];
    if (is_tie_[constraint.origin.equation] != 0) {
      return;
    }
    check_velocities(constraint.equation, written);
    for (const NodeId leaf : leaves(constraint.equation)) {
      if (model_.graph[leaf].op == expr::Op::time) {
        refuse(fmt::format("the constraint {} depends on time", quote(model_, written)), &written);
      }
    }
    if (causalized_.differentiations[constraint.origin.equation] != 2) {
      refuse(fmt::format("the constraint {} is none of positions", quote(model_, written)), &written);
    }
  }

  // `row`: the equation with definitions put into it (match/definitions.hpp).
  void check_velocities(const flat::Equation& row, const flat::Equation& written) {
    for (const NodeId leaf : leaves(row)) {
      const std::optional<Unknown> of = quantity(leaf);
      if (of && levels_.of(*of) == 1) {
        refuse(fmt::format("the velocity '{}' is in {}", name_of(model_, *of), quote(model_, written)),
               &written);
      }
    }
  }

  // Unknowns that depend on the forces of constraints. Others are functions of positions, whatever their equations are.
  void find_dynamic() {
    is_dynamic_.assign(causalized_.blocks.size(), 0);
    for (std::size_t b = 0; b < causalized_.blocks.size(); ++b) {
      const Block& block = causalized_.blocks[b];
      const bool constrains =
          std::any_of(block.equations.begin(), block.equations.end(), [&](EquationId row) {
            return row.index() < causalized_.origins.size() && causalized_.origins[row.index()].order > 0;
          });
      is_dynamic_[b] = constrains ? 1 : 0;
    }
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t b = 0; b < causalized_.blocks.size(); ++b) {
        if (is_dynamic_[b] == 0 && std::any_of(reads_[b].begin(), reads_[b].end(),
                                               [&](std::size_t other) { return is_dynamic_[other] != 0; })) {
          is_dynamic_[b] = 1;
          changes = true;
        }
      }
    }
  }

  void check_linearity() {
    find_dynamic();
    std::vector<NodeId> unknowns;
    for (std::size_t b = 0; b < causalized_.blocks.size(); ++b) {
      for (const Unknown& unknown : causalized_.blocks[b].unknowns) {
        if (is_needed_[b] != 0 && is_dynamic_[b] != 0) {
          unknowns.push_back(model_.graph.variable(unknown.variable, unknown.order));
        }
      }
    }
    std::sort(unknowns.begin(), unknowns.end());
    for (std::size_t b = 0; b < causalized_.blocks.size(); ++b) {
      if (is_needed_[b] != 0 && is_dynamic_[b] != 0 && !is_affine(causalized_.blocks[b], unknowns)) {
        const EquationId row = causalized_.blocks[b].equations.front();
        const flat::Equation& equation = row.index() < causalized_.origins.size()
                                             ? causalized_.written[causalized_.origins[row.index()].equation]
                                             : causalized_.equations[row.index()];
        refuse(fmt::format("the forces of constraints are not linear in {}", quote(model_, equation)),
               &equation);
        return;
      }
    }
  }

  // `unknowns` ascending.
  [[nodiscard]] bool is_affine(const Block& block, std::span<const NodeId> unknowns) const {
    if (block.kind == Block::Kind::nonlinear) {
      return false;
    }
    std::vector<NodeId> sides = block.right_side;
    if (block.formula.valid()) {
      sides.push_back(block.formula);
    }
    std::vector<NodeId> entries;
    for (const MatrixEntry& entry : block.matrix) {
      entries.push_back(entry.value);
    }
    const std::vector<NodeId> in_entries = expr::leaves_of(model_.graph, entries);
    const bool is_free = std::none_of(in_entries.begin(), in_entries.end(), [&](NodeId leaf) {
      return std::binary_search(unknowns.begin(), unknowns.end(), leaf);
    });
    // Only what occurs: the same list for every block would cost the square of their number.
    std::vector<NodeId> occurring;
    for (const NodeId leaf : expr::leaves_of(model_.graph, sides)) {
      if (std::binary_search(unknowns.begin(), unknowns.end(), leaf)) {
        occurring.push_back(leaf);
      }
    }
    return is_free && expr::are_affine(model_.graph, sides, occurring);
  }

  // Of a quantity that no block gives.
  static constexpr std::size_t kInNoBlock = static_cast<std::size_t>(-1);
  // Orders of derivatives that constraints of any use have.
  static constexpr std::size_t kKeyOrders = 16;

  flat::Model& model_;
  const Causalized& causalized_;
  Levels levels_;
  Sameness same_;
  std::vector<std::uint8_t> is_tie_;       // by written equation
  std::vector<std::uint8_t> is_relevant_;  // by row
  std::vector<std::size_t> block_of_;      // by key of an unknown
  std::vector<std::vector<std::size_t>> reads_;
  std::vector<std::uint8_t> is_needed_;   // by block
  std::vector<std::uint8_t> is_dynamic_;  // by block
  MotionForm form_;
};

}  // namespace

MotionForm motion_form(const flat::Model& model, ModeId mode) {
  flat::Model copy = model;
  const Result<Causalized> causalized = causalize(copy, mode);
  return causalized ? MotionSearch(copy, *causalized).run() : MotionForm{};
}

}  // namespace saltus::structure
