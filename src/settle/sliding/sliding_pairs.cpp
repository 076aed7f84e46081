// Two modes on one surface, or on two with a band between them (docs/semantics.md 7.7, 9.4): the part of SlidingControl that finds
// such pairs, asks whether the solution slides between their modes, and says why not.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "reduce/nonlinear/probes.hpp"
#include "settle/enter/entry_check.hpp"
#include "settle/sliding/sliding_control.hpp"

namespace saltus::settle {
namespace {

constexpr int kPairPoints = 3;  // the point itself and two beside it
// Rounding errors of the difference of two guards, in units of eps times their sizes, besides their own.
constexpr double kDifferenceUlps = 8.0;
// A point satisfies the constraints of a mode that the run is not in if it is off them by no more than this many tolerances of the
// integration, within these limits (in nominal values); and so do rates, relative to those of the motion.
constexpr double kErrorsOfConstraints = 1e3;
constexpr double kLeastDeparture = 1e-9;
constexpr double kMostDeparture = 1e-4;

std::optional<ModePair> find_pair(const system::HybridSystem& system, ModeId mode, Index guard,
                                  bool has_band) {
  using Kind = system::ActionInfo::Kind;
  const auto& actions = system.actions();
  for (const system::ActionInfo& there : actions) {
    if (there.kind != Kind::transition || there.mode != mode || there.guard != guard || there.side == 0.0) {
      continue;
    }
    for (const system::ActionInfo& back : actions) {
      if (back.kind != Kind::transition || back.mode != there.target || back.target != mode ||
          back.guard < 0 || back.side == 0.0) {
        continue;
      }
      if (has_band ? back.guard == guard : back.guard != guard || back.side != -there.side) {
        continue;
      }
      ModePair pair;
      pair.plus = there.side < 0.0 ? mode : there.target;
      pair.minus = there.side < 0.0 ? there.target : mode;
      pair.has_jump = there.has_jump || back.has_jump;
      pair.back = back.guard;
      pair.back_side = -there.side * back.side;
      return pair;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ModePair> pair_of(const system::HybridSystem& system, ModeId mode, Index guard) {
  return find_pair(system, mode, guard, false);
}

std::optional<ModePair> band_of(const system::HybridSystem& system, ModeId mode, Index guard) {
  return find_pair(system, mode, guard, true);
}

std::optional<ModeId> written_sliding_mode(const system::HybridSystem& system, ModeId a, ModeId b) {
  const auto& modes = system.modes();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const auto& between = modes[i].sliding_between;
    if (between &&
        ((between->first == a && between->second == b) || (between->first == b && between->second == a))) {
      return ModeId{i};
    }
  }
  return std::nullopt;
}

// With c = g - σ·g_back constant, the edges of the band are g = 0 and g = c, its middle g = c/2.
bool SlidingControl::find_level(Index guard, ModePair& pair) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  evaluator.set_configuration(state_.at.configuration());
  const std::array<Index, 2> guards{guard, pair.back};
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  middle_.assign(state_.at.x().begin(), state_.at.x().end());
  double constant = 0.0;
  for (int point = 0; point < kPairPoints; ++point) {
    const double shift = reduce::kDisplacement * point;
    for (std::size_t i = 0; i < middle_.size(); ++i) {
      middle_[i] = state_.at.x()[i] + shift * nominal[i] * std::sqrt(static_cast<double>(i) + 2.0);
    }
    const double t = state_.at.time() + shift * state_.time_scale();
    std::array<double, 2> values{};
    if (!evaluator.guards(guards, t, middle_, values).ok()) {
      return false;
    }
    const double difference = values[0] - pair.back_side * values[1];
    constant = point == 0 ? difference : constant;
    const double noise = evaluator.guard_noise(guards[0], t, middle_) +
                         evaluator.guard_noise(guards[1], t, middle_) +
                         kDifferenceUlps * std::numeric_limits<double>::epsilon() *
                             (std::abs(values[0]) + std::abs(values[1]) + std::abs(constant));
    if (!(std::abs(difference - constant) <= noise)) {
      return false;
    }
  }
  pair.level = 0.5 * constant;
  // Each mode reaches beyond the edge at which it is entered; otherwise there is no band.
  return pair.plus == state_.at.mode().id ? constant > 0.0 : constant < 0.0;
}

std::optional<ModePair> SlidingControl::pair_at(Index guard) {
  auto pair = pair_of(state_.system(), state_.at.mode().id, guard);
  if (pair || state_.options().sliding != Sliding::hysteresis) {
    return pair;
  }
  pair = band_of(state_.system(), state_.at.mode().id, guard);
  if (!pair || pair->has_jump || !find_level(guard, *pair)) {
    return std::nullopt;
  }
  const auto other = state_.modes.mode(pair->other(state_.at.mode().id));
  double value = 0.0;
  // The other mode may lack a variable of the guard.
  const bool exists =
      other && ((*other)->engine != state_.at.mode().engine ||
                (*other)->evaluator->guards({&guard, 1}, state_.at.time(), state_.at.x(), {&value, 1}).ok());
  return exists ? pair : std::nullopt;
}

bool SlidingControl::leave_pair(double side) {
  const Index guard = state_.at.surfaces().front();
  ModeData* const target = (side > 0.0 ? pair_->plus : pair_->minus) == state_.at.mode().id
                               ? &state_.at.mode()
                               : state_.at.partner();
  state_.instant.leaves_band = state_.at.level() != 0.0;
  stop_sliding();
  if (!state_.instant.leaves_band) {
    state_.set_latched(guard, side);
  }
  entry_.states_for(*target, pair_point_);
  state_.at.enter(*target, pair_point_, {Factor::Kind::structure, guard});
  return true;
}

SlidingControl::Answer SlidingControl::ask_pair(const ModePair& pair, Index guard) {
  const auto other = state_.modes.mode(pair.other(state_.at.mode().id));
  if (!other) {
    return Answer::crosses;
  }
  ModeData& plus = pair.plus == state_.at.mode().id ? state_.at.mode() : **other;
  ModeData& minus = pair.plus == state_.at.mode().id ? **other : state_.at.mode();
  PairField& between = state_.modes.between(plus, minus);
  if (!between.field) {
    return refuse(guard, fmt::format("neither of the modes {} and {} has all states of the other",
                                     plus.info->name, minus.info->name));
  }
  // The states of the larger mode serve both.
  ModeData& outer = between.mapped ? (between.plus_is_mapped ? minus : plus) : state_.at.mode();
  pair_point_.assign(state_.at.x().begin(), state_.at.x().end());
  if (outer.engine != state_.at.mode().engine) {
    entry_.states_for(outer, pair_point_);
  }
  plus.evaluator->set_configuration(state_.at.configuration());
  minus.evaluator->set_configuration(state_.at.configuration());
  bounds_.assign(1, leaving_bound(guard));
  slide::DecisionPoint where = point();
  where.x = pair_point_;
  where.leaving = bounds_;
  where.may_slide = where.may_slide && !pair.has_jump;
  if (pair.level != 0.0) {
    middle_.assign(state_.at.x().begin(), state_.at.x().end());
    state_.move_to_level(guard, pair.level, middle_);
    if (outer.engine != state_.at.mode().engine) {
      return refuse(guard, fmt::format("the modes {} and {} have different states and a band between them",
                                       plus.info->name, minus.info->name));
    }
    where.x = middle_;
  }
  system::Evaluator& on_plus =
      between.plus_is_mapped ? *between.mapped : static_cast<system::Evaluator&>(*plus.evaluator);
  system::Evaluator& on_minus = between.mapped && !between.plus_is_mapped
                                    ? *between.mapped
                                    : static_cast<system::Evaluator&>(*minus.evaluator);
  const slide::Decision& decision = outer.engine->decider().decide_pair(
      on_plus, on_minus, where, guard, pair.plus == state_.at.mode().id ? 1.0 : -1.0);
  last_.assign(decision.guards.begin(), decision.guards.end());
  if (!decision.ok() || decision.guards.empty()) {
    return Answer::crosses;  // one of the modes cannot be evaluated here
  }
  if (decision.guards[0].is_barred) {
    barred_.push_back(guard);
    if (pair.has_jump && state_.options().sliding != Sliding::off) {
      return refuse(guard, fmt::format("a transition between {} and {} changes variables", plus.info->name,
                                       minus.info->name));
    }
  }
  if (decision.guards[0].kind != slide::GuardDecision::Kind::slides) {
    return Answer::crosses;
  }
  std::string reason = reason_against(pair, plus, minus, last_.front(), pair_point_);
  if (reason.empty()) {
    reason = reason_against_written(pair);
  }
  if (!reason.empty()) {
    barred_.push_back(guard);
    return refuse(guard, std::move(reason));
  }
  slide_between(pair, guard, outer, &outer == &plus ? minus : plus);
  return Answer::slides;
}

void SlidingControl::slide_between(const ModePair& pair, Index guard, ModeData& outer, ModeData& partner) {
  if (&outer != &state_.at.mode() && outer.engine != state_.at.mode().engine) {
    // What was asked in this round goes on in the larger mode.
    outer.conditions = state_.at.mode().conditions;
    outer.conditions.x.assign(pair_point_.begin(), pair_point_.end());
    state_.at.enter(outer, pair_point_, {Factor::Kind::structure, guard});
  }
  state_.touch(guard);
  slide_on(last_.front());
  state_.at.slide_between(&state_.at.mode() == &outer ? partner : outer);
  pair_ = pair;
  if (pair.level != 0.0) {
    slide_in_band(guard, pair);
  }
  derivative_ = {};
}

SlidingControl::Answer SlidingControl::refuse(Index guard, std::string reason) {
  state_.refusal = {guard, std::move(reason)};
  return Answer::crosses;
}

// Why a motion on the surface between two modes is none: the point, or the motion, does not satisfy the constraints of both, and a
// jump would be needed at every switch. Empty: nothing is against it.
std::string SlidingControl::reason_against(const ModePair& pair, ModeData& plus, ModeData& minus,
                                           const slide::GuardDecision& decided, std::span<const double> x) {
  slide::SlidingField& field = *state_.modes.between(plus, minus).field;
  if (!field.has_constraints()) {
    return {};
  }
  slide::SlidingSet set;
  set.surfaces = {&decided.guard, 1};
  set.configuration = &state_.at.configuration();
  set.weights = {&decided.value, 1};
  set.level = pair.level;
  set.rule = state_.options().sliding_rule;
  set.t = state_.at.time();
  set.x = x;
  field.begin(set);
  const double tolerance = state_.at.mode().engine->stepper().tolerances().rtol;
  const double allowed = std::clamp(kErrorsOfConstraints * tolerance, kLeastDeparture, kMostDeparture);
  for (const ModeData* mode : {&plus, &minus}) {
    const auto departure = field.departure(mode == &plus ? 1.0 : -1.0, state_.at.time(), x);
    if (!(departure.distance <= allowed)) {
      return fmt::format("the point does not satisfy the constraint {} of mode {}: every switch would jump",
                         departure.distance_text, mode->info->name);
    }
    if (!(departure.rate <= kMostDeparture)) {
      return fmt::format(
          "a motion on the surface leaves the constraint {} of mode {}: every switch would jump",
          departure.rate_text, mode->info->name);
    }
  }
  probe_.assign(x.begin(), x.end());
  values_.resize(x.size());
  if (!field.project(state_.at.time(), probe_).ok() || !field.rhs(state_.at.time(), probe_, values_).ok()) {
    return fmt::format("no weights keep a motion on the surface within the constraints of {} and {}",
                       plus.info->name, minus.info->name);
  }
  return {};
}

// The conditions of a sliding mode that the user wrote say where its motion exists. Where one of them would end it as it begins there
// is none, and nothing moves onto the surface for it.
std::string SlidingControl::reason_against_written(const ModePair& pair) {
  const auto written = written_sliding_mode(state_.system(), pair.plus, pair.minus);
  const auto mode = written ? state_.modes.mode(system::StructureId{*written}) : Result<ModeData*>(nullptr);
  if (!mode || *mode == nullptr) {
    return {};
  }
  entry_.states_for(**mode, pair.level != 0.0 ? middle_ : state_.at.x(), written_point_);
  const system::ActionInfo* const exit = transition_on_entry(state_, **mode, written_point_);
  return exit == nullptr ? std::string()
                         : fmt::format("{} holds where {} would be entered", exit->text, (*mode)->info->name);
}

// In the middle both guards have the sides that they have within the band, in both modes.
void SlidingControl::slide_in_band(Index guard, const ModePair& pair) {
  state_.at.slide_at_level(pair.level);
  state_.at.move({Factor::Kind::middle_of_band, guard}, middle_);
  state_.set_latched(guard, std::copysign(1.0, pair.level));
  state_.set_latched(pair.back, -std::copysign(1.0, pair.level) * pair.back_side);
}

}  // namespace saltus::settle
