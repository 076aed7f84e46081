/// Modes that are reduced by ranks: nothing in the programs gives the derivatives of their states.
#pragma once

#include "program/equations/system_code.hpp"

namespace saltus::program {

/// Writes derivatives that are no states down as not finite, so that everything else is compiled as in other modes and
/// rhs() fails. The graph grows.
void leave_rates_open(expr::Graph& graph, structure::Causalized& causalized);

/// One error for each relation, trigger and body that reads such a derivative where it would have to be evaluated.
[[nodiscard]] Diagnostics find_open_rates(const SystemCode& data);

}  // namespace saltus::program
