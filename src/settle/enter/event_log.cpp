#include "settle/enter/event_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/number_text.hpp"

namespace saltus::settle {

Event& EventLog::begin(EventKind kind) {
  event_ = {};
  event_.time = state_.at.time();
  event_.segment = state_.segment;
  event_.kind = kind;
  return event_;
}

void EventLog::tell() {
  ++state_.counters.events;
  state_.instant.draft.add_event(event_);
}

bool EventLog::explains_next() const {
  return state_.options().explain_event > 0 && state_.counters.events + 1 == state_.options().explain_event;
}

std::string_view EventLog::value_text(Index guard, double value, std::string& text) const {
  if (const Index gap = state_.guard(guard).gap; gap >= 0) {
    return value == state_.guard(gap).open_side ? "open" : "closed";
  }
  if (state_.guard(guard).kind == system::GuardInfo::Kind::relation) {
    return value > 0.0 ? "> 0" : value < 0.0 ? "< 0" : "= 0";
  }
  if (state_.guard(guard).kind == system::GuardInfo::Kind::norm) {
    return value == system::direction_state::kHeld ? "= 0" : "> 0";
  }
  if (state_.guard(guard).kind == system::GuardInfo::Kind::external) {
    text = number_text(value);
    return text;
  }
  text.clear();
  fmt::format_to(std::back_inserter(text), "{:.0f}", value);
  return text;
}

std::string_view EventLog::guard_of(const system::ActionInfo& action) const {
  return action.guard >= 0 ? std::string_view(state_.guard(action.guard).text)
                           : std::string_view(action.text);
}

void EventLog::condition(Index guard, double from, bool is_scheduled) {
  const bool is_external = state_.guard(guard).kind == system::GuardInfo::Kind::external;
  Event& event = begin(is_external    ? EventKind::input
                       : is_scheduled ? EventKind::time
                                      : EventKind::condition);
  event.from = value_text(guard, from, from_text_);
  event.to = value_text(guard, state_.at.latched(guard), to_text_);
  const Index gap = state_.guard(guard).gap;
  event.guard = state_.guard(gap >= 0 ? gap : guard).text;
  event.detail = state_.guard(guard).condition;
  if (!moved_.empty() && time_moved_ == state_.at.time()) {
    detail_text_ = fmt::format("{}; {}", event.detail, moved_);
    event.detail = detail_text_;
    moved_.clear();
  }
  tell();
}

void EventLog::note_moved(std::string text) {
  moved_ = std::move(text);
  time_moved_ = state_.at.time();
}

void EventLog::returned(Index guard) {
  Event& event = begin(EventKind::condition);
  event.from = value_text(guard, state_.at.latched(guard), from_text_);
  event.to = event.from;
  event.guard = state_.guard(guard).text;
  detail_text_ = state_.guard(guard).condition + "; crossed and returned in this instant";
  event.detail = detail_text_;
  tell();
}

void EventLog::impact(Index gap, double from, double to, double impulse) {
  Event& event = begin(EventKind::impact);
  from_text_ = fmt::format("{:.9g}", from);
  to_text_ = fmt::format("{:.9g}", to);
  event.from = from_text_;
  event.to = to_text_;
  event.guard = state_.guard(gap).text;
  detail_text_ = fmt::format("impulse {:.9g}", impulse);
  event.detail = detail_text_;
  tell();
}

void EventLog::slide_enter(Index guard, double from) {
  Event& event = begin(EventKind::slide_enter);
  event.from = value_text(guard, from, from_text_);
  event.to = "sliding";
  event.guard = state_.guard(guard).text;
  event.detail = state_.guard(guard).condition;
  if (state_.at.level() != 0.0) {
    detail_text_ =
        fmt::format("{}; moved by {:.9g} to the middle of the band", event.detail, state_.at.level());
    event.detail = detail_text_;
  }
  tell();
}

void EventLog::slide_exit(Index guard, double /*from*/) {
  Event& event = begin(EventKind::slide_exit);
  event.from = "sliding";
  if (state_.instant.leaves_band) {
    event.to = state_.at.mode().info->name;  // within the band the guard has the same sign in both modes
  } else {
    event.to = value_text(guard, state_.at.latched(guard), to_text_);
  }
  event.guard = state_.guard(guard).text;
  event.detail = state_.guard(guard).condition;
  tell();
}

void EventLog::fired(const system::ActionInfo& action, const TransferReport& transfer) {
  Event& event = begin(action.is_scheduled ? EventKind::time : EventKind::when);
  event.from = state_.at.mode().info->name;
  event.to = state_.at.mode().info->name;
  event.guard = guard_of(action);
  event.detail = action.text;
  add_cause(action);
  if (transfer.is_reinitialised()) {
    add_transfer(transfer, transfer.reinitialised_text());
  }
  tell();
}

// Of a proposition over several relations: those that have changed, for that is what it fired by.
void EventLog::add_cause(const system::ActionInfo& action) {
  if (action.guards.size() < 2) {
    return;
  }
  detail_text_ = event_.detail;
  bool is_first = true;
  for (const LatchChange& change : state_.instant.changes) {
    if (state_.at.latched(change.guard) != change.before &&
        std::find(action.guards.begin(), action.guards.end(), change.guard) != action.guards.end()) {
      detail_text_ += is_first ? "; by " : ", ";
      detail_text_ += state_.guard(change.guard).condition;
      is_first = false;
    }
  }
  event_.detail = detail_text_;
}

void EventLog::add_transfer(const TransferReport& transfer, std::string_view text) {
  if (detail_text_.data() != event_.detail.data()) {
    detail_text_ = event_.detail;
  }
  detail_text_ += "; ";
  detail_text_ += text;
  event_.detail = detail_text_;
  event_.transfer = transfer.kind();
  event_.impulse_order = static_cast<std::int8_t>(transfer.impulse_order());
  event_.transfer_case = static_cast<std::int8_t>(transfer.transfer_case());
}

void EventLog::transition(const system::ActionInfo& action, std::string_view from, std::string_view to,
                          bool is_immediate, const TransferReport& transfer, std::span<const Index> others) {
  Event& event = begin(is_immediate ? EventKind::immediate : EventKind::transition);
  event.from = from;
  event.to = to;
  event.guard = guard_of(action);
  event.detail = action.text;
  add_cause(action);
  add_transfer(transfer, transfer.text());
  for (const Index other : others) {
    const system::ActionInfo& info = state_.system().actions()[static_cast<std::size_t>(other)];
    detail_text_ += "; holds too: '";
    detail_text_ += info.text;
    detail_text_ += "' (to ";
    detail_text_ += state_.system().modes()[info.target.index()].name;
    detail_text_ += "), later in the text";
  }
  event_.detail = detail_text_;
  tell();
}

void EventLog::zeno(const system::ActionInfo& action, double accumulation) {
  Event& event = begin(EventKind::zeno);
  event.from = state_.at.mode().info->name;
  event.to = state_.at.mode().info->name;
  event.guard = guard_of(action);
  detail_text_ = "events accumulate at time " + number_text(accumulation);
  event.detail = detail_text_;
  tell();
}

void EventLog::structure(std::string_view from, std::string_view to) {
  Event& event = begin(EventKind::structure);
  event.from = from;
  event.to = to;
  event.detail =
      "the index and the numbers of differential, algebraic, undetermined and redundant parts have changed";
  tell();
}

void EventLog::terminate(std::string_view text) {
  Event& event = begin(EventKind::terminate);
  event.from = state_.at.mode().info->name;
  event.to = state_.at.mode().info->name;
  event.detail = text;
  tell();
}

}  // namespace saltus::settle
