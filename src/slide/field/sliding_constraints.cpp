// What a SlidingField holds beside its weights: which surfaces are algebraic, and the constraints of its modes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "reduce/nonlinear/probes.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

}  // namespace

void SlidingField::add_constraints(reduce::StackedProjection::Block block, double side) {
  if (block.constraints != nullptr && block.constraints->n_rows() > 0) {
    blocks_.push_back(std::move(block));
    block_sides_.push_back(side);
  }
}

// g with all weights at +1 and with one of them at -1. Algebraic surfaces of a pair, or of the convex rule, are combined from both sides.
void SlidingField::find_algebraic(double t, std::span<const double> x) {
  const std::size_t k = n_surfaces();
  std::fill(is_algebraic_.begin(), is_algebraic_.end(), std::uint8_t{0});
  std::copy(weights_.begin(), weights_.end(), correction_.begin());
  const auto is_other = [&](std::size_t i, double plus, double minus) {
    return std::abs(plus - minus) > reduce::kBeyondNoise * plus_.guard_noise(surfaces_[i], t, x);
  };
  for (std::size_t j = 0; j < k; ++j) {
    set_weight(j, 1.0);
  }
  bool is_known = plus_.guards(surfaces_, t, x, values_).ok();
  for (std::size_t j = 0; j < k && is_known; ++j) {
    set_weight(j, -1.0);
    system::Evaluator& other = is_pair() && j == 0 ? *minus_ : plus_;
    if (!other.guards(surfaces_, t, x, residual_).ok()) {
      is_known = false;
    }
    for (std::size_t i = 0; i < k && is_known; ++i) {
      is_algebraic_[i] = is_algebraic_[i] != 0 || is_other(i, values_[i], residual_[i]) ? 1 : 0;
    }
    set_weight(j, 1.0);
  }
  algebraic_known_ = is_known;
  held_guards_.clear();
  held_rows_.clear();
  for (std::size_t i = 0; i < k; ++i) {
    set_weight(i, weights_[i]);
    if (is_algebraic_[i] == 0) {
      held_guards_.push_back(surfaces_[i]);
      held_rows_.push_back(i);
    }
  }
  const auto order = static_cast<Index>(held_rows_.size());
  projector_.resize(order, order);
  if (has_algebraic() && k > 1) {
    combines_sides_ = false;
  }
  if (has_algebraic() && k == 1) {
    // Variables are blended where the equations are affine in them: g of these, not the mean of the values of g.
    const bool is_affine = infos_[static_cast<std::size_t>(surfaces_[0])].is_affine_in_weight;
    combines_sides_ =
        is_pair() || rule_ == SlidingRule::convex || (rule_ == SlidingRule::automatic && !is_affine);
  }
}

// Whether rows of the constraints have other values with a surface on its other side.
bool SlidingField::constraints_depend(const SlidingSet& set) {
  if (is_pair() || blocks_.empty() || set.x.size() != n_) {
    return false;
  }
  const std::unique_ptr<system::EquationRunner> runner = blocks_[0].constraints->make_runner();
  const auto n_rows = static_cast<std::size_t>(blocks_[0].constraints->n_rows());
  std::vector<double> plus(n_rows);
  std::vector<double> minus(n_rows);
  std::vector<double> point(set.x.begin(), set.x.end());
  runner->set_configuration(*set.configuration);
  for (int place = 0; place < 2; ++place) {
    for (const Index surface : surfaces_) {
      runner->set_latched(surface, 1.0);
      const bool is_known = runner->residual(set.t, point, plus).ok();
      runner->set_latched(surface, -1.0);
      if (is_known && runner->residual(set.t, point, minus).ok() && plus != minus) {
        return true;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      point[i] += reduce::kDisplacement * std::sqrt(metric_[i] * (static_cast<double>(i) + 2.0));
    }
  }
  return false;
}

// Two modes or sides: each holds its own. Weights of a blend follow before each projection.
void SlidingField::configure_stack(const system::Configuration& plus, const system::Configuration& minus) {
  for (std::size_t block = 0; active_stack_ != nullptr && block < active_stack_->n_blocks(); ++block) {
    const bool has_sides = active_stack_ == stack_of_sides_.get();
    const double side = has_sides ? (block == 0 ? 1.0 : -1.0) : block_sides_[block];
    active_stack_->set_configuration(block, side > 0.0 ? plus : minus);
    for (std::size_t k = 0; k < (has_sides ? n_surfaces() : 1) && (is_pair() || has_sides) && level_ == 0.0;
         ++k) {
      active_stack_->set_latched(block, surfaces_[k], side);
    }
  }
}

std::unique_ptr<reduce::StackedProjection> SlidingField::make_stack(bool has_sides) const {
  std::vector<double> nominal(n_);
  std::transform(metric_.begin(), metric_.end(), nominal.begin(),
                 [](double square) { return std::sqrt(square); });
  std::vector<reduce::StackedProjection::Block> blocks = blocks_;
  if (has_sides) {
    blocks.push_back(blocks_[0]);
  }
  return std::make_unique<reduce::StackedProjection>(std::move(blocks), nominal);
}

void SlidingField::begin_constraints(const SlidingSet& set, const system::Configuration& minus) {
  active_stack_ = nullptr;
  if (blocks_.empty()) {
    return;
  }
  constraints_depend_ = constraints_depend(set);
  const bool has_sides = constraints_depend_ && combines_sides_ && construction() == SlidingRule::convex;
  std::unique_ptr<reduce::StackedProjection>& place = has_sides ? stack_of_sides_ : stack_;
  if (!place) {
    place = make_stack(has_sides);
  }
  active_stack_ = place.get();
  configure_stack(*set.configuration, minus);
  stack_has_begun_ = algebraic_known_ && set.x.size() == n_;
  if (stack_has_begun_) {
    active_stack_->begin(plus_, held_guards_, level_, set.t, set.x);
  }
}

SlidingField::Departure SlidingField::departure(double side, double t, std::span<const double> x) {
  Departure result;
  for (std::size_t block = 0; active_stack_ != nullptr && block < block_sides_.size(); ++block) {
    if (block_sides_[block] != side) {
      continue;
    }
    Index row = 0;
    const double distance = active_stack_->distance(block, t, x, row);
    if (!(distance <= result.distance)) {
      result.distance = distance;
      result.distance_text = active_stack_->row_text(block, row);
    }
    std::copy(x.begin(), x.end(), point_.begin());
    if (!project(t, point_).ok() || !solve(t, point_, scratch_).ok()) {
      continue;
    }
    double speed = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      speed = std::max({speed, std::abs(field_plus_[i]) / std::sqrt(metric_[i]),
                        std::abs(field_minus_[i]) / std::sqrt(metric_[i])});
    }
    const double rate =
        active_stack_->leaving_rate(block, t, point_, scratch_, row) / (speed > 0.0 ? speed : 1.0);
    if (!(rate <= result.rate)) {
      result.rate = rate;
      result.rate_text = active_stack_->row_text(block, row);
    }
  }
  return result;
}

void SlidingField::begin_stack(double t, std::span<const double> x) {
  if (!stack_has_begun_) {
    stack_has_begun_ = true;
    active_stack_->begin(plus_, held_guards_, level_, t, x);
  }
}

// Of surfaces without constraints it is not known.
void SlidingField::keep_along(double t, std::span<const double> x, std::span<double> gradient) {
  if (active_stack_ != nullptr) {
    begin_stack(t, x);
    active_stack_->keep_along(t, x, gradient);
  }
}

Evaluation SlidingField::project_stacked(double t, std::span<double> x) {
  begin_stack(t, x);
  if (constraints_depend_ && active_stack_->n_blocks() == 1) {
    for (std::size_t k = 0; k < n_surfaces(); ++k) {
      active_stack_->set_latched(0, surfaces_[k], weights_[k]);
    }
  }
  return active_stack_->project(t, x);
}

}  // namespace saltus::slide
