#include "slide/field/sliding_tangents.hpp"

#include <algorithm>
#include <cmath>

#include "system/stencil.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

}  // namespace

std::unique_ptr<system::Tangents> SlidingField::tangents(const system::ParameterDirections& directions) {
  if (is_pair() || follows_weights() || (construction() == SlidingRule::convex && n_surfaces() > 1)) {
    return nullptr;
  }
  auto inner = plus_.tangents(directions);
  return inner == nullptr ? nullptr
                          : std::make_unique<SlidingTangents>(
                                *this, std::move(inner), static_cast<std::size_t>(directions.n_directions));
}

SlidingTangents::SlidingTangents(SlidingField& field, std::unique_ptr<system::Tangents> inner,
                                 std::size_t n_directions)
    : field_(field),
      inner_(std::move(inner)),
      n_(n_directions),
      rates_(field.n_),
      tangents_(field.n_ * n_directions),
      point_(field.n_) {
  const std::size_t k = field.n_surfaces();
  slopes_.resize(k * field.n_);
  values_.resize(k);
  matrix_.resize(k * k);
  conditions_.resize(k * n_);
  bends_.resize(k * n_);
  weights_.resize(k * n_);
  right_.resize(k);
  solution_.resize(k);
  solver_.resize(static_cast<Index>(k), static_cast<Index>(k));
}

template <class Tangent>
Evaluation SlidingTangents::at_rest(Tangent tangent, std::span<double> tangents) {
  if (!combines()) {
    field_.set_weights();
    return tangent(tangents);
  }
  other_.resize(std::max(other_.size(), tangents.size()));
  const std::span<double> other = std::span(other_).first(tangents.size());
  field_.set_weight(0, -1.0);
  const Evaluation minus = tangent(other);
  field_.set_weight(0, 1.0);
  const Evaluation plus = tangent(tangents);
  field_.set_weights();
  for (std::size_t e = 0; e < tangents.size(); ++e) {
    tangents[e] = share() * tangents[e] + (1.0 - share()) * other[e];
  }
  return plus.ok() ? minus : plus;
}

// Sides that are combined are the ends of an affine function of s; what is blended need not be one.
template <class Values>
Evaluation SlidingTangents::slope(std::size_t surface, std::size_t n_values, Values values) {
  slope_.assign(n_values, 0.0);
  values_.resize(std::max(values_.size(), n_values));
  const std::span<double> found = std::span(values_).first(n_values);
  const bool is_affine =
      combines() || field_.infos_[static_cast<std::size_t>(field_.surfaces_[surface])].is_affine_in_weight;
  Evaluation evaluation;
  const auto add = [&](double weight, double factor) {
    field_.set_weight(surface, weight);
    evaluation = evaluation.ok() ? values(found) : evaluation;
    for (std::size_t i = 0; i < n_values && evaluation.ok(); ++i) {
      slope_[i] += factor * found[i];
    }
  };
  if (is_affine) {
    add(1.0, 0.5);
    add(-1.0, -0.5);
  } else {
    for (std::size_t i = 0; i < system::Stencil::offsets.size(); ++i) {
      add(field_.weights_[surface] + system::Stencil::offsets[i] * system::Stencil::kPart,
          system::Stencil::weights[i] / system::Stencil::kPart);
    }
  }
  field_.set_weight(surface, field_.weights_[surface]);
  return evaluation;
}

template <class Values>
Evaluation SlidingTangents::add_weights(Values values, std::span<double> tangents) {
  for (std::size_t j = 0; j < field_.n_surfaces(); ++j) {
    if (const Evaluation evaluation = slope(j, tangents.size() / n_, values); !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < slope_.size(); ++i) {
      for (std::size_t d = 0; d < n_ && slope_[i] != 0.0; ++d) {
        tangents[i * n_ + d] += slope_[i] * weights_[j * n_ + d];
      }
    }
  }
  return {};
}

// d(∇g)·F + d(∂g/∂t): how dg with fixed seeds changes on the way of the solution.
Evaluation SlidingTangents::find_bends(double t, std::span<const double> x, const system::Seeds& seeds) {
  double most = 1.0 / time_size_;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(rates_[i]) / std::max(std::abs(x[i]), std::sqrt(field_.metric_[i])));
  }
  std::fill(bends_.begin(), bends_.end(), 0.0);
  for (std::size_t s = 0; s < system::Stencil::offsets.size(); ++s) {
    const double time = system::Stencil::offsets[s] * system::Stencil::kPart / most;
    for (std::size_t i = 0; i < x.size(); ++i) {
      point_[i] = x[i] + time * rates_[i];
    }
    const Evaluation evaluation = inner_->guards(field_.surfaces_, t + time, point_, seeds, conditions_);
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t e = 0; e < bends_.size(); ++e) {
      bends_[e] += system::Stencil::weights[s] * most / system::Stencil::kPart * conditions_[e];
    }
  }
  return {};
}

// ds into weights_, and tangents of ẋ with s at rest into tangents_.
Evaluation SlidingTangents::find_weights(double t, std::span<const double> x, const system::Seeds& seeds) {
  if (const Evaluation evaluation = field_.solve(t, x, rates_); !evaluation.ok()) {
    return evaluation;
  }
  Evaluation evaluation =
      at_rest([&](std::span<double> out) { return inner_->rates(t, x, seeds, out); }, tangents_);
  if (evaluation.ok()) {
    evaluation = find_bends(t, x, seeds);
  }
  if (evaluation.ok() && field_.has_algebraic()) {
    evaluation =
        at_rest([&](std::span<double> out) { return inner_->guards(field_.surfaces_, t, x, seeds, out); },
                conditions_);
  }
  const std::size_t k = field_.n_surfaces();
  for (std::size_t j = 0; j < k && evaluation.ok(); ++j) {
    evaluation = slope(j, field_.n_, [&](std::span<double> out) { return field_.plus_.rhs(t, x, out); });
    std::copy(slope_.begin(), slope_.end(), slopes_.begin() + static_cast<std::ptrdiff_t>(j * field_.n_));
    for (std::size_t i = 0; i < k; ++i) {
      double size = 0.0;
      matrix_[i * k + j] = field_.rate(i, slope_, size) - field_.rows_[i].time_derivative;
    }
    if (evaluation.ok() && field_.has_algebraic()) {
      evaluation = slope(
          j, k, [&](std::span<double> out) { return field_.plus_.guards(field_.surfaces_, t, x, out); });
      for (std::size_t i = 0; i < k; ++i) {
        matrix_[i * k + j] = field_.is_algebraic_[i] != 0 ? slope_[i] : matrix_[i * k + j];
      }
    }
  }
  if (evaluation.ok()) {
    solve_weights();
  }
  return evaluation;
}

void SlidingTangents::solve_weights() {
  const std::size_t k = field_.n_surfaces();
  for (std::size_t i = 0; i < k; ++i) {
    const SlidingField::Row& row = field_.rows_[i];
    if (field_.is_algebraic_[i] != 0) {
      continue;
    }
    for (std::size_t d = 0; d < n_; ++d) {
      double sum = bends_[i * n_ + d];
      for (std::size_t e = 0; e < row.states.size(); ++e) {
        sum += row.coefficients[e] * tangents_[static_cast<std::size_t>(row.states[e]) * n_ + d];
      }
      conditions_[i * n_ + d] = sum;
    }
  }
  std::copy(matrix_.begin(), matrix_.end(), solver_.matrix().begin());
  const bool is_finite = solver_.factorize();
  for (std::size_t d = 0; d < n_; ++d) {
    for (std::size_t i = 0; i < k; ++i) {
      right_[i] = -conditions_[i * n_ + d];
    }
    if (is_finite) {
      solver_.solve(right_, solution_);
    }
    for (std::size_t i = 0; i < k; ++i) {
      weights_[i * n_ + d] = is_finite ? solution_[i] : std::nan("");
    }
  }
}

Evaluation SlidingTangents::rates(double t, std::span<const double> x, const system::Seeds& seeds,
                                  std::span<double> tangents) {
  if (const Evaluation evaluation = find_weights(t, x, seeds); !evaluation.ok()) {
    return evaluation;
  }
  std::copy(tangents_.begin(), tangents_.end(), tangents.begin());
  for (std::size_t j = 0; j < field_.n_surfaces(); ++j) {
    for (std::size_t i = 0; i < field_.n_; ++i) {
      const double slope = slopes_[j * field_.n_ + i];
      for (std::size_t d = 0; d < n_ && slope != 0.0; ++d) {
        tangents[i * n_ + d] += slope * weights_[j * n_ + d];
      }
    }
  }
  const auto bad = std::find_if(tangents.begin(), tangents.end(), [](double v) { return !std::isfinite(v); });
  return bad == tangents.end()
             ? Evaluation{}
             : Evaluation{Evaluation::Status::not_finite,
                          static_cast<Index>(bad - tangents.begin()) / static_cast<Index>(n_)};
}

Evaluation SlidingTangents::outputs(double t, std::span<const double> x, const system::Seeds& seeds,
                                    std::span<double> tangents) {
  if (const Evaluation evaluation = find_weights(t, x, seeds); !evaluation.ok()) {
    return evaluation;
  }
  const Evaluation evaluation =
      at_rest([&](std::span<double> out) { return inner_->outputs(t, x, seeds, out); }, tangents);
  const Evaluation added =
      add_weights([&](std::span<double> out) { return field_.plus_.outputs(t, x, out); }, tangents);
  return evaluation.ok() ? added : evaluation;
}

Evaluation SlidingTangents::guards(std::span<const Index> which, double t, std::span<const double> x,
                                   const system::Seeds& seeds, std::span<double> tangents) {
  if (const Evaluation evaluation = find_weights(t, x, seeds); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t g = 0; g < which.size(); ++g) {
    const std::span<double> own = tangents.subspan(g * n_, n_);
    const Index guard = which[g];
    if (field_.is_exit(guard)) {
      // 1 - s and 1 + s by turns.
      const auto exit = static_cast<std::size_t>(guard - field_.n_guards());
      for (std::size_t d = 0; d < n_; ++d) {
        own[d] = (exit % 2 == 0 ? -1.0 : 1.0) * weights_[exit / 2 * n_ + d];
      }
      continue;
    }
    Evaluation evaluation = at_rest(
        [&](std::span<double> out) {
          return inner_->guards({&guard, 1}, t, x, seeds, out);
        },
        own);
    if (evaluation.ok()) {
      evaluation = add_weights(
          [&](std::span<double> out) {
            return field_.plus_.guards({&guard, 1}, t, x, out);
          },
          own);
    }
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

}  // namespace saltus::slide
