/// atan2(y, x) as it stands in equations: it jumps by 2π where x < 0 and y changes its sign.
///
/// Problem      A step across the cut is good on neither side, and nothing says when it is reached
/// Method       `if x <= 0 then atan2(-y, -x) + (if s >= 0 then π else -π) else atan2(y, x)`, s = `if x <= 0 then y else y + x`, both relations held between
///              events. Held, the angle goes on smoothly across the cut, and across x = 0: away from x = y = 0 nothing jumps but at the cut
/// Contract     the value of atan2 but for its last digit; find_angle knows what is made in this way, and nothing else
/// Choices      s is continuous and has the sign of y where the half-plane x <= 0 is entered, so that the angle is right there at once; where x > 0 it changes
///              its sign on the diagonal, and not on y = 0, where directions like to rest. x = 0 is an event although nothing jumps there: only so one that
///              goes through x = y = 0 is met on whatever line it does
/// Checked by   tests/events/angle_test.cpp, tests/unit/program/hidden_jumps_test.cpp
#pragma once

#include <optional>

#include "flat/canonical_guard.hpp"
#include "flat/model.hpp"

namespace saltus::flat {

struct Angle {
  NodeId y;
  NodeId x;
};

/// Whether there are y where atan2(y, x) jumps.
[[nodiscard]] bool meets_cut(const expr::Graph& graph, NodeId x);
/// s, from `behind`: x <= 0.
[[nodiscard]] NodeId side_of_cut(expr::Graph& graph, const Angle& angle, NodeId behind);
/// `above`: s >= 0.
[[nodiscard]] NodeId angle_of(expr::Graph& graph, const Angle& angle, NodeId behind, NodeId above);
/// What a node is the angle of. `scratch` is the graph of the model or a copy of it, with its canonicalizer.
[[nodiscard]] std::optional<Angle> find_angle(const Model& model, expr::Graph& scratch,
                                              GuardCanonicalizer& canonicalizer, NodeId choice);

}  // namespace saltus::flat
