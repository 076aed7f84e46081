/// S across guards that cross together and, when parameters move, at different times.
///
/// Problem    the order in which they cross depends on the direction in which parameters move; S⁺ exists where it does not matter
/// Method     every order is followed through the fields between, one guard after the other: S ← S + (f - f')·σ with σ of the guard in the field
///            f before it. Where all orders give the same, that is S⁺.
/// Contract   states are continuous and nothing but sides changes. The evaluator has the configuration after the instant when it returns.
/// Fails when a field between has no value, a guard does not cross transversally in one, or orders disagree: undefined
/// Cost       the factorial of the number of guards
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sensitivity/event_time.hpp"

namespace saltus::sensitivity {

/// "events happen together …" with the names of the guards.
[[nodiscard]] std::string order_problem(const FieldSource& source, std::span<const Index> guards);

/// `field` has the structure and configuration after the instant, `before` that before; `point.rates` is not read. Empty: undefined.
[[nodiscard]] std::vector<double> across_in_all_orders(const FieldSource& source, StretchField& field,
                                                       const system::Configuration& before,
                                                       std::vector<Index> guards, const InstantPoint& point);

}  // namespace saltus::sensitivity
