// Solves the rounds of one mode by its compiled system (round_system.hpp).

#include <algorithm>
#include <cmath>

#include "base/archive.hpp"
#include "base/machine.hpp"
#include "program/blocks/frozen_tangents.hpp"
#include "program/blocks/sequence_tangent.hpp"
#include "program/equations/jump_program.hpp"
#include "program/equations/system_data.hpp"
#include "program/failure_report.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;
using Kind = flat::Condition::Kind;

class CompiledRounds final : public system::RoundSolver {
 public:
  CompiledRounds(std::shared_ptr<const SystemData> data, std::size_t mode)
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

  void prepare(system::RoundSolution& solution) const override {
    solution.x.resize(mode_.code.causalized.states.size());
    solution.values.resize(data_->code->columns.size());
    solution.discrete.resize(data_->code->discrete.size());
    solution.triggers.resize(data_->code->actions.triggers.size());
    solution.messages.resize(data_->code->actions.messages.size());
    solution.guards.resize(data_->code->conditions.guards().size());
    solution.reinits.resize(round_.n_held - round_.first_reinit);
  }

  system::Evaluation solve(const system::RoundInputs& inputs, system::RoundSolution& solution) override {
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

  std::shared_ptr<const system::JumpEquations> jump_equations() override {
    if (jumps_ == nullptr && !round_.jump_rows.empty()) {
      jumps_ = make_jump_equations(data_, mode_);
    }
    return jumps_;
  }

  system::Configuration jump_configuration(const system::RoundInputs& inputs,
                                           std::span<const double> discrete) const override {
    return configuration_of_jumps(*data_->code, round_, inputs, discrete);
  }

  std::unique_ptr<system::RoundTangents> tangents(const system::ParameterDirections& directions) override;

  std::string describe(const system::Evaluation& evaluation, double /*t*/) const override {
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

  void fields(Archive& a) override {
    // Not saved: of the system data_, number_, guess_column_; jumps_, which are made anew.
    a(runner_, outputs_, guess_, t_);
  }

 private:
  class Tangents;
  [[nodiscard]] bool has_left_over(const system::RoundInputs& inputs) const {
    return std::any_of(round_.jump_rows.begin(), round_.jump_rows.end(), [&inputs](const JumpRow& row) {
      return row.is_loose && inputs.fired[static_cast<std::size_t>(row.action)] != 0;
    });
  }

  void set_conditions(const system::RoundInputs& inputs) {
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

  void set_values(const system::RoundInputs& inputs) {
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

  [[nodiscard]] system::Evaluation check_finite() const {
    const std::size_t n_checked = mode_.code.causalized.states.size() + data_->code->columns.size();
    for (std::size_t i = 0; i < n_checked; ++i) {
      if (!std::isfinite(outputs_[i])) {
        return {Status::not_finite, static_cast<Index>(i)};
      }
    }
    return {};
  }

  void hand_over(const system::RoundInputs& inputs, system::RoundSolution& solution) const {
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
  void find_overruled(const system::RoundInputs& inputs, system::RoundSolution& solution) const {
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

  std::shared_ptr<const SystemData> data_;
  std::size_t number_;  // of the mode
  const ModeData& mode_;
  const RoundSystem& round_;
  SequenceRunner runner_;
  std::vector<double> outputs_;
  std::vector<Index> guess_column_;  // by unknown of an implicit block; -1 for derivatives
  std::vector<double> guess_;
  std::shared_ptr<const system::JumpEquations> jumps_;
  double t_ = 0.0;
};

// Solves the round with a solver of its own, so that the one it belongs to stays as it is, and then moves its inputs.
class CompiledRounds::Tangents final : public system::RoundTangents {
 public:
  Tangents(const CompiledRounds& owner, std::size_t mode, std::size_t n_directions,
           std::span<const double> frozen_tangents)
      : owner_(owner),
        solver_(owner.data_, mode),
        n_(n_directions),
        tangents_(*owner.mode_.round, frozen_tangents, n_directions),
        outputs_(solver_.outputs_.size()),
        output_tangents_(outputs_.size() * n_directions),
        guess_(owner.guess_.size(), kNan),
        zeros_(n_directions, 0.0) {
    solver_.prepare(solution_);
  }

  system::Evaluation solve(const system::RoundInputs& inputs, const system::RoundSeeds& seeds,
                           system::RoundTangentsFound& found) override {
    SALTUS_EXPECT(seeds.time.size() == n_ && seeds.previous.size() == inputs.previous.size() * n_ &&
                      seeds.x_previous.size() == inputs.x_previous.size() * n_ &&
                      seeds.reinits.size() == inputs.reinits.size() * n_,
                  "seeds of a round have the wrong sizes");
    owner_.runner_.copy_solutions(guess_);
    solver_.runner_.set_solutions(guess_);
    system::Evaluation evaluation = solver_.solve(inputs, solution_);
    if (!evaluation.ok()) {
      return evaluation;
    }
    move_inputs(seeds);
    evaluation = tangents_.run(solver_.runner_, inputs.t, nullptr, {seeds.time, nullptr}, outputs_.data(),
                               output_tangents_.data());
    if (!evaluation.ok()) {
      return evaluation;
    }
    hand_over(inputs, found);
    return check_finite(found);
  }

 private:
  using Values = std::span<const double>;

  [[nodiscard]] bool is_whole(std::size_t column) const {
    const system::VariableInfo& variable = owner_.data_->code->columns[column];
    return variable.is_boolean || variable.is_integer;
  }

  // Truths and flags rest.
  void move_inputs(const system::RoundSeeds& seeds) {
    const RoundSystem& round = owner_.round_;
    const std::size_t n_columns = owner_.data_->code->columns.size();
    for (std::size_t i = 0; i < owner_.mode_.code.causalized.states.size(); ++i) {
      tangents_.set_held(round.first_state + i, seeds.x_previous.subspan(i * n_, n_));
    }
    for (std::size_t i = 0; i < n_columns; ++i) {
      tangents_.set_held(round.first_previous + i,
                         is_whole(i) ? Values(zeros_) : seeds.previous.subspan(i * n_, n_));
    }
    for (std::size_t i = 0; i < round.n_held - round.first_reinit; ++i) {
      tangents_.set_held(round.first_reinit + i,
                         seeds.reinits.empty() ? Values(zeros_) : seeds.reinits.subspan(i * n_, n_));
    }
    previous_ = seeds.previous;
  }

  [[nodiscard]] Values of_column(Values tangents, std::size_t column) const {
    return is_whole(column) ? Values(zeros_) : tangents.subspan(column * n_, n_);
  }

  // As CompiledRounds::hand_over.
  void hand_over(const system::RoundInputs& inputs, system::RoundTangentsFound& found) const {
    const SystemCode& code = *owner_.data_->code;
    Values next = output_tangents_;
    const auto take = [&](std::size_t count) {
      const Values taken = next.first(count * n_);
      next = next.subspan(count * n_);
      return taken;
    };
    const auto copy = [](Values from, std::vector<double>& to) { to.assign(from.begin(), from.end()); };
    const auto put = [&](Values from, std::size_t place, std::vector<double>& to) {
      std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(place * n_));
    };
    copy(take(solution_.x.size()), found.x);
    copy(take(solution_.values.size()), found.values);
    take(solution_.triggers.size() + solution_.messages.size() + solution_.guards.size());
    copy(take(solution_.reinits.size()), found.reinits);
    found.discrete.resize(code.discrete.size() * n_);
    for (std::size_t i = 0; i < code.discrete.size(); ++i) {
      const auto column = static_cast<std::size_t>(code.discrete[i]);
      if (is_whole(column) || !inputs.reinits.empty()) {
        put(of_column(previous_, column), column, found.values);
      }
      put(Values(found.values).subspan(column * n_, n_), i, found.discrete);
    }
  }

  [[nodiscard]] system::Evaluation check_finite(const system::RoundTangentsFound& found) const {
    for (std::size_t i = 0; i < found.x.size() + found.values.size(); ++i) {
      if (!std::isfinite(i < found.x.size() ? found.x[i] : found.values[i - found.x.size()])) {
        return {Status::not_finite, static_cast<Index>(i / n_)};
      }
    }
    return {};
  }

  const CompiledRounds& owner_;
  CompiledRounds solver_;
  std::size_t n_;
  SequenceTangents tangents_;
  system::RoundSolution solution_;
  std::vector<double> outputs_;
  std::vector<double> output_tangents_;
  std::vector<double> guess_;
  std::vector<double> zeros_;
  Values previous_;  // of the round that is being solved
};

std::unique_ptr<system::RoundTangents> CompiledRounds::tangents(
    const system::ParameterDirections& directions) {
  const auto frozen = frozen_tangents(directions, data_->code->n_frozen_inputs(), data_->code->zeros);
  if (!frozen) {
    return nullptr;
  }
  return std::make_unique<Tangents>(*this, number_, static_cast<std::size_t>(directions.n_directions),
                                    *frozen);
}

}  // namespace

std::unique_ptr<system::RoundSolver> make_round_solver(std::shared_ptr<const SystemData> data,
                                                       std::size_t mode) {
  return std::make_unique<CompiledRounds>(std::move(data), mode);
}

}  // namespace saltus::program
