/// The smooth system of a CallbackModel in one configuration.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/callback_system.hpp"

namespace saltus::system {

class CallbackEvaluator final : public Evaluator {
 public:
  explicit CallbackEvaluator(std::shared_ptr<const CallbackModel> model);

  void set_configuration(const Configuration& configuration) override;
  void set_latched(Index guard, double value) override;

  Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override;
  Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override;
  Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                           std::span<double> values) override;

  [[nodiscard]] GuardShape guard_shape(Index guard) const override;
  Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                    std::span<double> values) override;
  [[nodiscard]] double guard_noise(Index i, double t, std::span<const double> x) override;
  Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                            double& time_derivative) override;
  [[nodiscard]] AffineGuard affine_guard(Index i) const override;
  Evaluation guard_derivatives(Index i, double t, std::span<const double> x,
                               GuardDerivatives& derivatives) override;

  [[nodiscard]] std::string describe(const Evaluation& evaluation, double t) const override;

 private:
  struct Rate {
    double value = 0.0;
    double noise = 0.0;
  };

  [[nodiscard]] CallbackPoint at(double t, std::span<const double> x) const;
  void blend(double t, std::span<const double> x, std::span<double> xdot);
  [[nodiscard]] double guard_value(Index i, double t, std::span<const double> x);
  void gradient_of(Index i, double t, std::span<const double> x, std::span<double> gradient,
                   double& time_derivative);
  Evaluation rate_of(Index i, double t, std::span<const double> x, Rate& rate);
  Evaluation rate_change(Index i, double t, std::span<const double> x, double delta, Rate& change);
  Evaluation second_derivative(Index i, double t, std::span<const double> x, GuardDerivatives& derivatives);

  std::shared_ptr<const CallbackModel> model_;
  std::size_t n_states_;
  std::vector<double> sides_;
  std::vector<std::uint8_t> is_blended_;
  Index n_blended_ = 0;
  std::vector<double> parameters_;
  std::vector<double> guard_values_;
  std::vector<double> gradient_;
  std::vector<double> moved_;   // x moved, for differences
  std::vector<double> along_;   // the field where differences begin
  std::vector<double> field_;   // the field where a rate is asked
  std::vector<double> corner_;  // the field at one corner of the blend
  std::vector<double> corner_sides_;
  std::vector<Index> state_indices_;
  std::vector<double> point_x_;
  std::vector<double> point_values_;
};

}  // namespace saltus::system
