/// Guards of a CallbackModel at a point: values, gradients by differences where none are given, roundings.
///
/// Method       central differences with the step ε^⅓ of the size of a state [HNW93] II.8
/// Contract     does not allocate after construction
/// Checked by   tests/unit/callback/callback_system_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "callback/callback_model.hpp"
#include "system/evaluation.hpp"

namespace saltus::callback {

class GuardCalls {
 public:
  explicit GuardCalls(std::shared_ptr<const CallbackModel> model);

  /// Of all that are no affine ones, the function is asked once.
  system::Evaluation values(std::span<const Index> which, const CallbackPoint& at, std::span<double> values);
  [[nodiscard]] double value(Index guard, const CallbackPoint& at);
  void gradient(Index guard, const CallbackPoint& at, std::span<double> gradient, double& time_derivative);
  /// Bound of the roundings in a value.
  [[nodiscard]] double noise(Index guard, const CallbackPoint& at);
  /// … in a rate, relative to the sum of its terms.
  [[nodiscard]] double rate_noise(Index guard) const;

 private:
  std::shared_ptr<const CallbackModel> model_;
  std::vector<double> values_;
  std::vector<double> gradient_;
  std::vector<double> moved_;
};

}  // namespace saltus::callback
