// How time and memory from text to a system that is ready grow with the number of equations.
#pragma once

#include <string>

namespace saltus::bench {

/// Prints the table; `self` is the path of this program, which is started once for each size.
void print_scaling(const std::string& self, bool quick);

/// One size, in a process of its own: prints seconds for elaboration and for the rest.
int measure_ready(int cells);

}  // namespace saltus::bench
