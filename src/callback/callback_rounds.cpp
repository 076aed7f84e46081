#include "callback/callback_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::callback {
namespace {

using system::Evaluation;

// x_i = value, for every action with a function and every state: the values are the discrete numbers of the configuration.
class JumpRows final : public system::EquationSet {
 public:
  JumpRows(const CallbackModel& model, const std::vector<CallbackAction>& actions, std::size_t n_functions)
      : n_states_(model.states.size()) {
    const std::size_t n_rows = n_functions * n_states_;
    for (std::size_t i = 0; i < n_states_; ++i) {
      slots_.push_back({model.states[i], static_cast<Index>(i), 0, model.nominal(i)});
    }
    for (const CallbackAction& action : actions) {
      for (std::size_t i = 0; action.function != nullptr && i < n_states_; ++i) {
        rows_.push_back(
            {.text = model.states[i] + " as the function of '" + action.info.text + "' gives it"});
      }
    }
    pattern_.n_rows = static_cast<Index>(n_rows);
    pattern_.n_columns = static_cast<Index>(n_states_);
    for (std::size_t i = 0; i < n_states_; ++i) {
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
      for (std::size_t row = i; row < n_rows; row += n_states_) {
        pattern_.rows.push_back(static_cast<Index>(row));
      }
    }
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return true; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(n_states_);
  }

 private:
  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(std::size_t n_states) : n_states_(n_states) {}
    void set_configuration(const system::Configuration& configuration) override {
      targets_ = configuration.discrete;
    }
    Evaluation residual(double /*t*/, std::span<const double> slots, std::span<double> values) override {
      for (std::size_t row = 0; row < values.size(); ++row) {
        values[row] = slots[row % n_states_] - targets_[row];
      }
      return {};
    }
    Evaluation jacobian(double /*t*/, std::span<const double> /*slots*/, std::span<double> entries) override {
      std::fill(entries.begin(), entries.end(), 1.0);
      return {};
    }

   private:
    std::size_t n_states_;
    std::vector<double> targets_;
  };

  std::size_t n_states_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
};

}  // namespace

std::vector<CallbackAction> actions_of(const CallbackModel& model) {
  std::vector<CallbackAction> actions;
  for (std::size_t i = 0; i < model.guards.size(); ++i) {
    const CallbackGuard& guard = model.guards[i];
    for (const double side : {1.0, -1.0}) {
      if (guard.reset && (guard.reset_side == 0.0 || guard.reset_side == side)) {
        CallbackAction action;
        action.info.text = guard.name + (side > 0.0 ? " > 0" : " < 0");
        action.info.has_jump = true;
        action.info.guard = static_cast<Index>(i);
        action.info.side = side;
        action.function = &guard.reset;
        actions.push_back(std::move(action));
      }
    }
  }
  for (std::size_t i = 0; i < model.transitions.size(); ++i) {
    const CallbackTransition& transition = model.transitions[i];
    CallbackAction action;
    action.info.kind = system::ActionInfo::Kind::transition;
    action.info.mode = ModeId(static_cast<std::size_t>(transition.from));
    action.info.target = ModeId(static_cast<std::size_t>(transition.to));
    action.info.text = transition.text;
    action.info.has_jump = static_cast<bool>(transition.jump);
    action.info.guard = transition.guard;
    action.info.side = transition.side;
    for (std::size_t guard = 0; transition.guard < 0 && guard < model.guards.size(); ++guard) {
      action.info.guards.push_back(static_cast<Index>(guard));
    }
    action.function = transition.jump ? &transition.jump : nullptr;
    action.transition = static_cast<Index>(i);
    actions.push_back(std::move(action));
  }
  for (std::size_t a = 0; a < actions.size(); ++a) {
    actions[a].info.first_trigger = static_cast<Index>(a);
  }
  return actions;
}

CallbackRounds::CallbackRounds(std::shared_ptr<const CallbackModel> model, std::size_t mode,
                               const std::vector<CallbackAction>& actions)
    : model_(std::move(model)),
      mode_(mode),
      actions_(actions),
      evaluator_(model_, mode),
      sides_(model_->guards.size()),
      x_(model_->states.size()),
      numbers_(model_->parameters.size()) {
  working_.latched.resize(model_->guards.size());
  working_.discrete = model_->parameters;
}

void CallbackRounds::prepare(system::RoundSolution& solution) const {
  solution.x.resize(n_states());
  solution.values.resize(n_states() + model_->output_names.size() + model_->names.size());
  solution.discrete.resize(model_->parameters.size());
  solution.triggers.resize(actions_.size());
  solution.messages.clear();
}

CallbackPoint CallbackRounds::before(const system::RoundInputs& inputs) const {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const double latched = inputs.configuration->latched[i];
    sides_[i] = std::abs(latched) < 1.0 ? 0.0 : latched;
  }
  return {inputs.t, inputs.previous.first(n_states()), sides_,
          inputs.previous.last(model_->parameters.size())};
}

double CallbackRounds::truth(const CallbackAction& action, const system::RoundInputs& inputs) const {
  if (action.info.mode.valid() && action.info.mode.index() != mode_) {
    return 0.0;
  }
  if (action.info.guard >= 0) {
    return inputs.configuration->latched[static_cast<std::size_t>(action.info.guard)] == action.info.side
               ? 1.0
               : 0.0;
  }
  CallbackPoint at = before(inputs);
  at.x = inputs.x_previous;
  return model_->transitions[static_cast<std::size_t>(action.transition)].condition(at) ? 1.0 : 0.0;
}

// Fills x_ and numbers_, which hold what was before.
void CallbackRounds::call(const CallbackReset& function, const system::RoundInputs& inputs) const {
  function(before(inputs), x_, numbers_);
}

Evaluation CallbackRounds::solve(const system::RoundInputs& inputs, system::RoundSolution& solution) {
  const CallbackPoint point = before(inputs);
  std::copy(inputs.x_previous.begin(), inputs.x_previous.end(), x_.begin());
  std::copy(point.parameters.begin(), point.parameters.end(), numbers_.begin());
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    solution.triggers[a] = truth(actions_[a], inputs);
    if (inputs.fired[a] != 0 && actions_[a].function != nullptr) {
      call(*actions_[a].function, inputs);
    }
  }
  const std::span<const double> states =
      inputs.keeps_states ? inputs.x_previous : std::span<const double>(x_);
  std::copy(states.begin(), states.end(), solution.x.begin());
  std::copy(numbers_.begin(), numbers_.end(), solution.discrete.begin());
  for (std::size_t i = 0; i < solution.x.size(); ++i) {
    if (!std::isfinite(solution.x[i])) {
      return {Evaluation::Status::not_finite, static_cast<Index>(solution.x.size() + i)};
    }
  }
  const std::vector<double>& latched = inputs.configuration->latched;
  std::copy(latched.begin(), latched.end(), working_.latched.begin());
  std::copy(solution.discrete.begin(), solution.discrete.end(), working_.discrete.begin());
  evaluator_.set_configuration(working_);
  return evaluator_.outputs(inputs.t, solution.x, solution.values);
}

std::shared_ptr<const system::JumpEquations> CallbackRounds::jump_equations() {
  if (!model_->modes[mode_].has_residual() || jumps_ != nullptr) {
    return jumps_;
  }
  auto jumps = std::make_shared<system::JumpEquations>();
  std::size_t n_functions = 0;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    if (actions_[a].function == nullptr) {
      continue;
    }
    ++n_functions;
    for (std::size_t i = 0; i < n_states(); ++i) {
      jumps->rows.push_back({.action = static_cast<Index>(a), .state = static_cast<Index>(i)});
      jumps->jumping.push_back({.action = static_cast<Index>(a), .slot = static_cast<Index>(i)});
    }
  }
  if (n_functions > 0) {
    jumps->equations = std::make_shared<const JumpRows>(*model_, actions_, n_functions);
    jumps_ = std::move(jumps);
  }
  return jumps_;
}

bool CallbackRounds::asks_for(Index action, Index slot, const system::RoundInputs& inputs) {
  const CallbackPoint point = before(inputs);
  std::copy(point.x.begin(), point.x.end(), x_.begin());
  std::copy(point.parameters.begin(), point.parameters.end(), numbers_.begin());
  call(*actions_[static_cast<std::size_t>(action)].function, inputs);
  const auto i = static_cast<std::size_t>(slot);
  return x_[i] != point.x[i];
}

// The targets of JumpRows; those of actions that have not fired are not read.
system::Configuration CallbackRounds::jump_configuration(const system::RoundInputs& inputs,
                                                         std::span<const double> /*discrete*/) const {
  system::Configuration configuration = *inputs.configuration;
  configuration.discrete.clear();
  const CallbackPoint point = before(inputs);
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    if (actions_[a].function == nullptr) {
      continue;
    }
    std::copy(point.x.begin(), point.x.end(), x_.begin());
    std::copy(point.parameters.begin(), point.parameters.end(), numbers_.begin());
    if (inputs.fired[a] != 0) {
      call(*actions_[a].function, inputs);
    }
    configuration.discrete.insert(configuration.discrete.end(), x_.begin(), x_.end());
  }
  return configuration;
}

std::string CallbackRounds::describe(const Evaluation& evaluation, double t) const {
  return evaluator_.describe(evaluation, t);
}

}  // namespace saltus::callback
