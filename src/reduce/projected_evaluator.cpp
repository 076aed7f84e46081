#include "reduce/projected_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reduce/project/constraint_projection.hpp"
#include "reduce/project/post_stabilization.hpp"
#include "reduce/ranks/array_evaluator.hpp"

namespace saltus::reduce {

using system::Evaluation;

ProjectedEvaluator::ProjectedEvaluator(std::unique_ptr<system::Evaluator> inner,
                                       std::unique_ptr<Projector> projector, system::Projection least)
    : ForwardingEvaluator(std::move(inner)), projector_(std::move(projector)), least_(least) {}

void ProjectedEvaluator::set_configuration(const system::Configuration& configuration) {
  ForwardingEvaluator::set_configuration(configuration);
  projector_->set_configuration(configuration);
}

void ProjectedEvaluator::set_latched(Index guard, double value) {
  ForwardingEvaluator::set_latched(guard, value);
  projector_->set_latched(guard, value);
}

system::Projection ProjectedEvaluator::projection() const {
  return std::max(inner().projection(), least_);
}

Evaluation ProjectedEvaluator::project(double t, std::span<double> x) {
  if (const Evaluation evaluation = inner().project(t, x); !evaluation.ok()) {
    return evaluation;
  }
  return projector_->project(t, x);
}

void ProjectedEvaluator::keep_solutions() {
  ForwardingEvaluator::keep_solutions();
  projector_->keep_matrix();
}

std::string ProjectedEvaluator::describe(const Evaluation& evaluation, double t) const {
  if (evaluation.status != Evaluation::Status::no_projection) {
    return ForwardingEvaluator::describe(evaluation, t);
  }
  const system::RowInfo& row =
      projector_->constraints().rows()[static_cast<std::size_t>(std::max<Index>(evaluation.culprit, 0))];
  return fmt::format("no state near the solution satisfies the constraints at time {}: '{}'{} cannot be met",
                     t, row.text,
                     row.order > 0 ? fmt::format(" (an equation differentiated {})",
                                                 row.order == 1 ? "once" : fmt::format("{} times", row.order))
                                   : "");
}

namespace {

std::unique_ptr<Projector> make_projector(const system::LockedDae& locked,
                                          std::shared_ptr<const system::EquationSet> constraints) {
  using Kind = system::ConstraintUse::Kind;
  const system::ConstraintUse use = locked.constraint_use();
  const bool is_stabilized = use.kind == Kind::stabilized || use.kind == Kind::stabilized_holonomic;
  if (is_stabilized && PostStabilization::applies(*constraints)) {
    return std::make_unique<PostStabilization>(std::move(constraints), locked.states(),
                                               use.kind == Kind::stabilized
                                                   ? PostStabilization::Positions::all
                                                   : PostStabilization::Positions::holonomic,
                                               use.rate);
  }
  std::vector<double> nominal;
  for (const system::StateInfo& state : locked.states()) {
    nominal.push_back(state.nominal);
  }
  return std::make_unique<ConstraintProjection>(
      std::move(constraints), nominal, LeastChange::Algebra::automatic,
      use.kind == Kind::stages_projected ? ConstraintProjection::Matrices::of_steps
                                         : ConstraintProjection::Matrices::of_points);
}

}  // namespace

std::unique_ptr<system::Evaluator> make_reduced_evaluator(const system::LockedDae& locked,
                                                          std::span<const double> guess) {
  std::unique_ptr<system::Evaluator> evaluator = locked.make_evaluator(guess);
  if (locked.reduction() == system::Reduction::ranks) {
    return std::make_unique<ArrayEvaluator>(std::move(evaluator), locked);
  }
  const std::shared_ptr<const system::EquationSet> constraints = locked.constraints();
  const system::ConstraintUse use = locked.constraint_use();
  if (constraints == nullptr || constraints->n_rows() == 0 ||
      use.kind == system::ConstraintUse::Kind::left_alone) {
    return evaluator;
  }
  return std::make_unique<ProjectedEvaluator>(std::move(evaluator), make_projector(locked, constraints),
                                              use.kind == system::ConstraintUse::Kind::stages_projected
                                                  ? system::Projection::stages
                                                  : system::Projection::results);
}

}  // namespace saltus::reduce
