#include "api/event_log.hpp"

#include "saltus/contract.hpp"

namespace saltus {
namespace api {
namespace {

EventKind public_kind(hybrid::EventKind kind) {
  switch (kind) {
    case hybrid::EventKind::transition: return EventKind::transition;
    case hybrid::EventKind::condition: return EventKind::condition;
    case hybrid::EventKind::slide_enter: return EventKind::slide_enter;
    case hybrid::EventKind::slide_exit: return EventKind::slide_exit;
    case hybrid::EventKind::when: return EventKind::when;
    case hybrid::EventKind::time: return EventKind::time;
    case hybrid::EventKind::immediate: return EventKind::immediate;
    case hybrid::EventKind::zeno: return EventKind::zeno;
    case hybrid::EventKind::terminate: return EventKind::terminate;
  }
  return EventKind::condition;
}

}  // namespace

void EventLog::append(const hybrid::Event& event) {
  items_.push_back({event.time, event.segment, texts_.place_of(event.from), texts_.place_of(event.to),
                    texts_.place_of(event.guard), texts_.place_of(event.detail), public_kind(event.kind)});
}

Event EventLog::at(std::size_t place) const {
  const Item& item = items_[place];
  return {item.time,
          item.segment,
          item.kind,
          texts_.text(item.from),
          texts_.text(item.to),
          texts_.text(item.guard),
          texts_.text(item.detail)};
}

}  // namespace api

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::transition: return "transition";
    case EventKind::condition: return "condition";
    case EventKind::slide_enter: return "slide_enter";
    case EventKind::slide_exit: return "slide_exit";
    case EventKind::when: return "when";
    case EventKind::time: return "time";
    case EventKind::immediate: return "immediate";
    case EventKind::zeno: return "zeno";
    case EventKind::terminate: return "terminate";
  }
  return "condition";
}

std::size_t EventList::size() const {
  return log_ ? log_->size() : 0;
}

Event EventList::operator[](std::size_t place) const {
  SALTUS_EXPECT(place < size(), "the event must exist");
  return log_->at(place);
}

}  // namespace saltus
