/// The equations of one round of a mode, as blocks (LANGUAGE 5, docs/semantics.md 5).
///
/// Problem      the bodies of everything fired, the discrete equations and the equations of the configuration hold
///              together; which bodies count is known only when the round is solved.
/// Method       unknown are the states, the discrete variables and what the mode's equations give. With a flag for each
///              action: a discrete variable is `select(fired, value, pre)`, a state is `select(fired, value, before)` where a
///              body gives it by reinit or by an equation in which it stands alone, and `select(fired, left - right,
///              state - before) = 0` where a jump equation determines it together with others. All of it is matched and
///              ordered like any other system (structure/solve_instant.hpp); one program serves every set of actions.
/// Notation     held inputs of the sequence, in this order: conditions in equations; conditions as written, for bodies,
///              triggers and discrete equations (semantics 1.4); fired flags by action; the same flags for what bodies
///              say about states, which are 0 where these are known already (RoundInputs::keeps_states); states before
///              the round; pre(…) by column; where reinit follows the round, flags and values of what it assigns.
/// Contract     outputs: states, columns (0 where one does not exist), triggers by number (0 where the action is not
///              looked at in this mode), messages, guards, values of reinits that follow the round.
/// Choices      a jump equation for which no state is left, but an algebraic variable that may jump, is loose: the round
///              alone does not meet it, settle/enter/transfer.hpp does.
///              a state that several fired actions set obeys the last of them in source order (RoundSolution says so).
///              A body of the mode just left reads that mode's own variables as they were. Jumping variables that find
///              no jump equation are held.
/// Fails when   a body has more jump equations than variables that may jump (too-many-jump-equations); reinit reads a
///              derivative (derivative-in-reinit).
/// Cost         linear in the model and its bodies; the assignment of jump equations to states in the size of a body.
/// Checked by   tests/unit/program/rounds_test.cpp, round_jumps_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "program/blocks/block_sequence.hpp"
#include "program/vm/leaf_bindings.hpp"
#include "structure/solve_instant.hpp"

namespace saltus::program {

struct SystemCode;
struct ModeCode;

/// What one body asks of the new values: system::JumpEquations::Row with its equation.
struct JumpRow {
  Index action = -1;
  Index state = -1;
  bool is_loose = false;
  bool is_late = false;
  flat::Equation equation;
};

/// A quantity that may jump when an action fires: a state or an unknown of the mode's equations.
struct JumpingUnknown {
  Index action = -1;
  structure::Unknown unknown;
  bool is_late = false;
};

struct RoundSystem {
  structure::InstantSystem system;
  std::vector<structure::Block> blocks;
  std::vector<NodeId> outputs;
  LeafBindings bindings;
  std::uint32_t first_written = 0;  ///< held inputs; conditions in equations begin at 0
  std::uint32_t first_fired = 0;
  std::uint32_t first_jumping = 0;
  std::uint32_t first_state = 0;
  std::uint32_t first_previous = 0;
  std::uint32_t first_late = 0;    ///< flags of actions whose reinits are assigned after the round …
  std::uint32_t first_reinit = 0;  ///< … and their values
  std::uint32_t n_held = 0;
  /// Actions that set the same state, in source order; states that one action sets are left out.
  std::vector<std::vector<Index>> rivals;
  std::vector<JumpRow> jump_rows;
  std::vector<JumpingUnknown> jumping;
  std::shared_ptr<const SequenceCode> sequence;
};

/// Fills mode.round except for its sequence. The graph of the model gains nodes.
void build_round(SystemCode& data, ModeCode& mode, Diagnostics& diagnostics);

}  // namespace saltus::program
