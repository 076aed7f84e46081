/// One thing that happened in a run: a row of events.csv (CLI.md).
#pragma once

#include <cstdint>
#include <string>

#include "saltus/event_kind.hpp"

namespace saltus::hybrid {

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
