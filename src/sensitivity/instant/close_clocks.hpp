/// Clocks that are due so close to an instant that their order may be the other one.
///
/// Problem    beside p the clock ticks after the instant instead of before it, or before it: what either does the other one finds, or not
/// Method     the tick next to the instant moves by ∂t*/∂p of the clock, the instant by its σ; where a change of p by kTolerancesOfReach relative tolerances
///            brings them together, the column is undefined, but to the side that moves them apart
/// Contract   ticks within the run, of clocks that are not due at the instant. Guards that are close are looked at by stretch_start.hpp.
/// Checked by tests/gradient/close_events_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"

namespace saltus::sensitivity {

struct CloseClocks {
  std::vector<bool> undefined;  ///< by column
  std::string problem;
};

/// `together`: changes of all columns add up (unit changes). `due`: at the instant, which moves by `sigma`.
[[nodiscard]] CloseClocks find_close_clocks(const FieldSource& source, double t,
                                            std::span<const double> sigma, std::span<const Index> due,
                                            bool together);

/// A tick lies no further from t than `distance`.
[[nodiscard]] bool is_near_clock(const FieldSource& source, double t, double distance,
                                 std::span<const Index> due);

}  // namespace saltus::sensitivity
