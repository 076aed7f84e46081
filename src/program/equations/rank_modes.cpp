#include "program/equations/rank_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "expr/dependency.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using structure::Unknown;

class OpenRates {
 public:
  OpenRates(const SystemCode& data, const ModeCode& mode, Diagnostics& diagnostics)
      : data_(data), mode_(mode), diagnostics_(diagnostics) {
    if (mode.causalized.needs_ranks) {
      for (const structure::Block& block : mode.causalized.blocks) {
        open_.push_back(block.unknowns[0]);
      }
    }
    std::sort(open_.begin(), open_.end());
  }

  void check_guards() {
    for (std::size_t i = 0; i < mode_.watches.size(); ++i) {
      if (mode_.watches[i] != 0) {
        const system::GuardInfo& info = data_.guard_infos[i];
        check({data_.conditions.guards()[i].expression}, fmt::format("the condition '{}'", info.condition),
              info.span);
      }
    }
  }

  void check_actions() {
    const ActionTable& actions = data_.actions;
    for (std::size_t i = 0; i < actions.infos.size(); ++i) {
      const system::ActionInfo& info = actions.infos[i];
      if (!info.mode.valid() || info.mode == mode_.mode) {
        const auto first = actions.triggers.begin() + info.first_trigger;
        check({first, first + info.n_triggers}, "the condition of an event", info.span);
      }
      if (actions.bodies[i] != nullptr && takes_part(data_.model, actions, i, mode_.mode)) {
        check_body(*actions.bodies[i]);
      }
    }
  }

 private:
  void check_body(const flat::Body& body) {
    for (const auto* list : {&body.assignments, &body.reinits}) {
      for (const flat::Body::Assignment& assignment : *list) {
        check({assignment.value}, fmt::format("the new value of {}", data_.model[assignment.variable].name),
              assignment.span);
      }
    }
    for (const flat::Equation& equation : body.jump_equations) {
      check({equation.left, equation.right}, structure::quote(data_.model, equation), equation.span);
    }
  }

  void check(const std::vector<NodeId>& roots, const std::string& what, std::optional<SourceSpan> span) {
    for (const NodeId leaf : expr::leaves_of(data_.model.graph, roots)) {
      const expr::Node& node = data_.model.graph[leaf];
      const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
      if (node.op != expr::Op::variable || !is_open(unknown)) {
        continue;
      }
      const std::string name = structure::name_of(data_.model, unknown);
      diagnostics_.error(
          kDerivativeNotAState,
          fmt::format("{} reads {}, which the structure of the equations does not determine{}", what, name,
                      mode_.mode.valid()
                          ? fmt::format(" in mode '{}'", data_.model.modes[mode_.mode.index()].name)
                          : ""),
          span, fmt::format("introduce a variable with the equation 'v = {}' and read that", name));
      return;
    }
  }

  // Left open by the ranks, or a derivative that no equation contains and none was differentiated for.
  [[nodiscard]] bool is_open(const Unknown& unknown) const {
    return (unknown.order > 0 && unknown.order > mode_.causalized.highest_orders[unknown.variable.index()]) ||
           std::binary_search(open_.begin(), open_.end(), unknown);
  }

  const SystemCode& data_;
  const ModeCode& mode_;
  Diagnostics& diagnostics_;
  std::vector<Unknown> open_;
};

}  // namespace

void leave_rates_open(expr::Graph& graph, structure::Causalized& causalized) {
  const NodeId open = graph.constant(std::numeric_limits<double>::quiet_NaN());
  std::vector<Unknown> states = causalized.states;
  std::sort(states.begin(), states.end());
  for (const Unknown& rate : causalized.derivatives) {
    if (std::binary_search(states.begin(), states.end(), rate)) {
      continue;
    }
    structure::Block& block = causalized.blocks.emplace_back();
    block.unknowns.push_back(rate);
    block.equations.emplace_back(causalized.equations.size());
    block.formula = open;
    causalized.equations.push_back(
        {.left = graph.variable(rate.variable, rate.order), .right = open, .span = {}});
    causalized.origins.push_back({});
  }
}

Diagnostics find_open_rates(const SystemCode& data) {
  Diagnostics diagnostics(data.model.source);
  for (const ModeCode& mode : data.modes) {
    OpenRates rates(data, mode, diagnostics);
    rates.check_guards();
    rates.check_actions();
  }
  return diagnostics;
}

}  // namespace saltus::program
