#include "settle/state/idle_round.hpp"

#include <cstdint>
#include <vector>

namespace saltus::settle {

system::Evaluation solve_idle_round(const RunState& state, ModeData& mode,
                                    const system::Configuration& configuration,
                                    std::span<const double> previous, std::span<const double> x) {
  const std::vector<std::uint8_t> fired(state.system().actions().size(), 0);
  const std::vector<std::uint8_t> clocks(static_cast<std::size_t>(state.system().n_clocks()), 0);
  system::RoundInputs inputs;
  inputs.t = state.at.time();
  inputs.configuration = &configuration;
  inputs.previous = previous;
  inputs.x_previous = x;
  inputs.fired = fired;
  inputs.clocks = clocks;
  return mode.rounds->solve(inputs, mode.conditions);
}

}  // namespace saltus::settle
