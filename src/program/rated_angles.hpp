/// atan2 in equations that are differentiated.
///
/// Problem      phi = atan2(y, x) jumps at its cut, der(phi) does not: with the jump as an event of phi, whatever is integrated from der(phi) would jump with it,
///              as it does with phi = mod(s, 1)
/// Method       there atan2 stays as it is, without events: the derivative of phi is that of the angle, and where phi is integrated, no step leads
///              across the cut
/// Checked by   tests/events/angle_test.cpp
#pragma once

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::program {

/// Whether there were any: then the mode is to be causalised again.
bool take_events_from_rated_angles(flat::Model& model, ModeId mode, const structure::Causalized& causalized);

}  // namespace saltus::program
