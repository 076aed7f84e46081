// The explicit form of a smooth model: right-hand side and outputs.

#include <fmt/format.h>

#include <cmath>

#include "base/number_text.hpp"
#include "program/system_data.hpp"
#include "saltus/contract.hpp"
#include "structure/names.hpp"

namespace saltus::program {
namespace {

using Status = system::Evaluation::Status;

// 0·v is 0 for every finite v and NaN for the others; eight sums, so that the loop is one of vectors.
bool all_finite(std::span<const double> values) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= values.size(); i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) {
      sums[k] += 0.0 * values[i + k];
    }
  }
  for (; i < values.size(); ++i) {
    sums[0] += 0.0 * values[i];
  }
  double total = 0.0;
  for (const double sum : sums) {
    total += sum;
  }
  return total == 0.0;
}

Index first_not_finite(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return static_cast<Index>(i);
    }
  }
  return -1;
}

class SystemEvaluator final : public system::Evaluator {
 public:
  explicit SystemEvaluator(std::shared_ptr<const SystemData> data)
      : data_(std::move(data)), derivatives_(*data_->derivatives), values_(*data_->values) {}

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    SALTUS_EXPECT(x.size() == data_->states.size() && xdot.size() == x.size(), "wrong number of states");
    if (const system::Evaluation evaluation = derivatives_.run(t, x.data(), xdot.data()); !evaluation.ok()) {
      return evaluation;
    }
    if (!all_finite(xdot)) {
      return {Status::not_finite, first_not_finite(xdot)};
    }
    return {};
  }

  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    SALTUS_EXPECT(x.size() == data_->states.size() && values.size() == data_->variables.size(),
                  "wrong number of states or variables");
    if (const system::Evaluation evaluation = values_.run(t, x.data(), values.data()); !evaluation.ok()) {
      return evaluation;
    }
    return check_values(values, 1);
  }

  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    SALTUS_EXPECT(t.size() == kLanes && x.size() == data_->states.size() * kLanes &&
                      values.size() == data_->variables.size() * kLanes,
                  "wrong number of points, states or variables");
    if (const system::Evaluation evaluation = values_.run_wide(t.data(), x.data(), values.data());
        !evaluation.ok()) {
      return evaluation;
    }
    return check_values(values, kLanes);
  }

 private:
  [[nodiscard]] system::Evaluation check_values(std::span<const double> values, std::size_t lanes) const {
    if (all_finite(values)) {
      return {};
    }
    const Index variable = first_not_finite(values) / static_cast<Index>(lanes);
    return {Status::not_finite, static_cast<Index>(data_->states.size()) + variable};
  }

  std::shared_ptr<const SystemData> data_;
  SequenceRunner derivatives_;
  SequenceRunner values_;
};

class LockedSystem final : public system::LockedDae {
 public:
  explicit LockedSystem(std::shared_ptr<const SystemData> data) : data_(std::move(data)) {}

  const std::vector<system::StateInfo>& states() const override { return data_->states; }
  Index block_width() const override { return static_cast<Index>(kLanes); }
  std::unique_ptr<system::Evaluator> make_evaluator() const override {
    return std::make_unique<SystemEvaluator>(data_);
  }

  std::string describe(const system::Evaluation& evaluation, double t) const override {
    const auto culprit = static_cast<std::size_t>(evaluation.culprit);
    const structure::Causalized& causalized = data_->causalized;
    switch (evaluation.status) {
      case Status::ok: return "no failure";
      case Status::singular_block:
      case Status::no_convergence:
        return describe_block_failure(data_->model, causalized.equations, causalized.blocks[culprit],
                                      evaluation.status, t);
      case Status::not_finite: break;
    }
    const std::size_t n_states = causalized.states.size();
    const bool is_derivative = culprit < n_states;
    const structure::Unknown unknown =
        is_derivative ? causalized.derivatives[culprit]
                      : structure::Unknown{.variable = VariableId(culprit - n_states), .order = 0};
    const std::string what =
        is_derivative ? fmt::format("the derivative of '{}'", data_->states[culprit].name)
                      : fmt::format("the value of '{}'", data_->variables[culprit - n_states].name);
    std::string sentence = fmt::format("{} is not finite at time {}", what, number_text(t));
    for (const structure::Block& block : causalized.blocks) {
      for (const structure::Unknown& given : block.unknowns) {
        if (given == unknown) {
          return sentence + ", from " + describe_equations(data_->model, causalized.equations, block);
        }
      }
    }
    return sentence;
  }

 private:
  std::shared_ptr<const SystemData> data_;
};

}  // namespace

std::string describe_equations(const flat::Model& model, const std::vector<flat::Equation>& equations,
                               const structure::Block& block) {
  constexpr std::size_t kMostShown = 3;
  std::string text;
  for (std::size_t i = 0; i < block.equations.size() && i < kMostShown; ++i) {
    const flat::Equation& equation = equations[block.equations[i].index()];
    if (i > 0) {
      text += "; ";
    }
    if (model.source != nullptr && equation.span.length > 0) {
      text += fmt::format("line {}: ", model.source->position(equation.span.offset).line);
    }
    text += structure::quote(model, equation);
  }
  if (block.equations.size() > kMostShown) {
    text += fmt::format(" and {} more equations", block.equations.size() - kMostShown);
  }
  return text;
}

std::string describe_block_failure(const flat::Model& model, const std::vector<flat::Equation>& equations,
                                   const structure::Block& block, system::Evaluation::Status status,
                                   double t) {
  const std::string unknowns = structure::list_names(model, block.unknowns);
  const std::string where = describe_equations(model, equations, block);
  if (status == Status::singular_block) {
    return fmt::format(
        "the equations for {} have no unique solution at time {} (their matrix is singular): {}", unknowns,
        number_text(t), where);
  }
  // A linear block that is not singular can fail only by what it is given.
  if (block.kind == structure::Block::Kind::linear) {
    return fmt::format("the equations for {} have coefficients that are not finite at time {}: {}", unknowns,
                       number_text(t), where);
  }
  return fmt::format(
      "no solution of the equations for {} was found at time {} (the iteration did not converge): {}",
      unknowns, number_text(t), where);
}

std::shared_ptr<const system::LockedDae> make_locked(std::shared_ptr<const SystemData> data) {
  return std::make_shared<const LockedSystem>(std::move(data));
}

}  // namespace saltus::program
