#include "reduce/projected_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reduce/ranks/array_evaluator.hpp"

namespace saltus::reduce {

using system::Evaluation;

ProjectedEvaluator::ProjectedEvaluator(std::unique_ptr<system::Evaluator> inner,
                                       std::shared_ptr<const system::EquationSet> constraints,
                                       std::span<const double> nominal)
    : ForwardingEvaluator(std::move(inner)), projection_(std::move(constraints), nominal) {}

void ProjectedEvaluator::set_configuration(const system::Configuration& configuration) {
  ForwardingEvaluator::set_configuration(configuration);
  projection_.set_configuration(configuration);
}

void ProjectedEvaluator::set_latched(Index guard, double value) {
  ForwardingEvaluator::set_latched(guard, value);
  projection_.set_latched(guard, value);
}

system::Projection ProjectedEvaluator::projection() const {
  return std::max(inner().projection(), system::Projection::results);
}

Evaluation ProjectedEvaluator::project(double t, std::span<double> x) {
  if (const Evaluation evaluation = inner().project(t, x); !evaluation.ok()) {
    return evaluation;
  }
  return projection_.project(t, x);
}

void ProjectedEvaluator::keep_solutions() {
  ForwardingEvaluator::keep_solutions();
  projection_.keep_matrix();
}

std::string ProjectedEvaluator::describe(const Evaluation& evaluation, double t) const {
  if (evaluation.status != Evaluation::Status::no_projection) {
    return ForwardingEvaluator::describe(evaluation, t);
  }
  const system::RowInfo& row =
      projection_.constraints().rows()[static_cast<std::size_t>(std::max<Index>(evaluation.culprit, 0))];
  return fmt::format("no state near the solution satisfies the constraints at time {}: '{}'{} cannot be met",
                     t, row.text,
                     row.order > 0 ? fmt::format(" (an equation differentiated {})",
                                                 row.order == 1 ? "once" : fmt::format("{} times", row.order))
                                   : "");
}

std::unique_ptr<system::Evaluator> make_reduced_evaluator(const system::LockedDae& locked,
                                                          std::span<const double> guess) {
  std::unique_ptr<system::Evaluator> evaluator = locked.make_evaluator(guess);
  if (locked.reduction() == system::Reduction::ranks) {
    return std::make_unique<ArrayEvaluator>(std::move(evaluator), locked);
  }
  const std::shared_ptr<const system::EquationSet> constraints = locked.constraints();
  if (constraints == nullptr || constraints->n_rows() == 0) {
    return evaluator;
  }
  std::vector<double> nominal;
  for (const system::StateInfo& state : locked.states()) {
    nominal.push_back(state.nominal);
  }
  return std::make_unique<ProjectedEvaluator>(std::move(evaluator), constraints, nominal);
}

}  // namespace saltus::reduce
