/// S of a run that begins on surfaces: guards that are zero at the start and are not for other values of a parameter.
///
/// Problem    beside its value the moved run begins on one side of such a guard, on the other for a move to the other direction; the run itself leaves
///            the surface to one of them at once
/// Method     where the moved run begins on the side that the run leaves to, S is that of the start. Where it begins on the other side it crosses after the
///            time σ of the guard in the field f' of that side: S + (f' - f)·σ. What both directions give alike is S, else Setup::side chooses.
/// Contract   Undefined, by column: directions disagree and none is chosen, the run stays on the surface, several guards would cross, a clause or
///            discrete equation reads another truth before the crossing, or the other side does not lead to the surface. All columns are where the run
///            leaves a surface along it (ġ = 0) though the sides have other rates: any change may lead to the other one.
/// Checked by tests/sensitivity/sides_test.cpp
#pragma once

#include <string>
#include <vector>

#include "sensitivity/event_time.hpp"

namespace saltus::sensitivity {

struct StartLeft {
  std::vector<bool> undefined;  ///< by column
  std::string problem;          ///< of the first of these
};

/// `field`, `point`: after the instant of the start, `before`: sides before it, 0 for guards that are zero; `point.rates` is not read. S of the start,
/// which the point has, becomes `s`.
[[nodiscard]] StartLeft leave_surfaces(const FieldSource& source, StretchField& field,
                                       const system::Configuration& before, InstantPoint point,
                                       std::vector<double>& s);

}  // namespace saltus::sensitivity
