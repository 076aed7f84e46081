#include "hybrid/zero_watch.hpp"

#include <algorithm>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "locate/step_ranges.hpp"
#include "reduce/nonlinear/projection_policy.hpp"

namespace saltus::hybrid {
namespace {

// Part of where a guard has come to by the end of a step that counts as having left zero: extensions may be off by less than a step moves it,
// and no power of time brings it from there to the end in a part of the step that is too short. Not measured.
constexpr double kBeginning = 1e-6;

}  // namespace

std::optional<ZeroWatch::Reading> ZeroWatch::read(Index guard, const trajectory::SegmentView& segment,
                                                  double theta) {
  const double t = segment.start_time() + theta * segment.step();
  system::Evaluator& field = state_.at.field();
  x_.resize(state_.at.x().size());
  gradient_.resize(x_.size());
  segment.evaluate(theta, x_);
  // Within a step the extension is off the constraints.
  if (theta < 1.0 && field.projection() != system::Projection::none && !field.project_instant(t, x_).ok()) {
    return std::nullopt;
  }
  Reading reading;
  double time_derivative = 0.0;
  if (!field.guards({&guard, 1}, t, x_, {&reading.value, 1}).ok()) {
    return std::nullopt;
  }
  reading.rounded = field.guard_noise(guard, t, x_);
  reading.allowed = reading.rounded;
  if (std::abs(reading.value) <= reading.rounded) {
    return reading;
  }
  if (!field.guard_gradient(guard, t, x_, gradient_, time_derivative).ok()) {
    return std::nullopt;
  }
  const settle::Engine& engine = *state_.at.mode().engine;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    reading.rounded += reduce::ProjectionPolicy::kTolerance * std::abs(gradient_[i]) *
                       std::max(std::abs(x_[i]), engine.nominal()[i]);
  }
  field.keep_along(t, x_, gradient_);
  reading.allowed =
      reading.rounded + locate::allowed_error(engine.stepper().tolerances(), gradient_, state_.at.x(), x_);
  return reading;
}

double ZeroWatch::begin_of(Index guard, const trajectory::SegmentView& segment, double until,
                           double end_value) {
  const double side = end_value > 0.0 ? 1.0 : -1.0;
  double zero = 0.0;
  double left = until;
  const double instant = time_tolerance(state_.at.time(), state_.time_scale());
  while ((left - zero) * std::abs(segment.step()) > instant) {
    const double middle = 0.5 * (zero + left);
    if (middle <= zero || middle >= left) {
      break;
    }
    const std::optional<Reading> reading = read(guard, segment, middle);
    (reading && side * reading->value > std::max(reading->rounded, kBeginning * std::abs(end_value)) ? left
                                                                                                     : zero) =
        middle;
  }
  return left;
}

std::optional<double> ZeroWatch::first_departure(std::span<const Index> guards, double until) {
  if (guards.empty() || state_.at.is_sliding()) {
    return std::nullopt;
  }
  const trajectory::SegmentView segment = state_.open_segment();
  const double longest = state_.at.mode().engine->search().longest_sampled_piece();
  const int n_pieces = std::max(1, static_cast<int>(std::ceil(until * std::abs(segment.step()) / longest)));
  std::optional<double> first;
  for (int piece = 1; piece <= n_pieces && !first; ++piece) {
    const double end = piece == n_pieces ? until : until * piece / n_pieces;
    for (const Index guard : guards) {
      if (state_.guard(guard).has_root && state_.roots.reach(guard) > 0.0) {
        continue;  // it rests within its reach, which is watched like any guard (docs/semantics.md 7.9)
      }
      const std::optional<Reading> reading = read(guard, segment, end);
      const double bound = reading ? (end < 1.0 ? reading->allowed : reading->rounded) : 0.0;
      if (reading && std::abs(reading->value) > bound) {
        const double begin = begin_of(guard, segment, end, reading->value);
        first = std::min(first.value_or(begin), begin);
      }
    }
  }
  return first;
}

}  // namespace saltus::hybrid
