#include "saltus/event_kind.hpp"

namespace saltus {

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
    case EventKind::structure: return "structure";
    case EventKind::impact: return "impact";
    case EventKind::terminate: return "terminate";
    case EventKind::input: return "input";
  }
  return "unknown";
}

std::string_view to_string(TransferKind kind) {
  switch (kind) {
    case TransferKind::none: return "";
    case TransferKind::smooth: return "smooth";
    case TransferKind::by_jump_equations: return "jump equations";
    case TransferKind::by_reinitialisation: return "reinitialisation";
    case TransferKind::by_both: return "both";
  }
  return "";
}

}  // namespace saltus
