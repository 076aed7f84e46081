// The explicit form of one mode: right-hand side, outputs and guards in a configuration.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/archive.hpp"
#include "base/machine.hpp"
#include "base/number_text.hpp"
#include "program/equations/held_inputs.hpp"
#include "program/equations/mode_equations.hpp"
#include "program/equations/system_data.hpp"
#include "program/evaluator_pullback.hpp"
#include "program/evaluator_tangents.hpp"
#include "program/failure_report.hpp"
#include "program/vm/finite.hpp"
#include "saltus/contract.hpp"
#include "structure/control_form.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

class SystemEvaluator final : public system::Evaluator {
 public:
  SystemEvaluator(std::shared_ptr<const SystemData> data, const ModeData& mode,
                  std::shared_ptr<const ModeEquations> equations, std::span<const double> guess)
      : data_(std::move(data)),
        mode_(mode),
        n_states_(mode.states.size()),
        equations_(std::move(equations)),
        store_(n_states_, mode.code.causalized.blocks),
        derivatives_(mode.derivatives, guess),
        values_(mode.values, guess),
        guards_(mode.guards, guess, &store_),
        held_(data_->code->conditions, data_->code->discrete.size()),
        failed_x_(n_states_) {
    derivatives_.share(store_, true);
    values_.share(store_, false);  // which rows are asked for must not be seen in the solution
    for (std::size_t i = 0; i < mode.code.variable_of_column.size(); ++i) {
      if (!mode.code.variable_of_column[i].valid()) {
        missing_.push_back(i);
      }
    }
    for (std::size_t i = 0; i < data_->code->discrete.size(); ++i) {
      held_.set_discrete(i, data_->start_values[static_cast<std::size_t>(data_->code->discrete[i])],
                         Setter{*this});
    }
  }

  void set_configuration(const system::Configuration& configuration) override {
    held_.set_configuration(configuration, Setter{*this});
    if (residual_) {
      residual_->equations().set_configuration(configuration);
    }
  }
  void set_latched(Index guard, double value) override {
    held_.set_latched(static_cast<std::size_t>(guard), value, Setter{*this});
    if (residual_) {
      residual_->equations().set_latched(guard, value);
    }
  }

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    SALTUS_EXPECT(x.size() == n_states_ && xdot.size() == x.size(), "wrong number of states");
    system::Evaluation evaluation = derivatives_.run(t, x.data(), xdot.data());
    if (evaluation.ok()) {
      if (all_finite(xdot)) {
        failed_runner_ = nullptr;
        return {};
      }
      evaluation = singular_or({Status::not_finite, first_not_finite(xdot)}, t, x);
    }
    return finish(evaluation, derivatives_, t, x);
  }

  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override {
    if (residual_runner() == nullptr) {
      return {Status::no_convergence, -1};
    }
    system::Evaluation evaluation = residual_->point(t, x, derivatives_, y, ydot);
    if (evaluation.status == Status::not_finite) {
      evaluation = singular_or({Status::not_finite, culprit_in_point(evaluation.culprit)}, t, x);
    }
    return finish(evaluation, residual_->point_runner(), t, x);
  }
  system::EquationRunner* residual_runner() override {
    if (!residual_) {
      if (std::shared_ptr<const ResidualForm> form = equations_->residual_form()) {
        residual_.emplace(std::move(form), held_, derivatives_.held());
      }
    }
    return residual_ ? &residual_->equations() : nullptr;
  }

  Index n_divisors() override {
    if (!has_asked_for_divisors_) {
      has_asked_for_divisors_ = true;
      if (std::shared_ptr<const program::Divisors> divisors = equations_->divisors()) {
        divisors_.emplace(std::move(divisors), derivatives_.held(), store_);
      }
    }
    return divisors_ ? std::ssize(divisors_->divisors().items) : 0;
  }
  system::Evaluation divisors(double t, std::span<const double> x, std::span<double> values) override {
    return n_divisors() > 0 ? divisors_->run(t, x, derivatives_, values) : system::Evaluation{};
  }
  system::DivisorInfo divisor_info(Index divisor) const override {
    if (!divisors_) {
      return {};
    }
    const program::DivisorCode::Item& item = divisors_->divisors().items[static_cast<std::size_t>(divisor)];
    return {item.text, item.gives_rates};
  }

  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    SALTUS_EXPECT(x.size() == n_states_ && values.size() == mode_.code.variable_of_column.size(),
                  "wrong number of states or variables");
    system::Evaluation evaluation = values_.run(t, x.data(), values.data());
    if (evaluation.ok() && !all_finite(values)) {
      evaluation = singular_or({Status::not_finite, n_states() + first_not_finite(values)}, t, x);
    }
    for (const std::size_t column : missing_) {
      values[column] = kNan;
    }
    return finish(evaluation, values_, t, x);
  }

  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    SALTUS_EXPECT(t.size() == kLanes && x.size() == mode_.states.size() * kLanes &&
                      values.size() == data_->code->columns.size() * kLanes,
                  "wrong number of points, states or variables");
    failed_runner_ = nullptr;
    system::Evaluation evaluation = values_.run_wide(t.data(), x.data(), values.data());
    if (evaluation.ok() && !all_finite(values)) {
      evaluation = {Status::not_finite, n_states() + first_not_finite(values) / static_cast<Index>(kLanes)};
    }
    for (const std::size_t column : missing_) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(column * kLanes), kLanes, kNan);
    }
    return evaluation;
  }

  system::GuardShape guard_shape(Index guard) const override { return guards_.shape(guard); }
  std::optional<std::span<const Index>> guard_states(Index guard) const override {
    return guards_.states(guard);
  }
  bool guard_has_effect(Index guard) override { return guards_.has_effect(guard); }
  std::optional<std::span<const Index>> guard_sides(Index guard) const override {
    return guards_.sides(guard);
  }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override {
    return guards_.values(which, t, x, values);
  }
  double guard_noise(Index i, double t, std::span<const double> x) override { return guards_.noise(i, t, x); }
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override {
    return guards_.gradient(i, t, x, gradient, time_derivative);
  }
  system::AffineGuard affine_guard(Index i) const override { return guards_.affine(i); }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override {
    return guards_.derivatives(i, t, x, derivatives);
  }
  Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override {
    return guards_.enclose(i, t, x);
  }
  Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                              std::span<const Interval> xdot) override {
    return guards_.enclose_rate(i, t, x, xdot);
  }
  system::GuardBounds bound_guard(Index i, const system::CurvePiece& piece) override {
    return guards_.bound(i, piece);
  }

  void keep_solutions() override {
    derivatives_.keep_solutions();
    store_.keep_points();
  }
  void restore_solutions() override {
    derivatives_.restore_solutions();
    store_.drop_points();
  }
  [[nodiscard]] bool has_unwatched_kinks() const override { return mode_.code.derivatives->has_kinks(); }
  void copy_output_solutions(std::span<double> guess) const override { values_.copy_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { values_.set_solutions(guess); }

  bool begin_at(const system::ResidualPoint& point) override {
    if (point.y.empty()) {
      return false;
    }
    if (form_of_points_ == nullptr) {
      form_of_points_ = equations_->residual_form();
      if (form_of_points_ == nullptr) {
        return false;
      }
      guess_.resize(form_of_points_->code->guess_places.size());
    }
    copy_guess(*form_of_points_->code, point, guess_);
    derivatives_.set_solutions(guess_);
    return values_.set_solutions(guess_);
  }

  std::unique_ptr<system::Tangents> tangents(const system::ParameterDirections& directions) override {
    return make_tangents({*data_, mode_, *equations_, derivatives_, values_, guards_, store_}, directions);
  }
  std::unique_ptr<system::Pullback> pullback(system::Evaluated of) override {
    return make_pullback({*data_, mode_, *equations_, derivatives_, values_, guards_, store_}, of);
  }

  std::string describe(const system::Evaluation& evaluation, double t) const override {
    const bool is_block =
        evaluation.status == Status::singular_block || evaluation.status == Status::no_convergence;
    if (evaluation.ok()) {
      return "no failure";
    }
    const BlockProblem problem = problem_of_run(*data_, mode_);
    if (!can_name(evaluation, problem.blocks.size())) {
      return fmt::format("the equations could not be solved at time {}", number_text(t));
    }
    if (failed_runner_ != nullptr && is_block) {
      return explain_block(problem, *failed_runner_, evaluation, failed_time_, failed_x_).sentence;
    }
    if (is_block) {
      const structure::Block& block = problem.blocks[static_cast<std::size_t>(evaluation.culprit)];
      return fmt::format("the equations for {} could not be solved at time {}",
                         structure::list_names(data_->code->model, block.unknowns), number_text(t));
    }
    if (evaluation.status == Status::not_finite && evaluation.culprit < 0) {
      const auto guard = static_cast<std::size_t>(-1 - evaluation.culprit);
      return fmt::format("the guard '{}' is not finite at time {}", data_->code->guard_infos[guard].text,
                         number_text(t));
    }
    if (failed_runner_ != nullptr) {
      return explain_not_finite(problem, *failed_runner_, unknown_of(evaluation.culprit), failed_time_,
                                failed_x_)
          .sentence;
    }
    if (evaluation.culprit >= 0 && evaluation.culprit < n_states()) {
      const std::string equations = equations_for(problem, unknown_of(evaluation.culprit));
      return fmt::format("'{}' or its derivative leaves the range of numbers at time {}{}{}",
                         mode_.states[static_cast<std::size_t>(evaluation.culprit)].name, number_text(t),
                         equations.empty() ? "" : ": ", equations);
    }
    return fmt::format("a value is not finite at time {}", number_text(t));
  }

  void fields(Archive& a) override {
    // Not saved: of the mode data_, n_states_, equations_, missing_; form_of_points_ and guess_; divisor_values_, failed_runner_, failed_time_, failed_x_ of
    // a call that failed.
    bool has_residual = residual_.has_value();
    bool has_divisors = has_asked_for_divisors_;
    a(has_residual, has_divisors);
    if (a.is_loading()) {
      make_parts(has_residual, has_divisors);
    }
    a(store_, derivatives_, values_, guards_, held_);
    if (residual_) {
      a(*residual_);
    }
    if (divisors_) {
      a(*divisors_);
    }
  }

 private:
  [[nodiscard]] Index n_states() const { return static_cast<Index>(n_states_); }

  // What is made when somebody asks for it.
  void make_parts(bool has_residual, bool has_divisors) {
    // Others refer to what there is already.
    if (has_residual) {
      (void)residual_runner();
    } else {
      residual_.reset();
    }
    if (has_divisors) {
      (void)n_divisors();
    } else {
      divisors_.reset();
      has_asked_for_divisors_ = false;
    }
  }

  struct Setter {
    SystemEvaluator& evaluator;
    void operator()(std::size_t input, double value) const { evaluator.set_held(input, value); }
  };
  void set_held(std::size_t i, double value) {
    store_.change_held(i, derivatives_.held()[i], value);
    derivatives_.set_held(i, value);
    values_.set_held(i, value);
    guards_.set_held(i, value);
    if (residual_) {
      residual_->set_held(i, value);
    }
    if (divisors_) {
      divisors_->set_held(i, value);
    }
  }

  // From a place in (z, ẏ) to a culprit of status not_finite.
  [[nodiscard]] Index culprit_in_point(Index place) const {
    const std::vector<structure::Unknown>& algebraic = equations_->residual_form()->code->algebraic;
    if (place >= std::ssize(algebraic)) {
      return place - std::ssize(algebraic);
    }
    const VariableId variable = algebraic[static_cast<std::size_t>(place)].variable;
    return n_states() + data_->code->column_of_variable[variable.index()];
  }

  // An equation of one unknown whose coefficient is zero is a singular block, as a matrix of several is.
  system::Evaluation singular_or(const system::Evaluation& evaluation, double t, std::span<const double> x) {
    divisor_values_.resize(static_cast<std::size_t>(n_divisors()));
    if (divisor_values_.empty() || !divisors(t, x, divisor_values_).ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < divisor_values_.size(); ++i) {
      const program::DivisorCode::Item& item = divisors_->divisors().items[i];
      if (item.is_coefficient && divisor_values_[i] == 0.0) {
        return {Status::singular_block, item.block};
      }
    }
    return evaluation;
  }

  // Keeps the point of a failure for describe().
  system::Evaluation finish(const system::Evaluation& evaluation, const SequenceRunner& runner, double t,
                            std::span<const double> x) {
    failed_runner_ = nullptr;
    if (!evaluation.ok()) {
      failed_runner_ = &runner;
      failed_time_ = t;
      std::copy(x.begin(), x.end(), failed_x_.begin());
    }
    return evaluation;
  }

  // Whether the culprit is one of this evaluator: those of others mean something else.
  [[nodiscard]] bool can_name(const system::Evaluation& evaluation, std::size_t n_blocks) const {
    const Index culprit = evaluation.culprit;
    if (evaluation.status == Status::singular_block || evaluation.status == Status::no_convergence) {
      return culprit >= 0 && culprit < static_cast<Index>(n_blocks);
    }
    if (evaluation.status != Status::not_finite) {
      return false;
    }
    if (culprit < n_states()) {
      return culprit >= 0 || -1 - culprit < std::ssize(data_->code->guard_infos);
    }
    const auto column = static_cast<std::size_t>(culprit - n_states());
    return column < mode_.code.variable_of_column.size() && mode_.code.variable_of_column[column].valid();
  }

  // What a culprit of status not_finite stands for.
  [[nodiscard]] structure::Unknown unknown_of(Index culprit) const {
    return culprit < n_states()
               ? mode_.code.causalized.derivatives[static_cast<std::size_t>(culprit)]
               : structure::Unknown{
                     .variable =
                         mode_.code.variable_of_column[static_cast<std::size_t>(culprit - n_states())],
                     .order = 0};
  }

  std::shared_ptr<const SystemData> data_;
  const ModeData& mode_;
  std::size_t n_states_;
  std::shared_ptr<const ModeEquations> equations_;
  SolutionStore store_;
  SequenceRunner derivatives_;
  SequenceRunner values_;
  GuardRunner guards_;
  HeldInputs held_;
  std::optional<ResidualRunner> residual_;              // once it was asked for
  std::shared_ptr<const ResidualForm> form_of_points_;  // … and the point of somebody else taken over
  std::vector<double> guess_;
  std::optional<DivisorRunner> divisors_;  // … and there are some
  std::vector<double> divisor_values_;
  bool has_asked_for_divisors_ = false;
  std::vector<std::size_t> missing_;               // columns that do not exist in this mode
  const SequenceRunner* failed_runner_ = nullptr;  // of the last call, if it failed
  double failed_time_ = 0.0;
  std::vector<double> failed_x_;
};

system::ConstraintUse::Kind kind_of(flat::Formulation::Result result) {
  using Kind = system::ConstraintUse::Kind;
  switch (result) {
    case flat::Formulation::Result::projected: return Kind::projected;
    case flat::Formulation::Result::stages_projected: return Kind::stages_projected;
    case flat::Formulation::Result::left_alone: return Kind::left_alone;
    case flat::Formulation::Result::stabilized: return Kind::stabilized;
    case flat::Formulation::Result::stabilized_holonomic: return Kind::stabilized_holonomic;
    case flat::Formulation::Result::stabilized_mass: return Kind::stabilized_mass;
  }
  return Kind::projected;
}

system::ConstraintUse use_of_constraints(const SystemCode& code, const ModeCode& mode) {
  const flat::Formulation& formulation = code.model.formulation;
  system::ConstraintUse use{.kind = kind_of(formulation.result), .rate = formulation.rate};
  const structure::Causalized& causalized = mode.causalized;
  if (!formulation.rates.empty()) {
    for (const structure::Constraint& constraint : causalized.constraints) {
      const flat::Equation& written = causalized.written[constraint.origin.equation];
      use.rates.push_back(formulation.rate_of(written.left, written.right));
    }
  }
  if (formulation.control == flat::Formulation::Control::of_steps) {
    const structure::ControlForm form = structure::control_form(code.model, causalized);
    for (const structure::Unknown& multiplier : form.multipliers) {
      use.frozen.push_back(code.column_of_variable[multiplier.variable.index()]);
    }
    if (form.refusal && !causalized.constraints.empty()) {
      use.frozen.push_back(-1);  // of a structure that relations chose: nothing can be frozen there
    }
  }
  return use;
}

class LockedSystem final : public system::LockedDae, public system::CoefficientSource {
 public:
  LockedSystem(std::shared_ptr<const SystemData> data, std::size_t mode)
      : data_(std::move(data)),
        mode_(data_->modes[mode]),
        equations_(std::make_shared<const ModeEquations>(data_, mode)) {}

  const std::vector<system::StateInfo>& states() const override { return mode_.states; }
  Index block_width() const override { return static_cast<Index>(kLanes); }
  Index n_outputs() const override { return std::ssize(mode_.code.variable_of_column); }
  bool iterates_for_outputs() const override { return mode_.code.values->iterates(); }
  bool outputs_may_be_missing() const override { return mode_.code.values_may_be_missing; }
  std::unique_ptr<system::Evaluator> make_evaluator(std::span<const double> guess) const override {
    return std::make_unique<SystemEvaluator>(data_, mode_, equations_, guess);
  }
  system::Reduction reduction() const override {
    return mode_.code.causalized.needs_ranks ? system::Reduction::ranks : system::Reduction::structural;
  }
  std::shared_ptr<const system::EquationSet> residual_form() const override {
    const std::shared_ptr<const ResidualForm> form = equations_->residual_form();
    return form == nullptr ? nullptr : form->equations;
  }
  std::shared_ptr<const system::EquationSet> constraints() const override {
    return equations_->constraints();
  }
  system::ConstraintUse constraint_use() const override {
    return use_of_constraints(*data_->code, mode_.code);
  }
  std::shared_ptr<const system::WrittenEquations> written_equations() const override {
    return equations_->written();
  }
  std::shared_ptr<const system::WrittenCoefficients> written_coefficients() const override {
    return equations_->written_coefficients();
  }
  Result<std::shared_ptr<const system::EquationSet>> derivative_array(int depth) const override {
    return equations_->derivative_array(depth);
  }
  std::shared_ptr<const system::MixedEquations> mixed_equations() const override {
    return equations_->mixed();
  }
  bool watches(Index guard) const override {
    return mode_.code.watches[static_cast<std::size_t>(guard)] != 0;
  }

 private:
  std::shared_ptr<const SystemData> data_;
  const ModeData& mode_;
  std::shared_ptr<const ModeEquations> equations_;
};

}  // namespace

std::shared_ptr<const system::LockedDae> make_locked(std::shared_ptr<const SystemData> data,
                                                     std::size_t mode) {
  return std::make_shared<const LockedSystem>(std::move(data), mode);
}

}  // namespace saltus::program
