#include "settle/enter/entry_check.hpp"

#include <cmath>
#include <vector>

#include "settle/state/held_number.hpp"

namespace saltus::settle {

const system::ActionInfo* transition_on_entry(const RunState& state, ModeData& mode,
                                              std::span<const double> x) {
  system::Configuration configuration = state.at.configuration();
  configuration.mode = mode.id;
  mode.evaluator->set_configuration(configuration);
  std::vector<double> values(mode.guards.size());
  if (!mode.evaluator->guards(mode.guards, state.at.time(), x, values).ok()) {
    return nullptr;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Index guard = mode.guards[k];
    const system::GuardInfo::Kind kind = state.guard(guard).kind;
    const bool is_zero = std::abs(values[k]) <= mode.evaluator->guard_noise(guard, state.at.time(), x);
    configuration.latched[static_cast<std::size_t>(guard)] = kind != system::GuardInfo::Kind::relation
                                                                 ? number_at(kind, values[k])
                                                             : is_zero ? 0.0
                                                                       : std::copysign(1.0, values[k]);
  }
  const std::vector<system::ActionInfo>& actions = state.system().actions();
  const std::vector<std::uint8_t> fired(actions.size(), 0);
  const std::vector<std::uint8_t> clocks(static_cast<std::size_t>(state.system().n_clocks()), 0);
  system::RoundInputs inputs;
  inputs.t = state.at.time();
  inputs.configuration = &configuration;
  inputs.previous = state.values;
  inputs.x_previous = x;
  inputs.fired = fired;
  inputs.clocks = clocks;
  if (!mode.rounds->solve(inputs, mode.conditions).ok()) {
    return nullptr;
  }
  for (const system::ActionInfo& action : actions) {
    if (action.kind == system::ActionInfo::Kind::transition && action.mode == mode.id &&
        mode.conditions.triggers[static_cast<std::size_t>(action.first_trigger)] > 0.5) {
      return &action;
    }
  }
  return nullptr;
}

}  // namespace saltus::settle
