// The kinds of things that happen in a run, as events.csv names them.
#pragma once

#include <cstdint>
#include <string_view>

namespace saltus {

enum class EventKind : std::uint8_t {
  transition,   ///< a change of mode
  condition,    ///< a condition of the equations changed its value
  slide_enter,  ///< sliding on a guard begins
  slide_exit,   ///< … and ends
  when,         ///< a clause fired
  time,         ///< a scheduled clause fired, or a scheduled condition changed
  immediate,    ///< a transition that held on entry
  zeno,         ///< events accumulate
  structure,    ///< the characteristic values of the equations changed
  terminate,    ///< terminate() of the model
  input,        ///< values were set from outside, by a Simulation
  impact,       ///< bodies of contact(gap, force, e) have met
};
[[nodiscard]] std::string_view to_string(EventKind kind);

/// What an event did to the differential variables: those that are states before or after it.
enum class TransferKind : std::uint8_t {
  none,                 ///< not looked at: no change of mode, and nothing was reinitialised
  smooth,               ///< all of them go on with their values
  by_jump_equations,    ///< bodies made them jump
  by_reinitialisation,  ///< the equations that hold now asked for other values
  by_both,
};
/// "", "smooth", "jump equations", "reinitialisation", "both".
[[nodiscard]] std::string_view to_string(TransferKind kind);

}  // namespace saltus
