#include "settle/enter/entry_check.hpp"

#include <cmath>
#include <vector>

#include "settle/state/held_number.hpp"
#include "settle/state/idle_round.hpp"

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
    const system::GuardInfo& info = state.guard(guard);
    const bool is_zero = std::abs(values[k]) <= mode.evaluator->guard_noise(guard, state.at.time(), x);
    configuration.latched[static_cast<std::size_t>(guard)] = info.kind != system::GuardInfo::Kind::relation
                                                                 ? number_at(info, values[k])
                                                             : is_zero ? 0.0
                                                                       : std::copysign(1.0, values[k]);
  }
  if (!solve_idle_round(state, mode, configuration, state.values, x).ok()) {
    return nullptr;
  }
  for (const system::ActionInfo& action : state.system().actions()) {
    if (action.kind == system::ActionInfo::Kind::transition && action.mode == mode.id &&
        mode.conditions.triggers[static_cast<std::size_t>(action.first_trigger)] > 0.5) {
      return &action;
    }
  }
  return nullptr;
}

}  // namespace saltus::settle
