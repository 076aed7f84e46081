/// S across guards that cross together and, when parameters move, at different times.
///
/// Problem    the order in which they cross depends on the direction in which a parameter moves: for p + ε and p - ε it is another one
/// Method     for each column and each direction the crossings of the moved run are followed to first order in ε: guards are affine in the time
///            since the instant, gⱼ = ε·(∂gⱼ/∂p at fixed time) + ġⱼ·τ in the present field; the first one to reach zero changes its side, S ← S + (f - f')·σ
///            with σ = τ/ε, and so on through the fields between until all have crossed. Guards that reach zero together do so at once.
///            What both directions give alike is S⁺, and σ of a guard; else Setup::side chooses one of them.
/// Contract   states are continuous and nothing but sides changes. The evaluator has the configuration of the field again when it returns.
/// Undefined  (by column) where directions disagree and none is chosen, or where the moved run does something else: a guard does not cross in a
///            field between, comes back, or is on its old side in the field that its crossing leads to (then the equations have no solution there).
/// Cost       for each order that occurs the fields between and one tangent of each guard
/// Checked by tests/sensitivity/sides_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sensitivity/instant/event_time.hpp"

namespace saltus::sensitivity {

/// "events happen together …" with the names of the guards.
[[nodiscard]] std::string order_problem(const FieldSource& source, std::span<const Index> guards);

struct TogetherCrossed {
  std::vector<double> s;                   ///< S⁺, [state][column]; 0 where it is undefined
  std::vector<std::vector<double>> sigma;  ///< by guard and column; NaN: undefined
  std::vector<bool> is_defined;            ///< by column
};

/// `field` and `point`: before the instant; `after`: sides after it.
[[nodiscard]] TogetherCrossed cross_together(const FieldSource& source, StretchField& field,
                                             const system::Configuration& after,
                                             std::span<const Index> guards, const InstantPoint& point);

}  // namespace saltus::sensitivity
