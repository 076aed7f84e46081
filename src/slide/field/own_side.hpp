/// Problem      a point that lies on a surface up to rounding may lie on the wrong side of it for functions that have no value
///              there: |g|^1.5 with |g| locked as g, at g = -1e-16
/// Method       along the gradient to where g has the sign asked for, beyond its noise: distances of a few ulps [CMR16] 2.2
/// Contract     x is changed by rounding errors of g only; false where the guard has no gradient or cannot be evaluated, or the
///              sign is not reached within kMostMoves. Needs room for one vector; does not allocate.
/// Checked by   tests/unit/slide/own_side_test.cpp
#pragma once

#include <span>

#include "base/ids.hpp"
#include "system/locked_dae.hpp"

namespace saltus::slide {

[[nodiscard]] bool move_to_side(system::Evaluator& evaluator, Index guard, double side, double t,
                                std::span<double> x, std::span<double> gradient);

}  // namespace saltus::slide
