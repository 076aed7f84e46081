#include "system/callback_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/contract.hpp"
#include "system/callback_evaluator.hpp"
#include "system/diagnostic_codes.hpp"

namespace saltus::system {
namespace {

class CallbackDae final : public LockedDae {
 public:
  explicit CallbackDae(std::shared_ptr<const CallbackModel> model) : model_(std::move(model)) {
    for (std::size_t i = 0; i < model_->states.size(); ++i) {
      states_.push_back({.name = model_->states[i],
                         .nominal = model_->nominals.empty() ? 1.0 : model_->nominals[i],
                         .quantity = {static_cast<Index>(i), 0}});
    }
  }

  [[nodiscard]] const std::vector<StateInfo>& states() const override { return states_; }
  [[nodiscard]] Index block_width() const override { return 1; }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(std::span<const double> /*guess*/) const override {
    return std::make_unique<CallbackEvaluator>(model_);
  }
  [[nodiscard]] bool watches(Index /*guard*/) const override { return true; }

 private:
  std::shared_ptr<const CallbackModel> model_;
  std::vector<StateInfo> states_;
};

// The round of a callback system: what fired calls its reset, one after the other in the order of the guards.
class CallbackRounds final : public RoundSolver {
 public:
  CallbackRounds(std::shared_ptr<const CallbackModel> model, const std::vector<ActionInfo>& actions,
                 std::size_t n_variables)
      : model_(std::move(model)), actions_(actions), n_variables_(n_variables), evaluator_(model_) {
    working_.latched.resize(model_->guards.size());
    working_.discrete = model_->parameters;
  }

  void prepare(RoundSolution& solution) const override {
    solution.x.resize(model_->states.size());
    solution.values.resize(n_variables_);
    solution.discrete.resize(model_->parameters.size());
    solution.triggers.resize(actions_.size());
    solution.messages.clear();
  }

  Evaluation solve(const RoundInputs& inputs, RoundSolution& solution) override {
    const std::vector<double>& latched = inputs.configuration->latched;
    const std::size_t first_parameter = n_variables_ - model_->parameters.size();
    std::copy(inputs.x_previous.begin(), inputs.x_previous.end(), solution.x.begin());
    std::copy(inputs.previous.begin() + static_cast<std::ptrdiff_t>(first_parameter), inputs.previous.end(),
              solution.discrete.begin());
    std::copy(solution.discrete.begin(), solution.discrete.end(), working_.discrete.begin());
    const CallbackPoint before{inputs.t, inputs.x_previous, latched, working_.discrete};
    for (std::size_t a = 0; a < actions_.size(); ++a) {
      const auto guard = static_cast<std::size_t>(actions_[a].guard);
      solution.triggers[a] = latched[guard] == actions_[a].side ? 1.0 : 0.0;
      if (inputs.fired[a] != 0) {
        model_->guards[guard].reset(before, solution.x, solution.discrete);
      }
    }
    for (std::size_t i = 0; i < solution.x.size(); ++i) {
      if (!std::isfinite(solution.x[i])) {
        return {Evaluation::Status::not_finite, static_cast<Index>(solution.x.size() + i)};
      }
    }
    std::copy(latched.begin(), latched.end(), working_.latched.begin());
    std::copy(solution.discrete.begin(), solution.discrete.end(), working_.discrete.begin());
    evaluator_.set_configuration(working_);
    return evaluator_.outputs(inputs.t, solution.x, solution.values);
  }

  [[nodiscard]] std::string describe(const Evaluation& evaluation, double t) const override {
    return evaluator_.describe(evaluation, t);
  }

 private:
  std::shared_ptr<const CallbackModel> model_;
  const std::vector<ActionInfo>& actions_;
  std::size_t n_variables_;
  CallbackEvaluator evaluator_;
  Configuration working_;
};

class CallbackSystem final : public HybridSystem {
 public:
  explicit CallbackSystem(CallbackModel model)
      : model_(std::make_shared<const CallbackModel>(std::move(model))),
        locked_(std::make_shared<const CallbackDae>(model_)) {
    modes_.push_back({"main"});
    describe_variables();
    for (std::size_t i = 0; i < model_->guards.size(); ++i) {
      describe_guard(static_cast<Index>(i), model_->guards[i]);
    }
  }

  [[nodiscard]] const std::vector<VariableInfo>& variables() const override { return variables_; }
  [[nodiscard]] const std::vector<Index>& discrete() const override { return discrete_; }
  [[nodiscard]] const std::vector<ModeInfo>& modes() const override { return modes_; }
  [[nodiscard]] const std::vector<GuardInfo>& guards() const override { return guards_; }
  [[nodiscard]] const std::vector<ActionInfo>& actions() const override { return actions_; }
  [[nodiscard]] const std::vector<BodyMessageInfo>& messages() const override { return messages_; }
  [[nodiscard]] Index n_clocks() const override { return 0; }
  [[nodiscard]] bool has_rounds() const override { return !actions_.empty(); }

  [[nodiscard]] Result<InitialPoint> initial(double t) const override;
  [[nodiscard]] Result<std::shared_ptr<const LockedDae>> lock(
      const StructureId& /*structure*/) const override {
    return locked_;
  }
  [[nodiscard]] Result<std::unique_ptr<RoundSolver>> rounds(const StructureId& /*structure*/) const override {
    return std::unique_ptr<RoundSolver>(
        std::make_unique<CallbackRounds>(model_, actions_, variables_.size()));
  }
  [[nodiscard]] std::vector<double> entry_states(const StructureId& /*structure*/) const override {
    return std::vector<double>(model_->states.size(), std::nan(""));
  }
  void next_scheduled(const Configuration& /*configuration*/, double /*t*/, double direction,
                      double /*scale*/, bool /*inclusive*/, Schedule& schedule) const override {
    schedule.time = std::copysign(std::numeric_limits<double>::infinity(), direction);
    schedule.guards.clear();
    schedule.clocks.clear();
  }

 private:
  void describe_variables() {
    for (const std::string& name : model_->states) {
      variables_.push_back({name, false, false, false, {}, {}});
    }
    for (const std::string& name : model_->output_names) {
      variables_.push_back({name, false, false, false, {}, {}});
    }
    for (const std::string& name : model_->names) {
      discrete_.push_back(static_cast<Index>(variables_.size()));
      variables_.push_back({name, true, false, false, {}, {}});
    }
  }

  void describe_guard(Index index, const CallbackGuard& guard) {
    GuardInfo info;
    info.text = guard.name;
    info.condition = guard.name + " > 0";
    info.in_equations = guard.in_equations;
    info.in_rounds = static_cast<bool>(guard.reset);
    info.continuity = guard.continuity;
    info.is_continuous = guard.in_equations && guard.continuity >= 0;
    info.can_slide = guard.in_equations && guard.continuity < 0 && guard.can_slide;
    info.is_affine_in_weight = info.can_slide;
    info.is_unilateral = guard.type == CallbackGuard::Type::unilateral;
    guards_.push_back(std::move(info));
    if (!guard.reset) {
      return;
    }
    for (const double side : {1.0, -1.0}) {
      if (guard.reset_side == 0.0 || guard.reset_side == side) {
        ActionInfo action;
        action.first_trigger = static_cast<Index>(actions_.size());
        action.text = guard.name + (side > 0.0 ? " > 0" : " < 0");
        action.has_jump = true;
        action.guard = index;
        action.side = side;
        actions_.push_back(std::move(action));
      }
    }
  }

  std::shared_ptr<const CallbackModel> model_;
  std::shared_ptr<const LockedDae> locked_;
  std::vector<VariableInfo> variables_;
  std::vector<Index> discrete_;
  std::vector<ModeInfo> modes_;
  std::vector<GuardInfo> guards_;
  std::vector<ActionInfo> actions_;
  std::vector<BodyMessageInfo> messages_;
};

Result<InitialPoint> CallbackSystem::initial(double t) const {
  InitialPoint point;
  point.x = model_->initial;
  point.configuration.discrete = model_->parameters;
  point.configuration.latched.assign(guards_.size(), 0.0);
  CallbackEvaluator evaluator(model_);
  evaluator.set_configuration(point.configuration);
  Evaluation evaluation;
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const auto index = static_cast<Index>(i);
    double value = 0.0;
    evaluation = evaluator.guards({&index, 1}, t, point.x, {&value, 1});
    if (!evaluation.ok()) {
      break;
    }
    point.configuration.latched[i] = value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0;
  }
  evaluator.set_configuration(point.configuration);
  point.values.resize(variables_.size());
  if (evaluation.ok()) {
    evaluation = evaluator.outputs(t, point.x, point.values);
  }
  if (!evaluation.ok()) {
    Diagnostics problems;
    problems.error(kInitialValueNotFinite, "at the start " + evaluator.describe(evaluation, t));
    return Unexpected(std::move(problems));
  }
  return point;
}

void check(const CallbackModel& model) {
  SALTUS_EXPECT(model.initial.size() == model.states.size(), "there is one initial value for each state");
  SALTUS_EXPECT(model.nominals.empty() || model.nominals.size() == model.states.size(),
                "there is one nominal value for each state");
  SALTUS_EXPECT(model.names.size() == model.parameters.size(), "each parameter has a name");
  SALTUS_EXPECT(model.rhs || model.states.empty(), "there is a right-hand side");
  SALTUS_EXPECT(model.outputs || model.output_names.empty(), "there is a function for the outputs");
  for (const CallbackGuard& guard : model.guards) {
    SALTUS_EXPECT(guard.affine || model.guard_values, "each guard is affine or has a function");
    SALTUS_EXPECT(!guard.affine || guard.affine->coefficients.size() == model.states.size(),
                  "an affine guard has one coefficient for each state");
    SALTUS_EXPECT(guard.reset_side == 0.0 || std::abs(guard.reset_side) == 1.0, "a side is +1 or -1");
  }
}

}  // namespace

std::shared_ptr<const HybridSystem> make_callback_system(CallbackModel model) {
  check(model);
  return std::make_shared<const CallbackSystem>(std::move(model));
}

}  // namespace saltus::system
