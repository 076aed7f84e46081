// Where the loop looks for events: on the step just taken, and at its ends (docs/semantics.md 2.2, 4, 9.1).
#include <algorithm>
#include <array>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "hybrid/run_loop.hpp"

namespace saltus::hybrid {
namespace {

// A step that seems to turn back at once is repeated with this part of it.
constexpr double kDoubtedCut = 0.1;
// … and one whose extension is not trusted with this one.
constexpr double kHalf = 0.5;
// Points at which a guard left out for one step is looked at.
constexpr int kSideProbes = 16;
// The smallest part of a step in which a guard must be seen on its side to have left its surface there.
constexpr double kSmallestFirstPart = 1e-4;
// Down to this length, in resolutions of time, a step that shows a guard turning back at once is doubted.
constexpr double kCertainInstants = 1e3;
// Tolerances by which the extensions of a step may differ, at the event that one of them shows …
constexpr double kDifferenceAtEvent = 1.0;
// … and where rows come from the one that was made to look for events.
constexpr double kDifferenceAtRows = 5.0;
// Tolerances by which the equations may lead away from the extension on the way to an event: as much as explicit methods allow in the middle of
// steps in doubt (explicit_unseen_error.cpp). Of 21,800 events of the examples at 1e-6 (dopri5, radau5, sdirk4, bdf) the largest was 3.6.
constexpr double kMostDefect = 15.0;

}  // namespace

// The earliest event in (t, t + h].
locate::SearchResult RunLoop::search(double step) {
  state_.is_step_searched = !watch_list_.watches().empty();
  if (!state_.is_step_searched) {
    return {};
  }
  settle::Engine& engine = *state_.at.mode().engine;
  // Where a larger step could not be evaluated a surface may lie just beyond the end of this one (2.2).
  const bool is_one_sided = engine.advance().failed_size() > std::abs(step);
  locate::SearchResult found = engine.search().first_event(engine.stepper(), state_.time_scale(),
                                                           is_one_sided ? locate::kExtrapolationLimit : 1.0);
  if (!found.found() && !is_fresh_ && have_gone_behind()) {
    found = engine.search().first_event(engine.stepper(), state_.time_scale());
  }
  found = skip_known_root(found, step);
  if (found.found() && !found.extrapolated && is_led_away(found.theta, step)) {
    // The next attempt ends at the event at the latest, where its estimate sees what this one has passed over.
    return {.kind = locate::SearchResult::Kind::refine, .theta = std::min(found.theta, kHalf)};
  }
  if (found.found() && found.extrapolated) {
    const double t = engine.stepper().time().value() + (found.theta - 1.0) * step;
    // Too far beyond the end of the step: the next one begins nearer.
    const bool is_trusted = engine.stepper().extension_error(found.theta) <= 1.0;
    if (!is_trusted || state_.direction() * (t - next_target()) > 0.0) {
      return {};
    }
  } else if (found.found()
                 ? is_doubtful(found.theta, step, kDifferenceAtEvent)
                 : engine.search().has_taken_full_extension() && is_doubtful(1.0, step, kDifferenceAtRows)) {
    return {.kind = locate::SearchResult::Kind::refine, .theta = kHalf};
  }
  return found.found() ? gather(found) : found;
}

// Whether a kink that is leaving its surface is behind it where the step begins, and further behind where it ends: across it the equations do
// not jump, so that nothing leads it back, and with the side that it does not have they would lead elsewhere in the long run.
bool RunLoop::has_gone_behind(const locate::Watch& watch) {
  const system::GuardInfo& info = state_.guard(watch.guard);
  if (!info.in_equations || state_.jumps(watch.guard) || info.kind != system::GuardInfo::Kind::relation) {
    return false;
  }
  const trajectory::SegmentView segment = state_.open_segment();
  probe_.resize(state_.at.x().size());
  std::array<double, 2> behind{};
  double noise = 0.0;
  for (std::size_t k = 0; k < behind.size(); ++k) {
    const auto at = static_cast<double>(k);
    segment.evaluate(at, probe_);
    const double t = segment.start_time() + at * segment.step();
    double value = 0.0;
    if (!state_.at.field().guards({&watch.guard, 1}, t, probe_, {&value, 1}).ok()) {
      return false;
    }
    behind[k] = watch.side * (watch.level - value);
    noise = std::max(noise, state_.at.field().guard_noise(watch.guard, t, probe_));
  }
  return behind[0] > noise && behind[1] > behind[0] + noise;
}

// Such kinks are not leaving any more: the search is to look at them as at others.
bool RunLoop::have_gone_behind() {
  bool has_any = false;
  for (const locate::Watch& watch : watch_list_.watches()) {
    const bool is_guard = static_cast<std::size_t>(watch.guard) < state_.guards().size();
    if (is_guard && watch.departure.is_leaving && has_gone_behind(watch)) {
      state_.roots.note_departure(watch.guard, {}, watch.side);
      has_any = true;
    }
  }
  if (has_any) {
    watch_list_.step_kept(state_);
    arm();
  }
  return has_any;
}

bool RunLoop::can_be_doubted(double step) {
  const integrate::Tolerances& tolerances = state_.at.mode().engine->stepper().tolerances();
  return tolerances.test_error && tolerances.norm != integrate::ErrorNorm::compere &&
         std::abs(step) > kCertainInstants * time_tolerance(state_.at.time(), state_.time_scale());
}

// The search looks at guards, and through them at the equations, where the method has not: in a pulse between its stages, of which its
// estimates know nothing. So the extension must follow the equations where the event is; and half way to it, which is within the pulse where the
// step begins on one of its flanks and the event is the other.
bool RunLoop::is_led_away(double theta, double step) {
  if (!can_be_doubted(step)) {
    return false;
  }
  settle::Engine& engine = *state_.at.mode().engine;
  const trajectory::SegmentView& segment = engine.search().segment();
  return engine.stepper().extension_defect(segment, theta) > kMostDefect ||
         engine.stepper().extension_defect(segment, 0.5 * theta) > kMostDefect;
}

// Beyond an event the locked equations may be far from smooth (a direction v/|v| just behind |v| = 1e-6), and the stages of the step lie
// there too. Its estimate speaks of its end; where the extensions do not agree at the event, a shorter step is to find it. A step of an explicit
// method that is far too long for a fast component at rest ends well and has a full extension that is far off, without an event too.
bool RunLoop::is_doubtful(double theta, double step, double allowed) {
  if (!can_be_doubted(step)) {
    return false;
  }
  integrate::Stepper& stepper = state_.at.mode().engine->stepper();
  // At one point alone they may agree by chance.
  const std::array<double, 5> points{theta, 0.5 * theta, 0.3, 0.5, 0.8};
  return std::any_of(points.begin(), points.end(),
                     [&](double point) { return stepper.extension_error(point) > allowed; });
}

// Whether a guard is on its side at points of the step after θ, up to θ = `until`.
bool RunLoop::stays_on_side(const locate::Watch& watch, double theta, double until) {
  const trajectory::SegmentView& segment = state_.at.mode().engine->search().segment();
  probe_.resize(state_.at.x().size());
  for (int k = 1; k <= kSideProbes; ++k) {
    const double at = theta + (until - theta) * static_cast<double>(k) / kSideProbes;
    segment.evaluate(at, probe_);
    double value = 0.0;
    const double t = segment.start_time() + at * segment.step();
    if (!state_.at.field().guards({&watch.guard, 1}, t, probe_, {&value, 1}).ok() ||
        watch.side * (value - watch.level) < -state_.at.field().guard_noise(watch.guard, t, probe_)) {
      return false;
    }
  }
  return true;
}

// A guard that leaves its surface with a rate of zero (the end of sliding) may seem to touch it once more within the
// resolution of time: that is the root it starts from, not another. It is left out for this one step if it is on its side
// in the rest of it; if only in a first part or nowhere, the step is cut.
locate::SearchResult RunLoop::skip_known_root(locate::SearchResult found, double step) {
  locate::EventSearch& search = state_.at.mode().engine->search();
  const double instant = time_tolerance(state_.at.time(), state_.time_scale());
  while (is_fresh_ && found.found() && found.theta * std::abs(step) <= instant) {
    reduced_.assign(search.watches().begin(), search.watches().end());
    const std::size_t n_before = reduced_.size();
    for (auto crossing = found.crossings.rbegin(); crossing != found.crossings.rend(); ++crossing) {
      const auto place = static_cast<std::size_t>(crossing->watch);
      if (!search.watches()[place].starts_at_root) {
        continue;
      }
      const locate::Watch& watch = search.watches()[place];
      if (stays_on_side(watch, found.theta, 1.0)) {
        reduced_[place].guard = -1;
        continue;
      }
      // Within one instant there is nothing left to cut.
      for (double part = 0.5; part > kSmallestFirstPart && part * std::abs(step) > instant; part *= 0.5) {
        if (found.theta < part && stays_on_side(watch, found.theta, part)) {
          return {.kind = locate::SearchResult::Kind::refine, .theta = part};
        }
      }
      // It seems to turn back at once: the step is too long to show what the decision has seen in the derivatives.
      if (std::abs(step) > kCertainInstants * instant) {
        return {.kind = locate::SearchResult::Kind::refine, .theta = kDoubtedCut};
      }
    }
    std::erase_if(reduced_, [](const locate::Watch& watch) { return watch.guard < 0; });
    if (reduced_.size() == n_before) {
      return found;
    }
    has_muted_ = true;
    search.watch(state_.at.field(), reduced_);
    found = search.first_event(state_.at.mode().engine->stepper(), state_.time_scale());
  }
  return found;
}

void RunLoop::arm() {
  has_muted_ = false;
  if (!watch_list_.watches().empty()) {
    state_.at.mode().engine->search().watch(state_.at.field(), watch_list_.watches());
  }
}

// A step is kept up to θ: which guards that began on their surfaces are still leaving them. What is left out of the step was not seen clear of
// its surface.
void RunLoop::note_departures(double theta) {
  locate::EventSearch& search = state_.at.mode().engine->search();
  if (!state_.is_step_searched || (!is_fresh_ && !search.has_leaving())) {
    return;
  }
  search.step_kept(theta);
  const std::span<const locate::Watch> seen = search.watches();
  std::size_t at = 0;
  for (const locate::Watch& watch : watch_list_.watches()) {
    const bool is_seen = at < seen.size() && seen[at].guard == watch.guard && seen[at].level == watch.level;
    const auto i = static_cast<std::size_t>(watch.guard);
    if (i < state_.guards().size() && (watch.starts_at_root || watch.departure.is_leaving)) {
      state_.roots.note_departure(
          watch.guard, is_seen ? seen[at].departure : locate::Departure{.is_leaving = true}, watch.side);
    }
    at += is_seen ? 1 : 0;
  }
  watch_list_.step_kept(state_);
}

bool RunLoop::is_unilateral(Index guard) const {
  const auto i = static_cast<std::size_t>(guard);
  return i < is_unilateral_.size() && is_unilateral_[i] != 0;  // weights come after the guards
}

// Options that change which crossings belong to the event, and where it is (9.1, [Com01] 5.1.4, 5.2.3).
locate::SearchResult RunLoop::gather(locate::SearchResult found) {
  locate::EventSearch& search = state_.at.mode().engine->search();
  const auto guard_of = [&](const locate::Crossing& crossing) {
    return search.watches()[static_cast<std::size_t>(crossing.watch)].guard;
  };
  const auto bilateral = [&](const locate::SearchResult& result) {
    return std::none_of(result.crossings.begin(), result.crossings.end(),
                        [&](const locate::Crossing& crossing) { return is_unilateral(guard_of(crossing)); });
  };
  if (state_.options().concurrency && bilateral(found)) {
    const locate::SearchResult together =
        search.concurrent(found, state_.options().concurrency->time, state_.options().concurrency->amplitude);
    if (together.found() && bilateral(together)) {
      found = together;
    }
  }
  if (state_.options().shifted_location) {
    const locate::Crossing& last = found.crossings.back();
    found.theta = search.shifted(last.watch, found.theta, *state_.options().shifted_location,
                                 !is_unilateral(guard_of(last)));
  }
  return found;
}

// The step is kept up to θ, where a guard that stayed zero has left zero.
bool RunLoop::leave_zero(double theta, const integrate::AdvanceOutcome& outcome) {
  if (const auto answer = look_along(theta, outcome.h, false)) {
    return *answer;
  }
  if (!keep_step_to(theta)) {
    return false;
  }
  (void)settler_.have_left_zero(watch_list_.staying_zero());
  return settle({}, nullptr, false);
}

// At the end of a step without an event.
bool RunLoop::look_at_staying_zero() {
  const bool has_left = settler_.have_left_zero(watch_list_.staying_zero());
  const bool is_held = settler_.are_held(watch_list_.near_zero());
  return !(has_left || is_held) || settle({}, nullptr, false);
}

// No step can be evaluated beyond the present point, and guards are zero here to within the tolerance of the integration:
// this is their surface, reached from the one side on which the equations are defined (a level that runs empty).
bool RunLoop::arrive_one_sided() {
  arrivals_.clear();
  if (is_fresh_) {
    return false;  // nothing was gained since the last arrival
  }
  const std::span<const locate::Watch> watches = watch_list_.watches();
  const integrate::Tolerances& tolerances = state_.at.mode().engine->stepper().tolerances();
  gradient_.resize(state_.at.x().size());
  for (std::size_t w = 0; w < watches.size(); ++w) {
    double value = 0.0;
    double time_derivative = 0.0;
    if (!state_.at.field()
             .guards({&watches[w].guard, 1}, state_.at.time(), state_.at.x(), {&value, 1})
             .ok() ||
        !state_.at.field()
             .guard_gradient(watches[w].guard, state_.at.time(), state_.at.x(), gradient_, time_derivative)
             .ok()) {
      continue;
    }
    state_.at.field().keep_along(state_.at.time(), state_.at.x(), gradient_);
    double error = 0.0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      error += std::abs(gradient_[i]) * (tolerances.atol[i] + tolerances.rtol * std::abs(state_.at.x()[i]));
    }
    if (watches[w].level == 0.0 && std::abs(value) <= error) {
      state_.move_onto(watches[w].guard);
      arrivals_.push_back({static_cast<Index>(w), 0.0});
    }
  }
  return !arrivals_.empty();
}

}  // namespace saltus::hybrid
