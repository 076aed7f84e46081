#include "slide/field/own_side_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/archive.hpp"
#include "slide/field/own_side.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// Values within this many times their noise, or this many eps of their terms, may be zero.
constexpr double kOwnSideRoundings = 64.0;

}  // namespace

class OwnSideEvaluator::Runner final : public system::EquationRunner {
 public:
  Runner(OwnSideEvaluator& owner, system::EquationRunner& inner) : owner_(owner), inner_(inner) {}

  void set_configuration(const system::Configuration& configuration) override {
    owner_.take_sides(configuration);
    inner_.set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override {
    owner_.sides_[static_cast<std::size_t>(guard)] = value;
    inner_.set_latched(guard, value);
  }
  Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    const Evaluation evaluation = inner_.residual(t, slots, values);
    return is_movable(evaluation, t, slots) ? inner_.residual(t, slots_, values) : evaluation;
  }
  // Slopes next to the surface may be all but infinite: an implicit method has a better place for them, where its step leads.
  Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    return inner_.jacobian(t, slots, entries);
  }

  std::unique_ptr<system::EquationTangents> tangents(const system::ParameterDirections& directions) override {
    return inner_.tangents(directions);
  }
  std::unique_ptr<system::Pullback> pullback() override { return inner_.pullback(); }

  void fields(Archive& a) override { a(slots_); }

 private:
  // Then slots_ are those beside.
  [[nodiscard]] bool is_movable(const Evaluation& evaluation, double t, std::span<const double> slots) {
    const std::size_t n = owner_.moved_.size();
    if (evaluation.status != Evaluation::Status::not_finite || !owner_.move(t, slots.first(n))) {
      return false;
    }
    slots_.assign(slots.begin(), slots.end());
    std::copy(owner_.moved_.begin(), owner_.moved_.end(), slots_.begin());
    return true;
  }

  OwnSideEvaluator& owner_;
  system::EquationRunner& inner_;
  std::vector<double> slots_;
};

OwnSideEvaluator::~OwnSideEvaluator() = default;

OwnSideEvaluator::OwnSideEvaluator(std::unique_ptr<system::Evaluator> inner,
                                   std::span<const system::StateInfo> states, Index n_guards,
                                   std::vector<Index> watched)
    : ForwardingEvaluator(std::move(inner)),
      nominal_(states.size()),
      watched_(std::move(watched)),
      sides_(static_cast<std::size_t>(n_guards), 0.0),
      is_extended_(static_cast<std::size_t>(n_guards), 0),
      moved_(nominal_.size()),
      gradient_(nominal_.size()),
      column_(nominal_.size()) {
  std::transform(states.begin(), states.end(), nominal_.begin(),
                 [](const system::StateInfo& state) { return state.nominal; });
}

void OwnSideEvaluator::fields(Archive& a) {
  // Not saved: nominal_, watched_.
  bool has_runner = runner_ != nullptr;
  a(has_runner);
  if (a.is_loading()) {
    if (has_runner) {
      (void)residual_runner();
    } else {
      runner_ = nullptr;
    }
  }
  ForwardingEvaluator::fields(a);
  a(sides_, is_extended_, moved_, gradient_, column_, column_values_, runner_);
}

void OwnSideEvaluator::extend(std::span<const Index> guards) {
  std::fill(is_extended_.begin(), is_extended_.end(), std::uint8_t{0});
  for (const Index guard : guards) {
    is_extended_[static_cast<std::size_t>(guard)] = 1;
  }
}

bool OwnSideEvaluator::settle(double t, std::span<double> x) {
  if (inner().rhs(t, x, column_).status != Evaluation::Status::not_finite) {
    return ends_at_surface(t, x);
  }
  return step_beside(t, x);
}

bool OwnSideEvaluator::step_beside(double t, std::span<double> x) {
  const bool has_moved = move(t, x);
  if (has_moved) {
    std::copy(moved_.begin(), moved_.end(), x.begin());
  }
  return has_moved;
}

// On which side of its surface the point lies is rounding: rates may have a value at it and none just beyond.
bool OwnSideEvaluator::ends_at_surface(double t, std::span<const double> x) {
  const auto turn_sides = [this] {
    for (const Index guard : watched_) {
      const auto place = static_cast<std::size_t>(guard);
      sides_[place] = is_extended_[place] != 0 ? -sides_[place] : sides_[place];
    }
  };
  turn_sides();
  const bool has_moved = move(t, x);
  turn_sides();
  return has_moved && inner().rhs(t, moved_, column_).status == Evaluation::Status::not_finite;
}

void OwnSideEvaluator::take_sides(const system::Configuration& configuration) {
  std::copy(configuration.latched.begin(), configuration.latched.end(), sides_.begin());
}

void OwnSideEvaluator::set_configuration(const system::Configuration& configuration) {
  take_sides(configuration);
  inner().set_configuration(configuration);
}

void OwnSideEvaluator::set_latched(Index guard, double value) {
  sides_[static_cast<std::size_t>(guard)] = value;
  inner().set_latched(guard, value);
}

bool OwnSideEvaluator::move(double t, std::span<const double> x) {
  bool has_moved = false;
  std::copy(x.begin(), x.end(), moved_.begin());
  for (const Index guard : watched_) {
    const auto place = static_cast<std::size_t>(guard);
    double side = sides_[place];
    double value = 0.0;
    const bool stays_zero = side == 0.0;
    const bool is_slid_on = !stays_zero && std::abs(side) != 1.0;  // a weight, which belongs to neither side
    const bool has_no_side = stays_zero || is_slid_on;
    // What stays zero and has no value at x itself does not say where it has failed.
    const std::span<const double> where = has_no_side ? x : std::span<const double>(moved_);
    if (!inner().guards({&guard, 1}, t, where, {&value, 1}).ok() || (!has_no_side && side * value > 0.0)) {
      continue;
    }
    if (has_no_side) {
      if (value == 0.0) {
        continue;
      }
      side = value > 0.0 ? -1.0 : 1.0;  // not the side on which the evaluation has failed
    }
    double time_derivative = 0.0;
    if (!inner().guard_gradient(guard, t, moved_, gradient_, time_derivative).ok()) {
      continue;
    }
    double terms = std::abs(time_derivative * t);
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      // A state near zero has roundings of what it came from.
      terms += std::abs(gradient_[i]) * std::max(std::abs(moved_[i]), nominal_[i]);
    }
    const double rounding = kOwnSideRoundings * std::max(inner().guard_noise(guard, t, moved_),
                                                         std::numeric_limits<double>::epsilon() * terms);
    if (stays_zero || is_extended_[place] != 0 || std::abs(value) <= rounding) {
      has_moved = move_to_side(inner(), guard, side, t, moved_, gradient_) || has_moved;
    }
  }
  return has_moved;
}

Evaluation OwnSideEvaluator::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  const Evaluation evaluation = inner().rhs(t, x, xdot);
  if (evaluation.status == Evaluation::Status::not_finite && move(t, x)) {
    return inner().rhs(t, moved_, xdot);
  }
  return evaluation;
}

system::EquationRunner* OwnSideEvaluator::residual_runner() {
  if (!runner_) {
    if (system::EquationRunner* const runner = inner().residual_runner()) {
      runner_ = std::make_unique<Runner>(*this, *runner);
    }
  }
  return runner_.get();
}

Evaluation OwnSideEvaluator::residual_point(double t, std::span<const double> x, std::span<double> y,
                                            std::span<double> ydot) {
  const Evaluation evaluation = inner().residual_point(t, x, y, ydot);
  if (evaluation.status != Evaluation::Status::not_finite || !move(t, x)) {
    return evaluation;
  }
  const Evaluation beside = inner().residual_point(t, moved_, y, ydot);
  std::copy(x.begin(), x.end(), y.begin());
  return beside;
}

Evaluation OwnSideEvaluator::outputs(double t, std::span<const double> x, std::span<double> values) {
  const Evaluation evaluation = inner().outputs(t, x, values);
  if (evaluation.status == Evaluation::Status::not_finite && move(t, x)) {
    return inner().outputs(t, moved_, values);
  }
  return evaluation;
}

Evaluation OwnSideEvaluator::guards(std::span<const Index> which, double t, std::span<const double> x,
                                    std::span<double> values) {
  const Evaluation evaluation = inner().guards(which, t, x, values);
  if (evaluation.status != Evaluation::Status::not_finite || !move(t, x)) {
    return evaluation;
  }
  for (std::size_t k = 0; k < which.size(); ++k) {
    const std::span<const Index> guard = which.subspan(k, 1);
    const std::span<double> value = values.subspan(k, 1);
    if (inner().guards(guard, t, x, value).ok()) {
      continue;
    }
    if (const Evaluation beside = inner().guards(guard, t, moved_, value); !beside.ok()) {
      return beside;
    }
  }
  return {};
}

double OwnSideEvaluator::guard_noise(Index i, double t, std::span<const double> x) {
  const double noise = inner().guard_noise(i, t, x);
  return !std::isfinite(noise) && move(t, x) ? inner().guard_noise(i, t, moved_) : noise;
}

Evaluation OwnSideEvaluator::guard_derivatives(Index i, double t, std::span<const double> x,
                                               system::GuardDerivatives& derivatives) {
  const Evaluation evaluation = inner().guard_derivatives(i, t, x, derivatives);
  if (evaluation.status == Evaluation::Status::not_finite && move(t, x)) {
    return inner().guard_derivatives(i, t, moved_, derivatives);
  }
  return evaluation;
}

Evaluation OwnSideEvaluator::outputs_block(std::span<const double> t, std::span<const double> x,
                                           std::span<double> values) {
  const Evaluation evaluation = inner().outputs_block(t, x, values);
  if (evaluation.status != Evaluation::Status::not_finite) {
    return evaluation;
  }
  const std::size_t width = t.size();
  column_values_.resize(values.size() / width);
  for (std::size_t point = 0; point < width; ++point) {
    for (std::size_t i = 0; i < column_.size(); ++i) {
      column_[i] = x[i * width + point];
    }
    if (const Evaluation one = outputs(t[point], column_, column_values_); !one.ok()) {
      return one;
    }
    for (std::size_t i = 0; i < column_values_.size(); ++i) {
      values[i * width + point] = column_values_[i];
    }
  }
  return {};
}

}  // namespace saltus::slide
