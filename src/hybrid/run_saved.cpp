// A run that goes on from what was saved of it (base/archive.hpp).
#include "hybrid/run_loop.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace saltus::hybrid {

void RunLoop::fields(Archive& a) {
  // Not saved: horizon_, has_schedule_, is_between_steps_, is_unilateral_; what a turn of the loop works with: zeros_, reduced_, left_,
  // coefficients_, end_values_, probe_, gradient_, arrivals_.
  a(state_, settler_);
  state_.at.field_fields(a);
  a(progress_, watch_list_, ranks_, singular_, bounds_, values_, guard_error_, output_error_);
  a.pointer(engine_);
  a(use_of_mode_, is_over_, schedule_, is_fresh_, has_new_ranks_, has_muted_);
}

bool RunLoop::resume(const system::InitialPoint& initial, Archive& a) {
  prepare(initial);
  fields(a);
  if (!a.ok() || !state_.at.has_mode()) {
    return false;
  }
  const auto n_guards = static_cast<Index>(state_.guards().size());
  const auto is_guard = [n_guards](Index guard) { return guard >= 0 && guard < n_guards; };
  const Index n_watched = n_guards + 2 * std::ssize(state_.at.surfaces()) + std::ssize(state_.at.rests());
  const auto is_watched = [n_watched](const locate::Watch& watch) {
    return watch.guard >= 0 && watch.guard < n_watched && std::abs(watch.side) == 1.0;
  };
  const auto all = [](const auto& list, const auto& is_sound) {
    return std::all_of(list.begin(), list.end(), is_sound);
  };
  const auto has_side = [this](Index guard) {
    const system::GuardInfo& info = state_.guard(guard);
    const double latched = state_.at.latched(guard);
    return info.kind != system::GuardInfo::Kind::relation || info.norm >= 0 || state_.at.is_slid_on(guard) ||
           latched == 0.0 || std::abs(latched) == 1.0;
  };
  const Index n_clocks = state_.system().n_clocks();
  settle::Engine& engine = *state_.at.mode().engine;
  if (engine_ == nullptr || !all(watch_list_.watches(), is_watched) ||
      !all(engine.search().watches(), is_watched) || !all(watch_list_.staying_zero(), is_guard) ||
      !all(state_.at.mode().searched, has_side) || !all(schedule_.guards, is_guard) ||
      !all(schedule_.clocks, [n_clocks](Index clock) { return clock >= 0 && clock < n_clocks; })) {
    a.refuse("what is watched does not fit");
    return false;
  }
  const std::size_t n_uses = state_.outcome.method_uses.size();
  const std::size_t mode = engine_->mode().index();
  if (!all(use_of_mode_, [n_uses](std::size_t use) { return use <= n_uses; }) ||
      mode >= use_of_mode_.size() || use_of_mode_[mode] == 0) {
    a.refuse("steps of methods do not fit");
    return false;
  }
  engine.rejoin(state_.at.field());
  return true;
}

}  // namespace saltus::hybrid
