#include "structure/match/definitions.hpp"

#include <algorithm>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {
namespace {

using expr::Op;

bool is_plain_variable(const expr::Node& node) {
  return node.op == Op::variable && node.second == 0;
}

class Definer {
 public:
  Definer(expr::Graph& graph, std::span<const VariableId> defines, std::span<const std::uint8_t> is_unknown,
          std::span<flat::Equation> rows)
      : graph_(graph),
        defines_(defines),
        is_unknown_(is_unknown),
        rows_(rows),
        row_of_variable_(is_unknown.size(), kNone),
        states_(rows.size(), State::untouched),
        sizes_(rows.size(), 0),
        seen_(graph.size(), 0),
        substitution_(graph, {}) {
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      if (defines[row].valid()) {
        row_of_variable_[defines[row].index()] = row;
      }
    }
  }

  std::size_t run() {
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      if (defines_[row].valid() && states_[row] == State::untouched) {
        settle(row);
      }
    }
    if (n_replaced_ > 0) {
      for (std::uint32_t row = 0; row < rows_.size(); ++row) {
        put_into(row);
      }
    }
    return n_replaced_;
  }

 private:
  enum class State : std::uint8_t { untouched, open, replaced, kept };

  // A definition whose formula is looked at, and the definitions that the formula uses.
  struct Visit {
    std::uint32_t row = 0;
    std::size_t n_nodes = 0;
    bool has_unknowns = false;
    std::vector<std::uint32_t> uses;
    std::size_t next = 0;
  };

  NodeId formula_of(std::uint32_t row) const {
    const flat::Equation& equation = rows_[row];
    const expr::Node& left = graph_[equation.left];
    const bool is_left = is_plain_variable(left) && VariableId(left.first) == defines_[row];
    return is_left ? equation.right : equation.left;
  }

  // Formulas before those that use them, without recursion: a chain may be long.
  void settle(std::uint32_t first) {
    visits_.push_back(look_at(first));
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      if (visit.next < visit.uses.size()) {
        const std::uint32_t used = visit.uses[visit.next++];
        if (states_[used] == State::untouched) {
          visits_.push_back(look_at(used));
        } else if (states_[used] == State::open) {
          states_[visit.row] = State::kept;  // a circle
          visits_.pop_back();
        }
        continue;
      }
      decide(visit);
      visits_.pop_back();
    }
  }

  Visit look_at(std::uint32_t row) {
    states_[row] = State::open;
    Visit visit;
    visit.row = row;
    ++stamp_;
    push(formula_of(row));
    while (!stack_.empty()) {
      const expr::Node& node = graph_[stack_.back()];
      stack_.pop_back();
      if (node.op == Op::variable) {
        const std::uint32_t giver = node.second == 0 ? row_of_variable_[node.first] : kNone;
        if (giver != kNone) {
          visit.uses.push_back(giver);
        } else {
          visit.has_unknowns = visit.has_unknowns || is_unknown_[node.first] != 0;
        }
        continue;
      }
      visit.n_nodes += expr::n_operands(node.op) > 0 ? 1 : 0;
      for (int i = 0; i < expr::n_references(node.op); ++i) {
        push(NodeId(node.operand(i)));
      }
    }
    return visit;
  }

  void push(NodeId node) {
    if (seen_[node.index()] != stamp_) {
      seen_[node.index()] = stamp_;
      stack_.push_back(node);
    }
  }

  void decide(const Visit& visit) {
    std::size_t size = visit.n_nodes;
    bool has_unknowns = visit.has_unknowns;
    for (const std::uint32_t used : visit.uses) {
      size += sizes_[used];
      has_unknowns = has_unknowns || states_[used] == State::kept || sizes_[used] > 0;
    }
    if (has_unknowns && size > kMostNodes) {
      states_[visit.row] = State::kept;
      return;
    }
    states_[visit.row] = State::replaced;
    // At least 1, so that what uses it is known to contain unknowns.
    sizes_[visit.row] = has_unknowns ? std::max<std::size_t>(size, 1) : 0;
    ++n_replaced_;
    const NodeId leaf = graph_.variable(defines_[visit.row], 0);
    substitution_.define(leaf, substitution_(formula_of(visit.row)));
  }

  void put_into(std::uint32_t row) {
    flat::Equation& equation = rows_[row];
    if (states_[row] == State::replaced) {
      equation = {graph_.variable(defines_[row], 0), substitution_(formula_of(row)), equation.span};
    } else {
      equation = {substitution_(equation.left), substitution_(equation.right), equation.span};
    }
  }

  expr::Graph& graph_;
  std::span<const VariableId> defines_;
  std::span<const std::uint8_t> is_unknown_;
  std::span<flat::Equation> rows_;
  std::vector<std::uint32_t> row_of_variable_;
  std::vector<State> states_;       // by row
  std::vector<std::size_t> sizes_;  // by row: nodes of a formula that was put in, 0 if it contains no unknown
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<NodeId> stack_;
  std::vector<Visit> visits_;
  std::size_t n_replaced_ = 0;
  expr::Substitution substitution_;
};

}  // namespace

VariableId defined_variable(const expr::Graph& graph, const flat::Equation& row) {
  for (const NodeId side : {row.left, row.right}) {
    if (is_plain_variable(graph[side])) {
      return VariableId(graph[side].first);
    }
  }
  return {};
}

std::vector<std::uint8_t> needed_as_variables(const flat::Model& model) {
  std::vector<std::uint8_t> result(model.variables.size(), 0);
  const expr::Graph& graph = model.graph;
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const expr::Node& node = graph[NodeId(id)];
    if (node.op == Op::previous || (node.op == Op::variable && node.second > 0)) {
      result[node.first] = 1;
    }
  }
  std::vector<NodeId> jumps;
  const auto mark = [&](const flat::Body& body) {
    for (const flat::Body::Assignment& reinit : body.reinits) {
      result[reinit.variable.index()] = 1;
    }
    for (const flat::Equation& equation : body.jump_equations) {
      jumps.insert(jumps.end(), {equation.left, equation.right});
    }
  };
  for (const flat::WhenClause& clause : model.when_clauses) {
    for (const flat::WhenBranch& branch : clause.branches) {
      mark(branch.body);
    }
  }
  for (const flat::Mode& mode : model.modes) {
    for (const flat::Transition& transition : mode.transitions) {
      mark(transition.body);
    }
  }
  for (const NodeId leaf : expr::leaves_of(graph, jumps)) {
    if (graph[leaf].op == Op::variable) {
      result[graph[leaf].first] = 1;
    }
  }
  return result;
}

std::size_t put_in_definitions(expr::Graph& graph, std::span<const VariableId> defines,
                               std::span<const std::uint8_t> is_unknown, std::span<flat::Equation> rows) {
  return Definer(graph, defines, is_unknown, rows).run();
}

}  // namespace saltus::structure
