/// One thing that happened in a run: a row of events.csv (CLI.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace saltus::hybrid {

enum class EventKind : std::uint8_t {
  transition,   ///< a change of mode
  condition,    ///< a condition of the equations changed its value
  slide_enter,  ///< sliding on a guard begins
  slide_exit,   ///< … and ends
  when,         ///< a clause fired
  time,         ///< a scheduled clause fired, or a scheduled condition changed
  immediate,    ///< a transition that held on entry
  zeno,         ///< events accumulate
  terminate,    ///< terminate() of the model
};
[[nodiscard]] std::string_view to_string(EventKind kind);

struct Event {
  double time = 0.0;
  std::int64_t segment = 0;  ///< the first segment after it
  EventKind kind = EventKind::condition;
  std::string from;    ///< mode, or value of the condition before
  std::string to;      ///< … after
  std::string guard;   ///< canonical text of the guard, or the condition as written
  std::string detail;  ///< for a person
};

}  // namespace saltus::hybrid
