/// One thing that happened in a run: a row of events.csv (docs/output.md). Texts live as long as the call that tells it.
#pragma once

#include <cstdint>
#include <string_view>

#include "saltus/event_kind.hpp"

namespace saltus::settle {

struct Event {
  double time = 0.0;
  std::int64_t segment = 0;  ///< the first segment after it
  EventKind kind = EventKind::condition;
  std::string_view from;    ///< mode, or value of the condition before
  std::string_view to;      ///< … after
  std::string_view guard;   ///< canonical text of the guard, or the condition as written
  std::string_view detail;  ///< for a person
  TransferKind transfer = TransferKind::none;
  std::int8_t impulse_order =
      -1;  ///< of what reinitialisation would be as a solution, 0: Dirac; -1: none or not known
  std::int8_t transfer_case = 0;  ///< of the change of d, a, u (docs/semantics.md 5.9); 0: not known
};

}  // namespace saltus::settle
