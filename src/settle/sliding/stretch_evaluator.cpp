// Outputs of a stretch after the run: the configuration and what was slid on are all that is needed.
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "reduce/nonlinear/forwarding_evaluator.hpp"
#include "reduce/projected_evaluator.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/mode_cache.hpp"
#include "settle/state/run.hpp"
#include "settle/state/state_map.hpp"

namespace saltus::settle {
namespace {

// Evaluators of modes may refer to these.
using Locked = std::vector<std::shared_ptr<const system::LockedDae>>;

// An evaluator with the system that it belongs to.
class LockedEvaluator final : public reduce::ForwardingEvaluator {
 public:
  LockedEvaluator(Locked locked, std::unique_ptr<system::Evaluator> inner)
      : ForwardingEvaluator(std::move(inner)), locked_(std::move(locked)) {}
  [[nodiscard]] std::unique_ptr<system::Tangents> tangents(
      const system::ParameterDirections& directions) override {
    return inner().tangents(directions);
  }
  [[nodiscard]] std::unique_ptr<system::Pullback> pullback(system::Evaluated of) override {
    return inner().pullback(of);
  }

 private:
  Locked locked_;
};

// A sliding field with the evaluators that it decorates.
class OwningEvaluator final : public system::Evaluator {
 public:
  OwningEvaluator(Locked locked, std::unique_ptr<system::Evaluator> plus,
                  std::unique_ptr<system::Evaluator> minus, PairField made)
      : locked_(std::move(locked)),
        plus_(std::move(plus)),
        minus_(std::move(minus)),
        made_(std::move(made)),
        field_(made_.field.get()) {}

  void set_configuration(const system::Configuration& configuration) override {
    field_->set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { field_->set_latched(guard, value); }
  [[nodiscard]] system::Projection projection() const override { return system::Projection::stages; }
  system::Evaluation project(double t, std::span<double> x) override { return field_->project(t, x); }
  void keep_along(double t, std::span<const double> x, std::span<double> gradient) override {
    field_->keep_along(t, x, gradient);
  }
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    return field_->rhs(t, x, xdot);
  }
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    return field_->outputs(t, x, values);
  }
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    return field_->outputs_block(t, x, values);
  }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override {
    return field_->guards(which, t, x, values);
  }
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override {
    return field_->guard_gradient(i, t, x, gradient, time_derivative);
  }
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override {
    return field_->guard_derivatives(i, t, x, derivatives);
  }
  double guard_noise(Index i, double t, std::span<const double> x) override {
    return field_->guard_noise(i, t, x);
  }
  void copy_output_solutions(std::span<double> guess) const override { field_->copy_output_solutions(guess); }
  void set_output_solutions(std::span<const double> guess) override { field_->set_output_solutions(guess); }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override {
    return field_->describe(evaluation, t);
  }
  [[nodiscard]] std::unique_ptr<system::Tangents> tangents(
      const system::ParameterDirections& directions) override {
    return field_->tangents(directions);
  }

  void fields(Archive& a) override {
    // Not saved: locked_, field_.
    a.know(*plus_);
    if (minus_ != nullptr) {
      a.know(*minus_);
    }
    if (made_.mapped != nullptr) {
      a.know<system::Evaluator>(*made_.mapped);
    }
    a(made_.field, made_.mapped, plus_, minus_);
  }

 private:
  Locked locked_;
  std::unique_ptr<system::Evaluator> plus_;
  std::unique_ptr<system::Evaluator> minus_;
  PairField made_;
  slide::SlidingField* field_;
};

}  // namespace

std::unique_ptr<system::Evaluator> make_stretch_evaluator(const system::HybridSystem& system,
                                                          const Options& options,
                                                          const system::Configuration& configuration,
                                                          std::span<const Index> surfaces, double level,
                                                          std::span<const double> guess) {
  auto locked = system.lock(system.structure_of(configuration));
  if (!locked) {
    return nullptr;
  }
  std::vector<Index> watched;
  for (std::size_t i = 0; i < system.guards().size(); ++i) {
    if ((*locked)->watches(static_cast<Index>(i))) {
      watched.push_back(static_cast<Index>(i));
    }
  }
  std::unique_ptr<system::Evaluator> own = std::make_unique<slide::OwnSideEvaluator>(
      reduce::make_reduced_evaluator(**locked, guess), (*locked)->states(),
      static_cast<Index>(system.guards().size()), std::move(watched));
  own->set_configuration(configuration);
  Locked used{*locked};
  if (surfaces.empty()) {
    return std::make_unique<LockedEvaluator>(std::move(used), std::move(own));
  }
  std::vector<double> weights;
  for (const Index surface : surfaces) {
    weights.push_back(configuration.latched[static_cast<std::size_t>(surface)]);
  }
  std::unique_ptr<system::Evaluator> other;
  PairField made;
  const auto pair = surfaces.size() != 1 ? std::nullopt
                    : level != 0.0       ? band_of(system, configuration.mode, surfaces[0])
                                         : pair_of(system, configuration.mode, surfaces[0]);
  if (pair && !pair->has_jump) {
    auto partner = system.lock(pair->other(configuration.mode));
    if (!partner) {
      return nullptr;
    }
    other = reduce::make_reduced_evaluator(**partner);
    other->set_configuration(configuration);
    used.push_back(*partner);
    const PairSide mine{own.get(), used[0].get()};
    const PairSide others{other.get(), used[1].get()};
    const bool is_plus = pair->plus == configuration.mode;
    made = make_pair_field(system, is_plus ? mine : others, is_plus ? others : mine);
    if (!made.field) {
      return nullptr;
    }
  } else {
    std::vector<double> nominal;
    for (const system::StateInfo& state : (*locked)->states()) {
      nominal.push_back(state.nominal);
    }
    made.field = std::make_unique<slide::SlidingField>(*own, static_cast<Index>(nominal.size()),
                                                       system.guards(), nominal);
    made.field->add_constraints({sliding_constraints(**locked)});
  }
  slide::SlidingSet set;
  set.surfaces = surfaces;
  set.configuration = &configuration;
  set.weights = weights;
  set.level = level;
  set.rule = options.sliding_rule;
  made.field->begin(set);
  return std::make_unique<OwningEvaluator>(std::move(used), std::move(own), std::move(other),
                                           std::move(made));
}

}  // namespace saltus::settle
