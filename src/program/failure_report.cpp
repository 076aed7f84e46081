#include "program/failure_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number_text.hpp"
#include "expr/evaluate.hpp"
#include "program/equations/system_data.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using structure::Block;
using structure::Unknown;

constexpr std::size_t kMostEquations = 3;  // quoted in a sentence
constexpr std::size_t kMostValues = 3;     // "x = 1, …" behind an equation

/// A table over (variable, order of derivative).
template <class T>
class UnknownTable {
 public:
  UnknownTable(std::size_t n_variables, T missing)
      : n_variables_(n_variables), missing_(std::move(missing)) {}

  T& operator[](const Unknown& unknown) {
    const auto order = static_cast<std::size_t>(unknown.order);
    while (rows_.size() <= order) {
      rows_.emplace_back(n_variables_, missing_);
    }
    return rows_[order][unknown.variable.index()];
  }
  [[nodiscard]] T at(const Unknown& unknown) const {
    const auto order = static_cast<std::size_t>(unknown.order);
    return order < rows_.size() ? rows_[order][unknown.variable.index()] : missing_;
  }

 private:
  std::size_t n_variables_;
  T missing_;
  std::vector<std::vector<T>> rows_;
};

Unknown unknown_of(const expr::Node& leaf) {
  return {.variable = VariableId(leaf.first), .order = static_cast<int>(leaf.second)};
}

std::vector<NodeId> all_roots_of(const Block& block) {
  std::vector<NodeId> roots;
  if (block.kind == Block::Kind::explicit_formula) {
    roots.push_back(block.formula);
    return roots;
  }
  for (const structure::MatrixEntry& entry : block.matrix) {
    roots.push_back(entry.value);
  }
  roots.insert(roots.end(), block.right_side.begin(), block.right_side.end());
  roots.insert(roots.end(), block.residual.begin(), block.residual.end());
  return roots;
}

constexpr std::size_t kNoBlock = std::numeric_limits<std::size_t>::max();

// "line 3: 'der(x) = y'; …"
std::string quote(const BlockProblem& problem, std::span<const EquationId> equations) {
  std::string text;
  const flat::Model& model = problem.model;
  for (std::size_t i = 0; i < equations.size() && i < kMostEquations; ++i) {
    const flat::Equation& equation = problem.equations[equations[i].index()];
    text += i > 0 ? "; " : "";
    if (model.source != nullptr && equation.span.length > 0) {
      text += fmt::format("line {}: ", model.source->position(equation.span.offset).line);
    }
    const std::size_t row = equations[i].index();
    text += structure::quote(model, equation, row < problem.origins.size() ? problem.origins[row].order : 0);
  }
  if (equations.size() > kMostEquations) {
    text += fmt::format(" and {} more equations", equations.size() - kMostEquations);
  }
  return text;
}

/// All values at the point of a failure, and the way back from it.
class FirstCause {
 public:
  FirstCause(const BlockProblem& problem, const SequenceRunner& runner, double t, std::span<const double> x)
      : problem_(problem),
        t_(t),
        values_(problem.model.variables.size(), std::numeric_limits<double>::quiet_NaN()),
        block_of_(problem.model.variables.size(), kNoBlock),
        held_(runner.held()),
        node_value_(problem.model.graph,
                    {.time = t, .other = [this](const expr::Node& leaf) { return leaf_value(leaf); }}),
        first_user_(problem.model.graph.size(), kNoBlock) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      values_[problem.states[i]] = x[i];
    }
    std::vector<std::span<const double>> solutions(problem.blocks.size());
    runner.collect_solutions(solutions);
    for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
      const Block& block = problem.blocks[i];
      for (std::size_t k = 0; k < block.unknowns.size(); ++k) {
        block_of_[block.unknowns[k]] = i;
        if (k < solutions[i].size()) {
          values_[block.unknowns[k]] = solutions[i][k];
        }
      }
      if (block.kind == Block::Kind::explicit_formula) {
        values_[block.unknowns[0]] = node_value_(block.formula);
      }
    }
  }

  Failure of_value(const Unknown& value) {
    visit(value);
    search();
    if (first_state_) {
      return {sentence_of_value(*first_state_), std::nullopt};
    }
    return first_block_ == kNoBlock ? Failure{sentence_of_value(value), std::nullopt}
                                    : of_arithmetic(first_block_);
  }

  Failure of_block(std::size_t index, system::Evaluation::Status status) {
    visit_block(index);
    search();
    if (first_state_) {
      return {sentence_of_value(*first_state_), std::nullopt};
    }
    if (first_block_ != kNoBlock) {
      return of_arithmetic(first_block_);
    }
    const Block block = with_formulas(index);
    const std::string unknowns = structure::list_names(problem_.model, block.unknowns);
    const std::string where = quote(block.equations);
    std::string sentence =
        status == system::Evaluation::Status::singular_block
            ? fmt::format(
                  "the equations for {} have no unique solution at time {} (their matrix is singular): {}",
                  unknowns, number_text(t_), where)
            : fmt::format(
                  "no solution of the equations for {} was found at time {} (the iteration did not "
                  "converge): {}",
                  unknowns, number_text(t_), where);
    return {std::move(sentence), block.equations.front()};
  }

 private:
  // Unknowns and equations that need each other, those that became formulas too, in the order of the source.
  [[nodiscard]] Block with_formulas(std::size_t index) const {
    Block whole;
    for (std::size_t i = index; i <= index + problem_.blocks[index].n_formulas; ++i) {
      const Block& block = problem_.blocks[i];
      whole.unknowns.insert(whole.unknowns.end(), block.unknowns.begin(), block.unknowns.end());
      whole.equations.insert(whole.equations.end(), block.equations.begin(), block.equations.end());
    }
    if (problem_.blocks[index].n_formulas > 0) {
      std::sort(whole.unknowns.begin(), whole.unknowns.end());
      std::sort(whole.equations.begin(), whole.equations.end());
    }
    return whole;
  }

  double leaf_value(const expr::Node& leaf) const {
    const Binding binding = problem_.bindings.of(leaf);
    if (binding.kind == Binding::Kind::input) {
      return held_[binding.value - 1];
    }
    if (binding.kind == Binding::Kind::parameter) {
      return problem_.frozen_inputs[binding.value];
    }
    return leaf.op == expr::Op::variable ? values_.at(unknown_of(leaf))
                                         : std::numeric_limits<double>::quiet_NaN();
  }

  // Of an unknown of the blocks, a state, or a discrete variable that is held.
  double value_of(const Unknown& unknown) const {
    expr::Node leaf;
    leaf.op = expr::Op::variable;
    leaf.first = unknown.variable.value();
    leaf.second = static_cast<std::uint32_t>(unknown.order);
    return leaf_value(leaf);
  }

  void visit(const Unknown& unknown) {
    if (std::isfinite(value_of(unknown))) {
      return;
    }
    const std::size_t block = block_of_.at(unknown);
    if (block != kNoBlock) {
      visit_block(block);
    } else if (!first_state_ || unknown < *first_state_) {
      first_state_ = unknown;
    }
  }

  void visit_block(std::size_t block) {
    for (const NodeId root : all_roots_of(problem_.blocks[block])) {
      push(root, block);
    }
  }

  void push(NodeId node, std::size_t block) {
    // A node shared by two blocks belongs to the first one in the order of computation.
    if (!std::isfinite(node_value_(node)) && block < first_user_[node.index()]) {
      first_user_[node.index()] = block;
      pending_.emplace_back(node, block);
    }
  }

  void search() {
    while (!pending_.empty()) {
      const auto [id, block] = pending_.back();
      pending_.pop_back();
      const expr::Node& node = problem_.model.graph[id];
      if (node.op == expr::Op::variable) {
        visit(unknown_of(node));
        continue;
      }
      const std::size_t before = pending_.size();
      bool arises_here = true;
      for (int k = 0; k < expr::n_operands(node.op); ++k) {
        const bool is_other_side =
            node.op == expr::Op::select && k != (node_value_(NodeId(node.first)) != 0.0 ? 1 : 2);
        if (!is_other_side && !std::isfinite(node_value_(NodeId(node.operand(k))))) {
          arises_here = false;
          push(NodeId(node.operand(k)), block);
        }
      }
      if (arises_here && before == pending_.size()) {
        first_block_ = std::min(first_block_, block);
      }
    }
  }

  [[nodiscard]] std::string sentence_of_value(const Unknown& value) const {
    return fmt::format("'{}' is {} at time {}", structure::name_of(problem_.model, value),
                       number_text(value_of(value)), number_text(t_));
  }

  // Something of the block that is not finite arises in it.
  Failure of_arithmetic(std::size_t index) {
    const Block& block = problem_.blocks[index];
    if (block.kind == Block::Kind::explicit_formula) {
      return {sentence_of_value(block.unknowns[0]) + ": " + quote(block.equations) + known_values(block),
              block.equations.front()};
    }
    const bool is_linear = block.kind == Block::Kind::linear;
    std::vector<EquationId> rows;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::string what;
    const auto look_at = [&](NodeId node, std::size_t row, const char* name) {
      if (const double number = node_value_(node); !std::isfinite(number)) {
        value = rows.empty() ? number : value;
        what = rows.empty() ? name : what;
        rows.push_back(block.equations[row]);
      }
    };
    const std::vector<NodeId>& sides = is_linear ? block.right_side : block.residual;
    for (std::size_t row = 0; row < sides.size(); ++row) {
      look_at(sides[row], row, is_linear ? "a coefficient" : "an equation");
    }
    for (const structure::MatrixEntry& entry : block.matrix) {
      look_at(entry.value, static_cast<std::size_t>(entry.row),
              is_linear ? "a coefficient" : "a derivative of an equation");
    }
    if (!is_linear) {
      what += " at " + structure::list_names(assignments(block.unknowns));
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return {fmt::format("the equations for {} cannot be solved at time {}: {} is {}: {}",
                        structure::list_names(problem_.model, block.unknowns), number_text(t_), what,
                        number_text(value), quote(rows)),
            rows.front()};
  }

  [[nodiscard]] std::vector<std::string> assignments(std::span<const Unknown> unknowns) const {
    std::vector<std::string> texts;
    for (const Unknown& unknown : unknowns) {
      texts.push_back(structure::name_of(problem_.model, unknown) + " = " + number_text(value_of(unknown)));
    }
    return texts;
  }

  // " (x = -0.25)": what the formula was given, if that is not much.
  [[nodiscard]] std::string known_values(const Block& block) const {
    std::vector<Unknown> leaves;
    std::vector<NodeId> stack = {block.formula};
    std::vector<char> seen(problem_.model.graph.size(), 0);
    while (!stack.empty() && leaves.size() <= kMostValues) {
      const NodeId id = stack.back();
      stack.pop_back();
      if (std::exchange(seen[id.index()], char{1}) != 0) {
        continue;
      }
      const expr::Node& node = problem_.model.graph[id];
      if (node.op == expr::Op::variable) {
        leaves.push_back(unknown_of(node));
      }
      for (int k = expr::n_operands(node.op); k-- > 0;) {
        stack.emplace_back(node.operand(k));
      }
    }
    if (leaves.empty() || leaves.size() > kMostValues) {
      return "";
    }
    std::string text;
    for (const std::string& assignment : assignments(leaves)) {
      text += (text.empty() ? "" : ", ") + assignment;
    }
    return " (" + text + ")";
  }

  [[nodiscard]] std::string quote(std::span<const EquationId> equations) const {
    return program::quote(problem_, equations);
  }

  const BlockProblem& problem_;
  double t_;
  UnknownTable<double> values_;
  UnknownTable<std::size_t> block_of_;
  std::span<const double> held_;
  expr::Evaluator node_value_;
  std::vector<std::size_t> first_user_;  // of the nodes on the way back
  std::vector<std::pair<NodeId, std::size_t>> pending_;
  std::size_t first_block_ = kNoBlock;
  std::optional<Unknown> first_state_;
};

}  // namespace

std::string equations_for(const BlockProblem& problem, const Unknown& unknown) {
  for (const Block& block : problem.blocks) {
    if (std::find(block.unknowns.begin(), block.unknowns.end(), unknown) != block.unknowns.end()) {
      return quote(problem, block.equations);
    }
  }
  return "";
}

BlockProblem problem_of_run(const SystemData& data, const ModeData& mode) {
  return {.model = data.code->model,
          .blocks = mode.code.causalized.blocks,
          .equations = mode.code.causalized.equations,
          .origins = mode.code.causalized.origins,
          .states = mode.code.causalized.states,
          .frozen_inputs = data.frozen_inputs,
          .bindings = run_bindings(*data.code)};
}

BlockProblem problem_of_start(const SystemData& data) {
  return {.model = data.code->model,
          .blocks = data.code->initialization.blocks,
          .equations = data.code->initialization.equations,
          .origins = data.initial_mode().code.causalized.origins,
          .states = {},
          .frozen_inputs = data.frozen_inputs,
          .bindings = start_bindings(*data.code)};
}

BlockProblem problem_of_round(const SystemData& data, const ModeData& mode) {
  return {.model = data.code->model,
          .blocks = mode.code.round.blocks,
          .equations = mode.code.round.system.equations,
          .origins = mode.code.causalized.origins,
          .states = {},
          .frozen_inputs = data.frozen_inputs,
          .bindings = mode.code.round.bindings};
}

Failure explain_not_finite(const BlockProblem& problem, const SequenceRunner& runner, const Unknown& value,
                           double t, std::span<const double> x) {
  return FirstCause(problem, runner, t, x).of_value(value);
}

Failure explain_block(const BlockProblem& problem, const SequenceRunner& runner,
                      const system::Evaluation& evaluation, double t, std::span<const double> x) {
  if (evaluation.culprit < 0 || evaluation.culprit >= std::ssize(problem.blocks)) {
    return {fmt::format("the equations could not be solved at time {}", number_text(t)), std::nullopt};
  }
  return FirstCause(problem, runner, t, x)
      .of_block(static_cast<std::size_t>(evaluation.culprit), evaluation.status);
}

}  // namespace saltus::program
