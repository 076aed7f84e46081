/// Memory that the program may take: what would not fit ends with a message instead of with the machine.
#pragma once

namespace saltus::tool {

/// Limits what this process may allocate to most of the memory of the machine, or of the control group it is in, unless a lower limit is
/// set already (ulimit). Allocations beyond it throw std::bad_alloc, which the library turns into the reason `out_of_memory`.
void limit_memory();

}  // namespace saltus::tool
