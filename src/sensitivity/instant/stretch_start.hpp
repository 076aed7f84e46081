/// S of a stretch that begins on surfaces: where guards are zero after the start of a run or after an instant, and are not for other values of a parameter.
///
/// Problem    beside its value the run begins the stretch on one side of such a guard, and on the other one for a move to the other direction; the run itself
///            leaves the surface to one of them, or rests on it
/// Notation   a frame that begins with the stretch of each run: X = S + f·σ, G = dg/dp there at fixed time since then, f of the side that the run takes
/// Method     a guard whose G is zero leads all runs to the same side. Else the moved run that begins on the side that the run takes has X; the one that begins
///            on the other side crosses after the time τ of the guard in the field f' of that side: X + (f' - f)·τ. What both directions give alike is X,
///            else Setup::side chooses. A guard that is only touched (contact.hpp) has G = G' = … = 0 below the order of contact.
///            Sides that have the same rates, and truths of clauses and discrete equations, do not matter, unless the run rests between them.
///            Unit changes are asked together whether they reach a surface: they stand for whatever the run may be mistaken in.
/// Contract   Undefined, by column: directions disagree and none is chosen; several guards would cross; a clause or discrete equation reads another truth
///            before the crossing; the other side does not lead to the surface; the run rests on it, or touches it, and G is not zero.
///            Unit changes of states (adjoint gradients) need not keep the run on surfaces on which it has rested before the instant: their G counts
///            as far as it is not a sum of what was zero then.
/// Choices    a guard counts as zero for a column as in surface_places.hpp; for contacts, within rounding errors.
///            G counts as zero where a tolerance in the states is as much.
/// Cost       one tangent of all guards; the rest where one of them is zero
/// Checked by tests/sensitivity/surface_start_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sensitivity/instant/surface_places.hpp"

namespace saltus::sensitivity {

struct StretchStart {
  InstantPoint point;             ///< where the stretch begins, in its field; `s` is X, `rates` is not read
  std::span<const double> sigma;  ///< how the time moves at which it begins, by column
  std::span<const Index> passed;  ///< guards that are known to be on their sides
  const KnownZeros* before = nullptr;  ///< the instant; none: all columns are of this run
  bool is_start = false;               ///< of the run: Column::leaves count
};

struct SurfacesLeft {
  std::vector<bool> undefined;  ///< by column
  std::string problem;          ///< of the first of these
  /// On which the run rests and whose sides matter: parameters that move them later are undefined from there on.
  std::vector<Index> resting;
};

/// X becomes `x`.
[[nodiscard]] SurfacesLeft leave_surfaces(const FieldSource& source, StretchField& field,
                                          const StretchStart& start, std::vector<double>& x);

struct SurfacesApproached {
  std::vector<bool> undefined;  ///< by column
  std::string problem;
};

/// The end of a stretch, where an instant comes: guards that are close to their surfaces there, on either side, may cross before the instant for some values
/// of a parameter and after it for others. Columns that move them are undefined if sides matter, but to the direction in which the order is that of the
/// run. `end`: as StretchStart, before the instant.
[[nodiscard]] SurfacesApproached approach_surfaces(const FieldSource& source, StretchField& field,
                                                   const StretchStart& end);

struct SurfaceTouched {
  bool matters = false;         ///< which side the run is on
  std::vector<bool> undefined;  ///< by column
  std::string problem;
};

/// A guard that is near its surface at `point` and turns back: columns that reach the surface are undefined, if its sides matter.
[[nodiscard]] SurfaceTouched touch_surface(const FieldSource& source, StretchField& field,
                                           const GuardPlace& place, const InstantPoint& point);

}  // namespace saltus::sensitivity
