/// Equations in which an unknown cancels on one side of a choice, as one choice.
///
/// Problem    N = max(0, N - r·v), the proximal form of a contact, says N = 0 or v = 0. Written N - (if N - r·v > 0 then N - r·v else 0) = 0
///            contains N on both sides: the factor of N is 1 - 1 on one of them, and what is divided by it is nothing.
/// Method     u = k·(if c then a else b) is 0 = if c then k·a - u else k·b - u. Where u, one term with an unknown in it, cancels in one of
///            these, also in choices within choices, the equation is written so, and the choice decides the structure
///            (structure/structure_choices.hpp).
/// Contract   the same solutions; conditions stay as they are. Other equations are not touched: y = x - max(x - 1, 0) is solved for y.
/// Cost       linear in the nodes of choices at the top of equations
/// Checked by tests/unit/program/shared_choices_test.cpp, tests/events/proximal_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::program {

/// Of the common equations and those of the modes; to be called before causalisation.
void share_out_choices(flat::Model& model);

}  // namespace saltus::program
