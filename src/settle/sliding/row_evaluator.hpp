/// Rows of stretches on which nothing is slid on.
///
/// Problem      a side that ends at its surface, √(h1 - h2), has no values behind it. No root was crossed on the stretch, and yet the extension of a
///              step may be behind the surface by its error (docs/semantics.md 7.9)
/// Method       slide::OwnSideEvaluator: where a row has no value, that next to the surfaces of roots, at any distance from them
/// Contract     that of the mode itself where it has no roots, or is reduced by ranks. Owned by the caller.
/// Checked by   RandomLaws.WhatLeavesZeroHasValues
#pragma once

#include <memory>
#include <span>

#include "system/hybrid_system.hpp"
#include "system/locked_dae.hpp"

namespace saltus::settle {

[[nodiscard]] std::unique_ptr<system::Evaluator> make_row_evaluator(const system::HybridSystem& system,
                                                                    const system::LockedDae& locked,
                                                                    std::span<const double> guess);

}  // namespace saltus::settle
