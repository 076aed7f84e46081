#include "settle/arrival.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "reduce/nonlinear/projection_policy.hpp"
#include "settle/state/held_number.hpp"
#include "settle/state/time_beside_root.hpp"

namespace saltus::settle {
namespace {

// Part of the step over which the rate of a guard on its extension is taken.
constexpr double kRateWidth = 0x1p-10;
// A rate beside the terms that make it up; less is no contradiction.
constexpr double kRateNoise = 1e-12;

}  // namespace

void Arrival::begin_instant() {
  crossed_.guards.clear();
  crossed_.surface_ends = false;
  released_contacts_.clear();
}

// A vector has come within its reach of zero, or has left it.
void Arrival::take_norm(Index norm, double side) {
  state_.set_latched(norm,
                     side > 0.0 ? system::direction_state::kNearZero : system::direction_state::kMoving);
  for (const Index component : state_.guard(norm).components) {
    state_.at.set_latched(component, 0.0);
  }
  crossed_.guards.push_back(norm);
}

// A guard that was located: it is past its surface now, whatever the sign of its rounded value.
void Arrival::take_crossing(const locate::Watch& watch) {
  const auto i = static_cast<std::size_t>(watch.guard);
  if (i >= state_.guards().size()) {
    const std::size_t weight = i - state_.guards().size();  // 1 - s, 1 + s of each surface in turn
    if (const std::size_t n_weights = 2 * state_.at.surfaces().size(); weight >= n_weights) {
      released_contacts_.push_back(state_.at.rests()[weight - n_weights].guard);
      return;
    }
    crossed_.surface_ends = true;
    sliding_.note_leaving(weight / 2, weight % 2 == 0 ? 1.0 : -1.0);
    return;
  }
  const system::GuardInfo& info = state_.guard(watch.guard);
  if (info.kind == system::GuardInfo::Kind::norm) {
    take_norm(watch.guard, watch.side);
    return;
  }
  const bool is_relation = info.kind == system::GuardInfo::Kind::relation;
  const bool leaves_rest = is_relation && watch.level != 0.0;
  if (!leaves_rest) {
    state_.roots.put(watch.guard, watch.level);
  }
  state_.set_latched(watch.guard, is_relation ? -watch.side : number_beyond(info, watch.level, -watch.side));
  crossed_.guards.push_back(watch.guard);
  if (watch.level == 0.0 && state_.guard(watch.guard).in_rounds && state_.system().modes().size() > 1) {
    settle_on_surface(watch.guard);
  }
}

// The mode that follows may hold the one state that a guard depends on; what rounding has left of the guard would count as a
// side when a later mode looks at it. (Moving several states for one guard could push another guard off its zero.)
void Arrival::settle_on_surface(Index guard) {
  gradient_.resize(state_.at.x().size());
  double time_derivative = 0.0;
  if (state_.at.mode()
          .evaluator->guard_gradient(guard, state_.at.time(), state_.at.x(), gradient_, time_derivative)
          .ok() &&
      time_derivative == 0.0 &&
      std::count_if(gradient_.begin(), gradient_.end(), [](double slope) { return slope != 0.0; }) == 1) {
    state_.move_onto(guard);
  }
}

void Arrival::note_location(const locate::Watch& watch) {
  const bool is_weight = static_cast<std::size_t>(watch.guard) >= state_.guards().size();
  if (const auto time = is_weight ? std::nullopt : time_beside_root(state_, watch.guard, watch.level)) {
    sliding_.note_location(*time);
  }
}

// Whether the equations agree, at the left limit, with the way in which the guard has crossed on the extension.
void Arrival::note_rate(const locate::Watch& watch, double theta) {
  const auto i = static_cast<std::size_t>(watch.guard);
  if (i >= state_.guards().size() || !state_.guards()[i].in_rounds) {
    return;
  }
  gradient_.resize(state_.at.x().size());
  probe_.resize(state_.at.x().size());
  double by_equations = 0.0;
  if (!state_.at.field().rhs(state_.at.time(), state_.at.x(), probe_).ok() ||
      !state_.at.field()
           .guard_gradient(watch.guard, state_.at.time(), state_.at.x(), gradient_, by_equations)
           .ok()) {
    return;
  }
  double size = std::abs(by_equations);
  for (std::size_t k = 0; k < probe_.size(); ++k) {
    by_equations += gradient_[k] * probe_[k];
    size += std::abs(gradient_[k] * probe_[k]);
  }
  if (!(watch.side * state_.direction() * by_equations > kRateNoise * size)) {
    return;
  }
  const trajectory::SegmentView& segment = state_.at.mode().engine->search().segment();
  const std::array<double, 2> points{std::max(theta - kRateWidth, 0.0), std::max(theta, kRateWidth)};
  std::array<double, 2> values{};
  for (std::size_t k = 0; k < points.size(); ++k) {
    segment.evaluate(points[k], probe_);
    if (!state_.at.field()
             .guards({&watch.guard, 1}, segment.start_time() + points[k] * segment.step(), probe_,
                     {&values[k], 1})
             .ok()) {
      return;
    }
  }
  const double rate = (values[1] - values[0]) / ((points[1] - points[0]) * segment.step());
  if (watch.side * state_.direction() * rate < 0.0) {
    sliding_.note_contradiction(watch.guard, rate, by_equations);
  }
}

// A scheduled guard is affine in time: it goes on to the side it has not come from.
void Arrival::take_scheduled(Index guard) {
  const system::GuardInfo::Kind kind = state_.guard(guard).kind;
  state_.roots.put(guard);
  double value = 0.0;
  system::GuardDerivatives rate;
  if (!state_.at.mode().evaluator->guards({&guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok() ||
      !state_.at.mode().evaluator->guard_derivatives(guard, state_.at.time(), state_.at.x(), rate).ok()) {
    return;
  }
  const double motion = state_.direction() * rate.value[0] > 0.0 ? 1.0 : -1.0;
  if (kind == system::GuardInfo::Kind::relation) {
    state_.roots.come(guard, 0.0);
    state_.set_latched(guard, motion);
  } else {
    state_.roots.put(guard, nearest_level(state_.guard(guard), value));
    state_.set_latched(guard, number_beyond(state_.guard(guard), state_.roots.level(guard), motion));
  }
  crossed_.guards.push_back(guard);
}

// Guards that may switch again, or that have left zero: their side, or number, is that of their value.
bool Arrival::take_released() {
  values_.resize(released_.size());
  const system::Evaluation evaluation =
      state_.at.field().guards(released_, state_.at.time(), state_.at.x(), values_);
  if (!evaluation.ok()) {
    state_.fail(state_.at.field(), evaluation);
    return false;
  }
  for (std::size_t k = 0; k < released_.size(); ++k) {
    if (state_.guard(released_[k]).kind == system::GuardInfo::Kind::norm) {
      crossed_.guards.push_back(released_[k]);
      continue;
    }
    const double side = holds_number(state_.guard(released_[k]))
                            ? number_at(state_.guard(released_[k]), values_[k])
                        : values_[k] > 0.0 ? 1.0
                        : values_[k] < 0.0 ? -1.0
                                           : state_.at.latched(released_[k]);
    if (side != state_.at.latched(released_[k])) {
      state_.set_latched(released_[k], side);
      crossed_.guards.push_back(released_[k]);
    }
  }
  released_.clear();
  return true;
}

void Arrival::step_onto_roots(const Cause& cause) {
  const auto& watches = state_.at.mode().engine->search().watches();
  for (const locate::Crossing& crossing : cause.crossings) {
    const locate::Watch& watch = watches[static_cast<std::size_t>(crossing.watch)];
    if (watch.ends_at_surface && watch.level == 0.0) {
      state_.move_onto(watch.guard);
    }
  }
}

bool Arrival::take_roots_as_zero(const Cause& cause) {
  const auto& watches = state_.at.mode().engine->search().watches();
  bool has_taken = false;
  if (state_.at.is_sliding() || state_.at.is_at_rest()) {
    return false;  // the field is not that of sides alone
  }
  left_limit_ = state_.at.configuration();
  for (const Index guard : state_.at.mode().searched) {
    const double side = state_.at.latched(guard);
    double value = 0.0;
    if (!state_.guard(guard).has_root || std::abs(side) != 1.0 || state_.at.is_slid_on(guard) ||
        !state_.at.field().guards({&guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok()) {
      continue;
    }
    const bool is_located =
        std::any_of(cause.crossings.begin(), cause.crossings.end(), [&](const locate::Crossing& crossing) {
          return watches[static_cast<std::size_t>(crossing.watch)].guard == guard;
        });
    if (is_located || side * value <= 0.0) {
      left_limit_.latched[static_cast<std::size_t>(guard)] = 0.0;
      has_taken = true;
    }
  }
  if (has_taken) {
    state_.at.field().set_configuration(left_limit_);
  }
  return has_taken;
}

// Nothing but kinks: no row, no entry, no number.
bool Arrival::is_silent() const {
  return !crossed_.surface_ends &&
         std::all_of(crossed_.guards.begin(), crossed_.guards.end(), [this](Index guard) {
           const system::GuardInfo& info = state_.guard(guard);
           if (info.kind == system::GuardInfo::Kind::norm) {
             return !info.in_rounds;  // that it is held, if it is, is news
           }
           return !info.in_rounds && info.continuity >= 0 && info.kind == system::GuardInfo::Kind::relation &&
                  !structures_.divides(guard);
         });
}

// Which guards cross decides whether the left limit is needed.
bool Arrival::is_kink(const Cause& cause) {
  if (cause.is_release) {
    monitor_.release(state_.at.time(), released_);
  }
  bool ends_rest = false;
  const auto& watches = state_.at.mode().engine->search().watches();
  for (const locate::Crossing& crossing : cause.crossings) {
    const Index guard = watches[static_cast<std::size_t>(crossing.watch)].guard;
    if (static_cast<std::size_t>(guard) < state_.guards().size()) {
      crossed_.guards.push_back(guard);
    } else {
      const bool is_weight =
          static_cast<std::size_t>(guard) < state_.guards().size() + 2 * state_.at.surfaces().size();
      crossed_.surface_ends = crossed_.surface_ends || is_weight;
      ends_rest = ends_rest || !is_weight;
    }
  }
  const bool is_kink = is_silent() && cause.schedule == nullptr && released_.empty() && !ends_rest &&
                       cause.staying_zero.empty();
  crossed_.guards.clear();
  return is_kink;
}

// Guards that have crossed, are scheduled or may switch again have their new sides.
bool Arrival::take(const Cause& cause) {
  const auto& watches = state_.at.mode().engine->search().watches();
  const auto watch_of = [&watches](const locate::Crossing& crossing) -> const locate::Watch& {
    return watches[static_cast<std::size_t>(crossing.watch)];
  };
  if (!cause.crossings.empty()) {
    note_location(watch_of(cause.crossings.front()));
  }
  for (const locate::Crossing& crossing : cause.crossings) {
    note_rate(watch_of(crossing), crossing.theta);
  }
  for (const locate::Crossing& crossing : cause.crossings) {
    take_crossing(watch_of(crossing));
  }
  if (cause.schedule != nullptr) {
    for (const Index guard : cause.schedule->guards) {
      take_scheduled(guard);
    }
  }
  // Only now: contacts are numbered by their places.
  for (const Index guard : released_contacts_) {
    rest_.end(guard);
    crossed_.guards.push_back(guard);
  }
  return released_.empty() || take_released();
}

bool Arrival::are_held(std::span<const Index> norms) {
  for (const Index norm : norms) {
    if (sliding_.would_hold(norm)) {
      released_.push_back(norm);
    }
  }
  return !released_.empty();
}

// A guard that stayed zero beyond what its derivatives show and has left zero meanwhile: its side is seen late.
bool Arrival::have_left_zero(std::span<const Index> guards) {
  if (guards.empty()) {
    return false;
  }
  values_.resize(guards.size());
  if (!state_.at.field().guards(guards, state_.at.time(), state_.at.x(), values_).ok()) {
    return false;
  }
  crossed_.guards.clear();
  for (std::size_t k = 0; k < guards.size(); ++k) {
    const double noise = std::max(state_.at.field().guard_noise(guards[k], state_.at.time(), state_.at.x()),
                                  state_.guard(guards[k]).has_root ? state_.roots.reach(guards[k]) : 0.0);
    if (std::abs(values_[k]) > noise &&
        std::abs(values_[k]) >
            noise + survey_.left_by_projection(guards[k], reduce::ProjectionPolicy::kTolerance)) {
      released_.push_back(guards[k]);
    }
  }
  return !released_.empty();
}

}  // namespace saltus::settle
