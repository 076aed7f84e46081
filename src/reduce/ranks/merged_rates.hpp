/// A first-order system whose unknowns v stand for derivatives, v = ẋ, as the equation of higher order that it comes from.
///
/// Problem      ẋ = v, F(t, x, v, v̇) = 0 was written for F(t, x, ẋ, ẍ) = 0: the same equations without v, with their derivative arrays
/// Method       A row that is c·ẋ - c·v and nothing else says so. v⁽ⁱ⁾ is x⁽ⁱ⁺¹⁾ then, in every row of the array and of its derivatives; the row
///              itself and its derivatives are 0 = 0 and left out. Differentiation commutes with that, so the array of depth l of the
///              system as written is the array of depth l of the merged one.
/// Contract     Only such v are merged whose own derivative occurs in an equation as written: others are outputs. Chains are followed (w = v̇). The DAE given has to outlive the merged one. Evaluators and guards are not offered.
/// Choices      Rows are recognised by numbers: their residuals and entries at the point and at two near it are those of c·ẋ - c·v. Another function of two slots
///              would have to agree with it at all of them.
/// Checked by   tests/unit/reduce/merged_rates_test.cpp
#pragma once

#include <map>
#include <memory>
#include <span>

#include "system/locked_dae.hpp"

namespace saltus::reduce {

struct MergedRates {
  std::shared_ptr<const system::LockedDae> dae;  ///< null: nothing to merge
  /// By variable that is left out: the derivative it is.
  std::map<Index, system::Quantity> stands_for;

  [[nodiscard]] system::Quantity merged(system::Quantity quantity) const {
    const auto found = stands_for.find(quantity.variable);
    return found == stands_for.end()
               ? quantity
               : system::Quantity{found->second.variable, found->second.order + quantity.order};
  }
};

/// `slots`: of the array of depth 0, a point at which it has values.
[[nodiscard]] Result<MergedRates> merge_rates(const system::LockedDae& dae,
                                              const system::Configuration& configuration, double t,
                                              std::span<const double> slots);

}  // namespace saltus::reduce
