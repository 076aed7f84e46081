#include "settle/structures/structure_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/work_watch.hpp"
#include "settle/state/idle_round.hpp"

namespace saltus::settle {
namespace {

// At least, in units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAStructure = 100'000;

Index undetermined_in(const ModeData& mode) {
  const reduce::CharacteristicValues* const values =
      mode.by_ranks != nullptr ? mode.by_ranks->values() : nullptr;
  return values != nullptr ? values->undetermined : 0;
}

}  // namespace

bool StructureSearch::leaves_more_open(const ModeData& target) const {
  return undetermined_in(target) > undetermined_in(state_.at.mode());
}

bool StructureSearch::is_less_determined(const ModeData& target) const {
  return leaves_more_open(target) ||
         (target.by_ranks != nullptr && target.by_ranks->contradiction().is_contradiction());
}

std::optional<system::Configuration> StructureSearch::nearest(const system::Configuration& wanted,
                                                              std::span<const std::uint8_t> is_settled) {
  return search(wanted, is_settled, {}, false);
}

std::optional<system::Configuration> StructureSearch::at_zero(const system::Configuration& wanted,
                                                              std::span<const Index> zero) {
  return search(wanted, {}, zero, true);
}

std::optional<system::Configuration> StructureSearch::search(const system::Configuration& wanted,
                                                             std::span<const std::uint8_t> is_settled,
                                                             std::span<const Index> zero, bool tries_wanted) {
  searches_.clear();
  zero_asked_.assign(zero.begin(), zero.end());
  system::Configuration trial = wanted;
  system::Configuration found = wanted;
  failing_.assign(1, 0);
  if (tries_wanted || has_parts()) {
    if (agrees(wanted, found) && tries_wanted) {
      return found;
    }
    if (failing_.empty()) {
      blame_suspects();
    }
  }
  if (auto given = by_equations(wanted, is_settled)) {
    return given;
  }
  while (advance(wanted, is_settled, trial)) {
    count_work(kWorkOfAStructure);
    found = trial;
    if (agrees(wanted, found)) {
      break;
    }
  }
  return found_in_parts(wanted, found);
}

std::optional<system::Configuration> StructureSearch::by_equations(const system::Configuration& wanted,
                                                                   std::span<const std::uint8_t> is_settled) {
  std::optional<system::Configuration> given = mixed_.after(state_, wanted);
  with_jump_.reset();
  for (std::size_t i = 0; given && i < is_settled.size(); ++i) {
    if (is_settled[i] != 0 && given->latched[i] != wanted.latched[i]) {
      return std::nullopt;
    }
  }
  if (!given) {
    return std::nullopt;
  }
  const std::vector<Index> failing = failing_;
  const system::Configuration of_step = *given;
  if (agrees(wanted, *given)) {
    return given;
  }
  if (!transfer_.changes().empty()) {
    with_jump_ = of_step;
  }
  failing_ = failing;
  return std::nullopt;
}

// The next configuration of every part that does not agree; what has none any more keeps what is wanted.
bool StructureSearch::advance(const system::Configuration& wanted, std::span<const std::uint8_t> is_settled,
                              system::Configuration& trial) {
  bool has_next = false;
  for (const Index part : failing_) {
    auto own = std::find_if(searches_.begin(), searches_.end(),
                            [part](const PartSearch& search) { return search.part == part; });
    if (own == searches_.end()) {
      const Index of_model = has_parts() ? part : -1;
      searches_.push_back(
          {part, OtherStructures(state_.system(), wanted, is_settled, zero_asked_, of_model)});
      own = std::prev(searches_.end());
    }
    if (own->is_given_up) {
      continue;
    }
    const std::optional<system::Configuration> next = own->others.next();
    own->is_given_up = !next;
    has_next = has_next || next;
    if (has_parts()) {
      OtherStructures::copy_part(state_.system(), part, next ? *next : wanted, trial);
    } else {
      trial = next ? *next : wanted;
    }
  }
  return has_next;
}

std::optional<system::Configuration> StructureSearch::found_in_parts(
    const system::Configuration& wanted, const system::Configuration& found) const {
  const bool has_any = std::any_of(searches_.begin(), searches_.end(),
                                   [](const PartSearch& search) { return !search.is_given_up; });
  if (!has_any) {
    return std::nullopt;
  }
  system::Configuration result = found;
  for (const PartSearch& search : searches_) {
    if (search.is_given_up) {
      OtherStructures::copy_part(state_.system(), search.part, wanted, result);
    }
  }
  return result;
}

bool StructureSearch::has_parts() const {
  return state_.system().parts() != nullptr && state_.system().parts()->n_parts > 1;
}

void StructureSearch::blame(Index part) {
  const auto place = std::lower_bound(failing_.begin(), failing_.end(), part);
  if (place == failing_.end() || *place != part) {
    failing_.insert(place, part);
  }
}

void StructureSearch::blame_guard(Index guard) {
  blame(has_parts() ? state_.system().parts()->of_guard[static_cast<std::size_t>(guard)] : 0);
}

void StructureSearch::blame_variable(Index column) {
  blame(has_parts() ? state_.system().parts()->of_variable[static_cast<std::size_t>(column)] : 0);
}

// It is not known which part it is: those in which guards that decide the structure have changed or are zero; where there are none,
// all that could be chosen in.
void StructureSearch::blame_suspects() {
  if (!has_parts()) {
    blame(0);
    return;
  }
  const std::span<const Index> groups = state_.system().structure_groups(state_.at.configuration().mode);
  const auto decides = [&](Index guard) {
    return !groups.empty() && groups[static_cast<std::size_t>(guard)] >= 0;
  };
  for (const LatchChange& change : state_.instant.changes) {
    if (decides(change.guard)) {
      blame_guard(change.guard);
    }
  }
  for (const Index guard : zero_asked_) {
    if (decides(guard)) {
      blame_guard(guard);
    }
  }
  if (!failing_.empty()) {
    return;
  }
  for (Index guard = 0; guard < std::ssize(groups); ++guard) {
    if (decides(guard)) {
      blame_guard(guard);
    }
  }
  for (const Index column : state_.system().discrete()) {
    if (state_.system().variables()[static_cast<std::size_t>(column)].is_boolean) {
      blame_variable(column);
    }
  }
}

// What no equation determines lies in parts, and so do rows that contradict each other.
void StructureSearch::blame_undetermined(const ModeData& target) {
  const std::vector<double> here = undetermined_by_part(target);
  const std::vector<double> now = undetermined_by_part(state_.at.mode());
  for (std::size_t part = 0; part < here.size(); ++part) {
    if (here[part] > now[part] + 0.5) {
      blame(static_cast<Index>(part));
    }
  }
  for (const Index column : target.by_ranks->contradicted_variables()) {
    blame_variable(column);
  }
  if (failing_.empty()) {
    blame_suspects();
  }
}

// The trace of the projector onto what is undetermined, part by part: whole numbers.
std::vector<double> StructureSearch::undetermined_by_part(const ModeData& mode) const {
  std::vector<double> sums(static_cast<std::size_t>(has_parts() ? state_.system().parts()->n_parts : 1), 0.0);
  const reduce::CharacteristicValues* const values =
      mode.by_ranks != nullptr ? mode.by_ranks->values() : nullptr;
  for (Index i = 0; values != nullptr && i < values->free.rows(); ++i) {
    const Index column = mode.locked->states()[static_cast<std::size_t>(i)].quantity.variable;
    double& sum = sums[static_cast<std::size_t>(
        has_parts() ? state_.system().parts()->of_variable[static_cast<std::size_t>(column)] : 0)];
    for (Index j = 0; j < values->free.columns(); ++j) {
      sum += values->free(i, j) * values->free(i, j);
    }
  }
  return sums;
}

bool StructureSearch::agrees(const system::Configuration& wanted, system::Configuration& configuration) {
  failing_.clear();
  const auto found = state_.modes.mode(state_.system().structure_of(configuration));
  if (!found) {
    blame_suspects();
    return false;
  }
  ModeData& target = **found;
  // Where there is one part alone the first that does not agree is enough.
  return can_be_entered(target, configuration) && (failing_.empty() || has_parts()) &&
         sides_agree(target, configuration) && motions_agree(target, configuration) &&
         discrete_values_agree(target, wanted, configuration) && failing_.empty();
}

// False: there are no values that could be looked at. Parts that jump are blamed.
bool StructureSearch::can_be_entered(ModeData& target, const system::Configuration& configuration) {
  if (is_less_determined(target)) {
    blame_undetermined(target);
    return false;  // as its last analysis says; another one would cost as much as all else
  }
  entry_.states_for(target, x_tried_);
  transfer_.set_rates(entry_.rates());
  if (!transfer_.onto_constraints(target, configuration, x_tried_)) {
    blame_suspects();
    return false;
  }
  for (const StateChange& change : transfer_.changes()) {
    blame_variable(target.engine->quantities()[static_cast<std::size_t>(change.state)].variable);
  }
  if (!failing_.empty() && !has_parts()) {
    return false;
  }
  if (is_less_determined(target)) {
    blame_undetermined(target);
    return false;
  }
  if (rank_entry_.is_singular(target, configuration, x_tried_)) {
    failing_.clear();
    blame_suspects();
    return false;
  }
  return true;
}

// Guards take the sides of their values, as far as the structure stays.
bool StructureSearch::sides_agree(ModeData& target, system::Configuration& configuration) {
  const system::StructureId structure = state_.system().structure_of(configuration);
  target.evaluator->set_configuration(configuration);
  guard_values_.resize(target.guards.size());
  if (!target.evaluator->guards(target.guards, state_.at.time(), x_tried_, guard_values_).ok()) {
    blame_suspects();
    return false;
  }
  zero_.clear();
  asked_.assign(configuration.latched.begin(), configuration.latched.end());
  for (std::size_t k = 0; k < target.guards.size(); ++k) {
    const Index guard = target.guards[k];
    if (state_.roots.has_come(guard)) {
      continue;  // its time has come: what rounding has left of it is no side (1.3)
    }
    if (state_.guard(guard).kind != system::GuardInfo::Kind::relation) {
      continue;
    }
    if (survey_.is_zero(target, x_tried_, guard, guard_values_[k])) {
      zero_.push_back(guard);
    } else {
      configuration.latched[static_cast<std::size_t>(guard)] = guard_values_[k] > 0.0 ? 1.0 : -1.0;
    }
  }
  if (state_.system().structure_of(configuration) == structure) {
    return true;
  }
  return !has_parts() ? (blame(0), false) : sides_agree_by_parts(structure, configuration);
}

// Which parts have left the structure: each with its new sides alone. They have the sides that were asked for again.
bool StructureSearch::sides_agree_by_parts(const system::StructureId& structure,
                                           system::Configuration& configuration) {
  const std::vector<Index>& part_of = state_.system().parts()->of_guard;
  system::Configuration alone = configuration;
  alone.latched = asked_;
  std::vector<Index> changed;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (configuration.latched[i] != asked_[i]) {
      changed.push_back(part_of[i]);
    }
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const Index part : changed) {
    const auto take = [&](const std::vector<double>& from, std::vector<double>& to) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] = part_of[i] == part ? from[i] : to[i];
      }
    };
    take(configuration.latched, alone.latched);
    if (!(state_.system().structure_of(alone) == structure)) {
      blame(part);
      take(asked_, alone.latched);
    }
  }
  configuration.latched = alone.latched;
  return true;
}

// A moment later zero guards, too, must have the sides of this structure.
bool StructureSearch::motions_agree(ModeData& target, system::Configuration& configuration) {
  const system::StructureId structure = state_.system().structure_of(configuration);
  target.evaluator->set_configuration(configuration);
  for (const Index guard : zero_) {
    const std::optional<int> sign = sliding_.motion_in(target, x_tried_, guard);
    if (!sign) {
      blame_guard(guard);
      continue;
    }
    double& side = configuration.latched[static_cast<std::size_t>(guard)];
    const double before = std::exchange(side, static_cast<double>(*sign));
    if (state_.system().structure_of(configuration) == structure) {
      continue;
    }
    side = before;
    if (*sign != 0) {
      blame_guard(guard);
    }
    if (!failing_.empty() && !has_parts()) {
      return false;
    }
  }
  return true;
}

// A round in which nothing fires, on the values that are wanted: what equations give must be what was tried, and what they do not
// give stays as it is.
bool StructureSearch::discrete_values_agree(ModeData& target, const system::Configuration& wanted,
                                            system::Configuration& configuration) {
  if (target.rounds == nullptr || configuration.discrete.empty()) {
    return true;
  }
  before_.assign(state_.values.begin(), state_.values.end());
  for (std::size_t i = 0; i < wanted.discrete.size(); ++i) {
    before_[static_cast<std::size_t>(state_.system().discrete()[i])] = wanted.discrete[i];
  }
  if (!solve_idle_round(state_, target, configuration, before_, x_tried_).ok()) {
    blame_suspects();
    return false;
  }
  system::Configuration given = configuration;
  given.discrete = target.conditions.discrete;
  if (given.discrete == configuration.discrete) {
    return true;
  }
  // Others than were tried do where neither the structure nor a side asks for them.
  const system::StructureId structure = state_.system().structure_of(configuration);
  if (state_.system().structure_of(given) == structure) {
    asked_ = given.latched;
    if (!sides_agree(target, given)) {
      return false;
    }
    if (given.latched == asked_) {
      configuration = std::move(given);
      return true;
    }
  }
  for (std::size_t i = 0; i < configuration.discrete.size(); ++i) {
    if (target.conditions.discrete[i] != configuration.discrete[i]) {
      blame_variable(state_.system().discrete()[i]);
    }
  }
  return true;
}

}  // namespace saltus::settle
