#include "program/guard_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "expr/dependency.hpp"
#include "flat/expression_printer.hpp"
#include "program/guards/diagnostic_codes.hpp"

namespace saltus::program {
namespace {

using system::GuardInfo;
using Kind = flat::Condition::Kind;

GuardInfo::Kind kind_of(Kind kind) {
  switch (kind) {
    case Kind::floor: return GuardInfo::Kind::floor;
    case Kind::ceil: return GuardInfo::Kind::ceil;
    case Kind::truncate: return GuardInfo::Kind::truncate;
    case Kind::segment: return GuardInfo::Kind::segment;
    case Kind::external: return GuardInfo::Kind::external;
    case Kind::norm: return GuardInfo::Kind::norm;
    case Kind::component: return GuardInfo::Kind::component;
    case Kind::gap: return GuardInfo::Kind::gap;
    case Kind::restitution: return GuardInfo::Kind::restitution;
    default: return GuardInfo::Kind::relation;
  }
}

// Marks everything below some roots, and reads off the guards of the conditions among it, also of those inside guards.
class Reached {
 public:
  explicit Reached(const SystemCode& data)
      : data_(data),
        seen_(data.model.graph.size(), 0),
        guards_(data.conditions.guards().size(), 0),
        stand_alone_(data.conditions.guards().size(), 0) {}

  void add(NodeId root) {
    push(root);
    note_alone(data_.model.graph[root]);
    while (!stack_.empty()) {
      const expr::Node& node = data_.model.graph[stack_.back()];
      stack_.pop_back();
      const bool is_logic = node.op == expr::Op::logical_and || node.op == expr::Op::logical_or;
      for (int k = 0; k < expr::n_operands(node.op); ++k) {
        push(NodeId(node.operand(k)));
        if (!is_logic) {
          note_alone(data_.model.graph[NodeId(node.operand(k))]);
        }
      }
      if (node.op == expr::Op::condition && node.first < data_.n_conditions()) {
        add_guard(data_.conditions.guard_of(ConditionId(node.first)));
      }
    }
  }
  void add(const flat::Equation& equation) {
    add(equation.left);
    add(equation.right);
  }
  void add(const flat::Body& body) {
    for (const auto* list : {&body.assignments, &body.reinits}) {
      for (const flat::Body::Assignment& assignment : *list) {
        add(assignment.value);
      }
    }
    for (const flat::Equation& equation : body.jump_equations) {
      add(equation);
    }
  }

  [[nodiscard]] bool has(std::size_t guard) const { return guards_[guard] != 0; }
  /// A condition over the guard is used by itself, not within a proposition of several.
  [[nodiscard]] bool has_alone(std::size_t guard) const { return stand_alone_[guard] != 0; }

 private:
  void note_alone(const expr::Node& node) {
    if (node.op == expr::Op::condition && node.first < data_.n_conditions()) {
      if (const Index guard = data_.conditions.guard_of(ConditionId(node.first)); guard >= 0) {
        stand_alone_[static_cast<std::size_t>(guard)] = 1;
      }
    }
  }
  void push(NodeId node) {
    if (seen_[node.index()] == 0) {
      seen_[node.index()] = 1;
      stack_.push_back(node);
    }
  }
  void add_guard(Index guard) {
    if (guard >= 0 && guards_[static_cast<std::size_t>(guard)] == 0) {
      guards_[static_cast<std::size_t>(guard)] = 1;
      push(data_.conditions.guards()[static_cast<std::size_t>(guard)].expression);
    }
  }

  const SystemCode& data_;
  std::vector<char> seen_;
  std::vector<char> guards_;
  std::vector<char> stand_alone_;
  std::vector<NodeId> stack_;
};

Reached reached_by_rounds(const SystemCode& data, const ModeCode& mode) {
  Reached reached(data);
  for (const structure::Causalized::DiscreteEquation& discrete : mode.causalized.discrete_equations) {
    reached.add(discrete.equation);
  }
  const ActionTable& actions = data.actions;
  for (std::size_t i = 0; i < actions.infos.size(); ++i) {
    const system::ActionInfo& info = actions.infos[i];
    if (info.mode.valid() && info.mode != mode.mode) {
      continue;
    }
    for (Index k = 0; k < info.n_triggers; ++k) {
      reached.add(actions.triggers[static_cast<std::size_t>(info.first_trigger + k)]);
    }
    if (actions.bodies[i] != nullptr) {
      reached.add(*actions.bodies[i]);
    }
  }
  for (std::size_t i = 0; i < actions.messages.size(); ++i) {
    const ModeId own = actions.infos[static_cast<std::size_t>(actions.messages[i].action)].mode;
    if (!own.valid() || own == mode.mode) {
      reached.add(actions.message_conditions[i]);
    }
  }
  return reached;
}

// Those that are solved and those that the states must satisfy: differentiation may lose a condition.
std::vector<flat::Equation> equations_of(const structure::Causalized& causalized) {
  std::vector<flat::Equation> equations = causalized.equations;
  for (const structure::Constraint& constraint : causalized.constraints) {
    equations.push_back(constraint.equation);
  }
  return equations;
}

// By condition: how often the equations that contain it are differentiated, at most.
std::vector<int> times_differentiated(const SystemCode& data, const structure::Causalized& causalized) {
  std::vector<int> times(data.n_conditions(), 0);
  for (std::size_t i = 0; i < causalized.differentiations.size(); ++i) {
    if (causalized.differentiations[i] <= 0) {
      continue;
    }
    const NodeId sides[] = {causalized.written[i].left, causalized.written[i].right};
    for (const NodeId leaf : expr::leaves_of(data.model.graph, sides)) {
      const expr::Node& node = data.model.graph[leaf];
      if (node.op == expr::Op::condition && node.first < times.size()) {
        times[node.first] = std::max(times[node.first], causalized.differentiations[i]);
      }
    }
  }
  return times;
}

void describe_mode(SystemCode& data, ModeCode& mode) {
  Reached in_equations(data);
  for (const flat::Equation& equation : equations_of(mode.causalized)) {
    in_equations.add(equation);
  }
  for (const ConditionId condition : mode.choices.conditions) {
    in_equations.add(
        data.model.graph.condition(condition));  // where it is locked, no equation shows it any more
  }
  const Reached in_rounds = reached_by_rounds(data, mode);
  mode.watches.assign(data.guard_infos.size(), 0);
  for (std::size_t i = 0; i < data.guard_infos.size(); ++i) {
    GuardInfo& info = data.guard_infos[i];
    const bool is_compound = in_equations.has(i) && !in_equations.has_alone(i);
    info.is_compound = is_compound && (info.is_compound || !info.in_equations);
    info.in_equations = info.in_equations || in_equations.has(i);
    info.in_rounds = info.in_rounds || in_rounds.has(i);
    const bool may_change = !data.conditions.guards()[i].is_constant && is_watched(info.kind);
    mode.watches[i] = may_change && (in_equations.has(i) || in_rounds.has(i)) &&
                      mode.guards->can_evaluate(static_cast<Index>(i));
  }
}

// The same in all modes.
std::vector<int> most_differentiated(const SystemCode& data) {
  std::vector<int> most(data.n_conditions(), 0);
  for (const ModeCode& mode : data.modes) {
    const std::vector<int> times = times_differentiated(data, mode.causalized);
    std::transform(times.begin(), times.end(), most.begin(), most.begin(),
                   [](int a, int b) { return std::max(a, b); });
  }
  return most;
}

// Knots of splines: how smooth what the equations make of them is.
void describe_smooth_tables(SystemCode& data) {
  const std::vector<int> most = most_differentiated(data);
  for (std::size_t i = 0; i < data.guard_infos.size(); ++i) {
    GuardInfo& info = data.guard_infos[i];
    if (info.kind != GuardInfo::Kind::segment || !info.is_kink) {
      continue;
    }
    info.continuity = std::numeric_limits<int>::max();
    for (const ConditionInputs::Use& use : data.conditions.of_guard(i)) {
      const int left = data.model.conditions[use.condition].continuity - most[use.condition];
      info.continuity = std::max(std::min(info.continuity, left), -1);
    }
    info.is_continuous = info.continuity >= 0;
  }
}

// direction(v): its guards know each other, and v is held at zero by its components.
void describe_directions(SystemCode& data) {
  std::vector<std::uint8_t> is_affine(data.n_conditions(), 1);
  for (const ModeCode& mode : data.modes) {
    const std::vector<std::uint8_t> of_mode = find_affine_components(data.model, mode.causalized.blocks);
    for (std::size_t i = 0; i < is_affine.size(); ++i) {
      is_affine[i] = is_affine[i] != 0 && of_mode[i] != 0 ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < data.n_conditions(); ++i) {
    const flat::Condition& condition = data.model.conditions[i];
    if (condition.kind != Kind::component) {
      continue;
    }
    const Index guard = data.conditions.guard_of(ConditionId(i));
    GuardInfo& component = data.guard_infos[static_cast<std::size_t>(guard)];
    component.norm = data.conditions.guard_of(condition.owner);
    component.can_slide = true;
    component.is_affine_in_weight = is_affine[i] != 0;
    GuardInfo& norm = data.guard_infos[static_cast<std::size_t>(component.norm)];
    norm.components.push_back(guard);
    norm.text = norm.condition;
  }
}

// contact(gap, force, e): its three guards know each other.
void describe_contacts(SystemCode& data) {
  for (std::size_t i = 0; i < data.n_conditions(); ++i) {
    const flat::Condition& condition = data.model.conditions[i];
    const Index guard = data.conditions.guard_of(ConditionId(i));
    if (condition.kind == Kind::gap) {
      GuardInfo& gap = data.guard_infos[static_cast<std::size_t>(guard)];
      gap.text = gap.condition;
      gap.closing = data.conditions.guard_of(condition.owner);
      gap.open_side = data.model[condition.owner].kind == Kind::less_equal ? 1.0 : -1.0;
      data.guard_infos[static_cast<std::size_t>(gap.closing)].gap = guard;
    } else if (condition.kind == Kind::restitution) {
      const Index gap = data.conditions.guard_of(condition.owner);
      data.guard_infos[static_cast<std::size_t>(gap)].restitution = guard;
    }
  }
}

}  // namespace

std::vector<GuardFacts> find_guard_facts(SystemCode& data) {
  std::vector<GuardFacts> facts;
  for (const ModeCode& mode : data.modes) {
    std::vector<GuardFacts> of_mode =
        find_guard_facts(data.model, equations_of(mode.causalized), mode.causalized.blocks,
                         times_differentiated(data, mode.causalized));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      of_mode[i] = combine(facts[i], of_mode[i]);
    }
    facts = std::move(of_mode);
  }
  return facts;
}

void describe_guards(SystemCode& data, std::span<const ScheduledGuard> scheduled,
                     std::span<const GuardFacts> facts) {
  const ConditionInputs& conditions = data.conditions;
  std::optional<flat::ExpressionPrinter> printer;
  if (!conditions.guards().empty()) {
    printer.emplace(data.model, flat::ExpressionPrinter::Form::readable);
  }
  for (std::size_t i = 0; i < conditions.guards().size(); ++i) {
    const ConditionInputs::Guard& guard = conditions.guards()[i];
    GuardInfo& info = data.guard_infos.emplace_back();
    info.kind = kind_of(guard.kind);
    info.knots = guard.knots;
    printer->write(guard.expression, false, info.text);
    const auto uses = conditions.of_guard(i);
    if (!uses.empty()) {
      const flat::Condition& first = data.model.conditions[uses.front().condition];
      info.condition = first.text;
      info.span = first.span;
      info.is_kink = std::all_of(uses.begin(), uses.end(), [&data](const ConditionInputs::Use& use) {
        return data.model.conditions[use.condition].kink;
      });
    }
  }
  describe_smooth_tables(data);
  describe_directions(data);
  describe_contacts(data);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    // A choice that the user wrote with `if` or a relation is an event also where its value does not jump (LANGUAGE 4).
    data.guard_infos[i].continuity = facts[i].is_kink ? facts[i].continuity : -1;
    data.guard_infos[i].is_continuous = facts[i].in_equations && facts[i].continuity >= 0;
    data.guard_infos[i].has_root = facts[i].continuity >= 0 && facts[i].has_root;
    data.guard_infos[i].can_slide = facts[i].can_slide;
    data.guard_infos[i].is_affine_in_weight = facts[i].is_affine_in_weight;
  }
  for (const ScheduledGuard& guard : scheduled) {
    data.guard_infos[static_cast<std::size_t>(guard.guard)].is_scheduled = true;
  }
  for (ModeCode& mode : data.modes) {
    describe_mode(data, mode);
  }
  for (GuardInfo& info : data.guard_infos) {
    info.can_slide = info.can_slide && info.in_equations && !info.is_scheduled;
  }
}

Diagnostics find_rough_inputs(const SystemCode& data) {
  Diagnostics problems(data.model.source);
  const std::vector<int> most = most_differentiated(data);
  std::vector<std::uint8_t> is_named(data.model.variables.size(), 0);
  for (std::size_t i = 0; i < most.size(); ++i) {
    const flat::Condition& condition = data.model.conditions[i];
    // One derivative more than are continuous exists but for jumps.
    if (!condition.input.valid() || most[i] <= condition.continuity + 1 ||
        is_named[condition.input.index()] != 0) {
      continue;
    }
    is_named[condition.input.index()] = 1;
    const flat::Variable& input = data.model[condition.input];
    problems.error(
        kInputDerivative,
        fmt::format("the model needs the derivative of order {} of the input {}, whose table {}", most[i],
                    input.name, condition.continuity < 0 ? "jumps" : "has derivatives of order 1 only"),
        input.span, "--input-rule cubic makes it smooth");
  }
  return problems;
}

}  // namespace saltus::program
