#include "sensitivity/linear_flow.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/explicit/tables.hpp"
#include "sensitivity/flow_control.hpp"
#include "sensitivity/implicit_stages.hpp"

namespace saltus::sensitivity {

struct LinearFlow::Implicit {
  ImplicitStages stages;
};

LinearFlow::LinearFlow(const FieldSource& source, StretchField& field)
    : source_(source), field_(field), x_(field.n_states()) {
  const std::size_t size = field.n_states() * source.n_columns();
  argument_.resize(size);
  result_.resize(size);
  error_.resize(size);
}

LinearFlow::~LinearFlow() = default;

void LinearFlow::begin() {
  largest_ = 1.0;
  is_at_start_ = true;
  if (implicit_ != nullptr) {
    implicit_->stages.restart();
  }
}

system::Evaluation LinearFlow::explicit_step(const trajectory::SegmentView& segment, double from,
                                             double width, std::span<const double> discrete,
                                             std::span<const double> s) {
  const integrate::Tableau& table = integrate::dopri5_table();
  const double h = width * segment.step();
  stages_.resize(static_cast<std::size_t>(table.n_stages()));
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const double theta = from + table.c[i] * width;
    segment.evaluate(theta, x_);
    const std::span<const double> row = table.row(static_cast<int>(i));
    std::copy(s.begin(), s.end(), argument_.begin());
    for (std::size_t j = 0; j < i; ++j) {
      const double weight = h * row[j];
      for (std::size_t e = 0; e < argument_.size() && weight != 0.0; ++e) {
        argument_[e] += weight * stages_[j][e];
      }
    }
    stages_[i].resize(argument_.size());
    const double t = segment.start_time() + theta * segment.step();
    const system::Evaluation evaluation =
        field_.tangents().rates(t, x_, {source_.fixed_time, argument_, discrete}, stages_[i]);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  for (std::size_t e = 0; e < result_.size(); ++e) {
    double sum = 0.0;
    double difference = 0.0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      sum += table.b[i] * stages_[i][e];
      difference += (table.b[i] - table.b_embedded[i]) * stages_[i][e];
    }
    result_[e] = s[e] + h * sum;
    error_[e] = h * difference;
  }
  return {};
}

void LinearFlow::make_implicit() {
  if (implicit_ == nullptr) {
    implicit_ = std::make_unique<Implicit>(Implicit{ImplicitStages(source_, field_)});
  }
}

system::Evaluation LinearFlow::implicit_step(const trajectory::SegmentView& segment, double from,
                                             double width, std::span<const double> discrete,
                                             std::span<const double> s) {
  make_implicit();
  return implicit_->stages.step({segment, from, width}, discrete, s, result_, error_);
}

// One step in u and two of half its length; the two count.
system::Evaluation LinearFlow::open_step(const trajectory::SegmentView& segment, double from, double width,
                                         double end, std::span<const double> discrete,
                                         std::span<const double> s) {
  ImplicitStages& stages = implicit_->stages;
  system::Evaluation evaluation = stages.open_step({segment, from, width, end}, discrete, s, error_);
  if (evaluation.ok()) {
    evaluation = stages.open_step({segment, from, 0.5 * width, end}, discrete, s, argument_);
  }
  if (evaluation.ok()) {
    evaluation =
        stages.open_step({segment, from + 0.5 * width, 0.5 * width, end}, discrete, argument_, result_);
  }
  for (std::size_t e = 0; e < error_.size(); ++e) {
    error_[e] -= result_[e];
  }
  return evaluation;
}

// From a point at which the equations have no derivative to `end`.
system::Evaluation LinearFlow::leave_singular_point(const trajectory::SegmentView& segment, double end,
                                                    std::span<const double> discrete, std::span<double> s) {
  make_implicit();
  double u = 0.0;
  double width = 1.0;
  while (u < 1.0) {
    width = std::min(width, 1.0 - u);
    if (const system::Evaluation evaluation = open_step(segment, u, width, end, discrete, s);
        !evaluation.ok()) {
      return evaluation;
    }
    const double error = field_.tolerances().test_error ? error_of(s) : 0.0;
    if (!(error <= 1.0)) {
      width *= 0.5;
      if (width < kLeastPartOfStep) {
        return {system::Evaluation::Status::no_convergence, -1};
      }
      continue;
    }
    std::copy(result_.begin(), result_.end(), s.begin());
    u = width == 1.0 - u ? 1.0 : u + width;
    width *= 2.0;
  }
  implicit_->stages.restart();
  return {};
}

// The largest of the columns: mean over the states, in tolerances.
double LinearFlow::error_of(std::span<const double> s) const {
  const integrate::Tolerances& tolerances = field_.tolerances();
  const std::size_t n = field_.n_states();
  const std::size_t n_columns = source_.n_columns();
  double most = 0.0;
  for (std::size_t k = 0; k < n_columns; ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t e = i * n_columns + k;
      const double size = std::max(std::abs(s[e]), std::abs(result_[e]));
      const double allowed = tolerances.rtol * size + tolerances.atol[i] / source_.setup.columns[k].size;
      const double part = error_[e] / allowed;
      sum += part * part;
    }
    // Not a number counts as too large.
    const double error = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(n, 1)));
    if (!(error <= most)) {
      most = error;
    }
  }
  return most;
}

system::Evaluation LinearFlow::advance(const trajectory::SegmentView& segment, double from, double to,
                                       bool is_implicit, std::span<const double> discrete,
                                       std::span<double> s) {
  if (s.empty() || segment.step() == 0.0) {
    return {};
  }
  const double exponent = is_implicit ? kImplicitExponent : kExplicitExponent;
  double theta = from;
  while (theta < to) {
    const double rest = to - theta;
    const double width = FlowControl::width(largest_, rest);
    const system::Evaluation evaluation = is_implicit ? implicit_step(segment, theta, width, discrete, s)
                                                      : explicit_step(segment, theta, width, discrete, s);
    if (!evaluation.ok() && theta == 0.0 && is_at_start_) {
      is_at_start_ = false;
      return leave_singular_point(segment, to, discrete, s);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
    const double error = field_.tolerances().test_error ? error_of(s) : 0.0;
    if (std::isnan(error)) {
      return {system::Evaluation::Status::not_finite, 0};
    }
    if (error > 1.0) {
      largest_ = FlowControl::shorter(width, error, exponent);
      if (largest_ < kLeastPartOfStep) {
        return {system::Evaluation::Status::no_convergence, -1};
      }
      continue;
    }
    if (implicit_ != nullptr) {
      implicit_->stages.accept();
    }
    is_at_start_ = false;
    std::copy(result_.begin(), result_.end(), s.begin());
    theta = width == rest ? to : theta + width;
    largest_ = FlowControl::next(largest_, width, error, exponent);
  }
  return {};
}

}  // namespace saltus::sensitivity
