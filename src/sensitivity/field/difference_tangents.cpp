#include "sensitivity/field/difference_tangents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "system/stencil.hpp"

namespace saltus::sensitivity {

using system::Evaluation;

namespace {

// Of its size, a state between two twins: truncation is the fourth power of it.
constexpr double kMostTwinMotion = 0x1p-7;
// The same where there is no other way: 1.5e-5 of what the fourth power is multiplied by.
constexpr double kMostMotionOnConstraints = 0x1p-4;

}  // namespace

DifferenceTangents::DifferenceTangents(system::Evaluator& evaluator,
                                       const system::Configuration& configuration, Sizes sizes,
                                       std::vector<std::vector<TwinEvaluator>> twins)
    : evaluator_(evaluator),
      configuration_(configuration),
      sizes_(std::move(sizes)),
      twins_(std::move(twins)),
      x_(sizes_.nominal.size()) {}

// How far along a direction no argument moves by more than its part; 0: nothing moves.
double DifferenceTangents::step_along(std::span<const double> x, const system::Seeds& seeds,
                                      std::size_t direction) const {
  const std::size_t n = twins_.size();
  double most = seeds.time.empty() ? 0.0 : std::abs(seeds.time[direction]) / sizes_.time;
  for (std::size_t i = 0; i < x.size() && !seeds.x.empty(); ++i) {
    most = std::max(most, std::abs(seeds.x[i * n + direction]) / std::max(std::abs(x[i]), sizes_.nominal[i]));
  }
  for (std::size_t i = 0; i < configuration_.discrete.size() && !seeds.discrete.empty(); ++i) {
    const double size = std::max(std::abs(configuration_.discrete[i]), 1.0);
    most = std::max(most, std::abs(seeds.discrete[i * n + direction]) / size);
  }
  return most > 0.0 ? system::Stencil::kPart / most : 0.0;
}

double DifferenceTangents::motion_between_twins(std::span<const double> x, const system::Seeds& seeds,
                                                std::size_t direction) const {
  const std::size_t n = twins_.size();
  double most = 0.0;
  for (const TwinEvaluator& twin : twins_[direction]) {
    for (std::size_t i = 0; i < x.size() && !seeds.x.empty(); ++i) {
      const double size = std::max(std::abs(x[i]), sizes_.nominal[i]);
      most = std::max(most, std::abs(twin.offset * seeds.x[i * n + direction]) / size);
    }
  }
  return most;
}

// The parameter and the direction together: points that constraints hold for stay such, up to the square of the offset.
template <class Values, class Add>
Evaluation DifferenceTangents::along_twins(double t, std::span<const double> x, const system::Seeds& seeds,
                                           std::size_t direction, Values values, Add add) {
  const std::size_t n = twins_.size();
  for (const TwinEvaluator& twin : twins_[direction]) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x_[i] = x[i] + (seeds.x.empty() ? 0.0 : twin.offset * seeds.x[i * n + direction]);
    }
    moved_ = configuration_;
    for (std::size_t i = 0; i < moved_.discrete.size() && !seeds.discrete.empty(); ++i) {
      moved_.discrete[i] += twin.offset * seeds.discrete[i * n + direction];
    }
    twin.evaluator->set_configuration(moved_);
    const double time = seeds.time.empty() ? 0.0 : twin.offset * seeds.time[direction];
    const Evaluation outcome =
        values(*twin.evaluator, t + time, std::span<const double>(x_), std::span(values_));
    if (!outcome.ok()) {
      return outcome;
    }
    add(direction, twin.weight);
  }
  return {};
}

template <class Values>
Evaluation DifferenceTangents::differentiate(double t, std::span<const double> x, const system::Seeds& seeds,
                                             std::size_t n_values, Values values,
                                             std::span<double> tangents) {
  const std::size_t n = twins_.size();
  values_.resize(n_values);
  std::fill(tangents.begin(), tangents.end(), 0.0);
  const auto add = [&](std::size_t direction, double weight) {
    for (std::size_t i = 0; i < n_values; ++i) {
      tangents[i * n + direction] += weight * values_[i];
    }
  };
  const bool moves_discrete = std::any_of(seeds.discrete.begin(), seeds.discrete.end(),
                                          [](double tangent) { return tangent != 0.0; });
  Evaluation outcome;
  for (std::size_t k = 0; k < n && outcome.ok(); ++k) {
    const bool has_twins = !twins_[k].empty();
    const double motion = motion_between_twins(x, seeds, k);
    if (has_twins && motion <= (sizes_.needs_constraints ? kMostMotionOnConstraints : kMostTwinMotion)) {
      outcome = along_twins(t, x, seeds, k, values, add);
      continue;
    }
    if (has_twins && sizes_.needs_constraints) {
      outcome = {Evaluation::Status::not_finite, -1};
      continue;
    }
    for (const TwinEvaluator& twin : twins_[k]) {
      outcome = values(*twin.evaluator, t, x, std::span(values_));
      if (!outcome.ok()) {
        break;
      }
      add(k, twin.weight);
    }
    const double step = step_along(x, seeds, k);
    for (std::size_t s = 0; s < system::Stencil::offsets.size() && step > 0.0 && outcome.ok(); ++s) {
      const double eta = system::Stencil::offsets[s] * step;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x_[i] = x[i] + (seeds.x.empty() ? 0.0 : eta * seeds.x[i * n + k]);
      }
      if (moves_discrete) {
        moved_ = configuration_;
        for (std::size_t i = 0; i < moved_.discrete.size(); ++i) {
          moved_.discrete[i] += eta * seeds.discrete[i * n + k];
        }
        evaluator_.set_configuration(moved_);
      }
      outcome = values(evaluator_, t + (seeds.time.empty() ? 0.0 : eta * seeds.time[k]),
                       std::span<const double>(x_), std::span(values_));
      if (outcome.ok()) {
        add(k, system::Stencil::weights[s] / step);
      }
    }
  }
  if (moves_discrete) {
    evaluator_.set_configuration(configuration_);
  }
  return outcome;
}

Evaluation DifferenceTangents::rates(double t, std::span<const double> x, const system::Seeds& seeds,
                                     std::span<double> tangents) {
  const auto values = [](system::Evaluator& evaluator, double time, std::span<const double> at,
                         std::span<double> out) { return evaluator.rhs(time, at, out); };
  return differentiate(t, x, seeds, x.size(), values, tangents);
}

Evaluation DifferenceTangents::outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                                       std::span<double> tangents) {
  const auto values = [](system::Evaluator& evaluator, double time, std::span<const double> at,
                         std::span<double> out) { return evaluator.outputs(time, at, out); };
  return differentiate(t, x, seeds, sizes_.n_variables, values, tangents);
}

Evaluation DifferenceTangents::guards(std::span<const Index> which, double t, std::span<const double> x,
                                      const system::Seeds& seeds, std::span<double> tangents) {
  const auto values = [which](system::Evaluator& evaluator, double time, std::span<const double> at,
                              std::span<double> out) { return evaluator.guards(which, time, at, out); };
  return differentiate(t, x, seeds, which.size(), values, tangents);
}

}  // namespace saltus::sensitivity
