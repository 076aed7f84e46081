#include "sensitivity/linear_flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
  path_.clear();
  next_h_ = 0.0;
  is_at_start_ = true;
  has_first_stage_ = false;
  if (implicit_ != nullptr) {
    implicit_->stages.restart();
  }
}

void LinearFlow::follow(const trajectory::SegmentView& segment, bool is_implicit) {
  if (segment.step() == 0.0) {
    return;
  }
  if (path_.n_pieces() == 0) {
    at_ = {};
    if (std::exchange(is_implicit_, is_implicit) != is_implicit && implicit_ != nullptr) {
      implicit_->stages.restart();
    }
    has_first_stage_ = has_first_stage_ && !is_implicit;
  }
  path_.append(segment);
}

bool LinearFlow::can_step(bool to_end) const {
  if (path_.n_pieces() == 0 || to_end) {
    return path_.n_pieces() != 0;
  }
  return path_.n_pieces() >= kMostRunSteps || std::abs(path_.between(at_, path_.end())) >= next_h_;
}

system::Evaluation LinearFlow::explicit_step(double h, std::span<const double> discrete,
                                             std::span<const double> s) {
  const integrate::Tableau& table = integrate::dopri5_table();
  stages_.resize(static_cast<std::size_t>(table.n_stages()));
  for (std::size_t i = has_first_stage_ ? 1 : 0; i < stages_.size(); ++i) {
    const SolutionPath::Place place = path_.after(at_, table.c[i] * h);
    path_.evaluate(place, x_);
    const std::span<const double> row = table.row(static_cast<int>(i));
    std::copy(s.begin(), s.end(), argument_.begin());
    for (std::size_t j = 0; j < i; ++j) {
      const double weight = h * row[j];
      for (std::size_t e = 0; e < argument_.size() && weight != 0.0; ++e) {
        argument_[e] += weight * stages_[j][e];
      }
    }
    stages_[i].resize(argument_.size());
    const system::Evaluation evaluation =
        field_.tangents().rates(path_.time(place), x_, {source_.fixed_time, argument_, discrete}, stages_[i]);
    if (!evaluation.ok()) {
      return evaluation;
    }
    has_first_stage_ = true;
  }
  // The last argument is the result.
  std::copy(argument_.begin(), argument_.end(), result_.begin());
  std::fill(error_.begin(), error_.end(), 0.0);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const double weight = h * (table.b[i] - table.b_embedded[i]);
    for (std::size_t e = 0; e < error_.size() && weight != 0.0; ++e) {
      error_[e] += weight * stages_[i][e];
    }
  }
  return {};
}

void LinearFlow::make_implicit() {
  if (implicit_ == nullptr) {
    implicit_ = std::make_unique<Implicit>(Implicit{ImplicitStages(source_, field_)});
  }
}

// One step in u and two of half its length; the two count.
system::Evaluation LinearFlow::open_step(double from, double width, double end,
                                         std::span<const double> discrete, std::span<const double> s) {
  ImplicitStages& stages = implicit_->stages;
  system::Evaluation evaluation = stages.open_step({path_, at_, from, width, end}, discrete, s, error_);
  if (evaluation.ok()) {
    evaluation = stages.open_step({path_, at_, from, 0.5 * width, end}, discrete, s, argument_);
  }
  if (evaluation.ok()) {
    evaluation =
        stages.open_step({path_, at_, from + 0.5 * width, 0.5 * width, end}, discrete, argument_, result_);
  }
  for (std::size_t e = 0; e < error_.size(); ++e) {
    error_[e] -= result_[e];
  }
  return evaluation;
}

// From a point at which the equations have no derivative on; `end`: time that it takes.
system::Evaluation LinearFlow::leave_singular_point(double end, std::span<const double> discrete,
                                                    std::span<const double> s) {
  make_implicit();
  std::vector<double> current(s.begin(), s.end());
  double u = 0.0;
  double width = 1.0;
  while (u < 1.0) {
    width = std::min(width, 1.0 - u);
    if (const system::Evaluation evaluation = open_step(u, width, end, discrete, current); !evaluation.ok()) {
      return evaluation;
    }
    const double error = field_.tolerances().test_error ? error_of(current) : 0.0;
    if (!(error <= 1.0)) {
      width *= 0.5;
      if (width < kLeastPartOfStep) {
        return {system::Evaluation::Status::no_convergence, -1};
      }
      continue;
    }
    current = result_;
    u = width == 1.0 - u ? 1.0 : u + width;
    width *= 2.0;
  }
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

system::Evaluation LinearFlow::step(bool to_end, double next_row, std::span<const double> discrete,
                                    std::span<const double> s) {
  const double rest = path_.between(at_, path_.end());
  const double first = path_.piece(0).step();
  const double least = kLeastPartOfStep * std::abs(first);
  const double exponent = is_implicit_ ? kImplicitExponent : kExplicitExponent;
  if (next_h_ == 0.0) {
    next_h_ = std::abs(first);
  }
  is_singular_ = false;
  while (true) {
    const double wanted = std::copysign(next_h_, rest);
    // Two of one length rather than a long one and a crumb.
    const bool is_last = next_h_ >= (1.0 - kLeastPartOfStep) * std::abs(rest);
    h_ = is_last ? rest : to_end && 2.0 * next_h_ > std::abs(rest) ? 0.5 * rest : wanted;
    end_ = is_last ? path_.end() : path_.after(at_, h_);
    if (is_implicit_) {
      make_implicit();
    }
    const system::Evaluation evaluation =
        is_implicit_ ? implicit_->stages.step({path_, at_, 0.0, h_}, discrete, s, result_, error_)
                     : explicit_step(h_, discrete, s);
    if (!evaluation.ok() && is_at_start_) {
      const double row = path_.between(at_, path_.place_of(next_row, at_));
      const bool is_row_first = std::isfinite(row) && std::abs(row) < std::abs(first);
      is_singular_ = true;
      h_ = is_row_first ? row : first;
      end_ = is_row_first ? path_.place_of(next_row, at_) : SolutionPath::Place{0, 1.0};
      return leave_singular_point(h_, discrete, s);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
    const double error = field_.tolerances().test_error ? error_of(s) : 0.0;
    if (std::isnan(error)) {
      return {system::Evaluation::Status::not_finite, 0};
    }
    const double width = std::abs(h_);
    if (error > 1.0) {
      next_h_ = FlowControl::shorter(width, error, exponent);
      if (next_h_ < least) {
        return {system::Evaluation::Status::no_convergence, -1};
      }
      continue;
    }
    // A step that was cut short at the end says little about longer ones.
    const double longer = width * FlowControl::factor(error, exponent);
    next_h_ = width < next_h_ ? std::max(next_h_, longer) : longer;
    return {};
  }
}

void LinearFlow::interpolate(double t, std::span<const double> s, std::span<double> x,
                             std::span<double> out) {
  const SolutionPath::Place place = path_.place_of(t, at_);
  path_.evaluate(place, x);
  const double theta = path_.between(at_, place) / h_;
  if (is_implicit_) {
    implicit_->stages.interpolate(theta, s, error_, out);
    return;
  }
  const integrate::DenseTable& dense = integrate::dopri5_table().dense.front();
  const auto degree = static_cast<std::size_t>(dense.degree);
  std::copy(s.begin(), s.end(), out.begin());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    double weight = 0.0;
    for (std::size_t power = degree; power-- > 0;) {
      weight = theta * (weight + dense.polynomial[i * degree + power]);
    }
    weight *= h_;
    for (std::size_t e = 0; e < out.size() && weight != 0.0; ++e) {
      out[e] += weight * stages_[i][e];
    }
  }
}

void LinearFlow::accept(std::span<double> s, std::span<double> x) {
  if (is_singular_) {
    // Nothing of its steps is of use to the next one.
    if (implicit_ != nullptr) {
      implicit_->stages.restart();
    }
    has_first_stage_ = false;
  } else if (is_implicit_) {
    implicit_->stages.accept();
  } else {
    std::swap(stages_.front(), stages_.back());
  }
  is_at_start_ = false;
  std::copy(result_.begin(), result_.end(), s.begin());
  path_.evaluate(end_, x);
  at_ = end_;
  const SolutionPath::Place last = path_.end();
  if (at_.piece == last.piece && at_.theta == 1.0) {
    path_.clear();
  } else {
    path_.drop_before(at_);
  }
}

}  // namespace saltus::sensitivity
