#include "program/equations/actions.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "flat/expression_printer.hpp"
#include "flat/start_clause.hpp"

namespace saltus::program {
namespace {

using system::ActionInfo;
using Kind = flat::Condition::Kind;

bool is_leaf_of(const expr::Graph& graph, NodeId node, expr::Op op, VariableId variable) {
  const expr::Node& leaf = graph[node];
  return leaf.op == op && leaf.first == variable.value() && (op != expr::Op::variable || leaf.second == 0);
}

// Whether a body changes continuous variables; reinit(v, pre(v)), reinit(v, v) and v = pre(v) do not.
bool has_jump(const flat::Model& model, const flat::Body& body) {
  const expr::Graph& graph = model.graph;
  for (const flat::Body::Assignment& reinit : body.reinits) {
    if (!is_leaf_of(graph, reinit.value, expr::Op::previous, reinit.variable) &&
        !is_leaf_of(graph, reinit.value, expr::Op::variable, reinit.variable)) {
      return true;
    }
  }
  return std::any_of(body.jump_equations.begin(), body.jump_equations.end(),
                     [&graph](const flat::Equation& equation) {
                       const expr::Node& left = graph[equation.left];
                       return left.op != expr::Op::variable || left.second != 0 ||
                              !is_leaf_of(graph, equation.right, expr::Op::previous, VariableId(left.first));
                     });
}

// A trigger that is one relation or its negation: the guard and the side on which it is true.
void find_guard(const flat::Model& model, const ConditionInputs& conditions, NodeId trigger,
                ActionInfo& info) {
  double sign = 1.0;
  const expr::Node* node = &model.graph[trigger];
  if (node->op == expr::Op::logical_not) {
    sign = -1.0;
    node = &model.graph[NodeId(node->first)];
  }
  if (node->op != expr::Op::condition || !is_relation(model.conditions[node->first].kind)) {
    return;
  }
  const ConditionId condition(node->first);
  if (conditions.is_constant(condition)) {
    return;
  }
  const Kind kind = model[condition].kind;
  info.guard = conditions.guard_of(condition);
  info.side = kind == Kind::greater || kind == Kind::greater_equal ? sign : -sign;
}

class ActionCollector {
 public:
  ActionCollector(const flat::Model& model, const ConditionInputs& conditions, ParameterValues& parameters)
      : model_(model), conditions_(conditions), parameters_(parameters) {}

  ActionTable run() {
    for (std::size_t i = 0; i < model_.when_clauses.size(); ++i) {
      for (const flat::WhenBranch& branch : model_.when_clauses[i].branches) {
        add_branch(branch, model_.when_clauses[i].mode, static_cast<Index>(i));
      }
    }
    for (const flat::Mode& mode : model_.modes) {
      for (const flat::Transition& transition : mode.transitions) {
        ActionInfo& info = add(ActionInfo::Kind::transition, transition.from, transition.span);
        info.target = transition.to;
        info.text = transition.text.empty() ? text_of(transition.condition) : transition.text;
        add_trigger(transition.condition);
        add_body(transition.body);
      }
    }
    for (const flat::Assertion& assertion : model_.assertions) {
      if (!parameters_.of(assertion.condition)) {
        ActionInfo& info = add(ActionInfo::Kind::assertion, assertion.mode, assertion.span);
        info.text = assertion.message;
        info.is_warning = assertion.is_warning;
        add_trigger(assertion.condition);
      }
    }
    for (const flat::Body::Message& terminate : model_.terminates) {
      add(ActionInfo::Kind::terminate, ModeId(), terminate.span).text = terminate.text;
      add_trigger(terminate.condition);
    }
    return std::move(table_);
  }

 private:
  ActionInfo& add(ActionInfo::Kind kind, ModeId mode, SourceSpan span) {
    ActionInfo& info = table_.infos.emplace_back();
    info.kind = kind;
    info.mode = mode;
    info.span = span;
    info.first_trigger = static_cast<Index>(table_.triggers.size());
    info.n_triggers = 0;
    table_.bodies.push_back(nullptr);
    table_.first_reinit.push_back(table_.n_reinits);
    table_.from.push_back(mode);
    return info;
  }

  // The guards of a proposition, each once.
  void add_guards(NodeId trigger) {
    std::vector<Index>& guards = table_.infos.back().guards;
    std::vector<NodeId> parts{trigger};
    while (!parts.empty()) {
      const expr::Node& node = model_.graph[parts.back()];
      parts.pop_back();
      if (node.op == expr::Op::logical_and || node.op == expr::Op::logical_or) {
        parts.emplace_back(node.second);
      }
      if (node.op == expr::Op::logical_and || node.op == expr::Op::logical_or ||
          node.op == expr::Op::logical_not) {
        parts.emplace_back(node.first);
      }
      const Index guard = node.op == expr::Op::condition ? conditions_.guard_of(ConditionId(node.first)) : -1;
      if (guard >= 0 && std::find(guards.begin(), guards.end(), guard) == guards.end()) {
        guards.push_back(guard);
      }
    }
  }

  void add_trigger(NodeId trigger) {
    add_guards(trigger);
    ActionInfo& info = table_.infos.back();
    table_.triggers.push_back(trigger);
    info.n_triggers += 1;
    info.guard = -1;
    if (info.n_triggers == 1) {
      find_guard(model_, conditions_, trigger, info);
    }
  }

  void add_branch(const flat::WhenBranch& branch, ModeId mode, Index clause) {
    ActionInfo& info = add(ActionInfo::Kind::when, mode, branch.span);
    info.clause = clause;
    info.is_at_start = flat::is_at_start(model_, branch);
    info.text = branch.text.empty() ? text_of(branch) : branch.text;
    if (branch.vector_elements.empty()) {
      add_trigger(branch.condition);
    }
    for (const NodeId element : branch.vector_elements) {
      add_trigger(element);
    }
    add_body(branch.body);
  }

  void add_body(const flat::Body& body) {
    table_.bodies.back() = &body;
    table_.infos.back().has_jump = has_jump(model_, body);
    table_.infos.back().jumps_in_round =
        !body.jump_equations.empty() || (!model_.reinit_follows && !body.reinits.empty());
    table_.infos.back().has_late_reinit = model_.reinit_follows && !body.reinits.empty();
    table_.first_reinit.back() = table_.n_reinits;
    table_.n_reinits += static_cast<Index>(body.reinits.size());
    add_messages(body.asserts, true);
    add_messages(body.terminates, false);
  }

  void add_messages(const std::vector<flat::Body::Message>& messages, bool is_assertion) {
    for (const flat::Body::Message& message : messages) {
      table_.messages.push_back({.action = static_cast<Index>(table_.infos.size()) - 1,
                                 .is_assertion = is_assertion,
                                 .is_warning = message.is_warning,
                                 .text = message.text,
                                 .span = message.span});
      table_.message_conditions.push_back(message.condition);
    }
  }

  std::string text_of(const flat::WhenBranch& branch) {
    if (branch.vector_elements.empty()) {
      return text_of(branch.condition);
    }
    std::string text;
    for (const NodeId element : branch.vector_elements) {
      text += (text.empty() ? "{" : ", ") + text_of(element);
    }
    return text + "}";
  }

  // As written where a condition alone says it, else from the graph, with relations as written.
  std::string text_of(NodeId node) {
    const expr::Node& leaf = model_.graph[node];
    if (leaf.op == expr::Op::condition && !model_.conditions[leaf.first].text.empty()) {
      return model_.conditions[leaf.first].text;
    }
    if (!printer_) {
      printer_.emplace(model_, flat::ExpressionPrinter::Form::as_written);
    }
    std::string text;
    printer_->write(node, true, text);
    return text;
  }

  const flat::Model& model_;
  const ConditionInputs& conditions_;
  ParameterValues& parameters_;
  std::optional<flat::ExpressionPrinter> printer_;
  ActionTable table_;
};

}  // namespace

ActionTable collect_actions(const flat::Model& model, const ConditionInputs& conditions,
                            ParameterValues& parameters) {
  return ActionCollector(model, conditions, parameters).run();
}

void find_scheduled_actions(const flat::Model& model, const ConditionInputs& conditions,
                            const std::vector<system::GuardInfo>& guards, ActionTable& actions) {
  constexpr std::uint8_t kHasClock = 1;  // a clock or a scheduled guard
  constexpr std::uint8_t kHasOther = 2;
  std::vector<std::uint8_t> marks(model.graph.size(), 0);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const expr::Node& node = model.graph[NodeId(i)];
    if (node.op == expr::Op::condition && node.first < model.conditions.size()) {
      const ConditionId condition(node.first);
      const Index guard = conditions.guard_of(condition);
      const bool is_clock = model[condition].kind == Kind::sample ||
                            (guard >= 0 && guards[static_cast<std::size_t>(guard)].is_scheduled);
      marks[i] = is_clock ? kHasClock : conditions.is_constant(condition) ? 0 : kHasOther;
    } else if (node.op == expr::Op::time ||
               (node.op == expr::Op::variable &&
                model.variables[node.first].variability == flat::Variability::continuous)) {
      marks[i] = kHasOther;
    }
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      marks[i] = static_cast<std::uint8_t>(marks[i] | marks[node.operand(k)]);
    }
  }
  for (system::ActionInfo& info : actions.infos) {
    std::uint8_t mark = 0;
    for (Index k = 0; k < info.n_triggers; ++k) {
      const NodeId trigger = actions.triggers[static_cast<std::size_t>(info.first_trigger + k)];
      mark = static_cast<std::uint8_t>(mark | marks[trigger.index()]);
    }
    info.is_scheduled = mark == kHasClock;
  }
}

bool takes_part(const flat::Model& model, const ActionTable& actions, std::size_t action, ModeId mode) {
  const system::ActionInfo& info = actions.infos[action];
  if (actions.bodies[action] == nullptr) {
    return false;
  }
  if (info.kind == system::ActionInfo::Kind::transition) {
    return info.target == mode;
  }
  if (!info.mode.valid() || info.mode == mode) {
    return true;
  }
  const auto& transitions = model.modes[info.mode.index()].transitions;
  return std::any_of(transitions.begin(), transitions.end(),
                     [mode](const flat::Transition& transition) { return transition.to == mode; });
}

}  // namespace saltus::program
