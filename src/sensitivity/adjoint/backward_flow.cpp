#include "sensitivity/adjoint/backward_flow.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/explicit/tables.hpp"
#include "sensitivity/flow_control.hpp"

namespace saltus::sensitivity {

using system::Evaluation;

BackwardFlow::BackwardFlow(AdjointField& field) : field_(field) {
  const std::size_t n = field.n_states();
  x_.resize(n);
  argument_.resize(n);
  result_.resize(n);
  error_.resize(n);
}

void BackwardFlow::begin() {
  largest_ = 1.0;
  if (stages_ != nullptr) {
    stages_->restart();
  }
}

// In time -t: k = -(∂f/∂x)ᵀ·λ is passed with the step -h.
Evaluation BackwardFlow::explicit_step(const trajectory::SegmentView& segment, double from, double width,
                                       std::span<const double> lambda) {
  const integrate::Tableau& table = integrate::dopri5_table();
  const double h = width * segment.step();
  pulled_.resize(static_cast<std::size_t>(table.n_stages()));
  for (std::size_t i = 0; i < pulled_.size(); ++i) {
    const double theta = from - table.c[i] * width;
    segment.evaluate(theta, x_);
    const std::span<const double> row = table.row(static_cast<int>(i));
    std::copy(lambda.begin(), lambda.end(), argument_.begin());
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t e = 0; e < argument_.size() && row[j] != 0.0; ++e) {
        argument_[e] += h * row[j] * pulled_[j].x[e];
      }
    }
    const double t = segment.start_time() + theta * segment.step();
    if (const Evaluation evaluation = field_.pull_rates(t, x_, argument_, pulled_[i]); !evaluation.ok()) {
      return evaluation;
    }
  }
  for (std::size_t e = 0; e < result_.size(); ++e) {
    double sum = 0.0;
    double difference = 0.0;
    for (std::size_t i = 0; i < pulled_.size(); ++i) {
      sum += table.b[i] * pulled_[i].x[e];
      difference += (table.b[i] - table.b_embedded[i]) * pulled_[i].x[e];
    }
    result_[e] = lambda[e] + h * sum;
    error_[e] = h * difference;
  }
  return {};
}

void BackwardFlow::accept(bool is_implicit, double h, AdjointSums& sums) {
  if (is_implicit) {
    stages_->accept(sums);
  } else {
    const integrate::Tableau& table = integrate::dopri5_table();
    for (std::size_t i = 0; i < pulled_.size(); ++i) {
      if (table.b[i] != 0.0) {
        field_.keep(AdjointField::Of::rates, h * table.b[i], pulled_[i], sums);
      }
    }
  }
  std::copy(result_.begin(), result_.end(), sums.x.begin());
}

double BackwardFlow::error_of(std::span<const double> lambda) const {
  const integrate::Tolerances& tolerances = field_.field().tolerances();
  const std::vector<double>& nominal = field_.field().nominal();
  double most = 0.0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    most = std::max({most, std::abs(lambda[i]) * nominal[i], std::abs(result_[i]) * nominal[i]});
  }
  if (most == 0.0) {
    return 0.0;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const double size = std::max(std::abs(lambda[i]), std::abs(result_[i]));
    const double part =
        error_[i] / (tolerances.rtol * size + tolerances.atol[i] / nominal[i] * most / nominal[i]);
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(lambda.size(), 1)));
}

Evaluation BackwardFlow::pass(const TapeStep& step, AdjointSums& sums) {
  if (sums.x.empty()) {
    return {};
  }
  const trajectory::SegmentView segment = step.view();
  if (step.is_implicit && stages_ == nullptr) {
    stages_ = std::make_unique<BackwardStages>(field_);
  } else if (!step.is_implicit && stages_ != nullptr) {
    stages_->restart();
  }
  const double exponent = step.is_implicit ? kImplicitExponent : kExplicitExponent;
  double theta = 1.0;
  while (theta > 0.0) {
    const double width = FlowControl::width(largest_, theta);
    const Evaluation evaluation = step.is_implicit
                                      ? stages_->step(segment, theta, width, sums.x, result_, error_)
                                      : explicit_step(segment, theta, width, sums.x);
    if (!evaluation.ok()) {
      return evaluation;
    }
    const double error = field_.field().tolerances().test_error ? error_of(sums.x) : 0.0;
    if (std::isnan(error)) {
      return {Evaluation::Status::not_finite, 0};
    }
    if (error > 1.0) {
      largest_ = FlowControl::shorter(width, error, exponent);
      if (largest_ < kLeastPartOfStep) {
        return {Evaluation::Status::no_convergence, -1};
      }
      continue;
    }
    accept(step.is_implicit, width * segment.step(), sums);
    theta = width == theta ? 0.0 : theta - width;
    largest_ = FlowControl::next(largest_, width, error, exponent);
  }
  return {};
}

}  // namespace saltus::sensitivity
