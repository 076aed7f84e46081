// Guards that depend on sides, for SlidingControl: whether they do, and what holds then (docs/semantics.md 7.8).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "reduce/nonlinear/probes.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/within_instant.hpp"

namespace saltus::settle {
namespace {

// A side that does not agree with its value is turned this often before it is thought to turn for ever. Along a chain of relations, each
// over what the one before moves, every side turns once.
constexpr int kMostTurns = 4;
// More turns than there are guards that each can wait for the one before: their sides go round.
constexpr std::size_t kTurnsBeyondGuards = 4;

}  // namespace

// Whether the value of a guard changes when sides do: all +1, all -1, in turn.
bool SlidingControl::depends_at(Index guard, double t, std::span<const double> x) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  double before = 0.0;
  bool is_first = true;
  for (int pattern = 0; pattern < 4; ++pattern) {
    for (std::size_t k = 0; k < state_.at.mode().guards.size(); ++k) {
      const Index other = state_.at.mode().guards[k];
      if (state_.guard(other).kind == system::GuardInfo::Kind::relation) {
        const bool is_plus = pattern == 0 || (pattern == 2 && k % 2 == 0) || (pattern == 3 && k % 2 != 0);
        evaluator.set_latched(other, is_plus ? 1.0 : -1.0);
      }
    }
    double value = 0.0;
    if (!evaluator.guards({&guard, 1}, t, x, {&value, 1}).ok()) {
      continue;
    }
    if (!is_first && value != before) {
      return true;
    }
    before = value;
    is_first = false;
  }
  return false;
}

SlidingControl::Dependence& SlidingControl::dependence() {
  for (Dependence& entry : dependence_) {
    if (entry.mode == &state_.at.mode()) {
      return entry;
    }
  }
  return dependence_.emplace_back(Dependence{&state_.at.mode(),
                                             std::vector<std::uint8_t>(state_.guards().size()),
                                             std::vector<std::uint8_t>(state_.guards().size())});
}

bool SlidingControl::may_depend(Index guard) {
  Dependence& known = dependence();
  const auto i = static_cast<std::size_t>(guard);
  if (const auto sides = state_.at.mode().evaluator->guard_sides(guard); known.is_known[i] == 0 && sides) {
    known.is_known[i] = 1;
    known.depends[i] = std::any_of(sides->begin(), sides->end(), [this](Index other) {
      return state_.guard(other).kind == system::GuardInfo::Kind::relation;
    });
  }
  if (known.is_known[i] == 0) {
    known.is_known[i] = 1;
    const std::vector<double>& nominal = state_.at.mode().engine->nominal();
    probe_.resize(state_.at.x().size());
    for (std::size_t k = 0; k < probe_.size(); ++k) {
      probe_[k] =
          state_.at.x()[k] + reduce::kDisplacement * nominal[k] * std::sqrt(static_cast<double>(k) + 2.0);
    }
    known.depends[i] =
        depends_at(guard, state_.at.time(), state_.at.x()) || depends_at(guard, state_.at.time(), probe_) ? 1
                                                                                                          : 0;
    give_configuration();
  }
  return known.depends[i] != 0;
}

// The guards of `zero` that depend on sides first, by their values; then the others by their derivatives.
bool SlidingControl::decide_with_algebraic(const slide::DecisionPoint& where, std::span<const Index> zero) {
  part_.assign(algebraic_.algebraic().begin(), algebraic_.algebraic().end());
  zero_.assign(zero.begin(), zero.end());
  part_before_.clear();
  part_bounds_.clear();
  std::vector<double> others_before;
  std::vector<double> others_bounds;
  for (std::size_t k = 0; k < zero_.size(); ++k) {
    const bool is_part = std::find(part_.begin(), part_.end(), zero_[k]) != part_.end();
    (is_part ? part_before_ : others_before).push_back(before_[k]);
    (is_part ? part_bounds_ : others_bounds).push_back(bounds_[k]);
  }
  std::erase_if(zero_,
                [this](Index guard) { return std::find(part_.begin(), part_.end(), guard) != part_.end(); });
  give_configuration();
  slide::DecisionPoint part = where;
  part.leaving = part_bounds_;
  if (!accept(algebraic_.decide(*state_.at.mode().evaluator, part, state_.at.mode().engine->decider(), part_,
                                part_before_, tried_))) {
    return false;
  }
  derivative_ = {};
  if (zero_.empty()) {
    return true;
  }
  before_ = std::move(others_before);
  bounds_ = std::move(others_bounds);
  return decide_others(where, zero_);
}

// Guards whose values jump with sides of others only have the side of their value with these. Where it is zero they are decided together with
// the others: none of it is a blend of values, as it is where a value jumps with its own side.
bool SlidingControl::decide_with_driven(const slide::DecisionPoint& where, std::span<const Index> zero) {
  const std::vector<Index> all(zero.begin(), zero.end());
  driven_.assign(algebraic_.driven().begin(), algebraic_.driven().end());
  const auto is_driven = [this](Index guard) {
    return std::find(driven_.begin(), driven_.end(), guard) != driven_.end();
  };
  const std::vector<Index> barred = barred_;
  std::vector<Index> part;
  std::copy_if(all.begin(), all.end(), std::back_inserter(part),
               [&](Index guard) { return !is_driven(guard); });
  for (std::size_t turn = 0; turn <= all.size() + kTurnsBeyondGuards; ++turn) {
    if (turn > 0) {
      std::erase_if(part, is_driven);
      const std::optional<bool> has_changed = take_driven_values(part);
      if (!has_changed) {
        return false;
      }
      if (!*has_changed && turn > 1) {
        return true;
      }
    }
    const std::vector<double> latched = state_.at.configuration().latched;
    barred_ = barred;
    if (!part.empty() && !decide_part(where, part)) {
      return false;
    }
    if (turn > 0 && latched == state_.at.configuration().latched) {
      return true;
    }
  }
  std::string names;
  for (const Index guard : all) {
    names += (names.empty() ? "" : ", ") + state_.guard(guard).text;
  }
  return fail({"no_sliding_solution",
               fmt::format("at t = {:.9g} {} are zero, and no sides of them agree with the values that they "
                           "lead to (in mode {})",
                           state_.at.time(), names, state_.at.mode().info->name)});
}

// Driven guards off zero have the sides of their values, which says whether one has changed; those at zero join `zero`.
std::optional<bool> SlidingControl::take_driven_values(std::vector<Index>& zero) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  give_configuration();
  values_.resize(std::max(values_.size(), driven_.size()));
  const system::Evaluation evaluation = evaluator.guards(driven_, state_.at.time(), state_.at.x(),
                                                         std::span<double>(values_).first(driven_.size()));
  if (!evaluation.ok()) {
    fail(state_.failure_of(evaluator, evaluation));
    return std::nullopt;
  }
  bool has_changed = false;
  const double largest = largest_state(state_);
  for (std::size_t k = 0; k < driven_.size(); ++k) {
    const Index guard = driven_[k];
    const double noise = evaluator.guard_noise(guard, state_.at.time(), state_.at.x());
    if (is_within_instant(state_, guard, values_[k], noise, largest)) {
      has_changed = has_changed || !state_.roots.is_at(guard);
      state_.roots.put(guard);
      zero.push_back(guard);
      continue;
    }
    const double side = std::copysign(1.0, values_[k]);
    state_.roots.take_off(guard);
    if (state_.at.is_slid_on(guard) || state_.at.latched(guard) != side) {
      has_changed = true;
      state_.touch(guard);
      state_.at.leave_surface(guard);
      state_.set_latched(guard, side);
    }
  }
  return has_changed;
}

bool SlidingControl::decide_part(slide::DecisionPoint where, std::span<const Index> zero) {
  note_before(zero);
  where.leaving = bounds_;
  return algebraic_.algebraic().empty() ? decide_others(where, zero) : decide_with_algebraic(where, zero);
}

// Sides that ask for other equations say nothing with the present ones.
bool SlidingControl::leaves_structure() const {
  if (!state_.system().has_structures()) {
    return false;
  }
  const system::StructureId asked = state_.system().structure_of(state_.at.configuration());
  return !(asked == state_.at.mode().structure || by_ranks(asked) == state_.at.mode().structure);
}

bool SlidingControl::settle_sides() {
  if (!dependence().has_candidates) {
    dependence().has_candidates = true;
    for (const Index guard : state_.at.mode().guards) {
      const system::GuardInfo& info = state_.guard(guard);
      if (state_.jumps(guard) && info.kind == system::GuardInfo::Kind::relation && !info.is_scheduled &&
          may_depend(guard)) {
        dependence().candidates.push_back(guard);
      }
    }
  }
  const std::vector<Index>& candidates = dependence().candidates;
  if (candidates.empty() || state_.at.partner() != nullptr) {
    return true;
  }
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  values_.resize(candidates.size());
  turning_.clear();
  n_turns_.assign(candidates.size(), 0);
  const double largest = largest_state(state_);
  for (bool turns_for_ever = false; !turns_for_ever;) {
    give_configuration();
    if (const system::Evaluation evaluation =
            evaluator.guards(candidates, state_.at.time(), state_.at.x(), values_);
        !evaluation.ok()) {
      // Sides of a structure that is still to be entered mean nothing in this one.
      return leaves_structure() || fail(state_.failure_of(evaluator, evaluation));
    }
    bool has_turned = false;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const Index guard = candidates[k];
      const double side = state_.at.latched(guard);
      if (state_.at.is_slid_on(guard) || state_.roots.is_at(guard) || values_[k] * side > 0.0 ||
          is_within_instant(state_, guard, values_[k],
                            evaluator.guard_noise(guard, state_.at.time(), state_.at.x()), largest)) {
        continue;
      }
      has_turned = true;
      turns_for_ever = turns_for_ever || ++n_turns_[k] == kMostTurns;
      state_.set_latched(guard, std::copysign(1.0, values_[k]));
      if (std::find(turning_.begin(), turning_.end(), guard) == turning_.end()) {
        turning_.push_back(guard);
      }
    }
    if (!has_turned || leaves_structure()) {
      return true;
    }
  }
  part_before_.clear();
  for (const Index guard : turning_) {
    part_before_.push_back(state_.touch(guard).before);
  }
  tried_ = state_.at.configuration();
  return accept(algebraic_.decide(evaluator, point(), state_.at.mode().engine->decider(), turning_,
                                  part_before_, tried_));
}

}  // namespace saltus::settle
