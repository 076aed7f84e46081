/// Derivatives of all variables along the solution: ż of an algebraic variable z = z(t, x) too.
///
/// Method     ż = ∂z/∂t + ∂z/∂x·ẋ is the tangent of the outputs along (1, ẋ) (system/tangents.hpp), which is exact; what is held between
///            events rests. A field that offers no tangents (sliding, rest) is differentiated along the same direction by differences, with
///            steps over shorter and shorter times until two of them agree.
/// Contract   NaN where the mode does not have a variable, where it has no derivative and where differences do not agree. Belongs to the
///            evaluator that was asked last, until bind().
/// Choices    kMostDisagreement: differences are good to about 1e-10 of the sizes of what they are taken of; what differs by more than a
///            thousand times that between two steps is not resolved.
/// Checked by tests/unit/api/columns_test.cpp, tests/unit/api/point_derivatives_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "system/locked_dae.hpp"

namespace saltus::api {

class FlowRates {
 public:
  /// The points that follow belong to this system; evaluators that were asked before are forgotten.
  void bind(const system::LockedDae& locked, std::size_t n_variables);
  /// At (t, x) with ẋ; by variable.
  void evaluate(system::Evaluator& evaluator, double t, std::span<const double> x,
                std::span<const double> xdot, std::span<double> rates);

 private:
  static constexpr double kMostDisagreement = 1e-7;

  void by_differences(double t, std::span<const double> x, const system::Seeds& seeds,
                      std::span<double> rates);

  const system::LockedDae* locked_ = nullptr;
  std::size_t n_variables_ = 0;
  system::Evaluator* evaluator_ = nullptr;
  std::unique_ptr<system::Tangents> tangents_;  // of evaluator_; null: it has none
  std::vector<double> values_;
};

}  // namespace saltus::api
