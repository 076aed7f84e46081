/// Rounds of a callback system: what fired calls its function, one after the other in the order of the actions.
///
/// Method       In a mode with a right-hand side the functions say what all states become. In one with a residual they ask: what a
///              function leaves as it was is held as far as the equations allow, what it changes is an equation x_i = value beside
///              those of the mode (settle/enter/transfer.hpp).
/// Contract     Functions see x⁻ and the numbers before the round; of two that change one number the later counts.
/// Checked by   tests/unit/callback/callback_system_test.cpp, tests/unit/api/callback_modes_test.cpp
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "callback/callback_evaluator.hpp"
#include "system/rounds.hpp"

namespace saltus::callback {

/// What an action calls; null: nothing. Actions are resets of guards by side, then transitions.
struct CallbackAction {
  system::ActionInfo info;
  const CallbackReset* function = nullptr;
  Index transition = -1;
};
/// `model` outlives them.
[[nodiscard]] std::vector<CallbackAction> actions_of(const CallbackModel& model);

class CallbackRounds final : public system::RoundSolver {
 public:
  /// `actions` outlive this object.
  CallbackRounds(std::shared_ptr<const CallbackModel> model, std::size_t mode,
                 const std::vector<CallbackAction>& actions);

  void prepare(system::RoundSolution& solution) const override;
  system::Evaluation solve(const system::RoundInputs& inputs, system::RoundSolution& solution) override;
  [[nodiscard]] std::shared_ptr<const system::JumpEquations> jump_equations() override;
  [[nodiscard]] bool asks_for(Index action, Index slot, const system::RoundInputs& inputs) override;
  [[nodiscard]] system::Configuration jump_configuration(const system::RoundInputs& inputs,
                                                         std::span<const double> discrete) const override;
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override;

 private:
  [[nodiscard]] std::size_t n_states() const { return model_->states.size(); }
  [[nodiscard]] CallbackPoint before(const system::RoundInputs& inputs) const;
  [[nodiscard]] double truth(const CallbackAction& action, const system::RoundInputs& inputs) const;
  void call(const CallbackReset& function, const system::RoundInputs& inputs) const;

  std::shared_ptr<const CallbackModel> model_;
  std::size_t mode_;
  const std::vector<CallbackAction>& actions_;
  CallbackEvaluator evaluator_;
  system::Configuration working_;
  std::shared_ptr<const system::JumpEquations> jumps_;  // once it was asked for
  mutable std::vector<double> sides_;                   // as written: a weight counts as zero
  mutable std::vector<double> x_;                       // what a function makes of them
  mutable std::vector<double> numbers_;
};

}  // namespace saltus::callback
