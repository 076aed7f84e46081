#include "settle/sliding/rest_control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/time_tolerance.hpp"

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

std::optional<slide::Contact> RestControl::contact_of(std::size_t action, std::span<const Index> crossed,
                                                      std::span<const double> before) {
  slide::Contact contact;
  contact.guard = state_.system().actions()[action].guard;
  for (const Index guard : crossed) {
    if (contact.guard < 0 && state_.guard(guard).in_rounds) {
      contact.guard = guard;
    }
  }
  const std::vector<double>& x = state_.at.x();
  if (contact.guard < 0 || before.size() != x.size()) {
    return std::nullopt;
  }
  contact.side = state_.touch(contact.guard).before;
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  const std::vector<std::uint8_t> moves = moved_by(state_.at.mode(), action, x.size());
  contact.impulse.assign(x.size(), 0.0);
  double size = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    contact.impulse[i] = moves[i] != 0 ? x[i] - before[i] : 0.0;
    size = std::max(size, std::abs(contact.impulse[i]) / nominal[i]);
  }
  if (!(size > 0.0)) {
    return std::nullopt;
  }
  for (double& component : contact.impulse) {
    component /= size;
  }
  return contact;
}

void RestControl::hold(std::vector<slide::Contact> contacts) {
  ModeData& mode = state_.at.mode();
  mode.evaluator->set_configuration(state_.at.configuration());
  trial_.hold(*mode.evaluator, static_cast<Index>(state_.guards().size()), mode.engine->nominal(),
              std::move(contacts));
}

// Whether forces along the impulses hold all of them at the present point, which is then x_, and none acts on what is slid on.
bool RestControl::holds(std::vector<slide::Contact> contacts) {
  const std::size_t n_contacts = contacts.size();
  hold(std::move(contacts));
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  lambda_.assign(n_contacts, 0.0);
  if (!trial_.project(state_.at.time(), x_).ok() || !trial_.multipliers(state_.at.time(), x_, lambda_).ok()) {
    return false;
  }
  bool acts = false;
  for (const Index surface : state_.at.surfaces()) {
    if (acts || !trial_.acts_on(surface, state_.at.time(), x_, acts).ok()) {
      return false;
    }
  }
  return !acts && std::all_of(lambda_.begin(), lambda_.end(), [](double lambda) { return lambda > 0.0; });
}

// Of a guard that leaves zero at `rate` and is drawn back; 0: nothing draws it.
double RestControl::flight_of(double rate, const system::GuardDerivatives& free) {
  return free.n_known > 1 && std::abs(free.value[1]) > free.noise[1] ? 2.0 * std::abs(rate / free.value[1])
                                                                     : 0.0;
}

std::optional<RestControl::Flight> RestControl::flight_after(std::size_t action,
                                                             std::span<const Index> crossed,
                                                             std::span<const double> before) {
  const std::optional<slide::Contact> contact = contact_of(action, crossed, before);
  if (!contact || state_.guard(contact->guard).kind != system::GuardInfo::Kind::relation ||
      state_.at.partner() != nullptr || !Position::can_rest_in(state_.at.mode())) {
    return std::nullopt;
  }
  const double t = state_.at.time();
  auto& evaluator = *state_.at.mode().evaluator;
  evaluator.set_configuration(state_.at.configuration());
  system::GuardDerivatives free;
  double value = 0.0;
  const std::span<const Index> which(&contact->guard, 1);
  if (!evaluator.guards(which, t, state_.at.x(), {&value, 1}).ok() ||
      !evaluator.guard_derivatives(contact->guard, t, state_.at.x(), free).ok() || free.n_known < 2) {
    return std::nullopt;
  }
  const double rate = free.value[0] * contact->side * state_.direction();
  const double flight = flight_of(free.value[0], free);
  if (!(rate > free.noise[0]) || free.value[1] * contact->side > 0.0 || flight == 0.0) {
    return std::nullopt;
  }
  const double behind = std::max(0.0, -value * contact->side);
  const double height = 0.25 * rate * flight;  // of a parabola
  gradient_.resize(state_.at.x().size());
  double time_derivative = 0.0;
  if (!evaluator.guard_gradient(contact->guard, t, state_.at.x(), gradient_, time_derivative).ok()) {
    return std::nullopt;
  }
  const double noise = evaluator.guard_noise(contact->guard, t, state_.at.x());
  return Flight{.time = flight,
                .is_seen = !same_instant(t, t + flight, state_.time_scale()) && height > behind + noise,
                .is_low = height <= tolerance_of(gradient_)};
}

double RestControl::tolerance_of(std::span<const double> gradient) const {
  double tolerance = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    tolerance += std::abs(gradient[i]) * state_.at.tolerance(i);
  }
  return tolerance;
}

// Whether the last contact tried would leave zero by more than its tolerance until its events have accumulated.
bool RestControl::is_resolved(Index guard, double left) {
  rates_.resize(lambda_.size());
  gradient_.resize(state_.at.x().size());
  double time_derivative = 0.0;
  if (!trial_.rates(state_.at.time(), state_.at.x(), rates_).ok() ||
      !trial_.guard_gradient(guard, state_.at.time(), state_.at.x(), gradient_, time_derivative).ok()) {
    return false;
  }
  const double tolerance = tolerance_of(gradient_);
  // It is no shorter than the next flight, as it falls.
  system::GuardDerivatives free;
  const bool is_known =
      state_.at.mode().evaluator->guard_derivatives(guard, state_.at.time(), state_.at.x(), free).ok();
  const double flight = is_known ? flight_of(rates_.back(), free) : 0.0;
  return std::abs(rates_.back()) * std::max(std::abs(left), flight) > tolerance;
}

RestControl::Answer RestControl::begin(std::size_t action, double left, std::span<const Index> crossed,
                                       std::span<const double> before) {
  std::optional<slide::Contact> contact = contact_of(action, crossed, before);
  if (!contact || state_.at.partner() != nullptr || !Position::can_rest_in(state_.at.mode())) {
    return Answer::cannot;
  }
  std::vector<slide::Contact> contacts = state_.at.rests();
  contacts.push_back(*contact);
  if (!holds(std::move(contacts))) {
    return Answer::cannot;
  }
  const Index guard = contact->guard;
  if (is_resolved(guard, left)) {
    return Answer::later;
  }
  state_.at.move({Factor::Kind::rest, guard}, x_);
  state_.at.rest_on(*std::move(contact));
  state_.set_latched(guard, 0.0);
  state_.roots.put(guard);
  return Answer::rests;
}

void RestControl::end(Index guard) {
  const std::vector<slide::Contact>& rests = state_.at.rests();
  const auto contact = std::find_if(rests.begin(), rests.end(),
                                    [guard](const slide::Contact& rest) { return rest.guard == guard; });
  const double side = contact->side;
  state_.at.let_go(guard);
  state_.set_latched(guard, side);
  state_.roots.put(guard);
}

void RestControl::leave_moved() {
  const std::vector<slide::Contact> rests = state_.at.rests();
  const bool are_known = std::none_of(rests.begin(), rests.end(),
                                      [](const slide::Contact& rest) { return rest.impulse.empty(); });
  if (rests.empty() || !are_known) {
    return;
  }
  hold(rests);
  for (std::size_t k = 0; k < rests.size(); ++k) {
    double distance = 0.0;
    const bool is_known = trial_.distance_from_rest(k, state_.at.time(), state_.at.x(), distance).ok();
    if (!is_known || distance > state_.at.mode().engine->stepper().tolerances().rtol) {
      state_.at.let_go(rests[k].guard);
      state_.roots.put(rests[k].guard);
    }
  }
}

}  // namespace saltus::settle
