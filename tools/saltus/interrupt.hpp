/// Ctrl-C asks the work to end, whatever it is at; a second one ends the program at once.
#pragma once

#include <atomic>

namespace saltus::tool {

/// Installs the handlers (SIGINT, SIGTERM) and returns the flag they set.
[[nodiscard]] const std::atomic<bool>& watch_interrupts();

}  // namespace saltus::tool
