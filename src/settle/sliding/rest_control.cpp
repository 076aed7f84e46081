#include "settle/sliding/rest_control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::settle {

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

// Whether the last contact tried would leave zero by more than its tolerance until its events have accumulated.
bool RestControl::is_resolved(Index guard, double left) {
  rates_.resize(lambda_.size());
  gradient_.resize(state_.at.x().size());
  double time_derivative = 0.0;
  if (!trial_.rates(state_.at.time(), state_.at.x(), rates_).ok() ||
      !trial_.guard_gradient(guard, state_.at.time(), state_.at.x(), gradient_, time_derivative).ok()) {
    return false;
  }
  const double tolerance = finder_.tolerance_of(gradient_);
  // It is no shorter than the next flight, as it falls.
  system::GuardDerivatives free;
  const bool is_known =
      state_.at.mode().evaluator->guard_derivatives(guard, state_.at.time(), state_.at.x(), free).ok();
  const double flight = is_known ? ReboundFinder::duration(rates_.back(), free) : 0.0;
  return std::abs(rates_.back()) * std::max(std::abs(left), flight) > tolerance;
}

RestControl::Answer RestControl::begin(const slide::Contact& contact, double left, bool must_rest) {
  if (state_.at.partner() != nullptr || !Position::can_rest_in(state_.at.mode())) {
    return Answer::cannot;
  }
  std::vector<slide::Contact> contacts = state_.at.rests();
  contacts.push_back(contact);
  if (!holds(std::move(contacts))) {
    return Answer::cannot;
  }
  const Index guard = contact.guard;
  if (!must_rest && is_resolved(guard, left)) {
    return Answer::later;
  }
  state_.at.move({Factor::Kind::rest, guard}, x_);
  state_.at.rest_on(contact);
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
