/// Tangents with a part by differences: of columns that move a parameter which is zero.
///
/// Problem    equations are compiled without the terms of parameters that are zero, and so are their tangents
/// Method     tangents along time, states and discrete values as they are; for these columns, whose directions move no parameter, the twins at the
///            same point give the rest
/// Contract   system::Tangents
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sensitivity/field/difference_tangents.hpp"

namespace saltus::sensitivity {

class TwinParts final : public system::Tangents {
 public:
  using Twins = std::vector<std::vector<DifferenceTangents::TwinEvaluator>>;

  /// `twins` by direction; none where the tangents are whole.
  TwinParts(std::unique_ptr<system::Tangents> tangents, Twins twins)
      : tangents_(std::move(tangents)), twins_(std::move(twins)) {}

  void take_twins(Twins twins) { twins_ = std::move(twins); }
  void set_configuration(const system::Configuration& configuration) {
    for (const auto& column : twins_) {
      for (const DifferenceTangents::TwinEvaluator& twin : column) {
        twin.evaluator->set_configuration(configuration);
      }
    }
  }

  system::Evaluation rates(double t, std::span<const double> x, const system::Seeds& seeds,
                           std::span<double> tangents) override {
    return add(tangents_->rates(t, x, seeds, tangents), tangents,
               [&](system::Evaluator& twin, std::span<double> values) { return twin.rhs(t, x, values); });
  }
  system::Evaluation outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                             std::span<double> tangents) override {
    return add(tangents_->outputs(t, x, seeds, tangents), tangents,
               [&](system::Evaluator& twin, std::span<double> values) { return twin.outputs(t, x, values); });
  }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            const system::Seeds& seeds, std::span<double> tangents) override {
    return add(
        tangents_->guards(which, t, x, seeds, tangents), tangents,
        [&](system::Evaluator& twin, std::span<double> values) { return twin.guards(which, t, x, values); });
  }
  void set_time_size(double time) override { tangents_->set_time_size(time); }

 private:
  template <class Values>
  system::Evaluation add(system::Evaluation evaluation, std::span<double> tangents, Values values) {
    const std::size_t n = twins_.size();
    values_.resize(tangents.size() / n);
    for (std::size_t k = 0; k < n && evaluation.ok(); ++k) {
      for (const DifferenceTangents::TwinEvaluator& twin : twins_[k]) {
        evaluation = values(*twin.evaluator, std::span(values_));
        for (std::size_t i = 0; i < values_.size() && evaluation.ok(); ++i) {
          tangents[i * n + k] += twin.weight * values_[i];
        }
      }
    }
    return evaluation;
  }

  std::unique_ptr<system::Tangents> tangents_;
  Twins twins_;
  std::vector<double> values_;
};

}  // namespace saltus::sensitivity
