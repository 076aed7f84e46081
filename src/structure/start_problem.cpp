#include "structure/start_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "expr/taylor.hpp"
#include "flat/start_clause.hpp"
#include "structure/initialization.hpp"
#include "structure/match/diagnostic_codes.hpp"
#include "structure/match/names.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {
namespace {

class StartProblemBuilder {
 public:
  StartProblemBuilder(flat::Model& model, const Causalized& causalized, int level, ModeId mode)
      : model_(model),
        graph_(model.graph),
        causalized_(causalized),
        level_(level),
        mode_(mode),
        diagnostics_(model.source),
        without_aliases_(model.graph, replacements(model, causalized)) {}

  Result<StartProblem> run() {
    collect_initial_equations();
    add_slots();
    if (causalized_.needs_ranks) {
      add_array();
    } else {
      add_differentiated();
    }
    std::stable_sort(problem_.rows.begin(), problem_.rows.end(), [](const StartRow& a, const StartRow& b) {
      return std::pair(a.origin.order, a.origin.equation) < std::pair(b.origin.order, b.origin.equation);
    });
    problem_.n_model_rows = problem_.rows.size();
    add_initial_equations();
    add_reinits();
    give_starts();
    if (diagnostics_.has_errors()) {
      return Unexpected(std::move(diagnostics_));
    }
    return std::move(problem_);
  }

 private:
  static std::vector<expr::Replacement> replacements(flat::Model& model, const Causalized& causalized) {
    std::vector<expr::Replacement> result;
    for (const SlotAlias& alias : causalized.aliases) {
      const NodeId target = model.graph.variable(alias.target.variable, alias.target.order);
      result.push_back({.from = model.graph.variable(alias.quantity.variable, alias.quantity.order),
                        .to = alias.negative ? model.graph.negate(target) : target});
    }
    return result;
  }

  int highest_order(std::size_t variable) const {
    const int order = causalized_.highest_orders[variable];
    return causalized_.needs_ranks && order >= 0 ? std::max(order, 1) + level_ : order;
  }

  // Equations of the start, with pre(v) as what it is there: v of continuous variables and of discrete ones that clauses alone change (none
  // of them fires, so v = pre(v)), an unknown of its own of the others (Modelica 8.6).
  void collect_initial_equations() {
    std::vector<std::uint8_t> is_set_at_start(model_.variables.size(), 1);
    for (const VariableId variable : causalized_.held) {
      is_set_at_start[variable.index()] = 0;
    }
    for (const flat::WhenClause& clause : model_.when_clauses) {
      if (const flat::WhenBranch* const branch = branch_at_start(clause)) {
        for (const flat::Body::Assignment& assignment : branch->body.assignments) {
          is_set_at_start[assignment.variable.index()] = 1;
        }
      }
    }
    std::vector<expr::Replacement> now;
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const VariableId variable(i);
      const bool has_memory =
          model_.variables[i].variability == flat::Variability::discrete && is_set_at_start[i] != 0;
      const Unknown unknown = has_memory ? before(variable) : Unknown{.variable = variable, .order = 0};
      now.push_back({graph_.previous(variable), graph_.variable(unknown.variable, unknown.order)});
    }
    expr::Substitution at_start(graph_, now);
    std::vector<NodeId> roots;
    for (const flat::Equation& written : model_.initial_equations) {
      initial_equations_.push_back({without_aliases_(at_start(written.left)),
                                    without_aliases_(at_start(written.right)), written.span});
      roots.push_back(initial_equations_.back().left);
      roots.push_back(initial_equations_.back().right);
    }
    for (const NodeId leaf : expr::leaves_of(graph_, roots)) {
      const expr::Node& node = graph_[leaf];
      const VariableId variable(node.first);
      if (node.op == expr::Op::variable && model_[variable].variability == flat::Variability::discrete &&
          (node.second > 0 || is_set_at_start[node.first] == 0)) {
        discrete_.push_back({.variable = variable, .order = static_cast<int>(node.second)});
      }
    }
    std::sort(discrete_.begin(), discrete_.end());
  }

  const flat::WhenBranch* branch_at_start(const flat::WhenClause& clause) const {
    if (clause.mode.valid() && clause.mode != mode_) {
      return nullptr;
    }
    const auto branch =
        std::find_if(clause.branches.begin(), clause.branches.end(),
                     [this](const flat::WhenBranch& one) { return flat::is_at_start(model_, one); });
    return branch == clause.branches.end() ? nullptr : &*branch;
  }

  void add_slot(const Unknown& quantity) {
    const NodeId leaf = graph_.variable(quantity.variable, quantity.order);
    slot_of_leaf_.resize(std::max(slot_of_leaf_.size(), leaf.index() + 1), kNone);
    slot_of_leaf_[leaf.index()] = static_cast<std::uint32_t>(problem_.slots.size());
    problem_.slots.push_back({.quantity = quantity,
                              .tier = GuessTier::free,
                              .guess = graph_.constant(0.0),
                              .source = quantity.variable});
  }

  // Everything that is no alias, and the discrete unknowns of initial equations.
  void add_slots() {
    is_tied_.assign(model_.variables.size(), 0);
    for (const SlotAlias& alias : causalized_.aliases) {
      alias_quantities_.push_back(alias.quantity);
      is_tied_[alias.quantity.variable.index()] = is_tied_[alias.target.variable.index()] = 1;
    }
    std::sort(alias_quantities_.begin(), alias_quantities_.end());
    const auto n_variables = model_.variables.size();
    int highest = 0;
    for (std::size_t i = 0; i < n_variables; ++i) {
      highest = std::max(highest, highest_order(i));
    }
    slot_of_leaf_.assign(graph_.size(), kNone);
    for (int order = 0; order <= highest; ++order) {
      for (std::size_t i = 0; i < n_variables; ++i) {
        const Unknown quantity{.variable = VariableId(i), .order = order};
        if (order > highest_order(i) ||
            std::binary_search(alias_quantities_.begin(), alias_quantities_.end(), quantity)) {
          continue;
        }
        add_slot(quantity);
      }
    }
    for (const Unknown& quantity : discrete_) {
      add_slot(quantity);
    }
  }

  // The constraints, and the equations that blocks solve; rows of aliases say nothing about slots.
  void add_differentiated() {
    for (const Constraint& constraint : causalized_.constraints) {
      problem_.rows.push_back(
          {.kind = StartRow::Kind::model, .origin = constraint.origin, .equation = constraint.equation});
    }
    for (std::size_t row = 0; row < causalized_.equations.size(); ++row) {
      const RowOrigin& origin = causalized_.origins[row];
      if (causalized_.differentiations[origin.equation] >= 0) {
        problem_.rows.push_back(
            {.kind = StartRow::Kind::model, .origin = origin, .equation = causalized_.equations[row]});
      }
    }
  }

  void add_array() {
    expr::TaylorExpansion taylor(graph_, {.coefficient = {}, .rests = [this](const expr::Node& leaf) {
                                            return causalized_.highest_orders[leaf.first] < 0;
                                          }});
    for (std::uint32_t i = 0; i < causalized_.written.size(); ++i) {
      const flat::Equation& written = causalized_.written[i];
      for (int k = 0; k <= level_; ++k) {
        problem_.rows.push_back({.kind = StartRow::Kind::model,
                                 .origin = {.equation = i, .order = k},
                                 .equation = {.left = taylor.total_derivative(written.left, k),
                                              .right = taylor.total_derivative(written.right, k),
                                              .span = written.span}});
      }
    }
  }

  void add_initial_equations() {
    for (std::uint32_t i = 0; i < initial_equations_.size(); ++i) {
      check_leaves(initial_equations_[i]);
      problem_.rows.push_back({.kind = StartRow::Kind::initial_equation,
                               .origin = {.equation = i, .order = 0},
                               .equation = initial_equations_[i]});
    }
  }

  // A reinit in a clause of the start (Modelica 8.6); pre(x) of a continuous variable is x there.
  void add_reinits() {
    std::vector<expr::Replacement> now;
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      if (model_.variables[i].variability != flat::Variability::discrete) {
        now.push_back({graph_.previous(VariableId(i)), graph_.variable(VariableId(i))});
      }
    }
    expr::Substitution at_start(graph_, now);
    for (const flat::WhenClause& clause : model_.when_clauses) {
      const flat::WhenBranch* const branch = branch_at_start(clause);
      if (branch == nullptr) {
        continue;
      }
      for (const flat::Body::Assignment& reinit : branch->body.reinits) {
        const flat::Equation equation = {without_aliases_(graph_.variable(reinit.variable)),
                                         without_aliases_(at_start(reinit.value)), reinit.span};
        if (equation.left != equation.right) {
          check_leaves(equation);
          problem_.rows.push_back({.kind = StartRow::Kind::initial_equation,
                                   .origin = {.equation = static_cast<std::uint32_t>(problem_.rows.size() -
                                                                                     problem_.n_model_rows),
                                              .order = 0},
                                   .equation = equation});
        }
      }
    }
  }

  void check_leaves(const flat::Equation& equation) {
    const std::array<NodeId, 2> roots = {equation.left, equation.right};
    for (const NodeId leaf : expr::leaves_of(graph_, roots)) {
      const expr::Node& node = graph_[leaf];
      const bool is_slot = leaf.index() < slot_of_leaf_.size() && slot_of_leaf_[leaf.index()] != kNone;
      if (node.op == expr::Op::variable && node.second > 0 && !is_slot) {
        const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
        diagnostics_.error(
            kDerivativeNotAvailable,
            fmt::format("{} is used in an initial equation, but the model's equations do not determine it",
                        name_of(model_, unknown)),
            equation.span);
      }
    }
  }

  // A variable that the equations as written differentiate, or one that is a derivative below the highest of another.
  bool is_differential(std::size_t variable) const {
    return causalized_.written_orders[variable] > 0 ||
           (is_tied_[variable] != 0 && causalized_.highest_orders[variable] > 0);
  }

  // Of a discrete variable start and fixed are about pre(v).
  void give_discrete_starts() {
    for (StartSlot& slot : problem_.slots) {
      const flat::Variable& variable = model_[slot.quantity.variable];
      if (variable.variability == flat::Variability::discrete && (variable.start || variable.fixed)) {
        slot.tier = variable.fixed ? GuessTier::fixed : GuessTier::other;
        slot.guess = variable.start ? *variable.start : slot.guess;
      }
    }
  }

  // Each start goes to the slot of its variable, the strongest first; of equally strong ones the first declared.
  void give_starts() {
    give_discrete_starts();
    // Where some differential variables are wished as states more than others, the starts of these are kept before those.
    flat::StateSelect wished = flat::StateSelect::never;
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const flat::Variable& variable = model_.variables[i];
      if (causalized_.highest_orders[i] >= 0 && variable.start && !variable.fixed && is_differential(i)) {
        wished = std::max(wished, variable.state_select);
      }
    }
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const flat::Variable& variable = model_.variables[i];
      if (causalized_.highest_orders[i] < 0 || (!variable.start && !variable.fixed)) {
        continue;
      }
      const bool is_first = is_differential(i) && variable.state_select >= wished;
      const GuessTier tier = variable.fixed ? GuessTier::fixed
                             : is_first     ? GuessTier::differential
                                            : GuessTier::other;
      const NodeId start = variable.start ? *variable.start : graph_.constant(0.0);
      const NodeId target = without_aliases_(graph_.variable(VariableId(i)));
      const bool negative = graph_[target].op == expr::Op::negate;
      const NodeId leaf = negative ? NodeId(graph_[target].first) : target;
      StartSlot& slot = problem_.slots[slot_of_leaf_[leaf.index()]];
      if (slot.tier == GuessTier::fixed && tier == GuessTier::fixed) {
        problem_.rows.push_back({.kind = StartRow::Kind::fixed,
                                 .origin = {.equation = n_fixed_rows_++, .order = 0},
                                 .equation = {.left = target, .right = start, .span = variable.span}});
      } else if (tier < slot.tier) {
        slot.tier = tier;
        slot.guess = negative ? graph_.negate(start) : start;
        slot.source = VariableId(i);
      }
    }
  }

  flat::Model& model_;
  expr::Graph& graph_;
  const Causalized& causalized_;
  int level_;
  ModeId mode_;
  Diagnostics diagnostics_;
  expr::Substitution without_aliases_;
  StartProblem problem_;
  std::vector<Unknown> alias_quantities_;
  std::vector<std::uint8_t> is_tied_;        // by variable: an equation says that it is another one
  std::vector<std::uint32_t> slot_of_leaf_;  // by node
  std::vector<flat::Equation> initial_equations_;
  std::vector<Unknown> discrete_;  // unknowns of these
  std::uint32_t n_fixed_rows_ = 0;
};

}  // namespace

Result<StartProblem> start_problem(flat::Model& model, const Causalized& causalized, int level, ModeId mode) {
  return StartProblemBuilder(model, causalized, level, mode).run();
}

}  // namespace saltus::structure
