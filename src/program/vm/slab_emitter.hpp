/// Second half of slab compilation: items become slabs, slabs become instructions (slab_compiler.hpp).
#pragma once

#include "program/vm/slab_items.hpp"

namespace saltus::program {

[[nodiscard]] SlabProgram emit_program(ItemList list, const ProgramRequest& request);

}  // namespace saltus::program
