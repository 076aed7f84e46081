#include "callback/callback_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "callback/callback_evaluator.hpp"
#include "callback/callback_rounds.hpp"
#include "callback/residual_array.hpp"
#include "saltus/contract.hpp"
#include "system/diagnostic_codes.hpp"

namespace saltus::callback {
namespace {

using system::Evaluation;

class CallbackDae final : public system::LockedDae {
 public:
  CallbackDae(std::shared_ptr<const CallbackModel> model, std::size_t mode)
      : model_(std::move(model)), mode_(mode), watches_(model_->guards.size(), 0) {
    for (std::size_t i = 0; i < model_->states.size(); ++i) {
      states_.push_back({.name = model_->states[i],
                         .nominal = model_->nominal(i),
                         .is_written = !equations().has_residual() || model_->is_differential[i] != 0,
                         .quantity = {static_cast<Index>(i), 0}});
    }
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      watches_[i] = model_->guards[i].in_equations || model_->guards[i].reset ? 1 : 0;
    }
    for (const CallbackTransition& transition : model_->transitions) {
      if (transition.from == static_cast<Index>(mode_) && transition.guard >= 0) {
        watches_[static_cast<std::size_t>(transition.guard)] = 1;
      } else if (transition.from == static_cast<Index>(mode_)) {
        std::fill(watches_.begin(), watches_.end(), std::uint8_t{1});  // which it reads is not known
      }
    }
  }

  [[nodiscard]] const std::vector<system::StateInfo>& states() const override { return states_; }
  [[nodiscard]] Index block_width() const override { return 1; }
  [[nodiscard]] std::unique_ptr<system::Evaluator> make_evaluator(
      std::span<const double> /*guess*/) const override {
    return std::make_unique<CallbackEvaluator>(model_, mode_);
  }
  [[nodiscard]] system::Reduction reduction() const override {
    return equations().has_residual() ? system::Reduction::ranks : system::Reduction::structural;
  }
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> derivative_array(
      int depth) const override {
    return equations().has_residual() ? make_residual_array(model_, mode_, depth)
                                      : LockedDae::derivative_array(depth);
  }
  [[nodiscard]] bool watches(Index guard) const override {
    return watches_[static_cast<std::size_t>(guard)] != 0;
  }

 private:
  [[nodiscard]] const CallbackMode& equations() const { return model_->modes[mode_]; }

  std::shared_ptr<const CallbackModel> model_;
  std::size_t mode_;
  std::vector<system::StateInfo> states_;
  std::vector<std::uint8_t> watches_;  // by guard
};

class CallbackSystem final : public system::HybridSystem {
 public:
  explicit CallbackSystem(CallbackModel model)
      : model_(std::make_shared<const CallbackModel>(std::move(model))), actions_(actions_of(*model_)) {
    for (std::size_t mode = 0; mode < model_->modes.size(); ++mode) {
      locked_.push_back(std::make_shared<const CallbackDae>(model_, mode));
      describe_mode(model_->modes[mode]);
    }
    for (const CallbackAction& action : actions_) {
      action_infos_.push_back(action.info);
    }
    describe_variables();
    for (std::size_t i = 0; i < model_->guards.size(); ++i) {
      describe_guard(i);
    }
  }

  [[nodiscard]] const std::vector<system::VariableInfo>& variables() const override { return variables_; }
  [[nodiscard]] const std::vector<Index>& discrete() const override { return discrete_; }
  [[nodiscard]] const std::vector<system::ModeInfo>& modes() const override { return modes_; }
  [[nodiscard]] const std::vector<system::GuardInfo>& guards() const override { return guards_; }
  [[nodiscard]] const std::vector<system::ActionInfo>& actions() const override { return action_infos_; }
  [[nodiscard]] const std::vector<system::BodyMessageInfo>& messages() const override { return messages_; }
  [[nodiscard]] Index n_clocks() const override { return 0; }
  [[nodiscard]] bool has_rounds() const override { return !actions_.empty(); }

  [[nodiscard]] ModeId initial_mode() const override {
    return ModeId(static_cast<std::size_t>(model_->initial_mode));
  }
  [[nodiscard]] Result<system::InitialPoint> initial(double t) const override;
  [[nodiscard]] Result<std::shared_ptr<const system::LockedDae>> lock(
      const system::StructureId& structure) const override {
    return locked_[place_of(structure)];
  }
  [[nodiscard]] Result<std::unique_ptr<system::RoundSolver>> rounds(
      const system::StructureId& structure) const override {
    return std::unique_ptr<system::RoundSolver>(
        std::make_unique<CallbackRounds>(model_, place_of(structure), actions_));
  }
  [[nodiscard]] std::vector<double> entry_states(const system::StructureId& /*structure*/) const override {
    return std::vector<double>(model_->states.size(), std::nan(""));
  }
  void next_scheduled(const system::Configuration& /*configuration*/, double /*t*/, double direction,
                      double /*scale*/, bool /*inclusive*/, system::Schedule& schedule) const override {
    schedule.time = std::copysign(std::numeric_limits<double>::infinity(), direction);
    schedule.guards.clear();
    schedule.clocks.clear();
  }

 private:
  [[nodiscard]] std::size_t place_of(const system::StructureId& structure) const {
    SALTUS_EXPECT(structure.mode.valid() ? structure.mode.index() < locked_.size() : locked_.size() == 1,
                  "no such mode");
    return structure.mode.valid() ? structure.mode.index() : 0;
  }

  void describe_mode(const CallbackMode& mode) {
    system::ModeInfo info;
    info.name = mode.name;
    if (mode.sliding_between) {
      info.sliding_between = std::pair(ModeId(static_cast<std::size_t>(mode.sliding_between->first)),
                                       ModeId(static_cast<std::size_t>(mode.sliding_between->second)));
    }
    modes_.push_back(std::move(info));
  }

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

  void describe_guard(std::size_t place) {
    const CallbackGuard& guard = model_->guards[place];
    const auto index = static_cast<Index>(place);
    system::GuardInfo info;
    info.text = guard.name;
    info.condition = guard.name + " > 0";
    info.in_equations = guard.in_equations;
    info.in_rounds = std::any_of(actions_.begin(), actions_.end(), [index](const CallbackAction& action) {
      return action.info.guard == index || action.info.guard < 0;
    });
    info.continuity = guard.continuity;
    info.is_continuous = guard.in_equations && guard.continuity >= 0;
    info.can_slide = guard.in_equations && guard.continuity < 0 && guard.can_slide;
    info.is_affine_in_weight = info.can_slide;
    info.is_unilateral = guard.type == CallbackGuard::Type::unilateral;
    guards_.push_back(std::move(info));
  }

  [[nodiscard]] std::shared_ptr<const system::InitialProblem> initial_problem(
      const system::Configuration& configuration, std::shared_ptr<const system::EquationSet> equations) const;

  std::shared_ptr<const CallbackModel> model_;
  std::vector<CallbackAction> actions_;
  std::vector<system::ActionInfo> action_infos_;
  std::vector<std::shared_ptr<const system::LockedDae>> locked_;
  std::vector<system::VariableInfo> variables_;
  std::vector<Index> discrete_;
  std::vector<system::ModeInfo> modes_;
  std::vector<system::GuardInfo> guards_;
  std::vector<system::BodyMessageInfo> messages_;
};

// Start values of algebraic unknowns are guesses only.
std::shared_ptr<const system::InitialProblem> CallbackSystem::initial_problem(
    const system::Configuration& configuration, std::shared_ptr<const system::EquationSet> equations) const {
  auto problem = std::make_shared<system::InitialProblem>();
  problem->configuration = configuration;
  for (const system::SlotInfo& slot : equations->slots()) {
    const auto state = static_cast<std::size_t>(slot.variable);
    problem->guess.push_back(slot.order == 0 ? model_->initial[state] : 0.0);
    problem->tier.push_back(slot.order > 0                        ? system::StartTier::free
                            : model_->is_fixed[state] != 0        ? system::StartTier::fixed
                            : model_->is_differential[state] != 0 ? system::StartTier::differential
                                                                  : system::StartTier::free);
  }
  problem->equations = std::move(equations);
  return problem;
}

Result<system::InitialPoint> CallbackSystem::initial(double t) const {
  system::InitialPoint point;
  point.x = model_->initial;
  point.configuration.mode = initial_mode();
  point.configuration.discrete = model_->parameters;
  point.discrete_before = model_->parameters;
  point.configuration.latched.assign(guards_.size(), 0.0);
  CallbackEvaluator evaluator(model_, static_cast<std::size_t>(model_->initial_mode));
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
  const system::LockedDae& locked = *locked_[static_cast<std::size_t>(model_->initial_mode)];
  if (evaluation.ok() && locked.reduction() == system::Reduction::ranks) {
    Result<std::shared_ptr<const system::EquationSet>> equations = locked.derivative_array(0);
    if (!equations) {
      return Unexpected(std::move(equations).error());
    }
    point.problem = initial_problem(point.configuration, *std::move(equations));
    return point;
  }
  if (evaluation.ok()) {
    evaluation = evaluator.outputs(t, point.x, point.values);
  }
  if (!evaluation.ok()) {
    Diagnostics problems;
    problems.error(system::kInitialValueNotFinite, "at the start " + evaluator.describe(evaluation, t));
    return Unexpected(std::move(problems));
  }
  return point;
}

void check(const CallbackModel& model) {
  SALTUS_EXPECT(model.initial.size() == model.states.size(), "there is one initial value for each state");
  SALTUS_EXPECT(model.nominals.empty() || model.nominals.size() == model.states.size(),
                "there is one nominal value for each state");
  SALTUS_EXPECT(model.names.size() == model.parameters.size(), "each parameter has a name");
  SALTUS_EXPECT(model.outputs || model.output_names.empty(), "there is a function for the outputs");
  SALTUS_EXPECT(
      model.is_fixed.size() == model.states.size() && model.is_differential.size() == model.states.size(),
      "there is one flag for each state");
  for (const CallbackMode& mode : model.modes) {
    SALTUS_EXPECT(mode.rhs || mode.has_residual() || model.states.empty(), "every mode has equations");
  }
  for (const CallbackGuard& guard : model.guards) {
    SALTUS_EXPECT(guard.affine || model.guard_values, "each guard is affine or has a function");
    SALTUS_EXPECT(!guard.affine || guard.affine->coefficients.size() == model.states.size(),
                  "an affine guard has one coefficient for each state");
    SALTUS_EXPECT(guard.reset_side == 0.0 || std::abs(guard.reset_side) == 1.0, "a side is +1 or -1");
  }
}

}  // namespace

std::shared_ptr<const system::HybridSystem> make_callback_system(CallbackModel model) {
  if (model.modes.empty()) {
    model.modes.push_back({.name = "main", .rhs = model.rhs, .residual = {}, .sliding_between = {}});
  }
  model.is_fixed.resize(model.states.size(), 0);
  model.is_differential.resize(model.states.size(), 1);
  check(model);
  return std::make_shared<const CallbackSystem>(std::move(model));
}

}  // namespace saltus::callback
