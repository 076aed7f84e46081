// The explicit form of a smooth model: right-hand side and outputs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "program/failure_report.hpp"
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
  SystemEvaluator(std::shared_ptr<const SystemData> data, std::span<const double> guess)
      : data_(std::move(data)),
        derivatives_(*data_->derivatives, guess),
        values_(*data_->values, guess),
        failed_x_(data_->states.size()) {}

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    SALTUS_EXPECT(x.size() == data_->states.size() && xdot.size() == x.size(), "wrong number of states");
    system::Evaluation evaluation = derivatives_.run(t, x.data(), xdot.data());
    if (evaluation.ok() && !all_finite(xdot)) {
      evaluation = {Status::not_finite, first_not_finite(xdot)};
    }
    return finish(evaluation, derivatives_, t, x);
  }

  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    SALTUS_EXPECT(x.size() == data_->states.size() && values.size() == data_->variables.size(),
                  "wrong number of states or variables");
    system::Evaluation evaluation = values_.run(t, x.data(), values.data());
    if (evaluation.ok() && !all_finite(values)) {
      evaluation = {Status::not_finite, n_states() + first_not_finite(values)};
    }
    return finish(evaluation, values_, t, x);
  }

  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    SALTUS_EXPECT(t.size() == kLanes && x.size() == data_->states.size() * kLanes &&
                      values.size() == data_->variables.size() * kLanes,
                  "wrong number of points, states or variables");
    failed_runner_ = nullptr;
    const system::Evaluation evaluation = values_.run_wide(t.data(), x.data(), values.data());
    if (evaluation.ok() && !all_finite(values)) {
      return {Status::not_finite, n_states() + first_not_finite(values) / static_cast<Index>(kLanes)};
    }
    return evaluation;
  }

  void keep_solutions() override { derivatives_.keep_solutions(); }
  void restore_solutions() override { derivatives_.restore_solutions(); }
  void copy_output_solutions(std::span<double> guess) const override { values_.copy_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { values_.set_solutions(guess); }

  std::string describe(const system::Evaluation& evaluation, double t) const override {
    const bool is_block =
        evaluation.status == Status::singular_block || evaluation.status == Status::no_convergence;
    if (evaluation.ok()) {
      return "no failure";
    }
    const BlockProblem problem = problem_of_run(*data_);
    if (failed_runner_ != nullptr && is_block) {
      return explain_block(problem, *failed_runner_, evaluation, failed_time_, failed_x_).sentence;
    }
    if (is_block) {
      const structure::Block& block = problem.blocks[static_cast<std::size_t>(evaluation.culprit)];
      return fmt::format("the equations for {} could not be solved at time {}",
                         structure::list_names(data_->model, block.unknowns), number_text(t));
    }
    if (failed_runner_ != nullptr) {
      return explain_not_finite(problem, *failed_runner_, unknown_of(evaluation.culprit), failed_time_,
                                failed_x_)
          .sentence;
    }
    if (evaluation.culprit >= 0 && evaluation.culprit < n_states()) {
      return fmt::format("'{}' leaves the range of numbers at time {}",
                         data_->states[static_cast<std::size_t>(evaluation.culprit)].name, number_text(t));
    }
    return fmt::format("a value is not finite at time {}", number_text(t));
  }

 private:
  [[nodiscard]] Index n_states() const { return static_cast<Index>(data_->states.size()); }

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

  // What a culprit of status not_finite stands for.
  [[nodiscard]] structure::Unknown unknown_of(Index culprit) const {
    return culprit < n_states()
               ? data_->causalized.derivatives[static_cast<std::size_t>(culprit)]
               : structure::Unknown{.variable = VariableId(static_cast<std::size_t>(culprit - n_states())),
                                    .order = 0};
  }

  std::shared_ptr<const SystemData> data_;
  SequenceRunner derivatives_;
  SequenceRunner values_;
  const SequenceRunner* failed_runner_ = nullptr;  // of the last call, if it failed
  double failed_time_ = 0.0;
  std::vector<double> failed_x_;
};

class LockedSystem final : public system::LockedDae {
 public:
  explicit LockedSystem(std::shared_ptr<const SystemData> data) : data_(std::move(data)) {}

  const std::vector<system::StateInfo>& states() const override { return data_->states; }
  Index block_width() const override { return static_cast<Index>(kLanes); }
  bool iterates_for_outputs() const override { return data_->values->iterates(); }
  std::unique_ptr<system::Evaluator> make_evaluator(std::span<const double> guess) const override {
    return std::make_unique<SystemEvaluator>(data_, guess);
  }

 private:
  std::shared_ptr<const SystemData> data_;
};

}  // namespace

std::shared_ptr<const system::LockedDae> make_locked(std::shared_ptr<const SystemData> data) {
  return std::make_shared<const LockedSystem>(std::move(data));
}

}  // namespace saltus::program
