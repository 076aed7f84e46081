// What forward sensitivities cost.
#pragma once

namespace saltus::bench {

/// Runs with sensitivities over the same runs without.
void print_sensitivity_ratios(bool quick);
/// Beside CVODES and IDAS on smooth problems, at equal errors of the sensitivities.
void print_sensitivities_beside_sundials(bool quick);

}  // namespace saltus::bench
