#include "settle/structures/structure_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/short_list.hpp"
#include "reduce/consistent/state_choice.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

// Guards that decide the structure together are looked at in all ways up to this number; more of them, zero at once within one block of
// equations, count as dividing.
constexpr std::size_t kMostInAGroup = 12;

}  // namespace

bool StructureFollower::divides(Index guard) {
  const std::span<const Index> groups = state_.system().structure_groups(state_.at.configuration().mode);
  return !groups.empty() && groups[static_cast<std::size_t>(guard)] >= 0 && divide({&guard, 1});
}

// `guards` of one group.
bool StructureFollower::divide(std::span<const Index> guards) {
  if (guards.size() > kMostInAGroup) {
    return true;
  }
  tried_ = state_.at.configuration();
  std::optional<system::StructureId> first;
  bool is_divided = false;
  for (std::size_t pattern = 0; pattern < std::size_t{1} << guards.size() && !is_divided; ++pattern) {
    for (std::size_t k = 0; k < guards.size(); ++k) {
      tried_.latched[static_cast<std::size_t>(guards[k])] = (pattern >> k & 1U) != 0 ? 1.0 : -1.0;
    }
    const system::StructureId structure = state_.system().structure_of(tried_);
    first = first ? first : structure;
    is_divided = !(structure == *first);
  }
  return is_divided;
}

// Group by group: blocks of equations keep their structure or lose it for themselves. Where one group divides, what is zero in its part of
// the model is looked at together.
void StructureFollower::take_dividing(std::vector<Index>& guards, std::vector<Index>& dividing) {
  dividing.clear();
  const std::span<const Index> groups = state_.system().structure_groups(state_.at.configuration().mode);
  if (groups.empty()) {
    return;
  }
  const auto group_of = [&](Index guard) { return groups[static_cast<std::size_t>(guard)]; };
  const system::ModelParts* const parts = state_.system().parts();
  const auto part_of = [&](Index guard) {
    return parts == nullptr ? Index{0} : parts->of_guard[static_cast<std::size_t>(guard)];
  };
  group_.assign(guards.begin(), guards.end());
  std::stable_sort(group_.begin(), group_.end(), [&](Index a, Index b) { return group_of(a) < group_of(b); });
  divided_parts_.clear();
  for (auto first = group_.begin(); first != group_.end();) {
    const auto last =
        std::find_if(first, group_.end(), [&](Index guard) { return group_of(guard) != group_of(*first); });
    if (group_of(*first) >= 0 && divide(std::span(&*first, static_cast<std::size_t>(last - first)))) {
      std::transform(first, last, std::back_inserter(divided_parts_), part_of);
    }
    first = last;
  }
  const auto rest = std::stable_partition(guards.begin(), guards.end(), [&](Index guard) {
    return std::find(divided_parts_.begin(), divided_parts_.end(), part_of(guard)) == divided_parts_.end();
  });
  dividing.assign(rest, guards.end());
  guards.erase(rest, guards.end());
}

void StructureFollower::settle_dividing(std::vector<Index>& guards) {
  take_dividing(guards, together_);
  if (together_.empty()) {
    return;
  }
  if (const auto found = search_.at_zero(state_.at.configuration(), together_)) {
    go_on_in(*found);
  }
}

ModeData* StructureFollower::find_entry(const system::StructureId& structure) {
  const auto found = state_.modes.mode(structure);
  if (!found) {
    failure_ = {"mode_failed", found.error().items()[0].message};
    return nullptr;
  }
  const auto reaches = [this](ModeData& target) {
    entry_.states_for(target, x_tried_);
    transfer_.set_rates(entry_.rates());
    return transfer_.onto_constraints(target, state_.at.configuration(), x_tried_);
  };
  ModeData& target = **found;
  replaced_by_ranks_ = nullptr;
  const bool is_reached = reaches(target);
  failure_ = is_reached ? Failure{} : transfer_.failure();
  if (rank_entry_.is_singular(target, state_.at.configuration(), x_tried_) ||
      (is_reached && rank_entry_.has_singular_values(target, x_tried_))) {
    ModeData* const other = rank_entry_.by_ranks_instead(target);
    if (other != nullptr && reaches(*other)) {
      replaced_by_ranks_ = &target;
      return other;
    }
    if (other != nullptr && is_reached) {
      (void)reaches(target);
    }
  }
  return is_reached ? &target : nullptr;
}

bool StructureFollower::enter(const system::StructureId& structure) {
  ModeData* const target = find_entry(structure);
  if (target == nullptr) {
    state_.fail(failure_);
    return false;
  }
  if (replaced_by_ranks_ != nullptr) {
    rank_entry_.take(*replaced_by_ranks_);
  }
  tell_what_is_left_open(*target);
  has_changed_ = true;
  const ModeData& left = state_.at.mode();
  x_left_.assign(state_.at.x().begin(), state_.at.x().end());
  sliding_.stop_sliding();
  state_.at.enter(*target, x_tried_, {Factor::Kind::structure});
  sliding_.forget_derivative();
  if (!state_.evaluate_outputs()) {
    return false;
  }
  log_.note_moved(tell_jumps(left, x_left_, transfer_));
  return true;
}

std::string StructureFollower::tell_jumps(const ModeData& left, std::span<const double> x_left,
                                          const Transfer& transfer) {
  ShortList jumps;
  bool is_by_law = true;
  for (std::size_t i = 0; i < x_left.size(); ++i) {
    const system::Quantity& quantity = left.engine->quantities()[i];
    const Index variable = quantity.order == 0 ? quantity.variable : -1;
    const double value = variable < 0 ? x_left[i] : state_.values[static_cast<std::size_t>(variable)];
    const double size = std::max(std::abs(x_left[i]), left.engine->nominal()[i]);
    if (std::abs(value - x_left[i]) > reduce::kMoved * size) {
      jumps.add(fmt::format("{} from {:.6g} to {:.6g}", left.engine->names()[i], x_left[i], value));
      is_by_law = is_by_law && transfer.law().follows(quantity);
    }
  }
  if (jumps.size() == 0) {
    return {};
  }
  if (is_by_law) {
    if (!transfer.law().open().empty()) {
      state_.warn_of_jump(
          fmt::format("at t = {:.9g} conditions change, states jump, and the equations integrated over the "
                      "instant leave open where {} goes: it keeps its value",
                      state_.at.time(), transfer.law().open_text()),
          "its rate has a product of what jumps and what has an impulse: compute it from the states, or "
          "write a jump equation");
    }
    return fmt::format("reinitialised {} {}", jumps.text(), transfer.law().text());
  }
  state_.warn_of_jump(
      fmt::format("at t = {:.9g} conditions change and the equations do not allow the values that are held: "
                  "reinitialised {}",
                  state_.at.time(), jumps.text()),
      "write modes and jump equations if these variables go elsewhere");
  return fmt::format("reinitialised {} {}", jumps.text(),
                     transfer.law().is_accepted() ? transfer.law().text() : "by least change");
}

void StructureFollower::tell_what_is_left_open(const ModeData& target) {
  if (has_told_open_ || !search_.leaves_more_open(target)) {
    return;
  }
  has_told_open_ = true;
  ShortList names;
  for (const Index i : reduce::moved_unknowns(target.by_ranks->values()->free)) {
    names.add(target.engine->names()[static_cast<std::size_t>(i)]);
  }
  state_.warn(
      kLeftOpen,
      fmt::format("at t = {:.9g} conditions change and no equation determines {} any more: what is left open "
                  "keeps its values",
                  state_.at.time(), names.text()),
      "add what gives these unknowns a value: a large resistance to ground for a potential, a small one in "
      "each "
      "of several ways for a current");
}

std::optional<system::Configuration> StructureFollower::instead_of_jump(const system::Configuration& wanted) {
  std::vector<std::uint8_t> is_settled(state_.guards().size(), 0);
  for (const LatchChange& change : state_.instant.changes) {
    // One that was asked for its motion and stays zero has no side that was decided.
    const double side = state_.at.latched(change.guard);
    is_settled[static_cast<std::size_t>(change.guard)] = side != 0.0 && side != change.before ? 1 : 0;
  }
  if (auto other = search_.nearest(wanted, is_settled)) {
    return other;
  }
  (void)search_.by_equations(wanted, {});
  return search_.with_jump();
}

void StructureFollower::take_sides(const system::Configuration& found) {
  for (std::size_t i = 0; i < found.latched.size(); ++i) {
    if (found.latched[i] != state_.at.configuration().latched[i]) {
      state_.set_latched(static_cast<Index>(i), found.latched[i]);
    }
  }
}

// The search has seen that the states stay as they are. Values before the instant are left to the rounds: edges are against these.
void StructureFollower::go_on_in(const system::Configuration& found) {
  take_sides(found);
  state_.at.set_discrete(found.discrete);
  has_changed_ = true;
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  sliding_.forget_derivative();
}

bool StructureFollower::leave_unsolvable_sides() {
  ModeData& mode = state_.at.mode();
  if (!search_.is_coupled() || state_.at.partner() != nullptr || state_.at.is_sliding() ||
      mode.guards.empty()) {
    return false;
  }
  guard_values_.resize(mode.guards.size());
  mode.evaluator->set_configuration(state_.at.configuration());
  if (mode.evaluator->guards(mode.guards, state_.at.time(), state_.at.x(), guard_values_).ok()) {
    return false;
  }
  const auto given = search_.by_equations(state_.at.configuration(), {});
  if (given) {
    go_on_in(*given);
  }
  return given.has_value();
}

StructureFollower::Decided StructureFollower::decide(std::span<const Index> zero) {
  latched_before_.assign(state_.at.configuration().latched.begin(), state_.at.configuration().latched.end());
  return decided(sliding_.decide(zero));
}

StructureFollower::Decided StructureFollower::settle_sides() {
  latched_before_.assign(state_.at.configuration().latched.begin(), state_.at.configuration().latched.end());
  return decided(sliding_.settle_sides());
}

StructureFollower::Decided StructureFollower::decided(bool is_decided) {
  if (is_decided) {
    return Decided::by_motion;
  }
  const Failure failure = sliding_.failure();
  if (search_.is_coupled() && state_.at.partner() == nullptr && !state_.at.is_sliding()) {
    for (std::size_t i = 0; i < latched_before_.size(); ++i) {
      if (state_.at.latched(static_cast<Index>(i)) != latched_before_[i]) {
        state_.set_latched(static_cast<Index>(i), latched_before_[i]);
      }
    }
    if (const auto given = search_.by_equations(state_.at.configuration(), {})) {
      go_on_in(*given);
      return Decided::by_equations;
    }
  }
  state_.fail(failure);
  return Decided::ended;
}

// Sides of different structures have no blend: the solution of the present one says where it goes.
bool StructureFollower::decide_zero_guards() {
  dividing_.assign(survey_.others().begin(), survey_.others().end());
  jumping_.clear();
  for (const Index guard : survey_.jumping()) {
    (divides(guard) ? dividing_ : jumping_).push_back(guard);
  }
  settle_dividing(jumping_);
  sliding_.decide_roots(jumping_, false);
  sliding_.decide_roots(dividing_, false);
  const Decided is_decided = decide(jumping_);
  if (is_decided != Decided::by_motion) {
    return is_decided == Decided::by_equations;
  }
  return decide_others(dividing_);
}

bool StructureFollower::decide_others(std::span<const Index> guards) {
  if (!sliding_.install()) {
    return false;
  }
  for (const Index guard : guards) {
    // A guard that crossed although the solution returns to it at once keeps its side, or it would cross for ever.
    if (state_.at.is_slid_on(guard) || sliding_.would_return(guard)) {
      continue;
    }
    const double side = state_.at.latched(guard);
    if (!sliding_.decide_by_motion(guard)) {
      return false;
    }
    // One that stays zero has the side of the structure that holds (a diode that conducts no current).
    if (state_.at.latched(guard) == 0.0 && side != 0.0 && divides(guard)) {
      state_.set_latched(guard, side);
    }
  }
  return true;
}

// Another side of a choice in a constraint, or of one that is differentiated: the states follow.
bool StructureFollower::meet_constraints() {
  if (state_.at.is_sliding() || state_.instant.changes.empty()) {
    return true;
  }
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  x_entry_.assign(state_.at.x().begin(), state_.at.x().end());
  if (!transfer_.onto_constraints(state_.at.mode(), state_.at.configuration(), x_entry_)) {
    state_.fail(transfer_.failure());
    return false;
  }
  if (transfer_.changes().empty()) {
    // By ranks algebraic variables are states: they follow, and nothing jumps.
    if (state_.at.mode().by_ranks == nullptr || x_entry_ == state_.at.x()) {
      return true;
    }
    state_.at.move({Factor::Kind::projection}, x_entry_);
    sliding_.forget_derivative();
    return state_.evaluate_outputs();
  }
  // Sides with which they need not, if there are such: a capacitor that a conducting diode holds, when the source behind it falls.
  if (search_.is_coupled()) {
    const auto given = search_.by_equations(state_.at.configuration(), {});
    if (given && !(*given == state_.at.configuration())) {
      go_on_in(*given);
      return enter_present_structure();
    }
  }
  x_left_.assign(state_.at.x().begin(), state_.at.x().end());
  state_.at.move({Factor::Kind::least_change}, x_entry_);
  sliding_.forget_derivative();
  if (!state_.evaluate_outputs()) {
    return false;
  }
  log_.note_moved(tell_jumps(state_.at.mode(), x_left_, transfer_));
  return true;
}

// Asked only where the structure makes a jump, or determines less than the present one.
std::optional<system::Configuration> StructureFollower::better_than(const system::StructureId& structure) {
  const ModeData* const target = find_entry(structure);
  if (target == nullptr) {
    return instead_of_jump(state_.at.configuration());
  }
  return instead_of(*target, state_.at.configuration(), !transfer_.changes().empty());
}

std::optional<system::Configuration> StructureFollower::instead_of(const ModeData& target,
                                                                   const system::Configuration& wanted,
                                                                   bool jumps) {
  if (search_.is_less_determined(target)) {
    // Guards that have crossed may stay at zero beside the others: none is settled.
    if (auto other = search_.nearest(wanted, {})) {
      return other;
    }
  }
  return jumps ? instead_of_jump(wanted) : std::nullopt;
}

bool StructureFollower::follow() {
  const bool had_changed = std::exchange(has_changed_, false);
  const bool goes_on = enter_present_structure() && (has_changed_ || meet_constraints());
  has_changed_ = has_changed_ || had_changed;
  return goes_on;
}

}  // namespace saltus::settle
