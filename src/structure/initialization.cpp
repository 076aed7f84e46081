#include "structure/initialization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "expr/substitute.hpp"
#include "flat/start_clause.hpp"
#include "saltus/contract.hpp"
#include "structure/match/blocks.hpp"
#include "structure/match/diagnostic_codes.hpp"
#include "structure/match/names.hpp"

namespace saltus::structure {
namespace {

class Initializer {
 public:
  Initializer(flat::Model& model, const Causalized& causalized, ModeId mode)
      : model_(model),
        causalized_(causalized),
        mode_(mode),
        diagnostics_(model.source),
        slots_(model.graph, columns_of(causalized), {}),
        n_below_states_(slots_.n_unknowns() - static_cast<std::uint32_t>(causalized.states.size())),
        first_before_(n_below_states_ - static_cast<std::uint32_t>(discrete_of(causalized).size())),
        without_previous_(model.graph, replacements_of_previous(model, causalized)) {
    problem_.previous = replacements_of_previous(model, causalized);
  }

  Result<InitializationProblem> run() {
    for (const flat::Equation& equation : causalized_.equations) {
      problem_.equations.push_back(at_start(equation));
    }
    for (const Causalized::DiscreteEquation& discrete : causalized_.discrete_equations) {
      problem_.equations.push_back(at_start(discrete.equation));
    }
    add_held();
    n_model_equations_ = problem_.equations.size();
    collect_aliases();
    add_conditions();
    incidence_ = find_incidence(model_.graph, problem_.equations, slots_, slots_.n_unknowns());
    check_derivatives();
    match();
    if (!diagnostics_.has_errors()) {
      problem_.blocks = build_blocks(model_,
                                     {.equations = problem_.equations,
                                      .slots = slots_,
                                      .incidence = incidence_,
                                      .matching = matching_,
                                      .aliases = aliases_.aliases},
                                     diagnostics_);
    }
    if (diagnostics_.has_errors()) {
      return Unexpected(std::move(diagnostics_));
    }
    warn();
    problem_.warnings = std::move(diagnostics_);
    return std::move(problem_);
  }

 private:
  // A row `unknown = start` and what it stems from.
  struct StartRow {
    std::uint32_t row = kNone;
    Unknown unknown;
    bool is_before = false;  ///< pre(v) of a discrete variable: taking its start is no news
    bool is_state = false;   ///< the variable itself is differentiated, not another name of it
  };

  // What the blocks of causalisation and the discrete equations compute, discrete variables that bodies change, pre(…) of all discrete
  // variables, then the states.
  static std::vector<Unknown> columns_of(const Causalized& causalized) {
    std::vector<Unknown> columns;
    for (const Block& block : causalized.blocks) {
      columns.insert(columns.end(), block.unknowns.begin(), block.unknowns.end());
    }
    for (const Causalized::DiscreteEquation& discrete : causalized.discrete_equations) {
      columns.push_back({.variable = discrete.variable, .order = 0});
    }
    std::sort(columns.begin(), columns.end());
    for (const VariableId variable : causalized.held) {
      columns.push_back({.variable = variable, .order = 0});
    }
    for (const VariableId variable : discrete_of(causalized)) {
      columns.push_back(before(variable));
    }
    columns.insert(columns.end(), causalized.states.begin(), causalized.states.end());
    return columns;
  }

  static std::vector<VariableId> discrete_of(const Causalized& causalized) {
    std::vector<VariableId> variables;
    for (const Causalized::DiscreteEquation& discrete : causalized.discrete_equations) {
      variables.push_back(discrete.variable);
    }
    variables.insert(variables.end(), causalized.held.begin(), causalized.held.end());
    return variables;
  }

  // pre(v) of a discrete variable is an unknown, of a continuous one v itself (Modelica 8.6).
  static std::vector<expr::Replacement> replacements_of_previous(flat::Model& model,
                                                                 const Causalized& causalized) {
    std::vector<expr::Replacement> result;
    for (const VariableId variable : discrete_of(causalized)) {
      const Unknown unknown = before(variable);
      result.push_back({.from = model.graph.previous(variable),
                        .to = model.graph.variable(unknown.variable, unknown.order)});
    }
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
      if (model.variables[i].variability == flat::Variability::continuous) {
        const VariableId variable(i);
        result.push_back({.from = model.graph.previous(variable), .to = model.graph.variable(variable)});
      }
    }
    return result;
  }

  flat::Equation at_start(const flat::Equation& equation) {
    return {without_previous_(equation.left), without_previous_(equation.right), equation.span};
  }

  // What is set in a body: as the body says where its clause is one of the start, else as before.
  void add_held() {
    std::vector<const flat::Body::Assignment*> given(model_.variables.size(), nullptr);
    for (const flat::WhenClause& clause : model_.when_clauses) {
      const flat::WhenBranch* const branch = branch_at_start(clause);
      if (branch == nullptr) {
        continue;
      }
      for (const flat::Body::Assignment& assignment : branch->body.assignments) {
        given[assignment.variable.index()] = &assignment;
      }
      for (const flat::Body::Assignment& reinit : branch->body.reinits) {
        const flat::Equation equation =
            at_start({model_.graph.variable(reinit.variable), reinit.value, reinit.span});
        if (equation.left != equation.right) {
          reinits_.push_back(equation);
        }
      }
    }
    for (const VariableId variable : causalized_.held) {
      const flat::Body::Assignment* const assignment = given[variable.index()];
      const NodeId value = assignment != nullptr ? assignment->value : model_.graph.previous(variable);
      problem_.equations.push_back(
          at_start({model_.graph.variable(variable), value,
                    assignment != nullptr ? assignment->span : model_[variable].span}));
    }
  }

  // Clauses of exactly the forms `when initial()` and `when {…, initial(), …}` (Modelica 8.6).
  const flat::WhenBranch* branch_at_start(const flat::WhenClause& clause) const {
    if (clause.mode.valid() && clause.mode != mode_) {
      return nullptr;
    }
    const auto branch =
        std::find_if(clause.branches.begin(), clause.branches.end(),
                     [this](const flat::WhenBranch& one) { return flat::is_at_start(model_, one); });
    return branch == clause.branches.end() ? nullptr : &*branch;
  }

  // The same classes as in causalisation: states represent, so that the model's equations can again be matched to
  // what is not a state.
  void collect_aliases() {
    std::vector<int> ranks(slots_.n_slots(), kKnownRank);
    for (std::uint32_t slot = 0; slot < n_below_states_; ++slot) {
      ranks[slot] = alias_rank(model_, slots_[slot]);
    }
    aliases_ = eliminate_aliases(model_.graph, std::span(problem_.equations).first(causalized_.n_given),
                                 ranks, slots_);
    std::vector<std::uint8_t> is_alias(problem_.equations.size(), 0);
    for (const Alias& alias : aliases_.aliases) {
      is_alias[alias.row] = 1;
    }
    for (const Block& block : causalized_.blocks) {
      for (const EquationId equation : block.equations) {
        if (is_alias[equation.index()] == 0) {
          model_rows_.push_back(equation.value());
        }
      }
    }
    for (std::size_t row = causalized_.equations.size(); row < n_model_equations_; ++row) {
      model_rows_.push_back(static_cast<std::uint32_t>(row));
    }
    std::sort(model_rows_.begin(), model_rows_.end());
  }

  std::uint32_t add_row(const flat::Equation& equation) {
    problem_.equations.push_back(equation);
    return static_cast<std::uint32_t>(problem_.equations.size() - 1);
  }

  void add_conditions() {
    for (const flat::Equation& equation : model_.initial_equations) {
      initial_rows_.push_back(add_row(at_start(equation)));
    }
    for (const flat::Equation& equation : reinits_) {
      initial_rows_.push_back(add_row(equation));
    }
    for (std::uint32_t slot = 0; slot < slots_.n_slots(); ++slot) {
      const Unknown& unknown = slots_[slot];
      const flat::Variable& variable = model_[unknown.variable];
      const bool is_before = slot >= first_before_ && slot < n_below_states_;
      const bool is_discrete = variable.variability == flat::Variability::discrete;
      // Of a discrete variable start and fixed are about pre(v).
      const bool is_meant = is_discrete ? is_before : unknown.order == 0;
      const bool has_start = is_meant && variable.start.has_value();
      const bool is_fixed = is_meant && variable.fixed;
      const bool is_state = slots_.representative(slot).slot >= n_below_states_;
      if (!is_fixed && !is_before && !(is_state && (has_start || slot >= n_below_states_))) {
        continue;
      }
      const Unknown named{.variable = unknown.variable, .order = is_before ? 0 : unknown.order};
      const StartRow row{
          .row =
              add_row({.left = slots_.leaf(slot), .right = guess_of(model_, named), .span = variable.span}),
          .unknown = named,
          .is_before = is_before,
          .is_state = slot >= n_below_states_};
      if (is_fixed) {
        fixed_rows_.push_back(row.row);
      } else {
        (has_start ? wished_ : defaulted_).push_back(row);
      }
    }
    // What is kept first: variables that are wished as states, then starts of states.
    const auto strength = [this](const StartRow& row) {
      return std::pair(model_[row.unknown.variable].state_select, row.is_state);
    };
    std::stable_sort(wished_.begin(), wished_.end(), [&](const StartRow& one, const StartRow& other) {
      return strength(one) > strength(other);
    });
  }

  // der(y) in an initial equation where the model has no derivative of y.
  void check_derivatives() {
    const std::size_t first_row = n_model_equations_;
    std::vector<std::uint8_t> needed(model_.graph.size(), 0);
    for (std::size_t i = 0; i < model_.initial_equations.size(); ++i) {
      const flat::Equation& equation = problem_.equations[first_row + i];
      needed[equation.left.index()] = 1;
      needed[equation.right.index()] = 1;
    }
    for (std::size_t id = needed.size(); id-- > 0;) {
      const NodeId node(id);
      const expr::Node& content = model_.graph[node];
      if (needed[id] == 0) {
        continue;
      }
      for (int i = 0; i < expr::n_operands(content.op); ++i) {
        needed[content.operand(i)] = 1;
      }
      if (content.op == expr::Op::variable && slots_.slot_of(node) == kNone) {
        const Unknown unknown{.variable = VariableId(content.first),
                              .order = static_cast<int>(content.second)};
        diagnostics_.error(
            kDerivativeNotAvailable,
            fmt::format("{} is used in an initial equation, but the model's equations do not contain it",
                        name_of(model_, unknown)),
            model_[unknown.variable].span);
      }
    }
  }

  void match() {
    matching_ = empty_matching(incidence_);
    const std::size_t n_matched = extend_matching(incidence_, model_rows_, first_before_, matching_);
    SALTUS_ASSERT(n_matched == model_rows_.size());
    static_cast<void>(n_matched);
    extend_matching(incidence_, fixed_rows_, incidence_.n_columns, matching_);
    extend_matching(incidence_, initial_rows_, incidence_.n_columns, matching_);
    for (const auto* rows : {&fixed_rows_, &initial_rows_}) {
      for (const std::uint32_t row : *rows) {
        if (matching_.column_of_row[row] == kNone) {
          problem_.checks.emplace_back(row);
        }
      }
    }
    std::sort(problem_.checks.begin(), problem_.checks.end());
    for (const auto* tier : {&wished_, &defaulted_}) {
      std::vector<std::uint32_t> rows;
      for (const StartRow& start : *tier) {
        rows.push_back(start.row);
      }
      extend_matching(incidence_, rows, incidence_.n_columns, matching_);
    }
    sort_wishes();
  }

  void sort_wishes() {
    for (const StartRow& start : wished_) {
      const bool is_used = matching_.column_of_row[start.row] != kNone;
      if (is_used && !start.is_before) {
        problem_.starts_used.push_back(start.unknown);
      } else if (!is_used && !is_said_by_another(start)) {
        problem_.starts_dropped.push_back(start.unknown);
      }
    }
    for (const StartRow& start : defaulted_) {
      if (!start.is_before && matching_.column_of_row[start.row] != kNone) {
        problem_.defaults_used.push_back(start.unknown);
      }
    }
    for (auto* list : {&problem_.starts_used, &problem_.starts_dropped, &problem_.defaults_used}) {
      std::sort(list->begin(), list->end());
    }
  }

  // Two names of one quantity with the same start: nothing is lost.
  bool is_said_by_another(const StartRow& start) const {
    const SignedSlot target = slots_.representative(slots_.slot_of(problem_.equations[start.row].left));
    const std::uint32_t owner = matching_.row_of_column[target.slot];
    if (owner == kNone || owner < causalized_.n_given) {
      return false;
    }
    const flat::Equation& mine = problem_.equations[start.row];
    const flat::Equation& other = problem_.equations[owner];
    const std::uint32_t slot = slots_.slot_of(other.left);
    return slot != kNone && other.right == mine.right &&
           slots_.representative(slot).negative == target.negative;
  }

  void warn_list(const std::vector<Unknown>& unknowns, DiagnosticCode code, std::string_view text,
                 std::string_view hint) {
    if (unknowns.empty()) {
      return;
    }
    diagnostics_.warning(code, fmt::format(fmt::runtime(text), list_names(model_, unknowns)),
                         model_[unknowns.front().variable].span, std::string(hint));
  }

  void warn() {
    warn_list(problem_.starts_used, kStartNotFixed,
              "start values that are not fixed are taken as they are: {}",
              "write fixed = true where the value is meant");
    warn_list(problem_.defaults_used, kStartMissing, "no start value is given, 0 is taken: {}",
              "write start = … and fixed = true, or an initial equation");
    warn_list(problem_.starts_dropped, kStartOverruled,
              "start values that are not fixed are overruled by other equations: {}",
              "remove them, or the conditions that contradict them");
  }

  flat::Model& model_;
  const Causalized& causalized_;
  ModeId mode_;
  Diagnostics diagnostics_;
  SlotTable slots_;
  std::uint32_t n_below_states_;
  std::uint32_t first_before_;  // slots from here to the states are pre(…)
  expr::Substitution without_previous_;
  std::vector<flat::Equation> reinits_;  // of clauses of the start
  std::size_t n_model_equations_ = 0;    // the first rows; conditions at the start follow
  AliasReport aliases_;
  Incidence incidence_;
  Matching matching_;
  InitializationProblem problem_;
  std::vector<std::uint32_t> model_rows_;
  std::vector<std::uint32_t> fixed_rows_;
  std::vector<std::uint32_t> initial_rows_;
  std::vector<StartRow> wished_;
  std::vector<StartRow> defaulted_;
};

}  // namespace

NodeId guess_of(flat::Model& model, const Unknown& unknown) {
  const flat::Variable& variable = model[unknown.variable];
  return unknown.order == 0 && variable.start ? *variable.start : model.graph.constant(0.0);
}

Result<InitializationProblem> initialization(flat::Model& model, const Causalized& causalized, ModeId mode) {
  return Initializer(model, causalized, mode).run();
}

}  // namespace saltus::structure
