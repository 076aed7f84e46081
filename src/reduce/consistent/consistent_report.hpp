/// What is said about values at the start: starts that moved, fixed values that repeat or contradict the equations.
#pragma once

#include "reduce/consistent/consistent_values.hpp"
#include "reduce/consistent/start_search.hpp"
#include "reduce/consistent/start_tiers.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::reduce {

/// A row that is met to this part of the worst one is not to blame.
inline constexpr double kBlamed = 1e-3;

[[nodiscard]] Diagnostics start_warnings(const system::EquationSet& equations,
                                         const ConsistentValues& values);

/// Why there are no consistent values; `found`: where the search ended with all but the fixed slots released. Searches
/// further: with fixed slots released, all and one by one, and without the initial equations.
[[nodiscard]] Diagnostics explain_contradiction(StartSearch& search, const StartTiers& tiers,
                                                const StartFound& found);

}  // namespace saltus::reduce
