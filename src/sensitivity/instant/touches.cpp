#include "sensitivity/instant/touches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "locate/guard_curve.hpp"
#include "sensitivity/instant/contact.hpp"
#include "settle/state/held_number.hpp"

namespace saltus::sensitivity {
namespace {

using system::GuardInfo;

// Points of a closer look: a guard that is resolved by the step does not turn twice between two of them.
constexpr int kParts = 8;
// A least distance is that of this many tolerances in the states: whether parameters reach it is asked by whoever knows them.
constexpr double kTolerancesOfTouch = 1e3;
// (√5 - 1)/2.
constexpr double kGolden = 0.61803398874989485;
// After these sections the bracket is 1e-8 of a part: distances are exact to rounding.
constexpr int kSections = 38;
// A least distance closer to an end of a step is at it: golden sections end there.
constexpr double kPartAtEnd = 1e-6;

}  // namespace

void TouchSearch::begin(const StretchField& field) {
  watched_.clear();
  guards_ = deciding_guards(source_, field, {});
  for (const Index guard : guards_) {
    const GuardInfo& info = source_.system.guards()[static_cast<std::size_t>(guard)];
    if (info.kind == GuardInfo::Kind::relation) {
      watched_.push_back({guard, 0.0});
      continue;
    }
    const settle::HeldRange range =
        settle::held_range(info, field.facts().configuration.latched[static_cast<std::size_t>(guard)]);
    for (const double level : {range.lower, range.upper}) {
      if (std::isfinite(level)) {
        watched_.push_back({guard, level});
      }
    }
  }
  at_start_.clear();
  far_.assign(watched_.size(), 0.0);
}

bool TouchSearch::values_at(StretchField& field, const trajectory::SegmentView& step, double theta,
                            std::vector<double>& values) {
  x_.resize(field.n_states());
  step.evaluate(theta, x_);
  std::vector<double> of_guards(guards_.size());
  if (!field.evaluator().guards(guards_, locate::time_at(step, theta), x_, of_guards).ok()) {
    return false;
  }
  values.clear();
  std::size_t place = 0;
  for (const Watched& watched : watched_) {
    while (guards_[place] != watched.guard) {
      ++place;
    }
    values.push_back(of_guards[place] - watched.level);
  }
  return true;
}

std::vector<Touch> TouchSearch::find(StretchField& field, const trajectory::SegmentView& step) {
  std::vector<Touch> touches;
  if (watched_.empty()) {
    return touches;
  }
  const bool is_first = at_start_.empty();
  const bool has_values = (!is_first || values_at(field, step, 0.0, at_start_)) &&
                          values_at(field, step, 0.5, in_middle_) && values_at(field, step, 1.0, at_end_);
  for (std::size_t i = 0; i < watched_.size() && has_values; ++i) {
    const double a = at_start_[i];
    const double b = in_middle_[i];
    const double c = at_end_[i];
    const double least = std::min({std::abs(a), std::abs(b), std::abs(c)});
    const double change = std::max({a, b, c}) - std::min({a, b, c});
    if (least <= change && change > 0.0) {
      look_closer(field, step, watched_[i], !is_first && approaches_[i], far_[i], touches);
    }
  }
  if (has_values) {
    approaches_.resize(watched_.size());
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      approaches_[i] = std::abs(at_end_[i]) < std::abs(in_middle_[i]);
      far_[i] = std::max({far_[i], std::abs(at_start_[i]), std::abs(in_middle_[i]), std::abs(at_end_[i])});
    }
    std::swap(at_start_, at_end_);
  } else {
    at_start_.clear();
  }
  std::sort(touches.begin(), touches.end(), [&](const Touch& one, const Touch& other) {
    return step.step() > 0.0 ? one.t < other.t : one.t > other.t;
  });
  return touches;
}

// Signed; infinite where it has no value.
double TouchSearch::distance_at(StretchField& field, const trajectory::SegmentView& step,
                                const Watched& watched, double theta) {
  step.evaluate(theta, x_);
  double value = 0.0;
  const bool has_value =
      field.evaluator().guards({&watched.guard, 1}, locate::time_at(step, theta), x_, {&value, 1}).ok();
  return has_value ? value - watched.level : std::numeric_limits<double>::infinity();
}

void TouchSearch::look_closer(StretchField& field, const trajectory::SegmentView& step,
                              const Watched& watched, bool approached, double far,
                              std::vector<Touch>& touches) {
  std::array<double, kParts + 1> values{};
  for (std::size_t i = 0; i <= kParts; ++i) {
    values[i] = distance_at(field, step, watched, static_cast<double>(i) / kParts);
  }
  for (std::size_t i = 0; i <= kParts; ++i) {
    const double before = i == 0 ? values[1] : values[i - 1];
    const double after = i == kParts ? values[kParts - 1] : values[i + 1];
    far = i == 0 ? far : std::max(far, std::abs(before));
    const bool turns = before * values[i] >= 0.0 && after * values[i] >= 0.0 &&
                       std::abs(values[i]) < std::abs(before) && std::abs(values[i]) <= std::abs(after);
    if (!turns) {
      continue;
    }
    const double theta = least_within(field, step, watched, static_cast<double>(i == 0 ? 0 : i - 1) / kParts,
                                      static_cast<double>(std::min<std::size_t>(i + 1, kParts)) / kParts);
    // At its end the guard may go on to cross: the step that follows looks there, if there is one. At its start it turns if it has come there.
    const bool is_within = (approached || theta > kPartAtEnd) && theta < 1.0 - kPartAtEnd;
    const std::optional<Touch> touch = is_within ? touch_at(field, step, watched, theta, far) : std::nullopt;
    if (touch) {
      touches.push_back(*touch);
    }
  }
}

double TouchSearch::least_within(StretchField& field, const trajectory::SegmentView& step,
                                 const Watched& watched, double from, double to) {
  double left = to - kGolden * (to - from);
  double right = from + kGolden * (to - from);
  double at_left = std::abs(distance_at(field, step, watched, left));
  double at_right = std::abs(distance_at(field, step, watched, right));
  for (int i = 0; i < kSections; ++i) {
    if (at_left <= at_right) {
      to = right;
      right = left;
      at_right = at_left;
      left = to - kGolden * (to - from);
      at_left = std::abs(distance_at(field, step, watched, left));
    } else {
      from = left;
      left = right;
      at_left = at_right;
      right = from + kGolden * (to - from);
      at_right = std::abs(distance_at(field, step, watched, right));
    }
  }
  return at_left <= at_right ? left : right;
}

// None: the guard is not near its surface there, or has not come from further away, `far`, in this stretch.
std::optional<Touch> TouchSearch::touch_at(StretchField& field, const trajectory::SegmentView& step,
                                           const Watched& watched, double theta, double far) {
  const double distance = std::abs(distance_at(field, step, watched, theta));
  const double t = locate::time_at(step, theta);
  const InstantPoint point{t, x_, {}, {}, {}, std::abs(step.step())};
  const GuardRate rate = rate_of_guard(source_, field, watched.guard, point);
  const GuardPlace place{watched.guard, watched.level, distance};
  const double rounding = kRoundingsOfZero * field.evaluator().guard_noise(watched.guard, t, x_);
  const bool is_near = distance <= std::max(kTolerancesOfTouch * rate.error, rounding);
  const double resolution = std::max(kTolerancesOfReach * rate.error, rounding);
  return is_near && far > resolution ? std::optional(Touch{place, t, resolution}) : std::nullopt;
}

}  // namespace saltus::sensitivity
