#include "settle/state/mode_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reduce/projected_evaluator.hpp"

namespace saltus::settle {

Engine& ModeCache::engine_for(ModeId mode, const system::LockedDae& locked, system::Evaluator& evaluator) {
  for (const auto& engine : engines_) {
    if (engine->fits(locked)) {
      return *engine;
    }
  }
  // The first one need not be that of the initial mode: an instant that is done again (sensitivity/instant) begins anywhere.
  engines_.push_back(std::make_unique<Engine>(
      system_, options_, mode, locked, evaluator,
      options_.tolerances_of_mode ? options_.tolerances_of_mode(locked) : options_.tolerances));
  return *engines_.back();
}

// A guard that only the equations depend on, and smoother than the method can tell, needs no search: the step stays
// good whichever side is locked (docs/semantics.md 8.2).
void ModeCache::list_guards(ModeData& mode) const {
  const auto& guards = system_.guards();
  const int order = choice_in(options_, mode.id).method->order;
  for (std::size_t i = 0; i < guards.size(); ++i) {
    const system::GuardInfo& guard = guards[i];
    const auto index = static_cast<Index>(i);
    if (!mode.locked->watches(index) || !(guard.in_equations || guard.in_rounds)) {
      continue;
    }
    mode.guards.push_back(index);
    const bool is_smooth =
        guard.kind == system::GuardInfo::Kind::relation && !guard.in_rounds && guard.continuity >= order;
    if (!guard.is_scheduled) {
      (is_smooth ? mode.smooth_kinks : mode.searched).push_back(index);
    }
  }
}

Result<ModeData*> ModeCache::mode(const system::StructureId& asked, std::span<const double> guess) {
  const bool is_ranked = std::find(ranked_.begin(), ranked_.end(), asked) != ranked_.end();
  const system::StructureId id = is_ranked ? by_ranks(asked) : asked;
  for (const auto& entered : modes_) {
    if (entered->structure == id) {
      return entered.get();
    }
  }
  auto locked = system_.lock(id);
  if (!locked) {
    return Unexpected(std::move(locked).error());
  }
  auto mode = std::make_unique<ModeData>();
  mode->id = id.mode;
  mode->structure = id;
  mode->info = &system_.modes()[id.mode.index()];
  mode->locked = *std::move(locked);
  list_guards(*mode);
  std::unique_ptr<system::Evaluator> reduced = reduce::make_reduced_evaluator(*mode->locked, guess);
  mode->by_ranks = dynamic_cast<reduce::ArrayEvaluator*>(reduced.get());
  std::vector<Index> relations;  // others hold whole numbers, not sides
  std::copy_if(mode->guards.begin(), mode->guards.end(), std::back_inserter(relations), [this](Index guard) {
    return system_.guards()[static_cast<std::size_t>(guard)].kind == system::GuardInfo::Kind::relation;
  });
  mode->evaluator = std::make_unique<slide::OwnSideEvaluator>(std::move(reduced), mode->locked->states(),
                                                              static_cast<Index>(system_.guards().size()),
                                                              std::move(relations));
  mode->engine = &engine_for(mode->id, *mode->locked, *mode->evaluator);
  if (system_.has_rounds()) {
    auto rounds = system_.rounds(id);
    if (!rounds) {
      return Unexpected(std::move(rounds).error());
    }
    mode->rounds = *std::move(rounds);
    mode->rounds->prepare(mode->conditions);
    mode->rounds->prepare(mode->solution);
  }
  modes_.push_back(std::move(mode));
  return modes_.back().get();
}

slide::SlidingField& ModeCache::sliding_in(ModeData& mode) {
  if (!mode.sliding) {
    mode.sliding = std::make_unique<slide::SlidingField>(*mode.evaluator, mode.engine->n_states(),
                                                         system_.guards(), mode.engine->nominal());
    mode.sliding->add_constraints({sliding_constraints(*mode.locked)});
    mode.sliding->offer_residual_form(mode.locked, mode.locked);
    if (const system::ModelParts* const parts = system_.parts()) {
      std::vector<Index> variable_of_state;
      for (const system::StateInfo& state : mode.locked->states()) {
        variable_of_state.push_back(state.quantity.variable);
      }
      mode.sliding->offer_parts(*parts, std::move(variable_of_state));
    }
  }
  return *mode.sliding;
}

PairField& ModeCache::between(ModeData& plus, ModeData& minus) {
  for (const Pair& pair : pairs_) {
    if (pair.plus == &plus && pair.minus == &minus) {
      return *pair.field;
    }
  }
  pairs_.push_back(
      {&plus, &minus,
       std::make_unique<PairField>(make_pair_field(system_, {plus.evaluator.get(), plus.locked.get()},
                                                   {minus.evaluator.get(), minus.locked.get()}))});
  PairField& made = *pairs_.back().field;
  if (made.field && !made.mapped) {
    made.field->offer_residual_form(plus.locked, minus.locked);
  }
  return made;
}

std::int64_t ModeCache::sliding_evaluations() const {
  std::int64_t count = 0;
  for (const auto& mode : modes_) {
    count += mode->sliding ? mode->sliding->inner_evaluations() : 0;
  }
  for (const Pair& pair : pairs_) {
    count += pair.field->field ? pair.field->field->inner_evaluations() : 0;
  }
  return count;
}

}  // namespace saltus::settle
