// The one system of a round: values, the truths of relations over them, and what fires on these (docs/semantics.md 5).
#include <algorithm>
#include <utility>

#include "settle/rounds/rounds.hpp"
#include "settle/state/idle_round.hpp"

namespace saltus::settle {
namespace {

using ActionKind = system::ActionInfo::Kind;

// More passes than there are truths that each can wait for the one before: it goes round.
constexpr std::size_t kPassesBeyondTruths = 4;

}  // namespace

// Values with what fires as it stands. States are as before the round, but for those that jump in it.
bool Rounds::ask(const Occasion& occasion) {
  system::RoundInputs inputs = inputs_of(occasion);
  has_trial_states_ = false;
  const auto& actions = state_.system().actions();
  const bool jumps = std::any_of(latest_fired_.begin(), latest_fired_.end(), [&actions](Index action) {
    return actions[static_cast<std::size_t>(action)].jumps_in_round;
  });
  if (jumps && solve_bodies(state_.at.mode(), inputs)) {
    state_.at.mode().conditions = state_.at.mode().solution;
    has_trial_states_ = true;
    return true;
  }
  inputs.x_previous = state_.at.x();
  inputs.keeps_states = true;
  const system::Evaluation evaluation = settle::solve_round(*asked_, inputs, asked_->conditions);
  if (!evaluation.ok()) {
    state_.end(RunOutcome::Status::failed, reason_of(evaluation),
               asked_->rounds->describe(evaluation, state_.at.time()));
  } else if (asked_ != &state_.at.mode()) {
    state_.at.mode().conditions = asked_->conditions;
  }
  return evaluation.ok();
}

// The equations that the discrete values at hand ask for, where they are over the present states.
ModeData& Rounds::mode_to_ask() {
  if (has_its_structure()) {
    return state_.at.mode();
  }
  const auto found = state_.modes.mode(state_.system().structure_of(state_.at.configuration()));
  const bool has_same_states =
      found && (*found)->engine->quantities() == state_.at.mode().engine->quantities();
  return has_same_states ? **found : state_.at.mode();
}

system::RoundInputs Rounds::inputs_of(const Occasion& occasion) const {
  system::RoundInputs inputs;
  inputs.t = state_.at.time();
  inputs.configuration = &state_.at.configuration();
  inputs.previous = is_initial_ ? std::span<const double>(before_start_) : state_.values;
  inputs.fired = fired_;
  inputs.clocks = clocks_;
  inputs.is_initial = is_initial_;
  inputs.is_terminal = is_first_ && occasion.is_terminal;
  return inputs;
}

// Of each chain the first branch whose condition has become true; later edges of the round are lost. What a clause sets itself does not
// take back that it has fired. True: another choice than before.
bool Rounds::choose_clauses(bool is_first_choice) {
  const auto& actions = state_.system().actions();
  latest_fired_.clear();
  std::fill(clause_taken_.begin(), clause_taken_.end(), std::uint8_t{0});
  bool has_changed = false;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const bool is_asked = is_first_choice || !actions[a].is_own_cause;
    if (!is_asked && fired_[a] != 0 && actions[a].clause >= 0) {
      clause_taken_[static_cast<std::size_t>(actions[a].clause)] = 1;
    }
    const std::uint8_t fires = is_asked ? (fires_now(actions[a]) ? 1 : 0) : fired_[a];
    has_changed = has_changed || fired_[a] != fires;
    fired_[a] = fires;
    if (fires != 0) {
      latest_fired_.push_back(static_cast<Index>(a));
    }
  }
  return has_changed;
}

bool Rounds::fires_now(const system::ActionInfo& action) {
  // On entry the clauses of a mode remember what is already true (5.2).
  if (action.kind != ActionKind::when || !belongs(action) || !has_edge(action) ||
      (just_entered_ && action.mode.valid())) {
    return false;
  }
  if (action.clause < 0) {
    return true;
  }
  return std::exchange(clause_taken_[static_cast<std::size_t>(action.clause)], std::uint8_t{1}) == 0;
}

// Whether the present equations are those of the discrete values at hand.
bool Rounds::has_its_structure() const {
  if (!state_.system().has_structures()) {
    return true;
  }
  const system::StructureId made = state_.system().structure_of(state_.at.configuration());
  return made == state_.at.mode().structure || by_ranks(made) == state_.at.mode().structure;
}

// Sides at the values of the pass, whose states need not be those of the run yet. True: some are others than before.
bool Rounds::take_sides_of_pass() {
  latched_of_pass_ = state_.at.configuration().latched;
  const system::RoundSolution& found = state_.at.mode().conditions;
  if (!has_trial_states_) {
    survey_.look(&before_forming_, found.guards);
    return latched_of_pass_ != state_.at.configuration().latched;
  }
  const Position::Trial trial = state_.at.begin_trial();
  state_.at.move({Factor::Kind::bodies}, found.x);
  survey_.look(&before_forming_, found.guards);
  latched_found_ = state_.at.configuration().latched;
  state_.at.take_back(trial);
  state_.roots = before_forming_.roots;
  for (std::size_t i = 0; i < latched_found_.size(); ++i) {
    state_.at.set_latched(static_cast<Index>(i), latched_found_[i]);
  }
  return latched_of_pass_ != latched_found_;
}

// Sides that others have turned in this instant are those of values beside discrete variables that the round still changes. Where it takes
// such a guard back to zero, it has never been there: it has the side of the left limit. Sides that decide the structure are those that it has.
void Rounds::forget_sides_between() {
  for (const LatchChange& change : state_.instant.changes) {
    const auto i = static_cast<std::size_t>(change.guard);
    if (state_.guard(change.guard).kind == system::GuardInfo::Kind::relation &&
        !state_.roots.is_at(change.guard) && !state_.at.is_slid_on(change.guard) &&
        before_forming_.is_kept[i] == 0 && !structures_.divides(change.guard)) {
      before_forming_.latched[i] = change.before;
    }
  }
}

void Rounds::take_back_sides() {
  state_.roots = before_forming_.roots;
  for (std::size_t i = 0; i < before_forming_.latched.size(); ++i) {
    state_.at.set_latched(static_cast<Index>(i), before_forming_.latched[i]);
  }
}

// Sides at the values that they themselves give (a threshold over what another relation chooses): guards that are zero are as before.
bool Rounds::settle_truths(const GuardSurvey::Before& before) {
  const std::size_t most = state_.at.mode().guards.size() + kPassesBeyondTruths;
  for (std::size_t pass = 0; pass < most; ++pass) {
    latched_of_pass_ = state_.at.configuration().latched;
    if (!survey_.look(&before)) {
      return false;
    }
    if (latched_of_pass_ == state_.at.configuration().latched) {
      break;
    }
  }
  return true;
}

// Values give truths, truths give what fires, and bodies give values: until all of it agrees. A condition that reads what a body of
// the round sets so has the value that it sets, and what was true only beside old values has never been. Where it goes round (relations
// that contradict what they choose), sides stay as they were and are left to the decision.
bool Rounds::form(const Occasion& occasion) {
  std::fill(fired_.begin(), fired_.end(), std::uint8_t{0});
  latest_fired_.clear();
  std::fill(clocks_.begin(), clocks_.end(), std::uint8_t{0});
  for (const Index clock : is_first_ ? occasion.clocks : std::span<const Index>()) {
    clocks_[static_cast<std::size_t>(clock)] = 1;
  }
  const std::vector<double>& discrete = state_.at.configuration().discrete;
  discrete_before_ = discrete;
  before_forming_.latched = state_.at.configuration().latched;
  before_forming_.roots = state_.roots;
  if (is_first_ && !occasion.is_start) {
    forget_sides_between();
  }
  const std::size_t most =
      state_.at.mode().guards.size() + fired_.size() + discrete.size() + kPassesBeyondTruths;
  bool is_first_choice = true;
  asked_ = &state_.at.mode();
  for (std::size_t pass = 0; pass <= most; ++pass) {
    if (pass == most) {
      take_back_sides();
    }
    if (!ask(occasion)) {
      return false;
    }
    state_.at.set_discrete(state_.at.mode().conditions.discrete);
    ModeData& next = mode_to_ask();
    if (std::exchange(asked_, &next) != &next && pass < most) {
      continue;
    }
    const bool has_its_equations = &next != &state_.at.mode() || has_its_structure();
    const bool may_take_sides = pass < most && state_.at.partner() == nullptr && has_its_equations;
    if (may_take_sides && take_sides_of_pass()) {
      continue;
    }
    if (!choose_clauses(std::exchange(is_first_choice, false))) {
      break;
    }
  }
  state_.at.set_discrete(discrete_before_);
  remember_triggers();
  return true;
}

}  // namespace saltus::settle
