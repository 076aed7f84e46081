#include "settle/state/idle_round.hpp"

#include <cstdint>
#include <vector>

namespace saltus::settle {
namespace {

// Guards of a solution beside x have the values that they have at x: what they were moved by is no side.
void take_guards_back(ModeData& mode, double t, std::span<const double> x, std::span<const double> beside,
                      std::vector<double>& guards) {
  for (const Index guard : mode.guards) {
    double here = 0.0;
    double there = 0.0;
    if (mode.evaluator->guards({&guard, 1}, t, x, {&here, 1}).ok() &&
        mode.evaluator->guards({&guard, 1}, t, beside, {&there, 1}).ok()) {
      guards[static_cast<std::size_t>(guard)] -= there - here;
    }
  }
}

}  // namespace

system::Evaluation solve_round(ModeData& mode, const system::RoundInputs& inputs,
                               system::RoundSolution& solution) {
  const system::Evaluation evaluation = mode.rounds->solve(inputs, solution);
  if (evaluation.status != system::Evaluation::Status::not_finite) {
    return evaluation;
  }
  std::vector<double> beside(inputs.x_previous.begin(), inputs.x_previous.end());
  mode.evaluator->set_configuration(*inputs.configuration);
  if (!mode.evaluator->step_beside(inputs.t, beside)) {
    return evaluation;
  }
  system::RoundInputs moved = inputs;
  moved.x_previous = beside;
  if (const system::Evaluation again = mode.rounds->solve(moved, solution); !again.ok()) {
    return evaluation;
  }
  take_guards_back(mode, inputs.t, inputs.x_previous, beside, solution.guards);
  for (std::size_t i = 0; i < beside.size(); ++i) {
    solution.x[i] = solution.x[i] == beside[i] ? inputs.x_previous[i] : solution.x[i];
  }
  return {};
}

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
  return solve_round(mode, inputs, mode.conditions);
}

}  // namespace saltus::settle
