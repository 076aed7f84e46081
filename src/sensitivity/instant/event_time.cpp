#include "sensitivity/instant/event_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sensitivity/instant/contact.hpp"
#include "system/stencil.hpp"

namespace saltus::sensitivity {
namespace {

using system::Evaluation;

// σ of guards that cross together agree to the accuracy of S: this many relative tolerances.
constexpr double kAgreement = 1e3;
// … and never closer than differences are exact.
constexpr double kLeastAgreement = 1e-6;
// Part of a step over which the rate of a weight is taken.
constexpr double kPartOfStep = 0.05;

// Stands for a clock among guards.
constexpr Index kClock = -1;

// The vector of direction(v) whose element or length a guard is; -1: none. A weight may be that of any.
Index norm_of(const FieldSource& source, Index guard) {
  const auto& guards = source.system.guards();
  if (static_cast<std::size_t>(guard) < guards.size()) {
    const system::GuardInfo& info = guards[static_cast<std::size_t>(guard)];
    return info.components.empty() ? info.norm : guard;
  }
  const auto found = std::find_if(guards.begin(), guards.end(),
                                  [](const system::GuardInfo& info) { return !info.components.empty(); });
  return found == guards.end() ? -1 : static_cast<Index>(found - guards.begin());
}

std::string name_of(const FieldSource& source, Index guard) {
  const auto& guards = source.system.guards();
  return static_cast<std::size_t>(guard) < guards.size()
             ? "'" + guards[static_cast<std::size_t>(guard)].text + "'"
             : std::string("a weight of sliding");
}

// dg/dt along the field by a stencil in time: of weights, which no gradient is known of.
double rate_by_differences(StretchField& field, Index guard, const InstantPoint& point,
                           Evaluation& evaluation) {
  std::vector<double> x(point.x.size());
  double rate = 0.0;
  const double step = kPartOfStep * std::abs(point.time_size);
  for (std::size_t s = 0; s < system::Stencil::offsets.size(); ++s) {
    const double eta = system::Stencil::offsets[s] * step;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = point.x[i] + eta * point.rates[i];
    }
    double value = 0.0;
    evaluation = field.evaluator().guards({&guard, 1}, point.t + eta, x, {&value, 1});
    if (!evaluation.ok()) {
      return 0.0;
    }
    rate += system::Stencil::weights[s] / step * value;
  }
  return rate;
}

EventTime time_of_motion(const FieldSource& source, Index guard, const GuardMotion& motion) {
  EventTime time;
  time.sigma.assign(source.n_columns(), std::nan(""));
  time.problem = motion.problem;
  if (time.problem.empty() && motion.grazes) {
    time.problem = fmt::format("{} only grazes its surface", name_of(source, guard));
  }
  for (std::size_t k = 0; k < time.sigma.size() && time.problem.empty(); ++k) {
    time.sigma[k] = motion.tangents[k] == 0.0 ? 0.0 : -motion.tangents[k] / motion.rate;
  }
  return time;
}

// By column. In the time of those that cross beside it, it stays at zero, up to the accuracy of S.
std::vector<bool> leaves_surface_of_others(const FieldSource& source, const StretchField& field,
                                           const GuardMotion& motion, const std::vector<double>& sigma) {
  std::vector<bool> leaves(sigma.size());
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    const double left = motion.tangents[k] + motion.rate * sigma[k];
    leaves[k] = !(std::abs(left) <= slack_of(source, field, std::abs(motion.tangents[k]), motion.error, k));
  }
  return leaves;
}

// By column. A guard like x³ has no slope either, and moves.
std::vector<bool> moves_at_all(const FieldSource& source, StretchField& field, Index guard,
                               const GuardMotion& motion, const InstantPoint& point) {
  std::vector<bool> moves(source.n_columns(), false);
  if (static_cast<std::size_t>(guard) >= source.system.guards().size()) {
    moves.flip();
    return moves;
  }
  for (const AlongWay& along : guard_along_way(source, field, guard, point, source.fixed_time)) {
    for (std::size_t k = 0; k < moves.size(); ++k) {
      moves[k] = moves[k] || !(std::abs(along.value[k]) <=
                               along.error[k] + slack_of(source, field, 0.0, motion.error, k));
    }
  }
  return moves;
}

}  // namespace

GuardMotion motion_of(const FieldSource& source, StretchField& field, Index guard,
                      const InstantPoint& point) {
  GuardMotion motion;
  motion.tangents.resize(source.n_columns());
  if (const Index norm = norm_of(source, guard); norm >= 0) {
    motion.problem =
        fmt::format("{} comes to zero or leaves it, and how its direction moves there is not known",
                    name_of(source, norm));
    return motion;
  }
  const Evaluation evaluation = field.tangents().guards(
      {&guard, 1}, point.t, point.x, {source.fixed_time, point.s, point.discrete}, motion.tangents);
  if (!evaluation.ok()) {
    motion.problem = fmt::format("{} has no derivative there", name_of(source, guard));
    return motion;
  }
  const GuardRate rate = rate_of_guard(source, field, guard, point);
  motion.rate = rate.value;
  motion.error = rate.error;
  motion.grazes = rate.grazes;
  return motion;
}

double agreement(double rtol) {
  return std::max(kLeastAgreement, kAgreement * rtol);
}

bool agree_by_state(const StretchField& field, std::span<const double> a, std::span<const double> b,
                    double size) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::max({std::abs(a[i]), std::abs(b[i]), field.nominal()[i] / size});
    if (!(std::abs(a[i] - b[i]) <= agreement(field) * scale)) {
      return false;
    }
  }
  return true;
}

double slack_of(const FieldSource& source, const StretchField& field, double terms, double guard_error,
                std::size_t k) {
  return std::max(agreement(field) * terms, kAgreement * guard_error / source.setup.columns[k].size);
}

GuardRate rate_of_guard(const FieldSource& source, StretchField& field, Index guard,
                        const InstantPoint& point) {
  GuardRate rate;
  Evaluation evaluation;
  system::GuardDerivatives derivatives;
  const bool is_weight = static_cast<std::size_t>(guard) >= source.system.guards().size();
  if (!is_weight) {
    evaluation = field.evaluator().guard_derivatives(guard, point.t, point.x, derivatives);
  }
  if (is_weight || !evaluation.ok() || derivatives.n_known < 1) {
    rate.value = rate_by_differences(field, guard, point, evaluation);
    rate.grazes = !evaluation.ok() || rate.value == 0.0;
    return rate;
  }
  rate.value = derivatives.value[0];
  std::vector<double> gradient(point.x.size());
  double time_derivative = 0.0;
  if (field.evaluator().guard_gradient(guard, point.t, point.x, gradient, time_derivative).ok()) {
    const integrate::Tolerances& tolerances = field.tolerances();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      rate.error += std::abs(gradient[i]) * (tolerances.rtol * std::abs(point.x[i]) + tolerances.atol[i]);
    }
    rate.change = rate.error + tolerances.rtol * std::abs(time_derivative * point.t);
  }
  const double curvature = derivatives.n_known > 1 ? std::abs(derivatives.value[1]) : 0.0;
  rate.grazes =
      std::abs(rate.value) <= derivatives.noise[0] || rate.value * rate.value <= 2.0 * curvature * rate.error;
  return rate;
}

// It is due at start + k·interval.
void clock_time(const FieldSource& source, Index clock, double t, std::vector<double>& sigma) {
  const system::ClockTimes own = source.system.clock_times(clock);
  const double k = std::round((t - own.start) / own.interval);
  for (std::size_t c = 0; c < sigma.size(); ++c) {
    sigma[c] = 0.0;
    if (!source.setup.columns[c].moves_clocks) {
      continue;
    }
    for (const Twin& twin : source.setup.columns[c].twins) {
      const system::ClockTimes beside = twin.system->clock_times(clock);
      sigma[c] += twin.weight * ((beside.start - own.start) + k * (beside.interval - own.interval));
    }
  }
}

bool move_alike(const FieldSource& source, std::size_t k, double a, double b, double tolerance,
                double time_size) {
  const double size =
      std::max({std::abs(a), std::abs(b), std::abs(time_size) / source.setup.columns[k].size});
  return std::abs(a - b) <= tolerance * size;
}

EventTime find_event_time(const FieldSource& source, StretchField& field, const InstantPoint& point,
                          const settle::InstantMove& move) {
  const double tolerance = agreement(field);
  EventTime found;
  std::vector<std::pair<Index, GuardMotion>> grazing;
  std::vector<bool> parts(source.n_columns(), false);
  std::vector<Index> guards;
  bool has_time = false;
  const auto take = [&](std::vector<double> sigma, Index guard) {
    guards.push_back(guard);
    if (!has_time) {
      found.sigma = std::move(sigma);
      has_time = true;
      return;
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      parts[k] = parts[k] || !move_alike(source, k, found.sigma[k], sigma[k], tolerance, point.time_size);
    }
  };
  for (const settle::InstantMove::Crossing& crossing : move.crossings) {
    GuardMotion motion = motion_of(source, field, crossing.guard, point);
    if (motion.grazes && motion.problem.empty()) {
      grazing.emplace_back(crossing.guard, std::move(motion));
      continue;
    }
    EventTime own = time_of_motion(source, crossing.guard, motion);
    if (!own.problem.empty()) {
      return own;
    }
    take(std::move(own.sigma), crossing.guard);
  }
  for (const Index clock : move.clocks) {
    std::vector<double> sigma(source.n_columns());
    clock_time(source, clock, point.t, sigma);
    take(std::move(sigma), kClock);
  }
  if (!has_time) {
    found.sigma.assign(source.n_columns(), 0.0);
  }
  for (const auto& [guard, motion] : grazing) {
    const std::vector<bool> moves = has_time ? leaves_surface_of_others(source, field, motion, found.sigma)
                                             : moves_at_all(source, field, guard, motion, point);
    if (std::find(moves.begin(), moves.end(), false) == moves.end()) {
      return time_of_motion(source, guard, motion);
    }
    if (std::find(moves.begin(), moves.end(), true) != moves.end()) {
      found.unknown.resize(moves.size(), false);
      std::transform(moves.begin(), moves.end(), found.unknown.begin(), found.unknown.begin(),
                     std::logical_or<>());
      found.unknown_problem = time_of_motion(source, guard, motion).problem;
    }
  }
  if (std::find(parts.begin(), parts.end(), true) != parts.end()) {
    found.parting = std::move(guards);
    found.parts = std::move(parts);
  }
  return found;
}

}  // namespace saltus::sensitivity
