#include "settle/sliding/rebound_finder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/time_tolerance.hpp"
#include "settle/state/rebound.hpp"
#include "settle/state/within_instant.hpp"

namespace saltus::settle {
namespace {

// The states that the body of an action may move; by state.
std::vector<std::uint8_t> moved_by(ModeData& mode, std::size_t action, std::size_t n_states) {
  const auto jumps = mode.rounds->jump_equations();
  if (jumps == nullptr) {  // callbacks do not say
    return std::vector<std::uint8_t>(n_states, 1);
  }
  std::vector<std::uint8_t> moves(n_states, 0);
  for (const system::JumpEquations::Jumping& jumping : jumps->jumping) {
    if (static_cast<std::size_t>(jumping.action) == action &&
        static_cast<std::size_t>(jumping.slot) < n_states) {
      moves[static_cast<std::size_t>(jumping.slot)] = 1;
    }
  }
  return moves;
}

}  // namespace

void ReboundFinder::find_jump(std::size_t action, std::span<const double> jump) {
  const std::size_t n_states = state_.at.x().size();
  moves_ = moved_by(state_.at.mode(), action, n_states);
  jump_.assign(n_states, 0.0);
  for (std::size_t i = 0; i < n_states && jump.size() == n_states; ++i) {
    jump_[i] = moves_[i] != 0 ? jump[i] : 0.0;
  }
}

double ReboundFinder::side_before(Index guard) const {
  const auto change = std::find_if(state_.instant.changes.begin(), state_.instant.changes.end(),
                                   [guard](const LatchChange& latched) { return latched.guard == guard; });
  return change != state_.instant.changes.end() ? change->before : state_.at.latched(guard);
}

// The jump, of size one in nominal values. False: there is none.
bool ReboundFinder::take_jump(slide::Contact& contact) const {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  double size = 0.0;
  for (std::size_t i = 0; i < jump_.size(); ++i) {
    size = std::max(size, std::abs(jump_[i]) / nominal[i]);
  }
  contact.impulse = jump_;
  for (double& component : contact.impulse) {
    component = size > 0.0 ? component / size : 0.0;
  }
  return size > 0.0;
}

// The rate of a guard where the states are changed by this.
std::optional<double> ReboundFinder::rate_beside(Index guard, std::span<const double> change) {
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  std::transform(x_.begin(), x_.end(), change.begin(), x_.begin(), std::plus<>());
  system::GuardDerivatives free;
  if (!state_.at.mode().evaluator->guard_derivatives(guard, state_.at.time(), x_, free).ok() ||
      free.n_known < 1) {
    return std::nullopt;
  }
  return free.value[0];
}

// A body that has moved nothing (a ball that begins to fall from the floor) has a direction if one state alone that it may move moves the rate.
bool ReboundFinder::take_only_direction(slide::Contact& contact, double rate) {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  std::vector<double> change(moves_.size(), 0.0);
  Index only = -1;
  double sign = 0.0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (moves_[i] == 0) {
      continue;
    }
    change[i] = nominal[i];
    const std::optional<double> moved = rate_beside(contact.guard, change);
    change[i] = 0.0;
    if (!moved || (*moved != rate && only >= 0)) {
      return false;
    }
    if (*moved != rate) {
      only = static_cast<Index>(i);
      sign = std::copysign(1.0, (*moved - rate) * contact.side * state_.direction());
    }
  }
  if (only < 0) {
    return false;
  }
  contact.impulse = std::move(change);
  contact.impulse[static_cast<std::size_t>(only)] = sign * nominal[static_cast<std::size_t>(only)];
  return true;
}

// Of a guard that is zero: the contact, if the body drives its rate back to the side from which the equations draw it.
std::optional<slide::Contact> ReboundFinder::thrown_contact(Index guard) {
  system::GuardDerivatives free;
  if (!state_.at.mode().evaluator->guard_derivatives(guard, state_.at.time(), state_.at.x(), free).ok() ||
      free.n_known < 2) {
    return std::nullopt;
  }
  const double before = side_before(guard);
  slide::Contact contact{.guard = guard,
                         .side = std::abs(before) == 1.0 ? before : std::copysign(1.0, -free.value[1]),
                         .impulse = {}};
  if (!take_jump(contact) && !take_only_direction(contact, free.value[0])) {
    return std::nullopt;
  }
  return drives_back(contact, free) && !moves_guard(contact) ? std::optional(std::move(contact))
                                                             : std::nullopt;
}

// Whether the impulse moves the rate of the guard, and to its side.
bool ReboundFinder::drives_back(const slide::Contact& contact, const system::GuardDerivatives& free) {
  const std::optional<double> moved = rate_beside(contact.guard, contact.impulse);
  return moved && (*moved - free.value[0]) * contact.side * state_.direction() > free.noise[0];
}

// Whether the states that the body has moved (or would move) move the guard itself: then it is zero because something else makes up for them
// (`n = pre(n) + 1; reinit(x, x + c)` on x - c·n), and nothing has been thrown.
bool ReboundFinder::moves_guard(const slide::Contact& contact) {
  double time_derivative = 0.0;
  gradient_.resize(state_.at.x().size());
  if (!state_.at.mode()
           .evaluator
           ->guard_gradient(contact.guard, state_.at.time(), state_.at.x(), gradient_, time_derivative)
           .ok()) {
    return true;
  }
  const bool has_jump =
      std::any_of(jump_.begin(), jump_.end(), [](double component) { return component != 0.0; });
  const std::vector<double>& change = has_jump ? jump_ : contact.impulse;
  const double moved = std::inner_product(gradient_.begin(), gradient_.end(), change.begin(), 0.0);
  return std::abs(moved) > tolerance_of(gradient_);
}

std::optional<slide::Contact> ReboundFinder::contact_of(std::size_t action, std::span<const double> jump) {
  const system::ActionInfo& info = state_.system().actions()[action];
  if (info.is_scheduled) {
    return std::nullopt;
  }
  find_jump(action, jump);
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  if (info.guard >= 0) {
    slide::Contact contact{.guard = info.guard, .side = side_before(info.guard), .impulse = {}};
    if (!take_jump(contact)) {
      return thrown_contact(info.guard);
    }
    return moves_guard(contact) ? std::nullopt : std::optional(std::move(contact));
  }
  for (const Index guard : state_.at.mode().guards) {
    const system::GuardInfo& candidate = state_.guard(guard);
    const bool is_read =
        info.guards.empty() || std::find(info.guards.begin(), info.guards.end(), guard) != info.guards.end();
    if (!candidate.in_rounds || !is_read || candidate.kind != system::GuardInfo::Kind::relation ||
        !state_.roots.is_at(guard)) {
      continue;
    }
    if (std::optional<slide::Contact> contact = thrown_contact(guard)) {
      return contact;
    }
  }
  return std::nullopt;
}

double ReboundFinder::duration(double rate, const system::GuardDerivatives& free) {
  return free.n_known > 1 && std::abs(free.value[1]) > free.noise[1] ? 2.0 * std::abs(rate / free.value[1])
                                                                     : 0.0;
}

double ReboundFinder::tolerance_of(std::span<const double> gradient) const {
  double tolerance = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    tolerance += std::abs(gradient[i]) * state_.at.tolerance(i);
  }
  return tolerance;
}

std::optional<ReboundFinder::Flight> ReboundFinder::flight_of(const slide::Contact& contact) {
  const Index guard = contact.guard;
  if (state_.guard(guard).kind != system::GuardInfo::Kind::relation || state_.at.partner() != nullptr) {
    return std::nullopt;
  }
  const double t = state_.at.time();
  const std::vector<double>& x = state_.at.x();
  auto& evaluator = *state_.at.mode().evaluator;
  evaluator.set_configuration(state_.at.configuration());
  system::GuardDerivatives free;
  double value = 0.0;
  double time_derivative = 0.0;
  gradient_.resize(x.size());
  if (!evaluator.guards({&guard, 1}, t, x, {&value, 1}).ok() ||
      !evaluator.guard_derivatives(guard, t, x, free).ok() ||
      !evaluator.guard_gradient(guard, t, x, gradient_, time_derivative).ok() || free.n_known < 2) {
    return std::nullopt;
  }
  const double rate = free.value[0] * contact.side * state_.direction();
  const bool is_drawn = free.value[1] * contact.side < 0.0 && std::abs(free.value[1]) > free.noise[1];
  // A mark says where the instant began; a body may have moved the guard away.
  const bool is_zero = std::abs(value) <= tolerance_of(gradient_) + evaluator.guard_noise(guard, t, x);
  if (!is_zero || rate < -free.noise[0] || !is_drawn || !drives_back(contact, free)) {
    return std::nullopt;
  }
  Flight flight;
  flight.has_rate = rate > free.noise[0];
  flight.time = flight.has_rate ? duration(free.value[0], free) : 0.0;
  const double height = 0.25 * rate * flight.time;  // of a parabola
  double roundings = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    roundings += kStateRoundings * std::abs(gradient_[i] * x[i]);
  }
  const double left = std::abs(value) + roundings + evaluator.guard_noise(guard, t, x);
  flight.is_seen = height > kNoisesOfRebound * left &&
                   flight.time > kInstantsOfRebound * time_tolerance(t, state_.time_scale());
  flight.is_low = height <= tolerance_of(gradient_);
  return flight;
}

}  // namespace saltus::settle
