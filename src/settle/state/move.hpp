/// What an instant did to the solution, in order: x⁺ is the product of these factors applied to x⁻.
///
/// Contract     Position records a factor whenever it moves states or enters a structure within an instant; nothing else can.
///              Readers: --explain-event, the verification of instants (an instant without factors has moved nothing).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::settle {

struct Factor {
  enum class Kind : std::uint8_t {
    onto_root,       ///< onto the surface of `guard`, from within its noise
    projection,      ///< onto the constraints and the surfaces that are slid on
    bodies,          ///< what jump equations and bodies of clauses give
    least_change,    ///< onto constraints that do not hold for the values of before
    own_side,        ///< next to a surface at which the side taken has no value
    middle_of_band,  ///< where two modes slide between two guards
    rest,            ///< onto the surface at which the events of `guard` accumulate
    structure,       ///< the states of the structure before are those of another one
    ranks,           ///< the same equations by the constraints that numerical ranks find
    impact,          ///< what the impulses of contacts do to velocities; `guard` is the gap of one
  };
  Kind kind = Kind::projection;
  Index guard = -1;  ///< where there is one
};

[[nodiscard]] constexpr std::string_view text_of(Factor::Kind kind) {
  switch (kind) {
    case Factor::Kind::onto_root: return "moved onto the surface of";
    case Factor::Kind::projection: return "projected onto what holds";
    case Factor::Kind::bodies: return "moved by bodies and jump equations";
    case Factor::Kind::least_change: return "moved onto constraints by the least change";
    case Factor::Kind::own_side: return "moved next to a surface, to the side taken";
    case Factor::Kind::middle_of_band: return "moved to the middle of the band of";
    case Factor::Kind::rest: return "put to rest on the surface of";
    case Factor::Kind::structure: return "entered another structure of the equations";
    case Factor::Kind::ranks: return "entered the equations by numerical ranks";
    case Factor::Kind::impact: return "moved by the impulses of contacts";
  }
  return "";
}

/// The inputs of a round that took effect (system::RoundInputs), for whoever solves it again beside them.
struct RoundRecord {
  system::Configuration configuration;
  std::vector<double> previous;
  std::vector<double> x_previous;
  std::vector<std::uint8_t> fired;
  std::vector<std::uint8_t> clocks;
  std::vector<double> reinits;
  bool is_initial = false;
  bool is_terminal = false;
  bool keeps_states = false;
  bool by_transfer =
      false;  ///< not by the round alone, but with the constraints of the mode (enter/transfer.hpp)

  /// Valid as long as the record.
  [[nodiscard]] system::RoundInputs inputs(double t) const {
    system::RoundInputs inputs;
    inputs.t = t;
    inputs.configuration = &configuration;
    inputs.previous = previous;
    inputs.x_previous = x_previous;
    inputs.fired = fired;
    inputs.clocks = clocks;
    inputs.reinits = reinits;
    inputs.is_initial = is_initial;
    inputs.is_terminal = is_terminal;
    inputs.keeps_states = keeps_states;
    return inputs;
  }
};

/// A factor as it was applied.
struct MoveStep {
  Factor factor;
  system::StructureId structure;  ///< after it
  std::vector<double> x;          ///< after it
  system::Configuration configuration;
  std::optional<RoundRecord> round;  ///< that gave the values
};

/// What an instant did, for whoever differentiates it (RunObserver::moved).
struct InstantMove {
  struct Crossing {
    Index guard = -1;    ///< beyond the guards of the system: a weight of sliding has left its range
    double level = 0.0;  ///< of the guard, where it is not a relation
  };
  double t = 0.0;
  // Before it.
  system::StructureId structure;
  system::Configuration configuration;
  std::vector<double> x;
  std::vector<double> values;  ///< of all variables, as far as they were needed; else NaN
  bool is_at_rest = false;     ///< on a surface where events have accumulated

  std::vector<Crossing> crossings;
  std::vector<Index> clocks;  ///< that were due
  bool is_start = false;
  bool is_outside = false;  ///< values were given from outside
  std::vector<MoveStep> steps;
  // After it.
  system::Configuration after;
  bool slides_after = false;
};

}  // namespace saltus::settle
