#include "program/equations/jump_program.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "expr/dependency.hpp"
#include "program/equations/equation_program.hpp"
#include "program/equations/mode_equation_code.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using structure::Unknown;

class JumpBuilder {
 public:
  JumpBuilder(const SystemCode& code, const ModeCode& mode)
      : code_(code), mode_(mode), graph_(code.late_graph->open()) {}

  std::shared_ptr<const JumpCode> run() {
    const RoundSystem& round = mode_.round;
    request_.n_frozen_inputs = code_.n_frozen_inputs();
    request_.conditions = &code_.conditions;
    bind();
    for (const JumpRow& row : round.jump_rows) {
      add_row(row.equation);
      result_.rows.push_back({row.action, row.state, row.is_loose, row.is_late});
    }
    add_slots(code_, mode_.causalized.states, request_);
    if (reads_unknowns()) {
      add_mode_equations();
    }
    list_jumping();
    describe();
    auto equations = std::make_shared<const EquationCode>(*graph_, std::move(request_));
    return std::make_shared<const JumpCode>(JumpCode{std::move(result_), std::move(equations)});
  }

 private:
  void bind() {
    const RoundSystem& round = mode_.round;
    request_.bindings = round.bindings;
    for (std::size_t i = 0; i < code_.model.variables.size(); ++i) {
      const Index place = code_.discrete_of_column[static_cast<std::size_t>(code_.column_of_variable[i])];
      if (place >= 0) {
        request_.bindings.bind_variable(
            VariableId(i), 0, {Binding::Kind::input, 1 + round.n_held + static_cast<std::uint32_t>(place)});
      }
    }
    request_.n_discrete = round.n_held - code_.n_conditions() + code_.discrete.size();
  }

  void add_row(const flat::Equation& equation) {
    request_.rows.push_back(graph_->subtract(equation.left, equation.right));
    equations_.push_back(equation);
  }

  [[nodiscard]] bool reads_unknowns() {
    for (const NodeId leaf : expr::leaves_of(*graph_, request_.rows)) {
      const expr::Node& node = (*graph_)[leaf];
      if (node.op != expr::Op::variable) {
        continue;
      }
      const Unknown unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
      const bool is_discrete = code_.model[unknown.variable].variability == flat::Variability::discrete;
      const auto& states = mode_.causalized.states;
      if (!is_discrete && std::find(states.begin(), states.end(), unknown) == states.end()) {
        return true;
      }
    }
    return false;
  }

  void add_mode_equations() {
    std::vector<Unknown> unknowns;
    for (const structure::Block& block : mode_.causalized.blocks) {
      unknowns.insert(unknowns.end(), block.unknowns.begin(), block.unknowns.end());
      for (const EquationId row : block.equations) {
        add_row(mode_.causalized.equations[row.index()]);
      }
    }
    add_slots(code_, unknowns, request_);
  }

  void list_jumping() {
    std::map<Unknown, std::size_t> slot_of;
    for (std::size_t j = 0; j < request_.slots.size(); ++j) {
      slot_of.emplace(request_.slots[j], j);
    }
    for (const JumpingUnknown& item : mode_.round.jumping) {
      if (const auto slot = slot_of.find(item.unknown); slot != slot_of.end()) {
        result_.jumping.push_back({item.action, static_cast<Index>(slot->second), item.is_late});
      }
    }
  }

  void describe() {
    request_.describe_rows = [&code = code_, equations = std::move(equations_)] {
      std::vector<system::RowInfo> rows;
      for (const flat::Equation& equation : equations) {
        rows.push_back({.text = structure::quote(code.model, equation), .span = equation.span});
      }
      return rows;
    };
  }

  const SystemCode& code_;
  const ModeCode& mode_;
  LateGraph::Access graph_;
  EquationRequest request_;
  std::vector<flat::Equation> equations_;
  system::JumpEquations result_;
};

// Of the held inputs behind the conditions, and of the discrete variables behind them, the states, values and what reinit assigns move.
std::vector<char> resting_of_jumps(const SystemCode& code, const RoundSystem& round) {
  std::vector<char> rests(round.n_held + code.discrete.size(), 1);
  const auto move = [&](std::size_t first, std::size_t count) {
    std::fill_n(rests.begin() + static_cast<std::ptrdiff_t>(first), count, char{0});
  };
  move(round.first_state, round.first_previous - round.first_state);
  move(round.first_reinit, round.n_held - round.first_reinit);
  for (std::size_t i = 0; i < code.columns.size(); ++i) {
    rests[round.first_previous + i] = code.is_whole(static_cast<Index>(i)) ? 1 : 0;
  }
  for (std::size_t i = 0; i < code.discrete.size(); ++i) {
    rests[round.n_held + i] = code.is_whole(code.discrete[i]) ? 1 : 0;
  }
  rests.erase(rests.begin(), rests.begin() + static_cast<std::ptrdiff_t>(code.n_conditions()));
  return rests;
}

}  // namespace

std::shared_ptr<const system::JumpEquations> make_jump_equations(std::shared_ptr<const SystemData> data,
                                                                 const ModeData& mode) {
  const std::shared_ptr<const JumpCode>& code =
      mode.code.late->jumps.get([&] { return JumpBuilder(*data->code, mode.code).run(); });
  auto bound = std::make_shared<system::JumpEquations>(code->jumps);
  const SystemCode& system = *data->code;
  EquationNumbers numbers = equation_numbers(std::move(data));
  numbers.discrete.assign(code->equations->n_discrete(), 0.0);
  numbers.rests = resting_of_jumps(system, mode.code.round);
  bound->equations = std::make_shared<const EquationProgram>(code->equations, std::move(numbers));
  return bound;
}

system::Configuration configuration_of_jumps(const SystemCode& code, const RoundSystem& round,
                                             const system::RoundInputs& inputs,
                                             std::span<const double> discrete) {
  system::Configuration configuration;
  configuration.mode = inputs.configuration->mode;
  configuration.latched = inputs.configuration->latched;
  std::vector<double>& held = configuration.discrete;
  const std::size_t n_conditions = code.n_conditions();
  held.assign(round.n_held - n_conditions, 0.0);
  const ConditionInputs& conditions = code.conditions;
  for (std::size_t guard = 0; guard < conditions.guards().size(); ++guard) {
    for (const ConditionInputs::Use& use : conditions.of_guard(guard)) {
      held[round.first_written - n_conditions + use.condition] =
          ConditionInputs::value_as_written(use, configuration.latched[guard]);
    }
  }
  std::copy(inputs.x_previous.begin(), inputs.x_previous.end(),
            held.begin() + static_cast<std::ptrdiff_t>(round.first_state - n_conditions));
  std::copy(inputs.previous.begin(), inputs.previous.end(),
            held.begin() + static_cast<std::ptrdiff_t>(round.first_previous - n_conditions));
  std::copy(inputs.reinits.begin(), inputs.reinits.end(),
            held.begin() + static_cast<std::ptrdiff_t>(round.first_reinit - n_conditions));
  held.insert(held.end(), discrete.begin(), discrete.end());
  return configuration;
}

}  // namespace saltus::program
