#include "api/sensitivity/plain_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "api/sensitivity/twins.hpp"
#include "program/guards/parameter_values.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {
namespace {

// Twins go to four distances; what bends needs room.
constexpr double kRoom = 10.0;

class Readers {
 public:
  explicit Readers(const flat::Model& model)
      : model_(model), is_read_(model.parameters.size(), false), is_seen_(model.graph.size(), false) {
    find_constant_nodes();
    const auto see = [this](const std::optional<NodeId>& node) {
      if (node) {
        mark(*node);
      }
    };
    for (const flat::Parameter& parameter : model.parameters) {
      see(parameter.value);
    }
    for (const flat::Variable& variable : model.variables) {
      see(variable.start);
      see(variable.minimum);
      see(variable.maximum);
      see(variable.nominal);
    }
    for (const flat::Condition& condition : model.conditions) {
      if (condition.kind == flat::Condition::Kind::sample) {
        mark(condition.argument);
        mark(condition.interval);
      } else if (condition.argument.valid() && is_constant_[condition.argument.index()]) {
        mark(condition.argument);
      }
    }
    if (!model.modes.empty()) {
      mark(model.initial_mode);
    }
    for (std::size_t i = 0; i < model.graph.size(); ++i) {
      if (is_constant_[i] && is_choice(model.graph[NodeId(i)].op)) {
        mark(NodeId(i));
      }
    }
    for (const flat::Guard& guard : model.guards) {
      if (is_constant_[guard.expression.index()]) {
        mark(guard.expression);
      }
    }
  }

  [[nodiscard]] bool is_read(std::size_t parameter) const { return is_read_[parameter]; }

 private:
  static bool is_choice(expr::Op op) {
    switch (op) {
      case expr::Op::abs:
      case expr::Op::sign:
      case expr::Op::floor:
      case expr::Op::ceil:
      case expr::Op::truncate:
      case expr::Op::minimum:
      case expr::Op::maximum:
      case expr::Op::less:
      case expr::Op::less_equal:
      case expr::Op::equal:
      case expr::Op::not_equal:
      case expr::Op::select: return true;
      default: return false;
    }
  }

  // Over parameters and numbers alone.
  void find_constant_nodes() {
    is_constant_.assign(model_.graph.size(), true);
    for (std::size_t i = 0; i < model_.graph.size(); ++i) {
      const expr::Node& node = model_.graph[NodeId(i)];
      const int n = expr::n_operands(node.op);
      is_constant_[i] = n > 0 || node.op == expr::Op::parameter || node.op == expr::Op::constant;
      for (int k = 0; k < n; ++k) {
        is_constant_[i] = is_constant_[i] && is_constant_[node.operand(k)];
      }
    }
  }

  void mark(NodeId from) {
    std::vector<NodeId> waiting{from};
    while (!waiting.empty()) {
      const NodeId at = waiting.back();
      waiting.pop_back();
      if (is_seen_[at.index()]) {
        continue;
      }
      is_seen_[at.index()] = true;
      const expr::Node& node = model_.graph[at];
      if (node.op == expr::Op::parameter) {
        is_read_[node.first] = true;
      }
      for (int k = 0; k < expr::n_operands(node.op); ++k) {
        waiting.push_back(NodeId(node.operand(k)));
      }
    }
  }

  const flat::Model& model_;
  std::vector<bool> is_read_;
  std::vector<bool> is_seen_;
  std::vector<bool> is_constant_;
};

// Whether the start is nothing but start values.
bool has_plain_start(const Instance& base, const system::InitialPoint& initial) {
  const flat::Model& model = *base.flat;
  const bool has_initial =
      !model.initial_equations.empty() ||
      std::any_of(model.conditions.begin(), model.conditions.end(), [](const flat::Condition& condition) {
        return condition.kind == flat::Condition::Kind::initial;
      });
  if (has_initial || base.start_by_ranks.valid()) {
    return false;
  }
  const auto locked = base.system->lock(base.system->structure_of(initial.configuration));
  if (!locked || ((*locked)->constraints() != nullptr && (*locked)->constraints()->n_rows() > 0)) {
    return false;
  }
  const std::vector<system::StateInfo>& states = (*locked)->states();
  return std::all_of(model.variables.begin(), model.variables.end(), [&](const flat::Variable& variable) {
    return !variable.fixed || variable.variability == flat::Variability::discrete ||
           std::any_of(states.begin(), states.end(),
                       [&](const system::StateInfo& state) { return state.name == variable.name; });
  });
}

// Whether bounds leave one side of its value.
bool has_room(const flat::Parameter& parameter, const SensitivityTarget& target,
              program::ParameterValues& values) {
  const double distance = kRoom * kTwinDistance * target.size;
  const auto bound = [&](const std::optional<NodeId>& node, double otherwise) {
    return node ? values.of(*node).value_or(target.value) : otherwise;
  };
  return target.value - distance >= bound(parameter.minimum, -HUGE_VAL) ||
         target.value + distance <= bound(parameter.maximum, HUGE_VAL);
}

// Those beside which a guard may have another side at the start are plain no longer.
void ask_guards(const Instance& base, const system::InitialPoint& initial, double t,
                const std::vector<SensitivityTarget>& targets, std::vector<bool>& is_plain) {
  const std::vector<system::GuardInfo>& guards = base.system->guards();
  if (guards.empty()) {
    return;
  }
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (is_plain[k]) {
      asked.push_back(k);
    }
  }
  const std::size_t n = asked.size();
  system::ParameterDirections directions;
  directions.n_directions = static_cast<Index>(n);
  directions.parameters.assign(base.flat->parameters.size() * n, 0.0);
  for (std::size_t c = 0; c < n; ++c) {
    directions.parameters[targets[asked[c]].place * n + c] = 1.0;
  }
  const auto locked = base.system->lock(base.system->structure_of(initial.configuration));
  const auto evaluator = (*locked)->make_evaluator(initial.guess);
  evaluator->set_configuration(initial.configuration);
  const auto tangents = evaluator->tangents(directions);
  std::vector<Index> all(guards.size());
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<double> values(guards.size());
  std::vector<double> moves(guards.size() * n);
  const std::vector<double> still(n, 0.0);
  const std::vector<double> x(initial.x.size() * n, 0.0);
  const std::vector<double> discrete(initial.configuration.discrete.size() * n, 0.0);
  const bool are_known = n > 0 && tangents != nullptr && evaluator->guards(all, t, initial.x, values).ok() &&
                         tangents->guards(all, t, initial.x, {still, x, discrete}, moves).ok();
  for (std::size_t c = 0; c < n; ++c) {
    const double distance = kRoom * kTwinDistance * targets[asked[c]].size;
    for (std::size_t g = 0; g < guards.size() && is_plain[asked[c]]; ++g) {
      const double room = guards[g].kind == system::GuardInfo::Kind::relation ? std::abs(values[g]) : 0.0;
      is_plain[asked[c]] =
          are_known && (moves[g * n + c] == 0.0 || std::abs(moves[g * n + c]) * distance < room);
    }
  }
}

}  // namespace

std::vector<bool> find_plain(const Instance& base, const system::InitialPoint& initial, double t,
                             const std::vector<SensitivityTarget>& targets) {
  std::vector<bool> is_plain(targets.size(), false);
  if (base.flat == nullptr || !has_plain_start(base, initial)) {
    return is_plain;
  }
  const Readers readers(*base.flat);
  program::ParameterValues values(*base.flat, base.overrides);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    is_plain[k] = !targets[k].is_start && targets[k].value != 0.0 && !readers.is_read(targets[k].place) &&
                  has_room(base.flat->parameters[targets[k].place], targets[k], values);
  }
  ask_guards(base, initial, t, targets, is_plain);
  return is_plain;
}

}  // namespace saltus::api
