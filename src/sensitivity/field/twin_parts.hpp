/// Tangents with a part by differences: of columns that move a parameter which is zero.
///
/// Problem    equations are compiled without the terms of parameters that are zero, and so are their tangents
/// Method     tangents along time, states and discrete values as they are; for these columns, whose directions move no parameter, the twins at the
///            same point give the rest. A field that takes its points onto a surface moves them with the parameter (Points::moved): there the twins are
///            evaluated at points that are moved along the seeds, and give the whole.
/// Contract   system::Tangents
/// Fails when differences cannot be believed (twin_difference.hpp)
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sensitivity/field/difference_tangents.hpp"
#include "sensitivity/field/twin_difference.hpp"

namespace saltus::sensitivity {

class TwinParts final : public system::Tangents {
 public:
  using Twins = std::vector<std::vector<DifferenceTangents::TwinEvaluator>>;
  enum class Points { same, moved };

  /// `twins` by direction; none where the tangents are whole.
  TwinParts(std::unique_ptr<system::Tangents> tangents, Twins twins, system::Configuration configuration,
            Points points)
      : tangents_(std::move(tangents)),
        twins_(std::move(twins)),
        configuration_(std::move(configuration)),
        points_(points) {}

  void take_twins(Twins twins) { twins_ = std::move(twins); }
  void set_configuration(const system::Configuration& configuration) {
    configuration_ = configuration;
    for (const auto& column : twins_) {
      for (const DifferenceTangents::TwinEvaluator& twin : column) {
        twin.evaluator->set_configuration(configuration);
      }
    }
  }

  system::Evaluation rates(double t, std::span<const double> x, const system::Seeds& seeds,
                           std::span<double> tangents) override {
    return add(tangents_->rates(t, x, seeds, tangents), {t, x}, seeds, tangents,
               [](system::Evaluator& twin, const Point& at, std::span<double> values) {
                 return twin.rhs(at.t, at.x, values);
               });
  }
  system::Evaluation outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                             std::span<double> tangents) override {
    return add(tangents_->outputs(t, x, seeds, tangents), {t, x}, seeds, tangents,
               [](system::Evaluator& twin, const Point& at, std::span<double> values) {
                 return twin.outputs(at.t, at.x, values);
               });
  }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            const system::Seeds& seeds, std::span<double> tangents) override {
    return add(tangents_->guards(which, t, x, seeds, tangents), {t, x}, seeds, tangents,
               [which](system::Evaluator& twin, const Point& at, std::span<double> values) {
                 return twin.guards(which, at.t, at.x, values);
               });
  }
  void set_time_size(double time) override { tangents_->set_time_size(time); }

 private:
  struct Point {
    double t = 0.0;
    std::span<const double> x;
  };

  template <class Values>
  system::Evaluation add(system::Evaluation evaluation, const Point& at, const system::Seeds& seeds,
                         std::span<double> tangents, Values values) {
    const std::size_t n = twins_.size();
    values_.resize(tangents.size() / n);
    for (std::size_t k = 0; k < n && evaluation.ok(); ++k) {
      if (twins_[k].empty()) {
        continue;
      }
      difference_.begin(values_.size());
      for (const DifferenceTangents::TwinEvaluator& twin : twins_[k]) {
        evaluation = values(*twin.evaluator, moved(at, seeds, k, twin), std::span(values_));
        if (!evaluation.ok()) {
          return evaluation;
        }
        difference_.add(twin, values_);
      }
      if (!difference_.is_believed()) {
        return {system::Evaluation::Status::no_convergence, -1};
      }
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const double part = points_ == Points::moved ? 0.0 : tangents[i * n + k];
        tangents[i * n + k] = part + difference_.derivatives()[i];
      }
    }
    return evaluation;
  }

  Point moved(const Point& at, const system::Seeds& seeds, std::size_t k,
              const DifferenceTangents::TwinEvaluator& twin) {
    if (points_ == Points::same) {
      return at;
    }
    const std::size_t n = twins_.size();
    x_.assign(at.x.begin(), at.x.end());
    for (std::size_t i = 0; i < x_.size() && !seeds.x.empty(); ++i) {
      x_[i] += twin.offset * seeds.x[i * n + k];
    }
    if (!seeds.discrete.empty()) {
      moved_ = configuration_;
      for (std::size_t i = 0; i < moved_.discrete.size(); ++i) {
        moved_.discrete[i] += twin.offset * seeds.discrete[i * n + k];
      }
      twin.evaluator->set_configuration(moved_);
    }
    return {at.t + (seeds.time.empty() ? 0.0 : twin.offset * seeds.time[k]), x_};
  }

  std::unique_ptr<system::Tangents> tangents_;
  Twins twins_;
  system::Configuration configuration_;
  Points points_;
  std::vector<double> values_;
  std::vector<double> x_;
  system::Configuration moved_;
  TwinDifference difference_;
};

}  // namespace saltus::sensitivity
