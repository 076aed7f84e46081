/// Problem      a condition or a body may read der(h) although no equation contains it: nothing would determine it
/// Method       each such derivative becomes a variable that is called as it is written, "der(h)", with the equation der(h) = der(h): the
///              index reduction then differentiates what gives h
/// Contract     Derivatives that some equation contains, and those of variables of one mode, are left alone.
/// Checked by   tests/unit/lang/read_derivatives_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::flat {

void give_read_derivatives(Model& model);

}  // namespace saltus::flat
