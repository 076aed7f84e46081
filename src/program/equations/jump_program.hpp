/// The jump equations of a mode as an equation set (system::JumpEquations), from what round_system.hpp has collected.
///
/// Contract     Held inputs of the program are those of the round's sequence, then the discrete values after the round: the
///              configuration of its runners carries all of them behind the conditions as "discrete values".
/// Choices      The equations of the mode are added only where a body reads what they give: most jumps are about states.
/// Cost         linear in the bodies and, in that case, the equations of the mode; compiled when first asked for.
/// Checked by   tests/unit/program/jump_program_test.cpp
#pragma once

#include <memory>
#include <span>

#include "program/equations/system_data.hpp"
#include "system/rounds.hpp"

namespace saltus::program {

/// system::JumpEquations without the equations, and what gives these.
struct JumpCode {
  system::JumpEquations jumps;
  std::shared_ptr<const EquationCode> equations;
};

/// Made once for the code of a mode, and bound to the numbers of `data`.
[[nodiscard]] std::shared_ptr<const system::JumpEquations> make_jump_equations(
    std::shared_ptr<const SystemData> data, const ModeData& mode);

[[nodiscard]] system::Configuration configuration_of_jumps(const SystemCode& code, const RoundSystem& round,
                                                           const system::RoundInputs& inputs,
                                                           std::span<const double> discrete);

}  // namespace saltus::program
