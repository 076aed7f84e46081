// Constrained mechanics by every formulation (docs/math/formulations.md).
#pragma once

namespace saltus::bench {

void print_formulations(bool quick);

}  // namespace saltus::bench
