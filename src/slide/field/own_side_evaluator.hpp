/// A locked system near surfaces beyond which its side has no value, as an evaluator.
///
/// Problem      points of the solution lie on a surface up to rounding, and stages of the first step away from it may lie a
///              little beyond (at a tangency the first stage goes straight on): |g|^1.5 with |g| locked as g has no value there
/// Method       where an evaluation is not finite and a watched guard has the wrong sign, the evaluation is made next to the
///              surface on the locked side (own_side.hpp) [CMR16] 2.2, of guards that are slid on or stay zero on the side on which it has
///              not failed: for guards within rounding of zero always, for those named by extend() and those that stay zero at any
///              distance: f continued constantly along the gradient. Equations of a residual form
///              are continued in the same way, for their states; their slopes are not.
/// Contract     An Evaluator that owns the one it decorates and changes nothing while that can be evaluated.
/// Cost         one more call; guards, noise and gradients for evaluations that fail
/// Checked by   tests/unit/slide/own_side_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "reduce/nonlinear/forwarding_evaluator.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

class OwnSideEvaluator final : public reduce::ForwardingEvaluator {
 public:
  /// `watched`: guards of relations that can be evaluated in this mode.
  OwnSideEvaluator(std::unique_ptr<system::Evaluator> inner, std::span<const system::StateInfo> states,
                   Index n_guards, std::vector<Index> watched);
  ~OwnSideEvaluator() override;
  OwnSideEvaluator(const OwnSideEvaluator&) = delete;
  OwnSideEvaluator& operator=(const OwnSideEvaluator&) = delete;

  /// Surfaces the solution has just left; replaces those before.
  void extend(std::span<const Index> guards);
  /// Moves a point at which rates have no value next to it, where they have one: residual forms know nothing of sides. True if rates end
  /// at a surface that was just left, here or just beyond it.
  [[nodiscard]] bool settle(double t, std::span<double> x);

  /// Where something else than rates has no value: x next to it, on the sides that are locked. False: it lies on none of their surfaces.
  [[nodiscard]] bool step_beside(double t, std::span<double> x);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;
  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation residual_point(double t, std::span<const double> x, std::span<double> y,
                                    std::span<double> ydot) override;
  [[nodiscard]] system::EquationRunner* residual_runner() override;
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override;
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override;
  /// Those that have a value at x have that one.
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;

  /// Those of the inner evaluator: where that has no value they are not finite.
  [[nodiscard]] std::unique_ptr<system::Tangents> tangents(
      const system::ParameterDirections& directions) override {
    return inner().tangents(directions);
  }
  [[nodiscard]] std::unique_ptr<system::Pullback> pullback(system::Evaluated of) override {
    return inner().pullback(of);
  }

  void fields(Archive& a) override;
  /// Whether residual_runner() has been asked for and there is one.
  [[nodiscard]] bool has_runner() const { return runner_ != nullptr; }

 private:
  // The runner of the inner evaluator, with points moved likewise.
  class Runner;
  void take_sides(const system::Configuration& configuration);
  [[nodiscard]] bool ends_at_surface(double t, std::span<const double> x);
  // Whether x could be moved: then moved_ is next to it, on the sides that are locked.
  [[nodiscard]] bool move(double t, std::span<const double> x);

  std::vector<double> nominal_;
  std::vector<Index> watched_;
  std::vector<double> sides_;
  std::vector<std::uint8_t> is_extended_;
  std::vector<double> moved_;
  std::vector<double> gradient_;
  std::vector<double> column_;
  std::vector<double> column_values_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace saltus::slide
