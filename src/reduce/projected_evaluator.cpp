#include "reduce/projected_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reduce/frozen_control.hpp"
#include "reduce/project/constraint_projection.hpp"
#include "reduce/project/post_stabilization.hpp"
#include "reduce/ranks/array_evaluator.hpp"

namespace saltus::reduce {

using system::Evaluation;

ProjectedEvaluator::ProjectedEvaluator(std::unique_ptr<system::Evaluator> inner,
                                       std::unique_ptr<Projector> projector, system::Projection least,
                                       std::unique_ptr<Projector> instants)
    : ForwardingEvaluator(std::move(inner)),
      projector_(std::move(projector)),
      instants_(std::move(instants)),
      least_(least) {}

void ProjectedEvaluator::set_configuration(const system::Configuration& configuration) {
  ForwardingEvaluator::set_configuration(configuration);
  projector_->set_configuration(configuration);
  if (instants_ != nullptr) {
    instants_->set_configuration(configuration);
  }
}

void ProjectedEvaluator::set_latched(Index guard, double value) {
  ForwardingEvaluator::set_latched(guard, value);
  projector_->set_latched(guard, value);
  if (instants_ != nullptr) {
    instants_->set_latched(guard, value);
  }
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

Evaluation ProjectedEvaluator::project_instant(double t, std::span<double> x) {
  if (instants_ == nullptr) {
    return project(t, x);
  }
  if (const Evaluation evaluation = inner().project_instant(t, x); !evaluation.ok()) {
    return evaluation;
  }
  return instants_->project(t, x);
}

void ProjectedEvaluator::keep_along(double t, std::span<const double> x, std::span<double> gradient) {
  inner().keep_along(t, x, gradient);
  (instants_ != nullptr ? instants_ : projector_)->keep_along(t, x, gradient);
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

bool is_stabilized(system::ConstraintUse::Kind kind) {
  using Kind = system::ConstraintUse::Kind;
  return kind == Kind::stabilized || kind == Kind::stabilized_holonomic || kind == Kind::stabilized_mass;
}

}  // namespace

std::unique_ptr<system::Evaluator> make_reduced_evaluator(const system::LockedDae& locked,
                                                          std::span<const double> guess) {
  using Kind = system::ConstraintUse::Kind;
  std::unique_ptr<system::Evaluator> evaluator = locked.make_evaluator(guess);
  if (locked.reduction() == system::Reduction::ranks) {
    return std::make_unique<ArrayEvaluator>(std::move(evaluator), locked);
  }
  const std::shared_ptr<const system::EquationSet> constraints = locked.constraints();
  if (constraints == nullptr || constraints->n_rows() == 0) {
    return evaluator;
  }
  const system::ConstraintUse use = locked.constraint_use();
  std::vector<double> nominal;
  for (const system::StateInfo& state : locked.states()) {
    nominal.push_back(state.nominal);
  }
  auto least_change = std::make_unique<ConstraintProjection>(
      constraints, nominal, LeastChange::Algebra::automatic,
      use.kind == Kind::stages_projected ? ConstraintProjection::Matrices::of_steps
                                         : ConstraintProjection::Matrices::of_points);
  if (is_stabilized(use.kind) && PostStabilization::applies(*constraints)) {
    auto stabilization = std::make_unique<PostStabilization>(constraints, locked.states(),
                                                             use.kind == Kind::stabilized
                                                                 ? PostStabilization::Positions::all
                                                                 : PostStabilization::Positions::holonomic,
                                                             use.rate, use.rates);
    if (use.kind == Kind::stabilized_mass) {
      stabilization->use_mass(locked, *evaluator);
    }
    std::unique_ptr<system::Evaluator> projected = std::make_unique<ProjectedEvaluator>(
        std::move(evaluator), std::move(stabilization), system::Projection::results, std::move(least_change));
    return use.frozen.empty() ? std::move(projected)
                              : FrozenControl::make(std::move(projected), locked, use.frozen);
  }
  const system::Projection least = use.kind == Kind::left_alone         ? system::Projection::instants
                                   : use.kind == Kind::stages_projected ? system::Projection::stages
                                                                        : system::Projection::results;
  return std::make_unique<ProjectedEvaluator>(std::move(evaluator), std::move(least_change), least);
}

}  // namespace saltus::reduce
