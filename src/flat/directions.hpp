/// direction(v): v/|v|, and at v = 0 what holds v there (docs/semantics.md 7.10).
///
/// Problem      Coulomb friction in the plane: v/|v| has no value at v = 0 and no guard whose side says what holds there; and friction as it is
///              written without direction(v), `if n > 0 then -mu*vx/n else 0` with n = sqrt(vx^2 + vy^2), never comes to rest
/// Method       add_direction: element k is `if v is held at zero then w_k else (v_k + w_k)/|v + w|`, with the numbers w_k and the truth of the
///              condition held between events (Condition::Kind::norm, component). Held they are what holds v at zero. Moving they are zero, or next to zero
///              a large vector along the direction that is kept there.
///              find_directions: a choice `if n > 0 then X else Y` over a length n = sqrt(u₁² + … + u_m²), m > 1, in which X reads u/n, becomes X with
///              direction(u) in place of u/n, if Y is what X is with zero in the place of u/n, u and n: then Y is what Filippov's set of X at u = 0
///              contains, and what X - Y can hold there it does
/// Contract     find_directions changes equations alone, and only such choices; their values for u ≠ 0 stay the same up to rounding
/// Choices      u/n is found in quotients c·u/n, sums and products of such with what else there is, and c·u·(1/n); other ways of writing are left alone
/// Cost         nothing without relations over lengths; else linear in the size of the equations
/// Checked by   tests/unit/lang/directions_test.cpp, tests/events/direction_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "flat/model.hpp"

namespace saltus::flat {

/// |v|.
[[nodiscard]] NodeId length_of(expr::Graph& graph, std::span<const NodeId> v);
/// The elements of direction(v), v of two elements or more. New conditions: that of the norm, then one for each element.
[[nodiscard]] std::vector<NodeId> add_direction(Model& model, std::span<const NodeId> v, std::string text,
                                                SourceSpan span);
/// The same with conditions that are there, the norm and what follows it.
[[nodiscard]] std::vector<NodeId> direction_of(Model& model, std::span<const NodeId> v, ConditionId norm);

void find_directions(Model& model);

}  // namespace saltus::flat
