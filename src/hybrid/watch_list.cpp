#include "hybrid/watch_list.hpp"

#include <utility>

#include "settle/sliding/sliding_control.hpp"
#include "settle/state/held_number.hpp"

namespace saltus::hybrid {
namespace {

// A weight this near to ±1 is where an algebraic slide has begun (algebraic_sides.hpp, kShift).
constexpr double kAtBound = 1e-6;

// Since an instant before the present one.
locate::Departure departure(const settle::RunState& state, Index guard, double level, double side) {
  return state.roots.departing_side(guard) == side && state.roots.level(guard) == level
             ? state.roots.departure(guard)
             : locate::Departure{};
}

// Whether an event may lie beside the surface: the equations do not read the side of the guard, and no modes slide between them on it.
bool is_coarse(const settle::RunState& state, Index guard) {
  const ModeId mode = state.at.configuration().mode;
  return state.options().detection.event_tolerance > 0.0 && !state.guard(guard).in_equations &&
         !settle::pair_of(state.system(), mode, guard) && !settle::band_of(state.system(), mode, guard);
}

}  // namespace

void WatchList::step_kept(const settle::RunState& state) {
  const auto n_guards = static_cast<Index>(state.guards().size());
  for (locate::Watch& watch : watches_) {
    watch.starts_at_root = false;
    watch.departure =
        watch.guard < n_guards ? departure(state, watch.guard, watch.level, watch.side) : locate::Departure{};
  }
}

// A vector comes within its reach of zero, or leaves it; while it is held the exit of its components is watched.
void WatchList::watch_norm(const settle::RunState& state, Index norm) {
  const double latched = state.at.latched(norm);
  if (latched == system::direction_state::kHeld || latched == system::direction_state::kArriving) {
    return;
  }
  const bool is_near = latched == system::direction_state::kNearZero;
  if (is_near) {
    near_zero_.push_back(norm);
  }
  watches_.push_back({.guard = norm, .level = state.roots.reach(norm), .side = is_near ? -1.0 : 1.0});
}

void WatchList::build(const settle::RunState& state, const settle::SwitchMonitor& monitor,
                      std::span<const std::uint8_t> is_unilateral) {
  watches_.clear();
  staying_zero_.clear();
  near_zero_.clear();
  for (const Index guard : state.at.mode().searched) {
    const auto i = static_cast<std::size_t>(guard);
    const double latched = state.at.configuration().latched[i];
    if (state.at.is_slid_on(guard) || monitor.is_held(guard)) {
      continue;
    }
    if (state.guard(guard).kind == system::GuardInfo::Kind::norm) {
      watch_norm(state, guard);
    } else if (const system::GuardInfo& info = state.guard(guard);
               info.kind != system::GuardInfo::Kind::relation) {
      const settle::HeldRange range = settle::held_range(info, latched);
      const bool is_on_level = state.roots.is_at(guard);
      for (const auto& [level, side] : {std::pair{range.lower, 1.0}, std::pair{range.upper, -1.0}}) {
        if (!std::isfinite(level)) {
          continue;
        }
        watches_.push_back(
            {.guard = guard,
             .level = level,
             .side = side,
             .starts_at_root = is_on_level && state.roots.level(guard) == level,
             .departure = is_on_level ? locate::Departure{} : departure(state, guard, level, side)});
      }
    } else if (latched == 0.0) {
      staying_zero_.push_back(guard);
      // One that rests leaves its reach, upwards or downwards.
      if (const double reach = state.roots.reach(guard); state.guard(guard).has_root && reach > 0.0) {
        watches_.push_back({.guard = guard, .level = reach, .side = -1.0});
        watches_.push_back({.guard = guard, .level = -reach, .side = 1.0});
      }
    } else {
      const bool is_at_root = state.roots.is_at(guard);
      watches_.push_back({.guard = guard,
                          .side = latched,
                          .starts_at_root = is_at_root,
                          .departure = is_at_root
                                           ? locate::Departure{.is_thrown = state.roots.is_thrown(guard)}
                                           : departure(state, guard, 0.0, latched),
                          .ends_at_surface = state.guard(guard).has_root,
                          .is_bilateral = is_unilateral[i] == 0,
                          .is_coarse = is_coarse(state, guard)});
    }
  }
  // While sliding the k-th surface has its weight: 1 - s and 1 + s are positive (slide/field/sliding_field.hpp).
  const auto n_guards = static_cast<Index>(state.guards().size());
  for (std::size_t k = 0; k < state.at.surfaces().size(); ++k) {
    const auto first = n_guards + 2 * static_cast<Index>(k);
    if (const Index norm = state.guard(state.at.surfaces()[k]).norm; norm >= 0) {
      // The components of a vector have one exit, that of the first.
      if (state.guard(norm).components.front() == state.at.surfaces()[k]) {
        watches_.push_back({.guard = first});
      }
      continue;
    }
    // An algebraic slide begins at a bound of its weight.
    const auto i = static_cast<std::size_t>(state.at.surfaces()[k]);
    const bool is_algebraic = state.at.slide_kind(state.at.surfaces()[k]) == settle::SlideKind::by_value;
    const double weight = state.at.configuration().latched[i];
    watches_.push_back({.guard = first, .starts_at_root = is_algebraic && 1.0 - weight < kAtBound});
    watches_.push_back({.guard = first + 1, .starts_at_root = is_algebraic && 1.0 + weight < kAtBound});
  }
  // Contacts have their multipliers behind them (slide/field/rest_field.hpp).
  const Index n_weights = 2 * static_cast<Index>(state.at.surfaces().size());
  for (std::size_t k = 0; k < state.at.rests().size(); ++k) {
    watches_.push_back({.guard = n_guards + n_weights + static_cast<Index>(k)});
  }
}

}  // namespace saltus::hybrid
