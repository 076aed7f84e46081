/// Slab programs of the modes, of their rounds and of the start, from what the analyses found.
#pragma once

#include "program/equations/system_code.hpp"

namespace saltus::program {

/// The guards of every mode as functions; the graph of the model gains nodes.
void make_guard_sets(SystemCode& data);

/// Everything that is compiled. The graph is complete by then.
void compile_modes(SystemCode& data);
void compile_start(SystemCode& data);

}  // namespace saltus::program
