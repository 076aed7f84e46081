#include "settle/rounds/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/work_watch.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

// At least, in units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfARound = 10'000;

constexpr std::int64_t kNamedRounds = 8;
// Structures that one round may ask for in turn: it settles at once, or hardly ever.
constexpr int kMostStructuresOfARound = 20;

std::size_t n_triggers(const std::vector<system::ActionInfo>& actions) {
  Index count = 0;
  for (const system::ActionInfo& action : actions) {
    count = std::max(count, action.first_trigger + action.n_triggers);
  }
  return static_cast<std::size_t>(count);
}

// Relations that stay within a round: those in conditions that read what their own clause sets.
std::vector<std::uint8_t> guards_that_stay(const RunState& state) {
  std::vector<std::uint8_t> flags(state.guards().size(), 0);
  for (const system::ActionInfo& action : state.system().actions()) {
    if (!action.is_own_cause) {
      continue;
    }
    if (action.guard >= 0) {
      flags[static_cast<std::size_t>(action.guard)] = 1;
    }
    for (const Index guard : action.guards) {
      flags[static_cast<std::size_t>(guard)] = 1;
    }
  }
  return flags;
}

std::size_t n_clauses(const std::vector<system::ActionInfo>& actions) {
  Index count = 0;
  for (const system::ActionInfo& action : actions) {
    count = std::max(count, action.clause + 1);
  }
  return static_cast<std::size_t>(count);
}

}  // namespace

Rounds::Rounds(RunState& state, EventLog& log, SlidingControl& sliding, GuardSurvey& survey,
               InstantRecord& record, StructureFollower& structures, RestControl& rest, Impacts& impacts)
    : state_(state),
      log_(log),
      sliding_(sliding),
      survey_(survey),
      record_(record),
      structures_(structures),
      rest_(rest),
      impacts_(impacts),
      entry_(state),
      transfer_(state),
      rank_entry_(state),
      report_(state),
      zeno_(state.system().actions().size()),
      memory_(n_triggers(state.system().actions()), 0),
      fired_(state.system().actions().size(), 0),
      clocks_(static_cast<std::size_t>(state.system().n_clocks()), 0),
      told_(state.system().actions().size() + state.system().messages().size(), 0),
      clause_taken_(n_clauses(state.system().actions()), 0),
      before_forming_{{}, RootMarks(state.guards().size()), guards_that_stay(state), false},
      before_look_{{}, RootMarks(state.guards().size()), {}, false} {}

void Rounds::warn_of_assertion(std::size_t place, bool fails, const std::string& text,
                               std::optional<SourceSpan> span) {
  if (fails && told_[place] == 0) {
    told_[place] = 1;
    state_.warn(kAssertionWarning,
                fmt::format("an assertion does not hold at t = {:.9g}: {}", state_.at.time(), text),
                "reported once for each assertion", span);
  }
}

// What the values about to be adopted were solved from; the states were entered with x_entry_.
void Rounds::note_round(const system::RoundInputs& inputs) {
  if (!state_.at.keeps_steps()) {
    return;
  }
  state_.at.note_round({*inputs.configuration,
                        {inputs.previous.begin(), inputs.previous.end()},
                        x_entry_,
                        fired_,
                        clocks_,
                        {inputs.reinits.begin(), inputs.reinits.end()},
                        inputs.is_initial,
                        inputs.is_terminal,
                        inputs.keeps_states,
                        transfer_.has_solved()});
}

// The values of a round in its structure, which may be another one.
void Rounds::adopt(ModeData& target, const system::RoundSolution& solution) {
  has_jumped_ = !std::equal(solution.x.begin(), solution.x.end(), state_.at.x().begin(), state_.at.x().end());
  if (has_jumped_) {
    x_before_.assign(state_.at.x().begin(), state_.at.x().end());
  }
  state_.at.set_discrete(solution.discrete);
  discrete_of_round_ = solution.discrete;
  if (&target == &state_.at.mode()) {
    state_.at.move({Factor::Kind::bodies}, solution.x);
  } else {
    sliding_.stop_sliding();
    state_.at.enter(target, solution.x, {Factor::Kind::structure});
  }
  if (has_jumped_) {
    rest_.leave_moved();
  }
  std::copy(solution.values.begin(), solution.values.end(), state_.values.begin());
  sliding_.forget_derivative();
}

// The values of the round in the structure that they ask for, and what is assigned after it (4).
bool Rounds::solve_round(const Occasion& occasion) {
  report_.begin();
  if (latest_fired_.empty()) {
    x_entry_ = state_.at.x();
    transfer_.forget();
    system::RoundInputs inputs = inputs_of(occasion);
    inputs.keeps_states = true;
    note_round(inputs);
    adopt(state_.at.mode(), state_.at.mode().conditions);
    return true;
  }
  const bool is_reinitialised = std::any_of(latest_fired_.begin(), latest_fired_.end(), [this](Index action) {
    return state_.system().actions()[static_cast<std::size_t>(action)].has_late_reinit;
  });
  return solve_fired(occasion) && (!is_reinitialised || reinitialise(occasion));
}

// Modelica 8.3.6: everything else in the round has seen the old states. Discrete values stay what the round has made them.
bool Rounds::reinitialise(const Occasion& occasion) {
  const bool has_jumped = has_jumped_;
  reinits_ = state_.at.mode().solution.reinits;
  messages_ = state_.at.mode().solution.messages;
  values_of_round_.assign(state_.values.begin(), state_.values.end());
  is_row_late_ = true;
  system::RoundInputs inputs = inputs_of(occasion);
  inputs.previous = state_.values;
  inputs.reinits = reinits_;
  ModeData* const target = solve_in_its_structure(inputs);
  if (target == nullptr) {
    return false;
  }
  if (!transfer_.changes().empty()) {
    report_.look(*target, x_entry_, transfer_);
  }
  note_round(inputs);
  adopt(*target, target->solution);
  state_.at.mode().solution.messages = messages_;
  has_jumped_ = has_jumped_ || has_jumped;
  return true;
}

bool Rounds::solve_fired(const Occasion& occasion) {
  const ModeId old = state_.at.configuration().mode;
  state_.at.set_mode_of_configuration(transition_ >= 0 ? target_ : old);
  ModeData* const target = solve_in_its_structure(inputs_of(occasion));
  if (target == nullptr) {
    state_.at.set_mode_of_configuration(old);
    return false;
  }
  if (transition_ >= 0 || !transfer_.changes().empty()) {
    report_.look(*target, x_entry_, transfer_);
  }
  if (transition_ >= 0 && immediate_ == 0 && report_.is_reinitialised()) {
    // What the equations have moved may lead elsewhere: the way back asks again.
    sliding_.forget_return(state_.system().actions()[static_cast<std::size_t>(transition_)].guard);
  }
  const ModeData& left = state_.at.mode();
  const bool changes_structure = target != &state_.at.mode() && transition_ < 0;
  if (changes_structure) {
    x_before_.assign(state_.at.x().begin(), state_.at.x().end());
  }
  note_round(inputs_of(occasion));
  adopt(*target, target->solution);
  const bool is_asked_for = std::any_of(latest_fired_.begin(), latest_fired_.end(), [this](Index action) {
    return state_.system().actions()[static_cast<std::size_t>(action)].has_jump;
  });
  if (changes_structure && !is_asked_for) {
    (void)structures_.tell_jumps(left, x_before_, transfer_);
  }
  return true;
}

// The equations of the configuration that the round makes: where the discrete values that it sets give them another structure, it
// is solved in that. Null: the run ended.
ModeData* Rounds::solve_in_its_structure(system::RoundInputs inputs) {
  const system::Configuration* configuration = &state_.at.configuration();
  ModeData* target = nullptr;
  for (int pass = 0; pass < kMostStructuresOfARound; ++pass) {
    const auto found = state_.modes.mode(state_.system().structure_of(*configuration));
    if (!found) {
      state_.end(RunOutcome::Status::failed, "mode_failed", found.error().items()[0].message);
      return nullptr;
    }
    if (*found == target) {
      return target;
    }
    target = enter(**found, inputs);
    if (target == nullptr || !state_.system().has_structures()) {
      return target;
    }
    configuration_made_ = state_.at.configuration();
    configuration_made_.discrete = target->solution.discrete;
    configuration = &configuration_made_;
    const system::StructureId made = state_.system().structure_of(configuration_made_);
    const bool is_new = (made == target->structure || by_ranks(made) == target->structure) &&
                        target != &state_.at.mode() && transition_ < 0;
    const bool jumps = std::any_of(transfer_.changes().begin(), transfer_.changes().end(),
                                   [](const StateChange& change) { return !change.by_body; });
    if (const auto other =
            is_new ? structures_.instead_of(*target, configuration_made_, jumps) : std::nullopt) {
      structures_.take_sides(*other);
      configuration_made_ = *other;
    }
  }
  state_.end(
      RunOutcome::Status::failed, "no_convergence",
      fmt::format(
          "at t = {:.9g} the discrete values that {} gives ask for another structure of the equations, "
          "and that for other values",
          state_.at.time(), fired_texts()));
  return nullptr;
}

// Discrete values change by rounds alone. Whoever looks for sides or enters a structure between two of them may ask for others, with which
// the next round begins to search; what it changes, and which edges it has, is against those of the round before.
void Rounds::keep_discrete() {
  discrete_of_round_ = state_.at.configuration().discrete;
  for (std::size_t i = 0; i < discrete_of_round_.size(); ++i) {
    const double value = state_.values[static_cast<std::size_t>(state_.system().discrete()[i])];
    discrete_of_round_[i] = std::isnan(value) ? discrete_of_round_[i] : value;  // some exist in other modes
  }
}

void Rounds::take_discrete_of_round() {
  for (std::size_t i = 0; i < discrete_of_round_.size(); ++i) {
    double& value = state_.values[static_cast<std::size_t>(state_.system().discrete()[i])];
    value = std::isnan(value) ? value : discrete_of_round_[i];
  }
}

void Rounds::begin_rounds(const Occasion& occasion) {
  if (!occasion.is_start) {  // begin() knows them
    keep_discrete();
    n_rounds_ = 0;
    loop_.clear();
  }
  is_first_ = true;
  // What the instant has brought to zero is left to the end of the rounds: within them it has the side of before.
  is_decided_ = occasion.is_start || !survey_.is_undecided_at_zero();
  is_row_late_ = false;
  just_entered_ = occasion.is_start;
  immediate_ = 0;
  accumulating_.clear();
}

bool Rounds::settle(const Occasion& occasion) {
  begin_rounds(occasion);
  for (;;) {
    if (!find_firing(occasion) || !record_late_row(goes_on_)) {
      return false;
    }
    if (goes_on_) {
      if (!run_round(occasion)) {
        return false;
      }
    } else if (!clocks_end(occasion) && (is_decided_ || !decision_asks_again())) {
      return !state_.has_ended() && sliding_.install() && record_last_values();
    }
    is_first_ = false;
  }
}

bool Rounds::settle_as_written(std::span<const Index> clocks) {
  Occasion occasion;
  occasion.is_start = true;
  occasion.clocks = clocks;
  begin_rounds(occasion);
  just_entered_ = false;
  before_forming_.has_numbers_as_written = before_look_.has_numbers_as_written = true;
  const bool goes_on = run_as_written(occasion);
  before_forming_.has_numbers_as_written = before_look_.has_numbers_as_written = false;
  return goes_on;
}

bool Rounds::run_as_written(const Occasion& occasion) {
  for (;;) {
    if (!form_round(occasion)) {
      return false;
    }
    transition_ = -1;
    others_.clear();
    has_moved_ = false;
    note_changes();
    if (!record_late_row(has_changed_)) {
      return false;
    }
    if (!has_changed_ && clocks_end(occasion)) {
      is_first_ = false;
      continue;
    }
    if (!has_changed_) {
      return n_rounds_ == 0 || (sliding_.install() && record_last_values());
    }
    if (!check_assertions() || !run_round(occasion)) {
      return false;
    }
    is_first_ = false;
  }
}

bool Rounds::form_round(const Occasion& occasion) {
  count_work(kWorkOfARound);
  take_discrete_of_round();
  return form(occasion);
}

void Rounds::note_changes() {
  const std::vector<double>& discrete = state_.at.mode().conditions.discrete;
  has_discrete_change_ = discrete != discrete_of_round_;
  // What was asked for between two rounds and is not so is taken back by one.
  has_changed_ = !latest_fired_.empty() || has_discrete_change_ || has_moved_ ||
                 discrete != state_.at.configuration().discrete;
}

// (1) to (3): values, truths and what fires, found together; a transition; and (5) whether that makes a round.
bool Rounds::find_firing(const Occasion& occasion) {
  const bool entered_at_start = just_entered_ && occasion.is_start && is_first_;
  if (entered_at_start) {
    just_entered_ = false;  // edges at the start are those of guards that move
  }
  if (!form_round(occasion)) {
    return false;
  }
  just_entered_ = just_entered_ || entered_at_start;
  if (!check_assertions() || !choose_transition()) {
    return false;
  }
  note_changes();
  goes_on_ = has_changed_ || terminates_ || record_.has_news();
  return true;
}

// The round takes effect with what is assigned after it (4), guards are looked at again, and it is written down.
bool Rounds::run_round(const Occasion& occasion) {
  if (!within_limit()) {
    return false;
  }
  if (!solve_round(occasion) || !structures_.enter_present_structure() || !leave_surfaces() ||
      !sliding_.install() || !meet_constraints() || (has_moved_ && !state_.evaluate_outputs()) || !tell() ||
      !meet_gaps()) {
    return false;
  }
  immediate_ = transition_ >= 0 && just_entered_ ? immediate_ + 1 : 0;
  if (immediate_ > state_.options().max_immediate) {
    end_at_limit("immediate_limit", state_.options().max_immediate, "immediate transitions");
    return false;
  }
  just_entered_ = transition_ >= 0;
  latched_before_look_ = state_.at.configuration().latched;
  if (has_changed_ && !look_again()) {
    return false;
  }
  if (is_row_late_ && has_its_structure() && !(sliding_.install() && state_.evaluate_outputs())) {
    return false;
  }
  if ((!is_row_late_ && !record_row(latched_before_look_ != state_.at.configuration().latched)) ||
      !check_messages()) {
    return false;
  }
  if (!has_changed_) {
    return true;
  }
  is_decided_ = false;
  return follow_structure();
}

// A round may ask for a structure that holds for the instant alone (the diode through which two capacitors share their charge blocks
// after it): what is shown are the values of the one that it leaves, with the truths that they have.
bool Rounds::follow_structure() {
  const ModeData* const of_round = &state_.at.mode();
  if (!structures_.follow()) {
    return false;
  }
  if (&state_.at.mode() != of_round && !is_row_late_) {
    record_.replace_row();
  }
  return true;
}

// What fires in turn in the last rounds before a limit is the loop to be named.
bool Rounds::within_limit() {
  ++n_rounds_;
  if (n_rounds_ + kNamedRounds > state_.options().max_rounds ||
      immediate_ + kNamedRounds > state_.options().max_immediate) {
    loop_.insert(loop_.end(), latest_fired_.begin(), latest_fired_.end());
  }
  if (n_rounds_ > state_.options().max_rounds) {
    end_at_limit("round_limit", state_.options().max_rounds, "rounds");
    return false;
  }
  return true;
}

}  // namespace saltus::settle
