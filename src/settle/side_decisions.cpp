#include "settle/side_decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "base/time_tolerance.hpp"
#include "settle/state/held_number.hpp"
#include "settle/state/within_instant.hpp"

namespace saltus::settle {

bool SideDecisions::decide(Crossed& crossed, std::span<const Index> staying_zero) {
  follow_sides_of_others(crossed);
  decide_over_roots(crossed, staying_zero);
  return decide_crossed(crossed, staying_zero) && decide_staying_zero(crossed, staying_zero);
}

// Guards with infinite slopes on their surfaces, whether the user wrote them as events or as kinks.
void SideDecisions::decide_over_roots(const Crossed& crossed, std::span<const Index> staying_zero) {
  zero_.clear();
  for (const Index guard : crossed.guards) {
    if (state_.roots.is_at(guard) && state_.guard(guard).has_root && !structures_.divides(guard)) {
      zero_.push_back(guard);
    }
  }
  for (const Index guard : staying_zero) {
    if (state_.at.latched(guard) == 0.0 && state_.guard(guard).has_root && !structures_.divides(guard)) {
      zero_.push_back(guard);
    }
  }
  over_roots_ = zero_;
  const bool has_left = std::any_of(crossed.guards.begin(), crossed.guards.end(), [this](Index guard) {
    return state_.guard(guard).has_root && !state_.roots.is_at(guard);
  });
  sliding_.decide_roots(zero_, has_left);
  std::erase_if(over_roots_,
                [this](Index guard) { return std::find(zero_.begin(), zero_.end(), guard) != zero_.end(); });
  // Others may have brought it back onto its surface.
  std::copy_if(crossed.guards.begin(), crossed.guards.end(), std::back_inserter(over_roots_),
               [this](Index guard) {
                 return state_.guard(guard).has_root && state_.roots.is_at(guard) &&
                        state_.at.latched(guard) == 0.0 && !is_over_root(guard);
               });
}

bool SideDecisions::is_over_root(Index guard) const {
  return std::find(over_roots_.begin(), over_roots_.end(), guard) != over_roots_.end();
}

// The guards across which the equations jump and that were located now, with all that is slid on or stays zero.
bool SideDecisions::decide_crossed(const Crossed& crossed, std::span<const Index> staying_zero) {
  if (state_.at.partner() != nullptr) {
    return !crossed.surface_ends || sliding_.decide_again();
  }
  zero_.clear();
  for (const Index guard : crossed.guards) {
    const system::GuardInfo& info = state_.guard(guard);
    if (state_.jumps(guard) && info.kind == system::GuardInfo::Kind::relation && !info.is_scheduled &&
        state_.roots.is_at(guard) && !structures_.divides(guard) && !is_over_root(guard)) {
      zero_.push_back(guard);
    } else if (info.kind == system::GuardInfo::Kind::norm &&
               state_.at.latched(guard) != system::direction_state::kMoving) {
      zero_.insert(zero_.end(), info.components.begin(), info.components.end());
    }
  }
  join_recent();
  const bool has_jump = std::any_of(crossed.guards.begin(), crossed.guards.end(), [this](Index guard) {
    return state_.jumps(guard) && !structures_.divides(guard) && !is_over_root(guard);
  });
  // A kink, too, may move what has stayed zero.
  const std::size_t n_crossed = zero_.size();
  for (const Index guard : staying_zero) {
    if (state_.jumps(guard) && state_.at.latched(guard) == 0.0 && !is_over_root(guard)) {
      zero_.push_back(guard);
    }
  }
  const std::size_t n_zero = zero_.size();
  structures_.settle_dividing(zero_);
  const bool has_divided = zero_.size() < n_zero;
  if (has_divided && zero_.empty()) {
    return true;  // there is no blend of them
  }
  if (!has_divided && !has_jump && !crossed.surface_ends && zero_.size() == n_crossed) {
    return true;
  }
  zero_.insert(zero_.end(), state_.at.surfaces().begin(), state_.at.surfaces().end());
  std::sort(zero_.begin(), zero_.end());
  zero_.erase(std::unique(zero_.begin(), zero_.end()), zero_.end());
  return structures_.decide(zero_) != StructureFollower::Decided::ended;
}

// A guard whose value depends on the side of another one that has crossed at this instant was seen to cross with the old side of that
// one. Where it goes on from its level is a matter of the new side: 2*abs(sin(t)) touches zero and returns.
void SideDecisions::follow_sides_of_others(const Crossed& crossed) {
  if (crossed.guards.size() < 2) {
    return;
  }
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const auto depends_on_another = [&](Index guard) {
    const auto sides = evaluator.guard_sides(guard);
    return sides && std::any_of(sides->begin(), sides->end(), [&](Index other) {
             return other != guard &&
                    std::find(crossed.guards.begin(), crossed.guards.end(), other) != crossed.guards.end();
           });
  };
  bool has_configuration = false;
  for (const Index guard : crossed.guards) {
    const bool is_decided_elsewhere =
        state_.guard(guard).kind == system::GuardInfo::Kind::relation && state_.guard(guard).in_equations;
    if (!state_.roots.is_at(guard) || state_.at.is_slid_on(guard) || is_decided_elsewhere ||
        !depends_on_another(guard)) {
      continue;
    }
    if (!has_configuration) {
      has_configuration = true;
      evaluator.set_configuration(state_.at.configuration());
    }
    const std::optional<int> sign = sliding_.motion_in(state_.at.mode(), state_.at.x(), guard);
    if (!sign || *sign == 0) {
      continue;
    }
    const system::GuardInfo& info = state_.guard(guard);
    state_.set_latched(guard, info.kind == system::GuardInfo::Kind::relation
                                  ? static_cast<double>(*sign)
                                  : number_beyond(info, state_.roots.level(guard), *sign));
  }
}

// Guards that have crossed within one resolution of time have crossed at one instant: where switches accumulate (a relay that spirals
// into the intersection of two surfaces), they are zero together and are decided together.
void SideDecisions::join_recent() {
  if (!same_instant(recent_time_, state_.at.time(), state_.time_scale())) {
    recent_.clear();
  }
  recent_time_ = state_.at.time();
  const std::size_t n_crossed = zero_.size();
  for (const Index guard : recent_) {
    if (!state_.at.is_slid_on(guard) && std::find(zero_.begin(), zero_.end(), guard) == zero_.end() &&
        n_crossed > 0 && is_zero_now(guard)) {
      state_.move_onto(guard);
      state_.roots.put(guard, 0.0);
      zero_.push_back(guard);
    }
  }
  for (std::size_t k = 0; k < n_crossed; ++k) {
    if (state_.guard(zero_[k]).norm < 0 &&
        std::find(recent_.begin(), recent_.end(), zero_[k]) == recent_.end()) {
      recent_.push_back(zero_[k]);
    }
  }
}

bool SideDecisions::is_zero_now(Index guard) {
  double value = 0.0;
  return state_.at.mode().evaluator->guards({&guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok() &&
         is_within_instant(state_, guard, value, 0.0, largest_state(state_));
}

// What has happened may move guards that stay zero; those that matter to rounds only, or make a kink, are decided here.
bool SideDecisions::decide_staying_zero(Crossed& crossed, std::span<const Index> staying_zero) {
  for (const Index guard : staying_zero) {
    const bool is_asked = state_.at.partner() == nullptr && !state_.jumps(guard) &&
                          state_.at.latched(guard) == 0.0 && !is_over_root(guard);
    if (is_asked && !(sliding_.install() && sliding_.decide_by_motion(guard))) {
      return false;
    }
    if (state_.at.latched(guard) != 0.0 && !state_.at.is_slid_on(guard)) {
      crossed.guards.push_back(guard);
    }
  }
  return true;
}

// Conditions that stand in branches of other choices only, none of which is taken: their crossing is no event.
void SideDecisions::forget_idle_changes() {
  for (LatchChange& change : state_.instant.changes) {
    if (state_.jumps(change.guard) && !state_.at.is_slid_on(change.guard) && !change.told_slid_on &&
        !structures_.has_changed() && !state_.at.mode().evaluator->guard_has_effect(change.guard)) {
      change.told = state_.at.latched(change.guard);
    }
  }
}

// What is latched has changed, but neither the right-hand side nor any variable with it: a proposition over several guards
// that stays as it is, or at the start a side that says the same as the relation on the surface (x >= 0, upwards). That is
// no event.
bool SideDecisions::forget_changes_without_effect() {
  if (state_.at.is_sliding() || state_.instant.changes.empty()) {
    return true;
  }
  if (!state_.evaluate_outputs()) {
    return false;
  }
  const bool is_same_output =
      std::equal(state_.values.begin(), state_.values.end(), state_.instant.left_limit.begin(),
                 [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
  if (!is_same_output) {
    return true;
  }
  sliding_.forget_derivative();
  gradient_.resize(state_.at.x().size());
  probe_.resize(state_.at.x().size());
  const system::Evaluation now = state_.at.field().rhs(state_.at.time(), state_.at.x(), gradient_);
  told_ = state_.at.configuration();
  for (const LatchChange& change : state_.instant.changes) {
    told_.latched[static_cast<std::size_t>(change.guard)] = change.told;
  }
  state_.at.field().set_configuration(told_);
  const system::Evaluation then = state_.at.field().rhs(state_.at.time(), state_.at.x(), probe_);
  state_.at.field().set_configuration(state_.at.configuration());
  if (now.ok() && then.ok() && probe_ == gradient_) {
    for (LatchChange& change : state_.instant.changes) {
      change.told = state_.at.latched(change.guard);
    }
  }
  return true;
}

// Kinks that were crossed have sides on which the solution goes on (docs/semantics.md 11.3). False: the run
// ended.
bool SideDecisions::pass_kinks(const Crossed& crossed) {
  kinks_.clear();
  for (const Index guard : crossed.guards) {
    const system::GuardInfo& info = state_.guard(guard);
    const double behind = state_.at.latched(guard);
    if (info.in_equations && (info.continuity >= 0 || info.is_continuous) &&
        info.kind == system::GuardInfo::Kind::relation && state_.roots.is_at(guard) &&
        !state_.at.is_slid_on(guard) && std::abs(behind) == 1.0) {
      kinks_.add(*state_.at.mode().evaluator, {guard, -behind, behind});
    }
  }
  if (kinks_.is_empty()) {
    return true;
  }
  if (!kinks_.passes(state_.at.field(), state_.at.time(), state_.at.x(), state_.direction())) {
    end_at_kink(kinks_.culprit());
    return false;
  }
  for (std::size_t k = 0; k < kinks_.kinks().size(); ++k) {
    state_.set_latched(kinks_.kinks()[k].guard, kinks_.sides()[k]);
  }
  return true;
}

void SideDecisions::end_at_kink(Index guard) {
  std::string equations;
  if (const auto written = state_.at.mode().locked->written_equations(); written != nullptr) {
    for (const std::size_t row : written->rows_over(guard)) {
      equations += (equations.empty() ? " " : ", ") + written->text(row);
    }
  }
  state_.end(RunOutcome::Status::failed, "impasse",
             fmt::format("the solution ends at t = {:.9g}, where {} reaches zero: with either sign of it the "
                         "equations{} lead back, so that none of their solutions goes on (in mode {})",
                         state_.at.time(), state_.guard(guard).text, equations, state_.at.mode().info->name));
}

}  // namespace saltus::settle
