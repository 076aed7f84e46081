#include "program/equations/round_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/machine.hpp"
#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "program/equations/jump_equations.hpp"
#include "program/equations/system_code.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using structure::Unknown;

class RoundBuilder {
 public:
  RoundBuilder(SystemCode& data, ModeCode& mode, Diagnostics& diagnostics)
      : data_(data), mode_(mode), graph_(data.model.graph), round_(mode.round), diagnostics_(diagnostics) {
    const auto n_conditions = static_cast<std::uint32_t>(data.n_conditions());
    round_.first_written = n_conditions;
    round_.first_fired = 2 * n_conditions;
    round_.first_jumping = round_.first_fired + static_cast<std::uint32_t>(data.actions.infos.size());
    round_.first_state = round_.first_jumping + static_cast<std::uint32_t>(data.actions.infos.size());
    round_.first_previous = round_.first_state + static_cast<std::uint32_t>(mode.causalized.states.size());
    round_.first_late = round_.first_previous + static_cast<std::uint32_t>(data.columns.size());
    round_.n_held = round_.first_reinit = round_.first_late;
    if (data.model.reinit_follows) {
      round_.first_reinit = round_.first_late + static_cast<std::uint32_t>(data.actions.infos.size());
      round_.n_held = round_.first_reinit + static_cast<std::uint32_t>(data.actions.n_reinits);
      reinits_.resize(static_cast<std::size_t>(data.actions.n_reinits));
    }
    for (std::size_t i = 0; i < data.actions.infos.size(); ++i) {
      if (takes_part(data.model, data.actions, i, mode.mode)) {
        taking_part_.push_back(i);
      }
    }
  }

  void run() {
    bind();
    make_substitutions();
    add_mode_equations();
    add_discrete();
    add_states();
    if (diagnostics_.has_errors()) {
      return;
    }
    auto blocks = structure::solve_instant(data_.model, round_.system);
    if (!blocks) {
      diagnostics_.append(std::move(blocks).error());
      return;
    }
    round_.blocks = *std::move(blocks);
    add_outputs();
  }

 private:
  // Leaves for held inputs that the model has no leaf for: conditions of numbers beyond those of the model.
  NodeId held_leaf(std::uint32_t held) { return graph_.condition(ConditionId(held)); }
  NodeId written(std::uint32_t condition) { return held_leaf(round_.first_written + condition); }
  NodeId fired(std::size_t action) {
    return held_leaf(round_.first_fired + static_cast<std::uint32_t>(action));
  }
  NodeId jumping(std::size_t action) {
    return held_leaf(round_.first_jumping + static_cast<std::uint32_t>(action));
  }
  NodeId late(std::size_t action) {
    return held_leaf(round_.first_late + static_cast<std::uint32_t>(action));
  }
  NodeId before(std::size_t state) {
    return held_leaf(round_.first_state + static_cast<std::uint32_t>(state));
  }

  void bind() {
    round_.bindings = condition_bindings(data_);
    const auto bind_leaves = [this](std::uint32_t first, std::uint32_t end) {
      for (std::uint32_t held = first; held < end; ++held) {
        round_.bindings.bind_condition(ConditionId(held), {Binding::Kind::input, held + 1});
      }
    };
    bind_leaves(round_.first_written, round_.first_previous);
    bind_leaves(round_.first_late, round_.n_held);
    for (std::size_t i = 0; i < data_.model.variables.size(); ++i) {
      const auto column = static_cast<std::uint32_t>(data_.column_of_variable[i]);
      round_.bindings.bind_previous(VariableId(i),
                                    {Binding::Kind::input, 1 + round_.first_previous + column});
    }
  }

  [[nodiscard]] bool exists(VariableId variable) const {
    const ModeId owner = data_.model[variable].mode;
    return !owner.valid() || owner == mode_.mode;
  }

  void make_substitutions() {
    std::vector<expr::Replacement> replacements;
    for (std::uint32_t c = 0; c < data_.n_conditions(); ++c) {
      if (is_relation(data_.model.conditions[c].kind) && !data_.conditions.is_constant(ConditionId(c))) {
        replacements.push_back({.from = graph_.condition(ConditionId(c)), .to = written(c)});
      }
    }
    for (std::size_t i = 0; i < data_.model.variables.size(); ++i) {
      const VariableId variable(i);
      if (!exists(variable)) {
        replacements.push_back({.from = graph_.variable(variable), .to = graph_.previous(variable)});
      }
    }
    as_written_.emplace(graph_, replacements);
    for (std::size_t i = 0; i < data_.model.variables.size(); ++i) {
      const VariableId variable(i);
      if (exists(variable) && data_.model[variable].variability == flat::Variability::continuous) {
        replacements.push_back({.from = graph_.variable(variable), .to = graph_.previous(variable)});
      }
    }
    for (std::size_t i = 0; i < mode_.causalized.states.size(); ++i) {
      const Unknown& state = mode_.causalized.states[i];
      if (state.order > 0) {
        replacements.push_back({.from = graph_.variable(state.variable, state.order), .to = before(i)});
      }
    }
    as_before_.emplace(graph_, replacements);
  }

  void add_row(NodeId left, NodeId right, SourceSpan span) {
    round_.system.equations.push_back({.left = left, .right = right, .span = span});
  }

  void add_mode_equations() {
    std::vector<EquationId> rows;
    for (const structure::Block& block : mode_.causalized.blocks) {
      rows.insert(rows.end(), block.equations.begin(), block.equations.end());
      round_.system.unknowns.insert(round_.system.unknowns.end(), block.unknowns.begin(),
                                    block.unknowns.end());
    }
    std::sort(rows.begin(), rows.end());
    std::sort(round_.system.unknowns.begin(), round_.system.unknowns.end());
    n_of_mode_ = round_.system.unknowns.size();
    for (const EquationId row : rows) {
      round_.system.equations.push_back(mode_.causalized.equations[row.index()]);
    }
  }

  // By equations as they stand, by bodies as `select(fired, value, pre)`.
  void add_discrete() {
    for (const structure::Causalized::DiscreteEquation& discrete : mode_.causalized.discrete_equations) {
      round_.system.unknowns.push_back({.variable = discrete.variable, .order = 0});
      add_row((*as_written_)(discrete.equation.left), (*as_written_)(discrete.equation.right),
              discrete.equation.span);
    }
    std::vector<NodeId> values(data_.model.variables.size());
    std::vector<SourceSpan> spans(data_.model.variables.size());
    for (const std::size_t action : taking_part_) {
      for (const flat::Body::Assignment& assignment : data_.actions.bodies[action]->assignments) {
        NodeId& value = values[assignment.variable.index()];
        const NodeId otherwise = value.valid() ? value : graph_.previous(assignment.variable);
        value = graph_.select(fired(action), (*as_written_)(assignment.value), otherwise);
        spans[assignment.variable.index()] = assignment.span;
      }
    }
    for (const VariableId variable : mode_.causalized.held) {
      const NodeId value = values[variable.index()];
      round_.system.unknowns.push_back({.variable = variable, .order = 0});
      add_row(graph_.variable(variable), value.valid() ? value : graph_.previous(variable),
              value.valid() ? spans[variable.index()] : data_.model[variable].span);
    }
  }

  // What one action says about a state: a value, or an equation that determines it with others.
  struct Setter {
    std::size_t action = 0;
    NodeId counts;    // a flag
    NodeId value;     // valid: the state takes it
    NodeId residual;  // else: is zero
    SourceSpan span;
  };

  void add_states() {
    const std::vector<Unknown>& states = mode_.causalized.states;
    for (std::size_t i = 0; i < states.size(); ++i) {
      place_of_[states[i]] = i;
    }
    std::vector<expr::Replacement> replacements;
    for (const structure::SlotAlias& alias : mode_.causalized.aliases) {
      const auto place = place_of_.find(alias.target);
      if (place != place_of_.end()) {
        const NodeId target = graph_.variable(alias.target.variable, alias.target.order);
        replacements.push_back({.from = graph_.variable(alias.quantity.variable, alias.quantity.order),
                                .to = alias.negative ? graph_.negate(target) : target});
        alias_of_[alias.quantity] = alias;
      }
    }
    by_states_.emplace(graph_, replacements);
    add_other_names();
    setters_.resize(states.size());
    for (const std::size_t action : taking_part_) {
      add_reinits(action);
      add_jumps(action);
    }
    round_.system.first_representative = round_.system.unknowns.size();
    for (std::size_t i = 0; i < states.size(); ++i) {
      round_.system.unknowns.push_back(states[i]);
      add_state(i);
    }
  }

  void add_state(std::size_t i) {
    const Unknown& state = mode_.causalized.states[i];
    const NodeId leaf = graph_.variable(state.variable, state.order);
    SourceSpan span = data_.model[state.variable].span;
    const bool is_explicit = std::all_of(setters_[i].begin(), setters_[i].end(),
                                         [](const Setter& setter) { return setter.value.valid(); });
    NodeId chain = is_explicit ? before(i) : graph_.subtract(leaf, before(i));
    std::vector<Index> actions;
    for (const Setter& setter : setters_[i]) {
      const NodeId residual = setter.value.valid() ? graph_.subtract(leaf, setter.value) : setter.residual;
      chain = graph_.select(setter.counts, is_explicit ? setter.value : residual, chain);
      span = setter.span;
      actions.push_back(static_cast<Index>(setter.action));
    }
    if (actions.size() > 1) {
      round_.rivals.push_back(std::move(actions));
    }
    add_row(is_explicit ? leaf : chain, is_explicit ? chain : graph_.constant(0.0), span);
  }

  // Variables that are a state or its negative by a formula of the mode, directly or by another such name.
  void add_other_names() {
    for (const structure::Block& block : mode_.causalized.blocks) {
      if (block.kind != structure::Block::Kind::explicit_formula || block.unknowns[0].order != 0) {
        continue;
      }
      const bool negative = graph_[block.formula].op == expr::Op::negate;
      const expr::Node& leaf = graph_[negative ? NodeId(graph_[block.formula].first) : block.formula];
      if (leaf.op != expr::Op::variable) {
        continue;
      }
      structure::SlotAlias alias{
          .quantity = block.unknowns[0],
          .target = {.variable = VariableId(leaf.first), .order = static_cast<int>(leaf.second)},
          .negative = negative};
      if (const auto known = alias_of_.find(alias.target); known != alias_of_.end()) {
        alias.target = known->second.target;
        alias.negative = alias.negative != known->second.negative;
      }
      if (place_of_.contains(alias.target)) {
        alias_of_.emplace(alias.quantity, alias);
      }
    }
  }

  void add_reinits(std::size_t action) {
    const bool is_late = data_.model.reinit_follows;
    auto number = static_cast<std::uint32_t>(data_.actions.first_reinit[action]) - 1;
    for (const flat::Body::Assignment& reinit : data_.actions.bodies[action]->reinits) {
      ++number;
      const Unknown quantity{.variable = reinit.variable, .order = 0};
      const auto alias = alias_of_.find(quantity);
      const auto place = place_of_.find(alias == alias_of_.end() ? quantity : alias->second.target);
      if (place == place_of_.end()) {
        if (exists(reinit.variable)) {
          const Severity severity = mode_.mode.valid() ? Severity::warning : Severity::error;
          diagnostics_.add(severity, kReinitNotAState,
                           fmt::format("reinit({0}, …) has no effect: {0} is not a state{1}",
                                       data_.model[reinit.variable].name, in_this_mode()),
                           reinit.span,
                           "only variables whose derivative occurs in the equations can be reinitialised");
        }
        continue;
      }
      NodeId value;
      if (is_late) {
        reinits_[number] = (*as_written_)(reinit.value);
        value = held_leaf(round_.first_reinit + number);
      } else {
        value = (*as_before_)(reinit.value);
        check_derivatives(value, reinit.span);
      }
      if (alias != alias_of_.end() && alias->second.negative) {
        value = graph_.negate(value);
      }
      setters_[place->second].push_back({.action = action,
                                         .counts = is_late ? late(action) : jumping(action),
                                         .value = value,
                                         .residual = {},
                                         .span = reinit.span});
      const Unknown& state = mode_.causalized.states[place->second];
      add_jump_row(action, {graph_.variable(state.variable, state.order), value, reinit.span},
                   static_cast<Index>(place->second), false, is_late);
      round_.jumping.push_back({static_cast<Index>(action), state, is_late});
    }
  }

  [[nodiscard]] std::string in_this_mode() const {
    return mode_.mode.valid() ? fmt::format(" in mode '{}'", data_.model.modes[mode_.mode.index()].name) : "";
  }

  // The value before the round of a derivative is not kept.
  void check_derivatives(NodeId root, SourceSpan span) {
    std::vector<NodeId> stack = {root};
    std::vector<NodeId> seen;
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      const expr::Node& node = graph_[id];
      if (node.op == expr::Op::variable && node.second > 0) {
        const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
        diagnostics_.error(kDerivativeInReinit,
                           fmt::format("reinit reads {}, whose value before the event is not kept",
                                       structure::name_of(data_.model, unknown)),
                           span, "write what it is equal to");
        return;
      }
      for (int k = 0; k < expr::n_operands(node.op); ++k) {
        const NodeId operand(node.operand(k));
        if (std::find(seen.begin(), seen.end(), operand) == seen.end()) {
          seen.push_back(operand);
          stack.push_back(operand);
        }
      }
    }
  }

  void add_jumps(std::size_t action) {
    const flat::Body& body = *data_.actions.bodies[action];
    if (body.jump_equations.empty()) {
      return;
    }
    std::vector<flat::Equation> equations;
    for (const flat::Equation& equation : body.jump_equations) {
      equations.push_back({(*by_states_)((*as_written_)(equation.left)),
                           (*by_states_)((*as_written_)(equation.right)), equation.span});
    }
    std::vector<Unknown> states;
    std::size_t n_algebraic = 0;
    for (const Unknown& state : jumping_states(graph_, equations)) {
      const auto place = place_of_.find(state);
      if (place != place_of_.end() || is_algebraic(state)) {
        round_.jumping.push_back({static_cast<Index>(action), state});
      }
      n_algebraic += is_algebraic(state) ? 1 : 0;
      const bool is_free = place != place_of_.end() &&
                           std::none_of(setters_[place->second].begin(), setters_[place->second].end(),
                                        [action](const Setter& setter) { return setter.action == action; });
      if (is_free) {
        states.push_back(state);
      }
    }
    const JumpAssignment assignment = assign_jump_equations(graph_, equations, states);
    if (assignment.left_over.size() > n_algebraic) {
      report_left_over(equations, states, assignment);
      return;
    }
    for (std::size_t j = 0; j < equations.size(); ++j) {
      const bool is_loose = std::find(assignment.left_over.begin(), assignment.left_over.end(), j) !=
                            assignment.left_over.end();
      if (is_loose) {
        add_jump_row(action, equations[j], -1, true);
        continue;
      }
      const JumpAssignment::Place& chosen = assignment.places[j];
      const std::size_t state = place_of_.at(states[chosen.state]);
      add_jump_row(action, equations[j], chosen.value.valid() ? static_cast<Index>(state) : -1, false);
      Setter setter{.action = action,
                    .counts = jumping(action),
                    .value = chosen.value,
                    .residual = {},
                    .span = equations[j].span};
      if (!chosen.value.valid()) {
        setter.residual = graph_.subtract(equations[j].left, equations[j].right);
      }
      setters_[state].push_back(setter);
    }
  }

  void add_jump_row(std::size_t action, const flat::Equation& equation, Index state, bool is_loose,
                    bool is_late = false) {
    round_.jump_rows.push_back({.action = static_cast<Index>(action),
                                .state = state,
                                .is_loose = is_loose,
                                .is_late = is_late,
                                .equation = equation});
  }

  [[nodiscard]] bool is_algebraic(const Unknown& unknown) const {
    return std::binary_search(round_.system.unknowns.begin(),
                              round_.system.unknowns.begin() + static_cast<std::ptrdiff_t>(n_of_mode_),
                              unknown);
  }

  void report_left_over(const std::vector<flat::Equation>& equations, const std::vector<Unknown>& states,
                        const JumpAssignment& assignment) {
    const flat::Equation& first = equations[assignment.left_over.front()];
    diagnostics_.error(
        kTooManyJumpEquations,
        fmt::format("too many jump equations{}: {} for {}; {} is left over", in_this_mode(), equations.size(),
                    states.empty() ? "no state that may jump"
                                   : fmt::format("the states that may jump, {}",
                                                 structure::list_names(data_.model, states)),
                    structure::quote(data_.model, first)),
        first.span,
        "a state may jump where pre(…) of it occurs in a jump equation of the body, or where it stands alone "
        "on one side");
  }

  void add_outputs() {
    std::vector<NodeId>& outputs = round_.outputs;
    known_.insert(round_.system.unknowns.begin(), round_.system.unknowns.end());
    for (const Unknown& state : mode_.causalized.states) {
      outputs.push_back(graph_.variable(state.variable, state.order));
    }
    const NodeId zero = graph_.constant(0.0);
    for (const VariableId variable : mode_.variable_of_column) {
      outputs.push_back(variable.valid() ? graph_.variable(variable) : zero);
    }
    const ActionTable& actions = data_.actions;
    for (const system::ActionInfo& info : actions.infos) {
      const bool is_looked_at = !info.mode.valid() || info.mode == mode_.mode;
      for (Index k = 0; k < info.n_triggers; ++k) {
        const NodeId trigger = actions.triggers[static_cast<std::size_t>(info.first_trigger + k)];
        outputs.push_back(is_looked_at ? (*as_written_)(trigger) : zero);
      }
    }
    for (std::size_t i = 0; i < actions.messages.size(); ++i) {
      const auto action = static_cast<std::size_t>(actions.messages[i].action);
      outputs.push_back(std::binary_search(taking_part_.begin(), taking_part_.end(), action)
                            ? (*as_written_)(actions.message_conditions[i])
                            : zero);
    }
    const NodeId none = graph_.constant(kNan);
    for (const ConditionInputs::Guard& guard : data_.conditions.guards()) {
      outputs.push_back(is_known(guard.expression) ? guard.expression : none);
    }
    for (const NodeId value : reinits_) {
      outputs.push_back(value.valid() ? value : zero);
    }
  }

  // Whether the unknowns of the round give it a value.
  [[nodiscard]] bool is_known(NodeId expression) {
    const std::vector<NodeId> leaves = expr::leaves_of(graph_, std::span(&expression, 1));
    return std::all_of(leaves.begin(), leaves.end(), [this](NodeId leaf) {
      const expr::Node& node = graph_[leaf];
      if (node.op == expr::Op::previous) {
        return exists(VariableId(node.first));
      }
      const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
      return node.op != expr::Op::variable || known_.contains(unknown);
    });
  }

  SystemCode& data_;
  ModeCode& mode_;
  expr::Graph& graph_;
  RoundSystem& round_;
  Diagnostics& diagnostics_;
  std::vector<std::size_t> taking_part_;  // actions whose bodies count in this mode, ascending
  std::optional<expr::Substitution> as_written_;
  std::optional<expr::Substitution> as_before_;
  std::optional<expr::Substitution> by_states_;  // names that are states under another name
  std::size_t n_of_mode_ = 0;  // the first unknowns of the round: what the equations of the mode give
  std::map<Unknown, std::size_t> place_of_;  // of states
  std::map<Unknown, structure::SlotAlias> alias_of_;
  std::vector<std::vector<Setter>> setters_;  // by state
  std::set<Unknown> known_;                   // unknowns of the round
  std::vector<NodeId> reinits_;               // by number: values that are assigned after the round
};

}  // namespace

void build_round(SystemCode& data, ModeCode& mode, Diagnostics& diagnostics) {
  RoundBuilder(data, mode, diagnostics).run();
}

}  // namespace saltus::program
