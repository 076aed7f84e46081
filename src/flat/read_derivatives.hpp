/// Problem      a condition or a body may read der(h) although no equation contains it, or none where a choice has taken another side
///              (0 = min(der(h) - f, h): where h rests at 0 the side that is not taken is still compared): nothing would determine it
/// Method       each such derivative becomes a variable that is called as it is written, "der(h)", with the equation der(h) = der(h): the
///              index reduction then differentiates what gives h
/// Contract     Derivatives that some equation contains whatever its choices, and those of variables of one mode, are left alone.
/// Checked by   tests/unit/lang/read_derivatives_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::flat {

void give_read_derivatives(Model& model);

}  // namespace saltus::flat
