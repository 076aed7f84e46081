/// The smooth system of one mode of a CallbackModel in one configuration. Of a mode with a residual: its guards and outputs; the
/// rates come from ranks (reduce/ranks/array_evaluator.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "callback/guard_calls.hpp"
#include "callback/own_side.hpp"
#include "callback/side_weights.hpp"
#include "system/evaluator.hpp"

namespace saltus::callback {

class CallbackEvaluator final : public system::Evaluator {
 public:
  CallbackEvaluator(std::shared_ptr<const CallbackModel> model, std::size_t mode);

  void set_configuration(const system::Configuration& configuration) override;
  void set_latched(Index guard, double value) override;

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override;
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override;

  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override;
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override;
  [[nodiscard]] system::AffineGuard affine_guard(Index i) const override;
  system::Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives) override;

  [[nodiscard]] std::string describe(const system::Evaluation& evaluation, double t) const override;

 private:
  struct Rate {
    double value = 0.0;
    double noise = 0.0;
  };

  [[nodiscard]] bool blend(double t, std::span<const double> x, std::span<double> xdot);
  [[nodiscard]] bool ask(CallbackPoint at, std::span<double> xdot);
  system::Evaluation rate_of(Index i, double t, std::span<const double> x, Rate& rate);
  system::Evaluation rate_change(Index i, double t, std::span<const double> x, double delta, Rate& change);
  system::Evaluation second_derivative(Index i, double t, std::span<const double> x,
                                       system::GuardDerivatives& derivatives);

  std::shared_ptr<const CallbackModel> model_;
  const CallbackRhs& rhs_;
  std::size_t n_states_;
  SideWeights weights_;
  GuardCalls guards_;
  std::optional<OwnSide> own_side_;  // where the right-hand side chooses its sides
  std::vector<double> gradient_;
  std::vector<double> along_;   // the field where differences begin
  std::vector<double> field_;   // the field where a rate is asked
  std::vector<double> corner_;  // the field at one corner of the blend
  std::vector<Index> state_indices_;
  std::vector<double> point_x_;
  std::vector<double> point_values_;
};

}  // namespace saltus::callback
