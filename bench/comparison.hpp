// The table of solvers on smooth problems.
#pragma once

namespace saltus::bench {

/// Prints one line for each problem, tolerance and solver. With `quick`, fewer tolerances.
void print_comparison(bool quick);

}  // namespace saltus::bench
