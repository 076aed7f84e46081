#include "program/compiled_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/archive.hpp"
#include "base/machine.hpp"
#include "program/equations/jump_program.hpp"
#include "program/failure_report.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {

CompiledRounds::CompiledRounds(std::shared_ptr<const SystemData> data, std::size_t mode)
    : data_(std::move(data)),
      number_(mode),
      mode_(data_->modes[mode]),
      round_(mode_.code.round),
      runner_(*mode_.round),
      outputs_(round_.outputs.size()) {
  for (const structure::Block& block : round_.blocks) {
    if (block.kind == structure::Block::Kind::explicit_formula) {
      continue;
    }
    for (const structure::Unknown& unknown : block.unknowns) {
      guess_column_.push_back(unknown.order == 0 ? data_->code->column_of_variable[unknown.variable.index()]
                                                 : -1);
    }
  }
  guess_.assign(guess_column_.size(), kNan);
}

void CompiledRounds::prepare(system::RoundSolution& solution) const {
  solution.x.resize(mode_.code.causalized.states.size());
  solution.values.resize(data_->code->columns.size());
  solution.discrete.resize(data_->code->discrete.size());
  solution.triggers.resize(data_->code->actions.triggers.size());
  solution.messages.resize(data_->code->actions.messages.size());
  solution.guards.resize(data_->code->conditions.guards().size());
  solution.reinits.resize(round_.n_held - round_.first_reinit);
}

system::Evaluation CompiledRounds::solve(const system::RoundInputs& inputs, system::RoundSolution& solution) {
  SALTUS_EXPECT(inputs.configuration != nullptr && inputs.previous.size() == data_->code->columns.size() &&
                    inputs.x_previous.size() == mode_.code.causalized.states.size() &&
                    inputs.fired.size() == data_->code->actions.infos.size(),
                "inputs of a round have the wrong sizes");
  if (!inputs.keeps_states && inputs.reinits.empty() && has_left_over(inputs)) {
    return {Status::no_projection, -1};
  }
  set_conditions(inputs);
  set_values(inputs);
  t_ = inputs.t;
  system::Evaluation evaluation = runner_.run(inputs.t, nullptr, outputs_.data());
  if (evaluation.ok()) {
    evaluation = check_finite();
  }
  if (evaluation.ok()) {
    hand_over(inputs, solution);
  }
  return evaluation;
}

std::shared_ptr<const system::JumpEquations> CompiledRounds::jump_equations() {
  if (jumps_ == nullptr && !round_.jump_rows.empty()) {
    jumps_ = make_jump_equations(data_, mode_);
  }
  return jumps_;
}

system::Configuration CompiledRounds::jump_configuration(const system::RoundInputs& inputs,
                                                         std::span<const double> discrete) const {
  return configuration_of_jumps(*data_->code, round_, inputs, discrete);
}

std::string CompiledRounds::describe(const system::Evaluation& evaluation, double /*t*/) const {
  if (evaluation.ok()) {
    return "no failure";
  }
  if (evaluation.status == Status::no_projection) {
    return "there are more jump equations than states that may jump";
  }
  const BlockProblem problem = problem_of_round(*data_, mode_);
  if (evaluation.status != Status::not_finite) {
    return explain_block(problem, runner_, evaluation, t_, {}).sentence;
  }
  const auto culprit = static_cast<std::size_t>(evaluation.culprit);
  const std::size_t n_states = mode_.code.causalized.states.size();
  const structure::Unknown unknown =
      culprit < n_states
          ? mode_.code.causalized.states[culprit]
          : structure::Unknown{.variable = mode_.code.variable_of_column[culprit - n_states], .order = 0};
  return explain_not_finite(problem, runner_, unknown, t_, {}).sentence;
}

void CompiledRounds::fields(Archive& a) {
  // Not saved: of the system data_, number_, guess_column_; jumps_, which are made anew.
  a(runner_, outputs_, guess_, t_);
}

bool CompiledRounds::has_left_over(const system::RoundInputs& inputs) const {
  return std::any_of(round_.jump_rows.begin(), round_.jump_rows.end(), [&inputs](const JumpRow& row) {
    return row.is_loose && inputs.fired[static_cast<std::size_t>(row.action)] != 0;
  });
}

void CompiledRounds::set_conditions(const system::RoundInputs& inputs) {
  const ConditionInputs& conditions = data_->code->conditions;
  const std::vector<double>& latched = inputs.configuration->latched;
  for (std::size_t guard = 0; guard < conditions.guards().size(); ++guard) {
    for (const ConditionInputs::Use& use : conditions.of_guard(guard)) {
      runner_.set_held(use.condition, ConditionInputs::value_in_equations(use, latched[guard], false));
      runner_.set_held(round_.first_written + use.condition,
                       ConditionInputs::value_as_written(use, latched[guard]));
    }
  }
  for (std::size_t i = 0; i < conditions.clocks().size(); ++i) {
    runner_.set_held(conditions.clocks()[i].index(),
                     i < inputs.clocks.size() && inputs.clocks[i] != 0 ? 1.0 : 0.0);
  }
  for (const ConditionId condition : conditions.initial()) {
    runner_.set_held(condition.index(), inputs.is_initial ? 1.0 : 0.0);
  }
  for (const ConditionId condition : conditions.terminal()) {
    runner_.set_held(condition.index(), inputs.is_terminal ? 1.0 : 0.0);
  }
}

void CompiledRounds::set_values(const system::RoundInputs& inputs) {
  for (std::size_t i = 0; i < inputs.fired.size(); ++i) {
    const double flag = inputs.fired[i] != 0 ? 1.0 : 0.0;
    const double state_flag = inputs.keeps_states ? 0.0 : flag;
    const bool is_round = inputs.reinits.empty();
    runner_.set_held(round_.first_fired + i, is_round ? flag : 0.0);
    runner_.set_held(round_.first_jumping + i, is_round ? state_flag : 0.0);
    if (round_.first_late < round_.n_held) {
      runner_.set_held(round_.first_late + i, is_round ? 0.0 : state_flag);
    }
  }
  for (std::size_t i = 0; i < inputs.reinits.size(); ++i) {
    runner_.set_held(round_.first_reinit + i, inputs.reinits[i]);
  }
  for (std::size_t i = 0; i < inputs.x_previous.size(); ++i) {
    runner_.set_held(round_.first_state + i, inputs.x_previous[i]);
  }
  for (std::size_t i = 0; i < inputs.previous.size(); ++i) {
    runner_.set_held(round_.first_previous + i, inputs.previous[i]);
  }
  // Iterations begin at the values before the round.
  for (std::size_t i = 0; i < guess_.size(); ++i) {
    guess_[i] = guess_column_[i] >= 0 ? inputs.previous[static_cast<std::size_t>(guess_column_[i])] : kNan;
  }
  if (!guess_.empty()) {
    runner_.set_solutions(guess_);
  }
}

system::Evaluation CompiledRounds::check_finite() const {
  const std::size_t n_checked = mode_.code.causalized.states.size() + data_->code->columns.size();
  for (std::size_t i = 0; i < n_checked; ++i) {
    if (!std::isfinite(outputs_[i])) {
      return {Status::not_finite, static_cast<Index>(i)};
    }
  }
  return {};
}

void CompiledRounds::hand_over(const system::RoundInputs& inputs, system::RoundSolution& solution) const {
  const double* next = outputs_.data();
  const auto take = [&next](std::vector<double>& target) {
    std::copy_n(next, target.size(), target.begin());
    next += target.size();
  };
  take(solution.x);
  take(solution.values);
  take(solution.triggers);
  take(solution.messages);
  take(solution.guards);
  take(solution.reinits);
  for (std::size_t i = 0; i < solution.values.size(); ++i) {
    if (!mode_.code.variable_of_column[i].valid()) {
      solution.values[i] = kNan;
    }
  }
  for (std::size_t i = 0; i < solution.discrete.size(); ++i) {
    const auto column = static_cast<std::size_t>(data_->code->discrete[i]);
    if (!inputs.reinits.empty()) {
      solution.values[column] =
          inputs.previous[column];  // discrete equations too are asked in the next round
    }
    solution.discrete[i] = solution.values[column];
  }
  for (std::size_t i = 0; i < solution.messages.size(); ++i) {
    if (inputs.fired[static_cast<std::size_t>(data_->code->actions.messages[i].action)] == 0) {
      solution.messages[i] = kNan;
    }
  }
  find_overruled(inputs, solution);
}

// The first action whose reset a later one took over.
void CompiledRounds::find_overruled(const system::RoundInputs& inputs,
                                    system::RoundSolution& solution) const {
  solution.overruled = -1;
  for (const std::vector<Index>& actions : round_.rivals) {
    Index last = -1;
    for (const Index action : actions) {
      if (inputs.fired[static_cast<std::size_t>(action)] == 0) {
        continue;
      }
      if (last >= 0) {
        solution.overruled = last;
        return;
      }
      last = action;
    }
  }
}

std::unique_ptr<system::RoundSolver> make_round_solver(std::shared_ptr<const SystemData> data,
                                                       std::size_t mode) {
  return std::make_unique<CompiledRounds>(std::move(data), mode);
}

}  // namespace saltus::program
