/// A system whose states have constraints, as an evaluator: every result of a step is moved onto all of them.
///
/// Problem      ẋ = f(t, x) leaves the set g(t, x) = 0 invariant, a numerical solution drifts off it
/// Method       coordinate projection [HW96] VII.2 after every step (constraint_projection.hpp), or another projector: the order of a
///              one-step method is kept, since the change is of the order of the local error
/// Contract     An Evaluator that owns the one it decorates; projection() is what it was made for, at least. The projection depends on the
///              point alone, but for steps of large systems (keep_solutions() was called), which keep matrices.
/// Fails when   no state nearby satisfies the constraints: no_projection, described by the equation and its line
/// Checked by   tests/unit/reduce/projected_evaluator_test.cpp
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/archive.hpp"
#include "reduce/nonlinear/forwarding_evaluator.hpp"
#include "reduce/project/projector.hpp"

namespace saltus::reduce {

class ProjectedEvaluator final : public ForwardingEvaluator {
 public:
  /// `least`: what is projected at least. `instants`: what projects at instants; null: `projector`.
  ProjectedEvaluator(std::unique_ptr<system::Evaluator> inner, std::unique_ptr<Projector> projector,
                     system::Projection least = system::Projection::results,
                     std::unique_ptr<Projector> instants = nullptr);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  [[nodiscard]] system::Projection projection() const override;
  system::Evaluation project(double t, std::span<double> x) override;
  system::Evaluation project_instant(double t, std::span<double> x) override;
  void keep_along(double t, std::span<const double> x, std::span<double> gradient) override;
  void keep_solutions() override;
  /// Of rates, outputs and guards as they are where x lies: projections are not part of them.
  [[nodiscard]] std::unique_ptr<system::Tangents> tangents(
      const system::ParameterDirections& directions) override {
    return inner().tangents(directions);
  }
  [[nodiscard]] std::unique_ptr<system::Pullback> pullback(system::Evaluated of) override {
    return inner().pullback(of);
  }
  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override;

  void fields(Archive& a) override {
    ForwardingEvaluator::fields(a);
    // Not saved: least_.
    a(projector_, instants_);
  }

 private:
  std::unique_ptr<Projector> projector_;
  std::unique_ptr<Projector> instants_;
  system::Projection least_;
};

/// The evaluator of a mode with what its reduction needs around it: projection onto constraints, or the derivative array. Constraints of a
/// structure that post-stabilisation is not made for (post_stabilization.hpp) are met by the least change.
[[nodiscard]] std::unique_ptr<system::Evaluator> make_reduced_evaluator(const system::LockedDae& locked,
                                                                        std::span<const double> guess = {});

}  // namespace saltus::reduce
