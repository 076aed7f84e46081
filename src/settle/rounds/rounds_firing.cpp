// What fires in a round: the question, clauses with an edge, a transition that holds (docs/semantics.md 5, 7.7).
#include <fmt/format.h>

#include <algorithm>

#include "settle/rounds/rounds.hpp"
#include "settle/state/start_clauses.hpp"

namespace saltus::settle {
namespace {

using ActionKind = system::ActionInfo::Kind;

// Truth values are 0 and 1; a condition that does not exist in a mode is NaN and not true.
bool holds(double truth) {
  return truth > 0.5;
}

}  // namespace

bool Rounds::belongs(const system::ActionInfo& action) const {
  return !action.mode.valid() || action.mode == state_.at.configuration().mode;
}

bool Rounds::is_true(const system::ActionInfo& action) const {
  return holds(state_.at.mode().conditions.triggers[static_cast<std::size_t>(action.first_trigger)]);
}

bool Rounds::has_edge(const system::ActionInfo& action) const {
  for (Index k = action.first_trigger; k < action.first_trigger + action.n_triggers; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (holds(state_.at.mode().conditions.triggers[i]) && memory_[i] == 0) {
      return true;
    }
  }
  return false;
}

bool Rounds::remember() {
  is_first_ = false;
  std::fill(fired_.begin(), fired_.end(), std::uint8_t{0});
  latest_fired_.clear();
  asked_ = &state_.at.mode();
  if (!ask({})) {
    return false;
  }
  remember_triggers();
  return true;
}

// initial() is true here and never again (Modelica 8.6): clauses of the start are equations of the initial problem, whose values the run
// begins with, so that what they set makes no edge. Other clauses do nothing.
bool Rounds::ask_start(std::span<const double> discrete_before) {
  before_start_.assign(state_.values.begin(), state_.values.end());
  for (std::size_t i = 0; i < discrete_before.size(); ++i) {
    before_start_[static_cast<std::size_t>(state_.system().discrete()[i])] = discrete_before[i];
  }
  keep_discrete();
  fired_ = fired_at_start(state_.system());
  latest_fired_.clear();
  for (std::size_t a = 0; a < fired_.size(); ++a) {
    if (fired_[a] != 0) {
      latest_fired_.push_back(static_cast<Index>(a));
    }
  }
  asked_ = &state_.at.mode();
  is_initial_ = true;
  const bool goes_on = ask({});
  is_initial_ = false;
  return goes_on;
}

bool Rounds::begin(std::span<const double> discrete_before) {
  if (!ask_start(discrete_before)) {
    return false;
  }
  is_initial_ = true;
  const bool goes_on = fire_at_start();
  is_initial_ = false;
  return goes_on;
}

// The event of what has fired, with what an initial problem over constraints does not contain: values of reinit, jump equations.
bool Rounds::fire_at_start() {
  remember_triggers();
  if (latest_fired_.empty()) {
    return true;
  }
  transition_ = -1;
  has_discrete_change_ = has_moved_ = terminates_ = false;
  if (!solve_round({}) || !structures_.enter_present_structure() || !sliding_.install() ||
      !meet_constraints() || !tell()) {
    return false;
  }
  is_row_late_ = false;
  return record_row(true) && check_messages();
}

void Rounds::remember_triggers() {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    memory_[i] = holds(state_.at.mode().conditions.triggers[i]) ? 1 : 0;
  }
}

// In the next round no clock is due: what was true with it may be false then, although nothing fired here (`when not sample(1, 1)`, and
// `on = sample(0, 1) or (pre(on) and x < 1)` where x has just reached 1).
bool Rounds::clocks_end(const Occasion& occasion) const {
  return is_first_ && !occasion.clocks.empty();
}

bool Rounds::would_fire_again(std::size_t action, Index guard) {
  const std::vector<double> latched = state_.at.configuration().latched;
  for (const Index other : state_.at.mode().guards) {
    if (other != guard && state_.roots.is_at(other) &&
        state_.guard(other).kind == system::GuardInfo::Kind::relation && !state_.at.is_slid_on(other)) {
      state_.at.set_latched(other, 0.0);
    }
  }
  std::fill(fired_.begin(), fired_.end(), std::uint8_t{0});
  latest_fired_.clear();
  asked_ = &state_.at.mode();
  const bool is_known = ask({});
  for (std::size_t i = 0; i < latched.size(); ++i) {
    state_.at.set_latched(static_cast<Index>(i), latched[i]);
  }
  const system::ActionInfo& info = state_.system().actions()[action];
  const auto first = state_.at.mode().conditions.triggers.begin() + info.first_trigger;
  return is_known && std::none_of(first, first + info.n_triggers, holds);
}

// Transitions are asked for truth, not for edges; the first in source order. Between the modes of a pair the solution may slide instead.
bool Rounds::choose_transition() {
  const auto& actions = state_.system().actions();
  has_moved_ = false;
  transition_ = -1;
  others_.clear();
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const system::ActionInfo& action = actions[a];
    if (action.kind != ActionKind::transition || !belongs(action) || !is_true(action)) {
      continue;
    }
    const bool is_slid_on = action.guard >= 0 && state_.at.is_slid_on(action.guard);
    if (is_slid_on) {
      continue;  // no edge while sliding lasts
    }
    if (transition_ >= 0) {
      others_.push_back(static_cast<Index>(a));
      continue;
    }
    target_ = action.target;
    if (action.guard >= 0 && state_.roots.is_at(action.guard) && !state_.at.is_sliding()) {
      if (const auto pair = sliding_.pair_at(action.guard)) {
        const auto written = written_sliding_mode(state_.system(), pair->plus, pair->minus);
        switch (sliding_.ask_pair(*pair, action.guard)) {
          case SlidingControl::Answer::ended: return false;
          case SlidingControl::Answer::slides:
            note_move(*pair);
            if (!written) {
              continue;
            }
            sliding_.stop_sliding();
            target_ = *written;
            break;
          case SlidingControl::Answer::crosses: break;
        }
        if (action.has_jump && immediate_ == 0) {
          sliding_.forget_return(action.guard);  // what is set may lead elsewhere: the way back asks again
        }
      }
    }
    transition_ = static_cast<Index>(a);
    fired_[a] = 1;
    latest_fired_.push_back(transition_);
  }
  return true;
}

// What was asked in this round was asked at the edge of the band; x lies in the middle now.
void Rounds::note_move(const ModePair& pair) {
  if (pair.level != 0.0) {
    has_moved_ = true;
    state_.at.mode().conditions.x.assign(state_.at.x().begin(), state_.at.x().end());
  }
}

bool Rounds::check_assertions() {
  terminates_ = false;
  for (const system::ActionInfo& action : state_.system().actions()) {
    if (!belongs(action)) {
      continue;
    }
    const double truth = state_.at.mode().conditions.triggers[static_cast<std::size_t>(action.first_trigger)];
    if (action.kind == ActionKind::assertion && action.is_warning) {
      const auto place = static_cast<std::size_t>(&action - state_.system().actions().data());
      warn_of_assertion(place, truth < 0.5, action.text, action.span);
      continue;
    }
    if (action.kind == ActionKind::assertion && truth < 0.5) {
      const bool at_start = state_.at.time() == state_.options().start;
      state_.end(RunOutcome::Status::failed, at_start ? "initialization_failed" : "assert",
                 fmt::format("assertion failed at t = {:.9g}: {}", state_.at.time(), action.text));
      return false;
    }
    if (action.kind == ActionKind::terminate && truth > 0.5 && !terminates_) {
      terminates_ = true;
      terminate_text_ = action.text;
    }
  }
  return true;
}

}  // namespace saltus::settle
