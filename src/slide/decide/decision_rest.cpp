// Several guards that are zero at once: those that stay zero, or must not slide, beside the others (docs/semantics.md 7.3, 7.4, 7.5).
#include <algorithm>
#include <cmath>

#include "slide/decide/decision.hpp"
#include "slide/decide/weights.hpp"

namespace saltus::slide {

// A guard at a bound that nothing moves, with the sides of the answer and as written at zero, stays zero, whatever moves it beside other
// sides (a diode behind one that has stopped to block). The others are asked again.
bool Decider::leave_at_rest(system::Evaluator& evaluator, const DecisionPoint& point,
                            system::Configuration& configuration) {
  if (std::any_of(answer_.begin(), answer_.end(), is_inside)) {
    return false;
  }
  const auto give = [&](std::size_t resting) {
    for (std::size_t b = 0; b < active_.size(); ++b) {
      configuration.latched[static_cast<std::size_t>(guards_[active_[b]].guard)] =
          b == resting ? 0.0 : answer_[b];
    }
    evaluator.set_configuration(configuration);
  };
  const std::size_t none = active_.size();
  for (std::size_t a = none; a-- > 0;) {
    const Index guard = guards_[active_[a]].guard;
    if (std::abs(forces_[a]) > force_noise_[a]) {
      continue;
    }
    bool is_at_rest = true;
    for (const std::size_t resting : {none, a}) {
      Side side;
      give(resting);
      is_at_rest = is_at_rest && evaluate(evaluator, point, field(active_.size() + 1)).ok() &&
                   look_at_motion(evaluator, point, guard, field(active_.size() + 1), side).ok() &&
                   side.motion.sign == 0;
    }
    if (is_at_rest) {
      fix(a, 0.0, GuardDecision::Kind::stays_zero, evaluator, configuration);
      return true;
    }
  }
  give(none);
  return false;
}

// A guard that would slide but must not crosses, unless nothing moves it on either side: then it stays zero. The others are asked again.
bool Decider::bar_sliding(system::Evaluator& evaluator, const DecisionPoint& point,
                          system::Configuration& configuration) {
  for (std::size_t a = active_.size(); a-- > 0;) {
    GuardDecision& guard = guards_[active_[a]];
    if (is_inside(answer_[a]) &&
        (!point.may_slide || !infos_[static_cast<std::size_t>(guard.guard)].can_slide)) {
      if (std::abs(affine_force(a, answer_)) <= force_noise_[a] && matrix_[a * active_.size() + a] == 0.0) {
        fix(a, 0.0, GuardDecision::Kind::stays_zero, evaluator, configuration);
        return true;
      }
      guard.is_barred = true;
      guard.encounter = Encounter::attracts;
      const double side =
          guard.before != 0.0 ? -std::copysign(1.0, guard.before) : std::copysign(1.0, answer_[a]);
      fix(a, side, GuardDecision::Kind::side, evaluator, configuration);
      return true;
    }
  }
  return false;
}

// Rates were asked for at the sides before and with one guard turned at a time: what moves a guard only where several have turned (the last
// of a row of diodes that all leave zero at once) is not seen there. A guard that stays zero is asked with the sides that were found: if
// one moves, all of those are asked again, from these sides on. False: none moves.
bool Decider::wake_resting(system::Evaluator& evaluator, const DecisionPoint& point,
                           system::Configuration& configuration) {
  const auto rests = [](const GuardDecision& guard) { return guard.kind == GuardDecision::Kind::stays_zero; };
  const auto n_resting = std::count_if(guards_.begin(), guards_.end(), rests);
  if (n_resting == 0 || static_cast<std::size_t>(n_resting) == guards_.size()) {
    return false;
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    configuration.latched[static_cast<std::size_t>(guards_[active_[a]].guard)] = answer_[a];
  }
  evaluator.set_configuration(configuration);
  for (std::size_t a = 0; !stays_as_written_ && a < active_.size(); ++a) {
    evaluator.set_latched(guards_[active_[a]].guard, answer_[a]);
  }
  const std::size_t pattern = active_.size() + 1;
  decision_.derivative_known = false;
  if (is_moved_[pattern] != 0 || !evaluate(evaluator, point, field(pattern)).ok()) {
    return false;
  }
  // Weights move too: higher derivatives say nothing then.
  const auto end = answer_.begin() + static_cast<std::ptrdiff_t>(active_.size());
  const bool slides = !stays_as_written_ && std::any_of(answer_.begin(), end, is_inside);
  const bool is_moved = std::any_of(guards_.begin(), guards_.end(), [&](const GuardDecision& guard) {
    Side side;
    if (!rests(guard)) {
      return false;
    }
    if (slides) {
      return first_rate(evaluator, point, guard.guard, field(pattern), side.rate).ok() &&
             sign_beyond_noise(side.rate.value, side.rate.noise) != 0;
    }
    return look_at_motion(evaluator, point, guard.guard, field(pattern), side).ok() && side.motion.sign != 0;
  });
  if (!is_moved) {
    return false;
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    found_[active_[a]] = answer_[a];
  }
  for (std::size_t place = 0; place < guards_.size(); ++place) {
    if (rests(guards_[place])) {
      guards_[place].kind = GuardDecision::Kind::side;
      active_.push_back(place);
    }
  }
  std::sort(active_.begin(), active_.end());
  return true;
}

}  // namespace saltus::slide
