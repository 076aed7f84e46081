/// Laws of turbulent flow that are written for the pressure: a·y·|y| = b.
///
/// Problem      a·y·abs(y) = b, or `if y > 0 then y^2 else -y^2` and the like in its place, gives y by a root, y = √(b/a) or -√(-b/a). Solved by
///              iterations it is singular where b vanishes: there levels that meet in finite time would end the run, and their rest (docs/semantics.md
///              7.9) is known of roots
/// Method       such an equation becomes y = if s >= 0 then √s else -√(-s), s = b/a, with a guard on s; without one, from sign and abs, where the
///              model has none (noEvent). It is found by what it is, not by how it is written: with y > 0 the difference of its sides is a·y² - b (its
///              second derivative is free of y, the first one vanishes at 0), with y < 0 it is -a·y² - b
/// Contract     the equation stays equivalent. Only where it is y that it gives: y has no derivative in the model, and everything else in the equation is
///              time, a parameter, discrete, differentiated, or given by equations v = … over such variables. A law that gives the pressure is left as it is, and so is one that is divided by a
///              parameter (y·|y|/k = b: what is left of it at y = 0 is not known to be zero)
/// Cost         nothing without guards or abs over single variables; else linear in the size of the equations
/// Checked by   tests/unit/lang/square_laws_test.cpp, tests/events/implicit_root_laws_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::flat {

void solve_square_laws(Model& model);

}  // namespace saltus::flat
