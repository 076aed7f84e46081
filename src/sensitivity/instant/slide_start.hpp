/// S of a stretch that slides where it begins: at the start of a run or after an instant that has put states on the surface.
///
/// Problem    another value of a parameter puts the beginning beside a surface that is slid on; that run arrives on it a little later
/// Notation   as in stretch_start.hpp: a frame that begins with the stretch of each run, G = dg/dp there at fixed time since then
/// Method     G = 0: all runs begin on the surface. Else the run of p ± ε begins on the side ±G, whose field is f', and arrives after ετ,
///            τ = -G'/ġ' there; from then on it slides as the run does, with f: X + (f' - f)·τ. Sides that are combined as Filippov has it give the same for
///            both directions: there is a derivative, which keeps g = 0. Else Setup::side chooses.
/// Contract   Undefined, by column: directions disagree and none is chosen; the side does not lead to the surface; clauses or discrete equations read
///            another truth there; it has other states; several surfaces are concerned, or the others cannot be slid on beside the side;
///            the surface is the middle of a band.
/// Choices    other surfaces go on being slid on beside the side, if their weights stay within their range
/// Cost       one tangent of the surfaces; two fields for each of them that a column leaves
/// Checked by tests/sensitivity/slide_start_test.cpp
#pragma once

#include <string>
#include <vector>

#include "sensitivity/instant/stretch_start.hpp"

namespace saltus::sensitivity {

struct SlidesReached {
  std::vector<bool> moved;      ///< by column: X is another one now
  std::vector<bool> undefined;  ///< by column
  std::string problem;          ///< of the first of these
};

/// Of the surfaces of the field: X becomes `x`.
[[nodiscard]] SlidesReached reach_slides(const FieldSource& source, StretchField& field,
                                         const StretchStart& start, std::vector<double>& x);

}  // namespace saltus::sensitivity
